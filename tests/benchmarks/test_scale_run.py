"""benchmarks/scale from end to end on 300 papers, and what docs/scale.md shows of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.scale.__main__ import PUBLISHED
from benchmarks.scale.fit import Machine
from benchmarks.scale.measure import CommandFailed, measure
from benchmarks.scale.papers import Maker, Plan
from benchmarks.scale.report import fill_page, markdown
from benchmarks.scale.stages import STAGES
from benchmarks.scale.workers import REST, TARGET, WHOLE

from vivavoce import load_corpus

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAPERS = 300


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run over 300 papers left behind."""
    folder = tmp_path_factory.mktemp("scale")
    command = [sys.executable, "-m", "benchmarks.scale", "--papers", str(PAPERS), "--bodies", "0"]
    done = subprocess.run(
        [*command, "--out", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    logs = [path.read_text("utf-8") for path in sorted(folder.rglob("*.log"))]
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{logs}"
    return folder


def test_every_stage_is_measured(out: Path):
    runs = json.loads((out / "measured.json").read_text("utf-8"))["runs"]
    assert [run["stage"] for run in runs] == list(STAGES)
    for run in runs:
        assert run["cpu_seconds"] > 0.1, run
        assert run["wall_seconds"] > 0, run
        assert 20e6 < run["peak_bytes"] < 6e9, run
        assert run["read_bytes"] > 0, run
    made = {run["stage"]: run["made"] for run in runs}
    assert made["ingest"] == {"documents": PAPERS, "failed": 0}
    assert made["add-ingest"] == {"documents": 15, "failed": 0}
    assert made["round"]["title"] == made["round"]["abstract"] == PAPERS
    assert made["index"]["papers"] == PAPERS
    assert made["add-index"]["added"] == 15
    assert made["stats"]["citation"]["papers"] == PAPERS
    assert made["network"]["comparison"]["edges"] > 0


def test_references_resolve_to_the_papers_that_they_were_printed_for(out: Path):
    total = PAPERS + 15
    maker = Maker(Plan(PAPERS))
    papers = np.arange(total)
    meant = {
        (maker.paper_id(paper), ordinal): work
        for paper, row in zip(papers.tolist(), maker.cited(papers), strict=True)
        for ordinal, work in enumerate(row)
    }
    rows = list(load_corpus(out / "native" / f"papers-{PAPERS}" / "corpus").rows("references"))
    assert len(rows) == len(meant)
    number = {f"arxiv:{maker.paper_id(paper)}": paper for paper in papers.tolist()}
    found = [(meant[_key(row)], number[row["cited_paper_id"]]) for row in rows if _resolved(row)]
    assert all(work == paper for work, paper in found)
    inside = [work for work in meant.values() if work < total]
    assert len(found) >= 0.98 * len(inside)
    assert 0.3 <= len(found) / len(rows) <= 0.37


def test_workers_are_compared_step_by_step(tmp_path: Path):
    command = [sys.executable, "-m", "benchmarks.scale", "--engine", "ray", "--workers", "1", "2"]
    done = subprocess.run(
        [*command, "--rounds", "1", "--papers", "300", "--bodies", "0", "--out", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    seconds = {line[0].strip("| "): [float(line[2]), float(line[3])] for line in lines[2:]}
    steps = ["repartition", "make_shard", "resolve_references"]
    assert list(seconds) == [*steps, REST, WHOLE], done.stderr
    assert sum(seconds[name][0] for name in steps) < seconds[WHOLE][0] + 0.2  # of rounding
    spread = [float(line[4]) for line in lines[2:5]]
    assert done.returncode == int(any(times < TARGET for times in spread))


def _key(row: dict) -> tuple[str, int]:
    return row["paper_id"].removeprefix("arxiv:"), row["ordinal"]


def _resolved(row: dict) -> bool:
    return row["cited_paper_id"] is not None


def test_memory_and_time_of_children_count(tmp_path: Path):
    inner = "x = bytearray(80_000_000); n = sum(range(6_000_000)); import time; time.sleep(0.4)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}], check=True)"
    used = measure([sys.executable, "-c", outer + "; print('{}')"], tmp_path / "child.log")
    assert used.output == "{}\n"
    assert used.peak_bytes > 80_000_000
    assert used.cpu_seconds > 0.05
    assert used.driver_seconds < used.cpu_seconds
    assert used.wall_seconds >= 0.4


def test_bytes_written_and_removed_again_count(tmp_path: Path):
    path = tmp_path / "large"
    program = (
        f"import pathlib, time; p = pathlib.Path({str(path)!r}); p.write_bytes(bytes(5_000_000));"
        " p.unlink(); time.sleep(0.5)"
    )
    used = measure([sys.executable, "-c", program], tmp_path / "writer.log")
    assert used.written_bytes >= 5_000_000


def test_a_stage_that_fails_is_told_with_its_log(tmp_path: Path):
    with pytest.raises(CommandFailed, match=r"ended with 3: see .*broken\.log"):
        measure([sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "broken.log")


def test_the_page_shows_what_was_measured():
    tables = markdown(json.loads(PUBLISHED.read_text("utf-8")), Machine())
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    assert page == fill_page(page, tables), (
        "python -m benchmarks.scale --markdown --page docs/scale.md"
    )
