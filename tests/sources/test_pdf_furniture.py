"""Running heads, feet and other typography that only the whole document explains."""

from __future__ import annotations

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


def two_columns(page: Paper, y: float, headings: Sequence[str]) -> None:
    for x in (54.0, 318.0):
        at = y
        for heading in headings if x == 54.0 else headings[:0]:
            page.say(heading, x, at, BOLD, 12)
            at += 20
        for row in range(30):
            first = 7 * row % (len(WORDS) - 9)
            page.say(" ".join(WORDS[first : first + 9]), x, at + 12 * row)


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


def test_two_papers_in_one_file_are_in_doubt(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    for title in ("A Study of Small Papers", "Another Study of Larger Ones"):
        page.centred(title)
        page.centred("Ada Brandt", TEXT, 11)
        page.centred("Abstract", BOLD, 12, 30)
        page.paragraph(FILLER)
        for heading in NAMES:
            page.heading(heading)
            page.paragraph(FILLER)
        page.heading("References")
        page.lines("[1] A. Author. 2019. The first of all works. In Proceedings.")
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


def test_a_stroke_over_a_letter_is_part_of_it(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "stroke.pdf")
    paper.centred("A Paper of Two")
    paper.heading("1 Introduction")
    paper.paragraph(FILLER)
    paper.canvas._code.append("BT 1 0 0 1 108 610 Tm [(Pawe )278(l or Bia )278(ly)] TJ ET")
    (section,) = read_file(paper.save()).sections
    assert section.text.endswith("Paweł or Biały")


def test_a_stroke_behind_a_space_is_part_of_its_letter(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "stroke.pdf")
    paper.centred("A Paper of Two")
    paper.heading("1 Introduction")
    paper.paragraph(FILLER)
    paper.canvas._code.append("BT 1 0 0 1 108 610 Tm [(see)-600( )320(Lucja)-600(Los)] TJ ET")
    (section,) = read_file(paper.save()).sections
    assert section.text.endswith("see Łucja Los")
