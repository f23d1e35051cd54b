"""Two ways to one result are timed only when the results are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.peers.__main__ import BEGIN, END, FRONT, HEADLINES, headlines, markdown, write_page
from benchmarks.peers.comparison import (
    Comparison,
    DifferenceError,
    Limited,
    Measured,
    measure,
    measure_limited,
)


def _sum_of(numbers: range) -> int:
    return sum(number * number for number in numbers)


def _comparison(theirs: int = 0, **more: float) -> Comparison:
    """A job of which the other way does twenty times as much for the same number."""
    return Comparison(
        job="squares",
        peer="a slower sum",
        ours=lambda: _sum_of(range(20_000)),
        theirs=lambda: min(_sum_of(range(20_000)) for _ in range(20)) + theirs,
        agree=lambda mine, other: mine == other,
        **more,
    )


def test_a_ratio_is_that_of_medians_with_the_spread_of_single_rounds() -> None:
    measured = measure(_comparison(target=2.0), rounds=3)
    assert measured.lowest <= measured.highest
    assert measured.ratio == pytest.approx(measured.peer_seconds / measured.ours_seconds)
    assert measured.rounds == 3
    assert measured.is_met == (measured.ratio >= 2.0)


def test_times_of_different_results_mean_nothing() -> None:
    with pytest.raises(DifferenceError, match="squares: not what a slower sum gives"):
        measure(_comparison(theirs=1), rounds=1)


def test_what_is_made_ready_comes_before_every_single_call() -> None:
    made: list[str] = []
    comparison = Comparison(
        job="order",
        peer="itself",
        ours=lambda: made.append("ours"),
        theirs=lambda: made.append("theirs"),
        agree=lambda mine, other: mine == other,
        before=lambda: made.append("ready"),
    )
    measure(comparison, rounds=1)
    assert made == ["ready", "ours", "ready", "theirs"] * 2


def test_small_work_has_to_reach_half_of_a_target_or_one_of_its_own() -> None:
    assert measure(_comparison(target=4.0), rounds=1, smoke=True).target == 2.0
    own = _comparison(target=4.0, smoke_target=0.5)
    assert measure(own, rounds=1, smoke=True).target == 0.5
    assert measure(own, rounds=1).target == 4.0
    assert measure(_comparison(), rounds=1, smoke=True).target is None


def test_a_job_with_a_limit_is_as_fast_as_the_limit_is_long() -> None:
    ready: list[int] = []
    job = Limited("pages", 3.0, lambda: 2.0, lambda: ready.append(1), most_rounds=2, is_told=True)
    measured = measure_limited(job, rounds=5)
    assert (measured.ratio, measured.rounds, len(ready)) == (1.5, 2, 2)
    assert measured.is_met
    assert not measure_limited(replace(job, limit=1.9), rounds=1).is_met
    assert measure_limited(replace(job, limit=0.9), rounds=1, smoke=True).target is None
    worked = replace(job, is_told=False)
    assert measure_limited(worked, rounds=1, smoke=True).target == 0.5
    assert not measure_limited(replace(worked, limit=1e-12), rounds=1, smoke=True).is_met


ROW = Measured("a job", "a peer", 0.5, 1.0, 2.0, 1.5, 2.5, 5, 4.0)


def test_a_missed_target_is_said_in_the_table() -> None:
    line = markdown([ROW]).splitlines()[2]
    assert line == "| a job | a peer | 0.50 | 1.00 | 2 | 1.5 to 2.5 | >= 4 MISSED |"


def test_the_table_goes_between_its_marks_and_the_rest_of_the_page_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n")
    write_page(page, markdown([ROW]))
    write_page(page, markdown([ROW]))
    text = page.read_text()
    assert text.startswith(f"Before.\n{BEGIN}\n\n| job |")
    assert text.endswith(f"\n\n{END}\nAfter.\n")
    assert "old" not in text
    assert text.count("| a job |") == 1


def test_a_page_without_the_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Nothing to fill.\n")
    with pytest.raises(SystemExit, match="lacks the lines"):
        write_page(page, "table")
    assert page.read_text() == "Nothing to fill.\n"


def test_the_front_page_shows_ten_of_the_jobs_in_an_order_of_its_own() -> None:
    rows = [replace(ROW, job=f"{name}, more words") for name in reversed(HEADLINES)]
    again = [replace(row, peer="another peer") for row in rows]
    found = headlines([*rows, replace(ROW, job="BERTScore"), *again])
    assert [row.job for row in found] == [f"{name}, more words" for name in HEADLINES]
    assert {row.peer for row in found} == {"a peer"}


def test_readme_has_a_line_for_each_of_these_jobs() -> None:
    _, _, rest = FRONT.read_text("utf-8").partition(BEGIN)
    lines = rest.partition(END)[0].strip().splitlines()[2:]
    jobs = [line for line in lines if line.startswith("|")]
    assert len(jobs) == len(HEADLINES)
    for line, name in zip(jobs, HEADLINES, strict=True):
        assert line.startswith(f"| {name}")
