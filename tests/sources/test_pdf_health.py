"""The pdf source knows when it has read a paper badly, and the corpus heeds it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.sources.pdf_pages import FILLER, Paper, simple_paper
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.corpus import load_corpus
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.health import Facts, judge

FIXTURES = Path(__file__).parent / "fixtures" / "pdf"


def without_headings(path: Path) -> Path:
    """A paper whose text has a title and nothing set apart."""
    paper = Paper(path)
    paper.centred("A Study of Papers Without Headings")
    for _ in range(6):
        paper.paragraph(FILLER)
    paper.canvas.save()
    return path


def test_a_paper_with_the_usual_parts_is_good() -> None:
    document = read_file(FIXTURES / "acl.pdf")
    assert (document.health, document.health_reasons) == ("good", ())


def test_a_paper_in_which_no_heading_is_found_has_failed(tmp_path: Path) -> None:
    document = read_file(without_headings(tmp_path / "a.pdf"))
    assert document.health == "failed"
    assert document.health_reasons == ("no headings found",)


def test_two_weak_reasons_make_a_doubt_and_one_does_not() -> None:
    document = read_file(FIXTURES / "acl.pdf")
    facts = {
        "sections": document.sections,
        "lines": (),
        "letters_by_page": [3000] * 6,
        "features": {"widest": 0.0},
        "score": 9.0,
    }
    assert judge(Facts(references=0, **facts)) == ("good", ())
    assert judge(Facts(references=0, **{**facts, "score": 1.0})) == (
        "doubtful",
        ("no references", "little evidence for the headings"),
    )


def test_a_whole_chain_of_numbers_stands_for_an_introduction(tmp_path: Path) -> None:
    names = ["1 Purpose", "2 Setting", "3 Method", "4 Trials", "5 Results", "6 Outlook"]
    document = read_file(simple_paper(tmp_path / "a.pdf", names))
    facts = Facts(
        sections=document.sections,
        references=0,
        lines=(),
        letters_by_page=[3000] * 6,
        features={"chain": 0.75},
        score=9.0,
    )
    assert judge(facts) == ("good", ())
    broken = replace(facts, features={"chain": 0.25})
    assert judge(broken) == ("doubtful", ("no introduction", "no references"))


def test_ingest_names_the_files_in_doubt_and_they_are_no_targets(tmp_path: Path) -> None:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    names = ["1 Introduction", "2 Method", "3 Experiments", "4 Conclusion"]
    simple_paper(folder / "good.pdf", names)
    without_headings(folder / "plain.pdf")
    command = ["ingest", "pdf", str(folder), "--corpus", str(tmp_path / "corpus")]
    shown = CliRunner().invoke(app, command)
    assert "1 read well, 1 in doubt, which are never targets:" in shown.output
    assert "plain.pdf: no headings found" in shown.output
    report = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert report["doubtful"] == [{"where": "plain.pdf", "reason": "no headings found", "kind": ""}]
    papers = {paper.source_file: paper for paper in load_corpus(tmp_path / "corpus").papers}
    assert papers["good.pdf"].health == "good"
    assert "doubtful_text" not in papers["good.pdf"].gates
    assert papers["plain.pdf"].health_reasons == ("no headings found",)
    assert "doubtful_text" in papers["plain.pdf"].gates
