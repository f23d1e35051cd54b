"""Typography that only the whole document explains: numbers behind titles, heads, centred lines."""

from __future__ import annotations

from pathlib import Path

from tests.sources.pdf_pages import BOLD, FILLER, Paper

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


def test_centred_headings_are_above_those_at_the_margin_that_look_alike(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "manuscript.pdf")
    paper.centred("A Manuscript in One Size")
    for title in CHAPTERS:
        paper.centred(title, BOLD, 10, 24)
        paper.y += 6
        paper.paragraph(FILLER)
        paper.heading(f"More on {title.lower()}", BOLD, 10)
        paper.paragraph(FILLER)
    document = read_file(paper.save())
    wanted = [
        (n, t) for title in CHAPTERS for n, t in ((1, title), (2, f"More on {title.lower()}"))
    ]
    assert [(section.level, section.heading) for section in document.sections] == wanted


def test_a_name_beside_a_title_is_no_part_of_it(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "beside.pdf")
    for place, words in enumerate(
        ("A Title Whose Lines Stand", "To the Right of Its", "Own Author")
    ):
        paper.say(words, 240, 80 + 22 * place, BOLD, 20)
    paper.say("Ada Brandt", 108, 113, BOLD, 12)
    paper.y = 160
    for number, title in enumerate(CHAPTERS, start=1):
        paper.heading(f"{number} {title}")
        paper.paragraph(FILLER)
    title = read_file(paper.save()).title
    assert title == "A Title Whose Lines Stand To the Right of Its Own Author"
