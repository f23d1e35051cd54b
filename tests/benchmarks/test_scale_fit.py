"""Lines through measurements, and what they say of machines."""

from __future__ import annotations

import pytest
from benchmarks.scale.fit import Line, Machine, StageLines, breaking_points, extrapolate, fit
from benchmarks.scale.report import END, START, fill_page, markdown, stage_lines

FLAT = Line(0.0, 0.0, 0.0, 0.0)


def line(slope: float, intercept: float = 0.0) -> Line:
    return Line(intercept, slope, 0.0, 1.0)


def run(papers: int, stage: str, cpu: float, **values: float) -> dict:
    found = {
        "driver_seconds": cpu / 4,
        "peak_bytes": 1.6e9,
        "driver_peak_bytes": 1e9,
        "read_bytes": 0,
        "written_bytes": 0,
        "kept_bytes": 0,
    } | values
    where = {"papers": papers, "bodies": False, "engine": "native", "stage": stage}
    return {**where, "cpu_seconds": cpu, "wall_seconds": 2 * cpu, **found}


def test_points_on_a_line_give_that_line():
    found = fit([1, 2, 4], [5, 7, 11])
    assert (found.slope, found.intercept) == pytest.approx((2, 3))
    assert found.residual == pytest.approx(0, abs=1e-12)
    assert found.at(10) == pytest.approx(23)
    assert found.papers_at(23) == pytest.approx(10)


def test_a_residual_is_a_share_of_what_was_measured():
    # The line through (0, 0), (1, 3), (2, 3) is 0.5 + 1.5 x; at 1 it says 2, and 3 was measured.
    found = fit([0, 1, 2], [0, 3, 3])
    assert (found.intercept, found.slope) == pytest.approx((0.5, 1.5))
    assert found.residual == pytest.approx(1 / 3)


def test_growth_tells_curves_from_lines():
    assert fit([10, 100], [1, 100]).growth == pytest.approx(2)
    assert fit([10, 100], [7, 7]).growth == pytest.approx(0)
    assert fit([10, 100], [7, 7]).papers_at(8) is None


def test_one_size_makes_no_line():
    with pytest.raises(ValueError, match="two sizes"):
        fit([3, 3], [1, 2])


def test_what_spreads_is_shared_and_the_rest_waits_for_one_process():
    lines = [
        StageLines(
            "tables", line(0.036), FLAT, line(0, 2e9), 0.5e9, line(1_000), line(500), line(2_000)
        ),
        StageLines("network", line(0.0036), line(0.0036), line(1_000, 1e9), 0.0, FLAT, FLAT, FLAT),
    ]
    need = extrapolate(lines, line(9_000), 10_000_000, Machine(10, 64.0, 60.0, 5.0))
    # 10 M papers at 36 ms are 100 CPU hours, at 3.6 ms 10.
    assert need.spread_hours == pytest.approx(100)
    assert need.single_hours == pytest.approx(10)
    # Disk 10 M * (9 + 1) kB = 100 GB and 5 GB moved: two machines of 60 GB. CPU: 100 / (10 * 5).
    assert (need.disk_gb, need.shuffle_gb, need.machines) == pytest.approx((100, 5, 2))
    assert need.hours == pytest.approx(100 / 20 + 10)
    assert need.read_gb == pytest.approx(20)
    # 1 GB and 10 M * 1 kB; the tables take 2 GB and ten workers of half a GB.
    assert (need.memory_stage, need.memory_gb) == ("network", pytest.approx(11))


def test_the_first_to_fill_a_machine_stands_in_front_and_what_never_does_is_left_out():
    lines = [
        StageLines("index", FLAT, FLAT, line(0, 2e9), 0.0, FLAT, FLAT, FLAT),
        StageLines("stats", FLAT, FLAT, line(500), 0.0, FLAT, FLAT, FLAT),
        StageLines("network", FLAT, FLAT, line(2_000), 1e9, FLAT, FLAT, FLAT),
    ]
    # Four workers of 1 GB leave 60 of 64 GB: at 2 kB a paper 30 M papers; 64 GB at 0.5 kB 128 M.
    found = breaking_points(lines, Machine(cores=4, memory_gb=64.0))
    assert found == [("network", pytest.approx(30e6)), ("stats", pytest.approx(128e6))]


def test_lines_are_fitted_to_full_builds_without_bodies():
    runs = [run(n, stage, n / 100) for n in (100, 200) for stage in ("papers", "tables")]
    runs += [run(n, "add-tables", 1.0) for n in (100, 200)]
    runs += [run(100, "network", 1.0)]
    assert [found.name for found in stage_lines(runs, 2)] == ["tables"]


def test_the_tables_show_what_was_measured_and_the_share_of_an_update():
    runs = [run(n, "tables", n / 100, written_bytes=3e9, kept_bytes=1e9) for n in (1_000, 2_000)]
    runs += [run(2_000, "add-tables", 2.5)]
    machine = {"cores": 2, "memory_gb": 8.0, "python": "3.11.7", "system": "Linux x86_64"}
    text = markdown({"machine": machine, "runs": runs}, Machine(), 1_000)
    assert "Measured on 2 cores with 8 GB (Linux x86_64, Python 3.11.7)" in text
    assert "| 2,000 | tables | 20.0 | 40 | 1.60 | 0.00 | 3.00 | 1.00 |" in text
    # 20 s for 2,000 papers are 10 ms each; an update of 2.5 s is an eighth.
    assert "| tables | 10.000 | 25% | 0.0 | 0% | n^1.00 |" in text
    assert "| 2,000 | add-tables | 12% |" in text
    # 2 M papers at 10 ms: 5.6 CPU hours, of which one process does 1.4 and 32 cores 4.2 in 0.1.
    # 1 GB and 32 workers of 0.3 GB are 10.6. 1 GB is kept, and 2 GB more were written.
    assert "| 2 M | 4.2 | 1.4 | 1 | 1.5 | 10.6 | tables | 1 | 2 | 0 |" in text


def test_sets_too_small_to_be_cut_into_shards_are_shown_but_not_fitted():
    machine = {"cores": 2, "memory_gb": 8.0, "python": "3.11.7", "system": "Linux x86_64"}
    runs = [run(n, "tables", n / 100) for n in (1_000, 2_000, 60_000)]
    text = markdown({"machine": machine, "runs": runs}, Machine())
    assert "| 2,000 | tables | 20.0 |" in text
    assert "CPU hours" not in text


def test_tables_are_put_between_the_marks_of_a_page_in_place_of_those_there():
    page = f"before\n{START}\nold\n{END}\nafter\n"
    filled = fill_page(page, "| new |\n")
    assert filled == f"before\n{START}\n\n| new |\n\n{END}\nafter\n"
    assert fill_page(filled, "| new |\n") == filled
    with pytest.raises(ValueError, match="no '<!-- printed"):
        fill_page("a page without marks", "| new |\n")
