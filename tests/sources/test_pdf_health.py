"""The pdf source knows when it has read a paper badly, and the corpus heeds it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers.commands import only_json, viva_here
from tests.sources.pdf_pages import FILLER, HEIGHT, TEXT, Paper, simple_paper

from vivavoce.corpus import load_corpus
from vivavoce.records import PDF_PARTS, Document, Reference
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.front import Front
from vivavoce.sources.fulltext.pdf.health import Coverage, Facts, judge
from vivavoce.sources.fulltext.pdf.runs import Line
from vivavoce.store import read_jsonl

FIXTURES = Path(__file__).parent / "fixtures" / "pdf"
NAMES = ("1 Introduction", "2 Method", "3 Experiments", "4 Conclusion")


def without_headings(path: Path) -> Path:
    """A paper whose text has a title and nothing set apart."""
    paper = Paper(path)
    paper.centred("A Study of Papers Without Headings")
    paper.centred("Ada Brandt", TEXT, 11)
    for _ in range(6):
        paper.paragraph(FILLER)
    return paper.save()


def opened(path: Path, abstract: str = f"We study papers that are small. {FILLER}") -> Paper:
    paper = Paper(path)
    paper.front(f"{path.stem.title()} Studies of Small Papers", text=abstract)
    return paper


def closed(paper: Paper, *headings: str) -> Document:
    """The paper with its sections and one reference, as it is read."""
    paper.sections(*headings)
    paper.references()
    return read_file(paper.save())


def facts_of(document: Document, **others: object) -> Facts:
    """Facts of six pages read well, but for some."""
    usual = Facts(
        front=Front(document.title, "", document.abstract, "", [], [], []),
        described_title="",
        authors=document.authors,
        unread_authors=(),
        sections=document.sections,
        references=(),
        lines=(),
        letters_by_page=[3000] * 6,
        coverage=Coverage(total=18_000),
        features={"widest": 0.0},
        score=9.0,
    )
    return replace(usual, **others)


def test_a_paper_in_which_no_heading_is_found_has_failed(tmp_path: Path) -> None:
    document = read_file(without_headings(tmp_path / "a.pdf"))
    assert document.health == "failed"
    without_authors = ("title: no author is below it", "authors: none is found")
    assert document.health_reasons == ("no headings found", *without_authors)
    assert document.doubts == ("sections", "title", "authors")


def test_two_weak_reasons_make_a_doubt_and_one_does_not() -> None:
    facts = facts_of(read_file(FIXTURES / "acl.pdf"))
    missing = "references: none is found"
    assert judge(facts) == ("good", (missing,), ("references",))
    assert judge(replace(facts, score=1.0)) == (
        "doubtful",
        ("no references", "little evidence for the headings", missing),
        ("sections", "references"),
    )


def test_a_whole_chain_of_numbers_stands_for_an_introduction(tmp_path: Path) -> None:
    names = ["1 Purpose", "2 Setting", "3 Method", "4 Trials", "5 Results", "6 Outlook"]
    facts = facts_of(read_file(simple_paper(tmp_path / "a.pdf", names)), features={"chain": 0.75})
    assert judge(facts).health == "good"
    broken = judge(replace(facts, features={"chain": 0.25}))
    assert broken.reasons[:2] == ("no introduction", "no references")
    assert broken.health == "doubtful"


def sideways(paper: Paper) -> None:
    """A paragraph up the page."""
    paper.canvas.saveState()
    paper.canvas.rotate(90)
    for row in range(5):
        paper.canvas.drawString(100, -400 - 12 * row, FILLER[:110])
    paper.canvas.restoreState()
    paper.page()


def picture(paper: Paper) -> None:
    """A page that shows text as a picture."""
    image = pytest.importorskip("PIL.Image").new("L", (40, 60), 220)
    paper.page()
    paper.canvas.drawInlineImage(image, 60, 60, 490, HEIGHT - 120)
    paper.page()


def in_figure(paper: Paper) -> None:
    """Text above a caption in lines that are narrower than the column."""
    paper.page()
    for start in range(0, 13 * 30, 30):
        paper.y += 12
        paper.say(FILLER[start % 200 : start % 200 + 32], 180, paper.y)
    paper.y += 20
    paper.say("Figure 1: Answers as they were given.", paper.left, paper.y, TEXT, 9)
    paper.y += 24


@pytest.mark.parametrize("plant", [sideways, picture, in_figure])
def test_text_that_reaches_no_part_is_a_doubt_of_its_page(tmp_path: Path, plant: object) -> None:
    paper = opened(tmp_path / "a.pdf")
    paper.sections(*NAMES[:2])
    plant(paper)
    document = closed(paper, *NAMES[2:])
    page = 1 if plant is sideways else 2
    assert document.health == "doubtful"
    assert [r for r in document.health_reasons if r.endswith(f"of the paper: see page {page}")]


def test_glyphs_that_are_other_letters_are_named(tmp_path: Path) -> None:
    paper = opened(tmp_path / "a.pdf")
    paper.sections(*NAMES[:3])
    shifted = "".join(chr((ord(c) - 90) % 26 + 97) if c.islower() else c for c in FILLER)
    for start in range(0, 15 * 70, 70):
        paper.y += 12
        paper.say((4 * shifted)[start : start + 70], paper.left, paper.y, "Courier", 9)
    document = closed(paper, NAMES[3])
    assert document.health == "doubtful"
    assert [reason for reason in document.health_reasons if reason.startswith("garbled glyphs")]


@pytest.mark.parametrize(
    ("abstract", "reason"),
    [
        (f"We study papers. {FILLER} and then", "abstract: it ends inside a sentence"),
        (f"papers that are small. {FILLER}", "abstract: it begins inside a sentence"),
        ("Of three words.", "abstract: 3 words"),
    ],
)
def test_an_abstract_in_doubt_leaves_the_rest(tmp_path: Path, abstract: str, reason: str) -> None:
    document = closed(opened(tmp_path / "a.pdf", abstract), *NAMES)
    assert (document.health, document.health_reasons) == ("good", (reason,))
    assert document.doubts == ("abstract",)


def test_fewer_authors_than_addresses_are_a_doubt(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Study of Small Papers")
    paper.centred("Ada Brandt", TEXT, 11)
    paper.centred("ada@harbour.edu, ben@harbour.edu, cem@harbour.edu", TEXT, 9)
    paper.abstract()
    document = closed(paper, *NAMES)
    assert document.health_reasons == ("authors: 1 for 3 addresses",)


def test_lines_in_the_print_of_a_title_or_of_names_are_a_doubt() -> None:
    facts = facts_of(read_file(FIXTURES / "acl.pdf"), letters_by_page=[3000])
    assert judge(facts).doubts == ()
    alike = facts.front._replace(title_alike="A Review")
    assert judge(replace(facts, front=alike)).doubts == ("title",)
    assert judge(replace(facts, unread_authors=["The Quiet Choir"])).doubts == ("authors",)
    for title in ("Introduction", "Ancestors simpli#ed"):
        odd = facts.front._replace(title=title)
        assert judge(replace(facts, front=odd)).doubts == ("title",)


def test_a_line_between_the_title_and_the_authors_may_be_a_subtitle() -> None:
    facts = facts_of(read_file(FIXTURES / "acl.pdf"), letters_by_page=[3000])
    name = facts.authors[0].name
    facts = replace(facts, authors=[replace(facts.authors[0], name=f"I. {name}")])
    for line, doubts in (
        ("What tuning gains, and for whom", ("title",)),
        (f"{name.upper()} and others", ()),
        ("2021", ()),
    ):
        below = Line([], 0, 0.0, 9.0, 0.0, Font("Times", 10.0), 10.0, text=line)
        front = facts.front._replace(between=[below])
        assert judge(replace(facts, front=front)).doubts == doubts
    assert judge(replace(facts, front=front, authors=())).doubts == ("authors",)


def test_a_list_that_is_cut_inside_its_entries_is_a_doubt() -> None:
    facts = facts_of(read_file(FIXTURES / "acl.pdf"))
    whole = "Brandt, A. and Okafor, B. 2019. A work of many tides. In Harbour Papers, pages 1–9."
    cut = [whole[:31], f"{whole[31:]} {whole}"]
    entries = [Reference(n, whole) for n in range(8)]
    assert judge(replace(facts, references=entries)).doubts == ()
    entries = [Reference(n, raw) for n, raw in enumerate(4 * cut)]
    assert judge(replace(facts, references=entries)).doubts == ("references",)


def test_citations_above_the_last_entry_are_a_doubt_of_the_references(tmp_path: Path) -> None:
    paper = opened(tmp_path / "a.pdf")
    paper.heading(NAMES[0])
    paper.paragraph("Much is known of it [1, 3]. Some of it is new [4], and some [5-7]. " + FILLER)
    document = closed(paper, *NAMES[1:])
    assert document.health_reasons == ("references: the text cites up to [7] of 1",)
    assert document.doubts == ("references",)


def test_ingest_names_the_files_in_doubt_and_a_doubtful_part_is_no_gold(tmp_path: Path) -> None:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    closed(opened(folder / "good.pdf"), *NAMES)
    closed(opened(folder / "cut.pdf", f"We study others. {FILLER} and then"), *NAMES)
    without_headings(folder / "plain.pdf")
    command, out = ("ingest", "pdf", folder, "--corpus", tmp_path / "corpus"), tmp_path / "p.jsonl"
    shown = viva_here(*command)
    assert "1 read without doubts, 2 with doubtful parts, which are never gold:" in shown.output
    assert "plain.pdf: no headings found" in shown.output
    report = only_json(viva_here(*command, "--json").stdout)
    assert {row["where"]: row["reason"] for row in report["doubtful"]} == {
        "cut.pdf": "abstract: it ends inside a sentence",
        "plain.pdf": "no headings found; title: no author is below it; authors: none is found",
    }
    papers = {paper.source_file: paper for paper in load_corpus(tmp_path / "corpus").papers}
    assert papers["good.pdf"].health == papers["cut.pdf"].health == "good"
    assert papers["cut.pdf"].doubts == ("abstract",)
    viva_here("corpus", "export", "papers", "--corpus", tmp_path / "corpus", "--out", out)
    exported = {row["source_file"]: row["health_parts"] for _, row in read_jsonl(out)}
    assert exported["good.pdf"] == dict.fromkeys(PDF_PARTS, "good")
    assert exported["cut.pdf"] == exported["good.pdf"] | {"abstract": "doubtful"}
    assert "doubtful_text" not in papers["cut.pdf"].gates
    assert papers["plain.pdf"].health_reasons[0] == "no headings found"
    assert "doubtful_text" in papers["plain.pdf"].gates
