"""Typography that only the whole document explains: numbers behind titles, heads, centred lines."""

from __future__ import annotations

from pathlib import Path

from tests.sources.pdf_pages import FILLER, Paper

from vivavoce.sources.fulltext.pdf.document import read_file

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
