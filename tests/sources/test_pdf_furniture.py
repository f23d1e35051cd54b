"""Running heads, columns and other typography that only the whole document explains."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.sources.pdf_pages import BOLD, FILLER, TEXT, Paper

from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file

NAMES = ("1 Introduction", "2 Method", "3 Results", "4 Conclusion")
WORDS = FILLER.split()


def whole_text(document: Document) -> str:
    parts = [section.heading or "" for section in document.sections]
    return " ".join([*parts, *(section.text for section in document.sections)])


def paper_with(
    path: Path, head: Sequence[str], head_y: float, foot: str, foot_y: float
) -> Document:
    """A paper of four pages, each with lines at its head and one at its foot."""
    page = Paper(path)
    for number, heading in enumerate(NAMES):
        if number:
            page.page(head_y + 12 * len(head) + 20)
        for row, line in enumerate(head):
            page.say(line.format(number + 1), page.left, head_y + 12 * row)
        page.say(foot.format(number + 1), page.left, foot_y, TEXT, 8)
        if not number:
            page.y = head_y + 40
            page.centred("A Study of Small Papers")
            page.centred("Ada Brandt", TEXT, 11)
        page.heading(heading)
        page.paragraph(" ".join([FILLER] * 3))
    return read_file(page.save())


@pytest.mark.parametrize("foot_y", [640.0, 700.0, 770.0])
@pytest.mark.parametrize("head_y", [40.0, 130.0])
def test_what_repeats_at_one_height_is_furniture_wherever_it_is(
    tmp_path: Path, head_y: float, foot_y: float
) -> None:
    head = ("Harbour preprint of otters, posted in spring", "The holder of rights is the author.")
    document = paper_with(tmp_path / "a.pdf", head, head_y, "Kept by the otter library, {}", foot_y)
    text = whole_text(document)
    assert [section.heading for section in document.sections] == [n.split()[1] for n in NAMES]
    assert "otter" not in text
    assert "holder of rights" not in text
    assert text.count("The corpus holds many") == 12


def column(page: Paper, x: float, y: float, lines: int, size: float = 10.0) -> float:
    """Full lines of running text in a narrow column; gives back the last baseline."""
    for number in range(lines):
        first = 7 * number % (len(WORDS) - 9)
        page.say(" ".join(WORDS[first : first + 9]), x, y + 1.2 * size * number, TEXT, size)
    return y + 1.2 * size * (lines - 1)


def two_columns(page: Paper, y: float, headings: Sequence[str]) -> None:
    for x in (54.0, 318.0):
        at = y
        for heading in headings if x == 54.0 else headings[:0]:
            page.say(heading, x, at, BOLD, 12)
            at += 20
        column(page, x, at, 30)


@pytest.mark.parametrize(
    "names", [("Ada Brandt", "Ben Okafor"), ("Ada Brandt", "Ben Okafor", "Cem Kaya")]
)
def test_names_above_two_columns_are_no_headings(tmp_path: Path, names: Sequence[str]) -> None:
    page = Paper(tmp_path / "a.pdf", left=54, width=504)
    page.centred("A Study of Small Papers")
    for number, name in enumerate(names):
        middle = 306 + (number - (len(names) - 1) / 2) * 110
        page.say(name, middle - stringWidth(name, BOLD, 12) / 2, 140, BOLD, 12)
    two_columns(page, 190, ["1 Introduction"])
    for heading in NAMES[1:]:
        page.page()
        two_columns(page, 80, [heading])
    document = read_file(page.save())
    assert [section.heading for section in document.sections] == [n.split()[1] for n in NAMES]
    assert [author.name for author in document.authors] == list(names)
    assert not [name for name in names if name in whole_text(document)]


@pytest.mark.parametrize("has_abstract", [True, False])
def test_two_papers_in_one_file_are_in_doubt(tmp_path: Path, has_abstract: bool) -> None:
    page = Paper(tmp_path / "a.pdf")
    for title in ("A Study of Small Papers", "Another Study of Larger Ones"):
        page.front(title) if has_abstract else page.centred(title)
        page.sections(*NAMES)
        page.references()
        page.page()
    document = read_file(page.save())
    assert document.health == "doubtful"
    assert "two papers in one file" in document.health_reasons


CHAPTERS = ("Introduction", "Methods of Sorting", "Experiments", "Conclusion")


def test_a_row_that_opens_many_pages_apart_from_the_text_is_a_running_head(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "heads.pdf")
    paper.centred("A Paper With Heads")
    for number, title in enumerate(CHAPTERS, start=1):
        paper.heading(f"{number} {title}")
        paper.paragraph(FILLER)
        paper.page()
        paper.say(f"ON THE MATTER OF {title.upper()}", paper.left, 110)
        paper.y = 140
        paper.paragraph(2 * FILLER)
    document = read_file(paper.save())
    assert [section.heading for section in document.sections] == list(CHAPTERS)
    assert not any("MATTER" in section.text for section in document.sections)


@pytest.mark.parametrize(
    ("strokes", "text"),
    [
        ("[(Pawe )278(l or Bia )278(ly)]", "Paweł or Biały"),
        ("[(see)-600( )320(Lucja)-600(Los)]", "see Łucja Los"),
    ],
)
def test_a_stroke_over_a_letter_is_part_of_it(tmp_path: Path, strokes: str, text: str) -> None:
    paper = Paper(tmp_path / "stroke.pdf")
    paper.centred("A Paper of Two")
    paper.sections("1 Introduction")
    paper.canvas._code.append(f"BT 1 0 0 1 108 610 Tm {strokes} TJ ET")
    (section,) = read_file(paper.save()).sections
    assert section.text.endswith(text)


def test_a_list_of_keys_without_a_heading_is_the_list_of_references(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.front()
    page.sections("1 Introduction", "2 Method", "3 Conclusion")
    page.y += 12
    for key in ("AKV13", "BC11", "BJJ11", "MS15a", "Ste13"):
        page.lines(f"[{key}] A. Brandt and B. Okafor. A work on the tides. Journal of Tides, 2011.")
    found = read_file(page.save()).references
    assert [reference.raw[:4] for reference in found] == ["[AKV", "[BC1", "[BJJ", "[MS1", "[Ste"]


def test_places_in_a_row_below_names_in_columns_are_no_authors(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    rows = (("Ada Brandt", "Bo Lindqvist"), ("Harbour Tech", "Tides Labs"))
    for number, row in enumerate(rows):
        for x, text in zip((120.0, 390.0), row, strict=True):
            page.say(text, x, 140 + 13 * number, TEXT, 12)
    page.say("Abstract", 54, 190, BOLD, 12)
    column(page, 54, 206, 8)
    page.say("1 Introduction", 54, 330, BOLD, 12)
    column(page, 54, 350, 20)
    column(page, 318, 190, 14)
    page.say("2 Method", 318, 400, BOLD, 12)
    column(page, 318, 420, 14)
    assert [a.name for a in read_file(page.save()).authors] == ["Ada Brandt", "Bo Lindqvist"]


def test_numbers_of_lines_are_known_by_their_place_on_other_pages(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.front()
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        page.heading(heading)
        for line in range(1, 13):
            page.lines(FILLER[:90])
            page.say(str(line), 80 - stringWidth(str(line), TEXT, 10), page.y)
    page.page()
    page.heading("References")
    for number in range(3):
        page.lines(f"Brandt, A. ({2001 + number}). A work on tides. Tides.")
        page.say(str(5 + number), 80 - stringWidth(str(5 + number), TEXT, 10), page.y)
        page.y += 8
    found = read_file(page.save()).references
    assert [reference.raw[:16] for reference in found] == [
        "Brandt, A. (2001",
        "Brandt, A. (2002",
        "Brandt, A. (2003",
    ]
