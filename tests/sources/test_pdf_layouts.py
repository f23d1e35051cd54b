"""Layouts of journals and proceedings that mislead a reader of lines, such as balanced columns."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.sources.pdf_pages import BOLD, FILLER, TEXT, Paper

from vivavoce.sources.fulltext.pdf.document import read_file

WORDS = FILLER.split()


def column(page: Paper, x: float, y: float, lines: int, size: float = 10.0) -> float:
    """Full lines of running text in a narrow column; gives back the last baseline."""
    for number in range(lines):
        first = 7 * number % (len(WORDS) - 9)
        page.say(" ".join(WORDS[first : first + 9]), x, y + 1.2 * size * number, TEXT, size)
    return y + 1.2 * size * (lines - 1)


def opened(path: Path, title: str = "A Study of Small Papers") -> Paper:
    page = Paper(path)
    page.centred(title)
    page.centred("Ada Brandt", TEXT, 11)
    page.centred("Abstract", BOLD, 12, 30)
    page.paragraph("We study papers that are small. " + FILLER)
    return page


def sections(page: Paper, *headings: str) -> None:
    for heading in headings:
        page.heading(heading)
        page.paragraph(FILLER)


def test_a_list_of_keys_without_a_heading_is_the_list_of_references(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
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
    page = opened(tmp_path / "a.pdf")
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
