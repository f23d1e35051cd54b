"""The scripts of examples/ run as they stand, and print what the page beside them shows."""

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.store import read_jsonl, write_jsonl

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))
REPEATED = "monthly_rounds.py"
"""The script that is run twice in one place; the others are run once."""
PAGE = (EXAMPLES / "README.md").read_text("utf-8")
_SHOWN = re.compile(
    r"^```bash\npython examples/(?P<script>\w+\.py)\n```\n\n```text\n(?P<output>.*?)^```$",
    re.M | re.S,
)
SHOWN = {found["script"]: found["output"] for found in _SHOWN.finditer(PAGE)}


def test_the_page_shows_every_script_once():
    assert list(SHOWN) == [found["script"] for found in _SHOWN.finditer(PAGE)]
    assert sorted(SHOWN) == SCRIPTS


@pytest.mark.parametrize("script", [script for script in SCRIPTS if script != REPEATED])
def test_a_script_prints_what_the_page_shows(script, tmp_path, monkeypatch, capsys):
    # All in this process: to import Inspect takes longer than most of them.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [script])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    assert capsys.readouterr().out == SHOWN[script]
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("example-")  # nothing is left anywhere else


def test_a_script_runs_by_itself(tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "score_answers.py"), str(tmp_path / "here")],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == SHOWN["score_answers.py"]
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_a_script_may_be_run_again_in_the_same_place(tmp_path, capsys):
    main = runpy.run_path(str(EXAMPLES / REPEATED))["main"]
    for _ in range(2):
        main(tmp_path / "here")
        assert capsys.readouterr().out == SHOWN[REPEATED]
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_the_example_in_the_metric_holds():
    names = runpy.run_path(str(EXAMPLES / "own_metric.py"))
    # Gold has the numbers 3 and 4.5, the answer 4.5 and 7: 2 * 1 / (2 + 2).
    assert names["kept_numbers"]("from 3 to 4.5 points", "4.5 points, not 7") == 0.5
    (found,) = doctest.DocTestFinder().find(names["kept_numbers"], "kept_numbers", globs=names)
    assert doctest.DocTestRunner().run(found).failed == 0


@pytest.mark.data
def test_a_lab_compares_models_on_papers_of_its_own(data_dir, tmp_path, capsys):
    """Twelve real papers with a table of their dates, and a file that is broken."""
    papers, metadata = tmp_path / "papers", tmp_path / "papers.jsonl"
    papers.mkdir()
    rows = [row for _, row in read_jsonl(data_dir / "tei" / "index.jsonl")][:12]
    for row in rows:
        shutil.copy(data_dir / "tei" / str(row["file"]), papers)
    write_jsonl(metadata, [{"file": r["file"], "published": "2020"} for r in rows])
    (papers / "broken.tei.xml").write_text("<TEI>")
    main = runpy.run_path(str(EXAMPLES / "compare_two_models.py"))["main"]
    main(tmp_path / "out", papers=papers, metadata=metadata)
    printed = capsys.readouterr().out
    assert printed.startswith("12 papers, 0 without a date\n  not read: broken.tei.xml: ")
    assert re.search(r"^extractive/lead - extractive/centrality: .* on \d+ papers$", printed, re.M)
