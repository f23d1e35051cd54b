"""What the pdf source reads out of hand-made pages."""

from pathlib import Path

from tests.sources.pdf_pages import BOLD, FILLER, ITALIC, TEXT, Paper, simple_paper

from vivavoce.records import Document, Section
from vivavoce.sources import Piece, ReadOptions, get_source
from vivavoce.sources.fulltext.pdf.document import read_file

LONG = f"{FILLER} {FILLER}"


def outline(document: Document) -> list[tuple[int, str | None, str | None]]:
    return [(section.level, section.number, section.heading) for section in document.sections]


def section(document: Document, heading: str) -> Section:
    return next(item for item in document.sections if item.heading == heading)


def test_a_paper_has_its_title_abstract_and_numbered_sections(tmp_path: Path) -> None:
    names = ["1 Introduction", "2 Method", "2.1 Details", "3 Results", "4 Conclusion"]
    document = read_file(simple_paper(tmp_path / "2101.00001v2.pdf", names))
    assert document.title == "A Study of Small Papers"
    assert document.abstract is not None
    assert document.abstract.startswith("We study papers that are small.")
    assert document.abstract.endswith("in this small world.")
    assert outline(document) == [
        (1, "1", "Introduction"),
        (1, "2", "Method"),
        (2, "2.1", "Details"),
        (1, "3", "Results"),
        (1, "4", "Conclusion"),
    ]
    assert (document.key, document.kind) == ("2101.00001v2.pdf", "pdf")
    assert (document.arxiv_id, document.version) == ("2101.00001", "v2")


def test_a_heading_that_opens_its_paragraph_keeps_the_paragraph(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("Headings Inside Lines")
    for name in ("1 Introduction", "2 Data", "3 Conclusion"):
        paper.heading(name)
        paper.paragraph(FILLER)
        if name == "2 Data":
            paper.y += 18
            x = paper.say("Training.", paper.left, paper.y, BOLD, 10)
            paper.say("We train on all the words that we could find in the town,", x + 4, paper.y)
            paper.paragraph(FILLER)
    document = read_file(paper.save())
    found = section(document, "Training")
    assert found.level > 1
    assert found.text.startswith("We train on all the words")


def test_what_stands_around_the_text_stays_out_of_it(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for number in range(1, 5):
        paper.say("Journal of Small Papers 12", 108, 40, ITALIC, 9)
        paper.say(str(number), 300, 760)
        if number == 1:
            paper.centred("A Paper Between Margins")
        paper.heading(
            f"{number} " + ["Introduction", "Method", "Results", "Conclusion"][number - 1]
        )
        paper.paragraph(LONG)
        paper.say("1", 108, 697, TEXT, 6)
        paper.say("A note at the foot of the page that no section holds.", 113, 700, TEXT, 8)
        paper.page()
    document = read_file(paper.save())
    text = " ".join(item.text for item in document.sections)
    assert "Journal" not in text
    assert "note at the foot" not in text
    assert text.count("small world.") == 8  # FILLER ends so, twice a page
    assert not any(word.isdigit() for word in text.split())


def test_numbers_beside_every_line_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    paper = Paper(path)
    paper.centred("A Manuscript With Numbered Lines")
    start = paper.y
    for name in ("1 Introduction", "2 Method", "3 Conclusion"):
        paper.heading(name)
        paper.paragraph(LONG)
    for n in range(40):
        paper.say(f"{n:03d}", 70, start + 12 * n, TEXT, 7)
    text = " ".join(item.text for item in read_file(paper.save()).sections)
    assert not any(word.isdigit() for word in text.split())


def test_the_appendix_is_told_from_the_body(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Paper With More Behind It")
    paper.sections("1 Introduction", "2 Conclusion")
    paper.references()
    paper.page()
    paper.sections("A Proofs", "B More Data", "B.1 Sources")
    document = read_file(paper.save())
    assert outline(document) == [
        (1, "1", "Introduction"),
        (1, "2", "Conclusion"),
        (1, "A", "Proofs"),
        (1, "B", "More Data"),
        (2, "B.1", "Sources"),
    ]
    assert len(document.references) == 1


def test_an_abstract_without_a_heading_stands_before_the_first_section(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Paper That Names No Abstract")
    paper.centred("Author 001", TEXT, 10, 24)
    paper.y += 20
    paper.paragraph("We say at once what was done. " + FILLER, 9)
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    abstract = read_file(paper.save()).abstract or ""
    assert abstract.startswith("We say at once what was done.")


def test_the_source_reads_through_its_child(tmp_path: Path) -> None:
    path = simple_paper(tmp_path / "P19-1001.pdf", ["1 Introduction", "2 Method", "3 Conclusion"])
    (document,) = get_source("pdf").read(Piece(path), ReadOptions())
    assert isinstance(document, Document)
    assert document == read_file(path)
    assert document.acl_id == "P19-1001"
