"""viva ingest, as somebody who scripts against it sees it; PDFs alone become a board."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, viva, viva_here
from tests.sources.pdf_folder import printed, write_folder

from vivavoce.corpus import load_corpus


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


SPEC = """
[round]
id = "folder-2023"
window = { start = 2023-03-01, end = 2024-01-01 }
families = ["writing"]

[writing]
settings = ["base", "coauthor"]
"""


@pytest.mark.slow
def test_twenty_pdfs_are_a_round_with_coauthors_and_related_work(tmp_path: Path) -> None:
    papers = write_folder(tmp_path / "pdfs", 20)
    corpus, rounds, logs = tmp_path / "corpus", tmp_path / "rounds", tmp_path / "logs"
    report = only_json(
        viva_here("ingest", "pdf", tmp_path / "pdfs", "--corpus", corpus, "--json").stdout
    )
    assert (report["read"], report["dated"], report["failed"]) == (20, 20, [])
    _check_corpus(corpus, papers)
    (tmp_path / "spec.toml").write_text(SPEC)
    viva_here("round", "build", tmp_path / "spec.toml", "--corpus", corpus, "--out", rounds)
    found = rounds / "folder-2023"
    stats = only_json(viva_here("round", "stats", found, "--json").stdout)["tasks"][
        "writing/related_work"
    ]
    assert stats["settings"]["base"] >= 12
    assert stats["settings"]["coauthor"] >= 4
    for setting in ("base", "coauthor"):
        words = ["--round", found, "--model", "extractive/lead", "--logs", logs]
        viva_here("run", "related_work", "--setting", setting, *words)
    rows = only_json(viva_here("board", "show", logs, "--json").stdout)
    shown = {(row["task"], row["setting"], row["n"], row["valid"]) for row in rows["rows"]}
    assert shown == {
        ("related_work", setting, stats["settings"][setting], 1.0)
        for setting in ("base", "coauthor")
    }


def _check_corpus(corpus: Path, papers: list[Any]) -> None:
    """Compare what was read with what was typeset."""
    read = {paper.title: paper for paper in load_corpus(corpus).papers}
    authors: dict[str, list[str]] = {}
    for row in load_corpus(corpus).rows("authorships"):
        authors.setdefault(row["paper_id"], []).append(row["name"])
    assert sum(paper.title in read for paper in papers) >= 19
    for paper in papers:
        if found := read.get(paper.title):
            assert found.first_public == paper.published
            assert authors[found.paper_id] == [printed(author.name) for author in paper.authors]
