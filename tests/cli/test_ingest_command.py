"""viva ingest, as somebody who scripts against it sees it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.servers.commands import viva, viva_here


def test_files_may_fail_and_the_last_line_says_so(tei: Path, tmp_path: Path) -> None:
    result = viva_here("ingest", "tei", tei, "--corpus", tmp_path / "c")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("  broken.tei.xml: ")
    assert lines[-1] == f"{tmp_path / 'c'}: 2 read from tei, 1 failed"


def test_json_is_one_document_with_the_failures_and_their_reasons(
    tei: Path, rows: Path, tmp_path: Path
) -> None:
    viva("ingest", "tei", tei, "--corpus", tmp_path / "c")
    result = viva_here("ingest", "metadata", rows, "--corpus", tmp_path / "c", "--json")
    report = json.loads(result.stdout)
    (fault,) = report.pop("failed")
    assert fault["where"] == "m.jsonl:2"
    assert "id, doi, arxiv_id" in fault["reason"]
    assert report == {
        "kind": "metadata",
        "read": 1,
        "doubtful": [],
        "papers": 2,
        "dated": 1,
        "undated": 1,
        "completed": 1,
        "merged": 1,
        "results": 0,
        "results_of_papers": 0,
        "moved": 0,
        "ignored_columns": ["mood"],
        "corpus": str(tmp_path / "c"),
    }


def test_strict_makes_a_failure_of_it(tei: Path, tmp_path: Path) -> None:
    viva_here("ingest", "tei", tei, "--corpus", tmp_path / "c", "--strict", expect=1)
    # What could be read is in all the same.
    found = viva("corpus", "stats", "--corpus", tmp_path / "c", "--json")
    assert json.loads(found.stdout)["tables"]["papers"] == 2
    (tei / "broken.tei.xml").unlink()
    viva_here("ingest", "tei", tei, "--corpus", tmp_path / "d", "--strict")


def test_when_nothing_goes_in_it_has_failed(tei: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tei / f"{name}.tei.xml").write_text("nothing")
    result = viva_here("ingest", "tei", tei, "--corpus", tmp_path / "c", "--json", expect=1)
    report = json.loads(result.stdout)
    assert (report["read"], len(report["failed"]), report["papers"]) == (0, 3, 0)


def test_only_the_first_failures_are_printed_and_json_has_all(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"id": "p", "title": "T"}\n' + "{}\n" * 25)
    command = ("ingest", "metadata", tmp_path / "m.jsonl", "--corpus", tmp_path / "c")
    printed = viva(*command).stdout
    assert printed.count("m.jsonl:") == 10
    assert "and 15 more (--json lists all)" in printed
    assert len(json.loads(viva(*command, "--json").stdout)["failed"]) == 25


def test_a_column_is_renamed(rows: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c"
    rows.write_text('{"Nr": 7, "Name": "Of graphs"}', encoding="utf-8")
    command = ("ingest", "metadata", rows, "--corpus", corpus, "--map", "Nr=id")
    viva_here(*command, "--map", "Name=title")
    viva("corpus", "export", "papers", "--corpus", corpus, "--out", tmp_path / "p.jsonl")
    (paper,) = map(json.loads, (tmp_path / "p.jsonl").read_text().splitlines())
    assert (paper["paper_id"], paper["title"]) == ("7", "Of graphs")


def test_a_real_process_keeps_stdout_for_json(tei: Path, tmp_path: Path) -> None:
    code = "import sys; from vivavoce.cli import app; app(sys.argv[1:])"
    words = ("ingest", "tei", tei, "--json", "--corpus", tmp_path / "c")
    command = [sys.executable, "-W", "error", "-c", code, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["read"] == 2


def test_papers_whose_date_is_another_than_before_are_counted(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    row = {"id": "paper:a", "title": "Of graphs", "doi": "10.5555/1"}
    moved = []
    for published in (None, "2021-05-02", "2020-03-01", "2020-03-01", None):
        rows.write_text(json.dumps(row | ({"published": published} if published else {})))
        result = viva_here("ingest", "metadata", rows, "--corpus", tmp_path / "c")
        moved.append("1 paper moved to another first public date." in result.stdout)
    assert moved == [False, False, True, False, True]
