"""Titles and abstracts of PDFs: above, below and beside other print of the first pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sources.pdf_pages import BOLD, FILLER, HEIGHT, TEXT, Paper

from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file

NAMES = ("1 Introduction", "2 Method", "3 Conclusion")
SECOND = f"A second paragraph names what was measured. {FILLER}"
LIST = "- an item of a list that says what this paper adds to the others of its kind"


def start(tmp_path: Path) -> Paper:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    return page


def finish(page: Paper) -> Document:
    page.abstract()
    page.sections(*NAMES)
    return read_file(page.save())


def test_a_masthead_that_the_running_head_repeats_is_no_title(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.say("Quiet Tides and Papers 75 (2018) 12-19", 200, 40, TEXT, 7)
    for line in ("Quiet Tides and Papers", "A Study of Small Papers"):
        page.centred(line, TEXT, 17, 60)
    page.centred("Ada Brandt", TEXT, 11)
    assert finish(page).title == "A Study of Small Papers"


def test_a_title_may_begin_with_the_word_abstract(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("Abstract Counting of Small Papers")
    page.centred("Ada Brandt", TEXT, 11)
    found = finish(page)
    assert (found.title, len(found.authors)) == ("Abstract Counting of Small Papers", 1)


def test_a_title_goes_on_in_smaller_print_behind_a_colon(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("The Tide Strategy:", BOLD, 17)
    page.centred("Catching Small Papers with Large Nets", TEXT, 13, 18)
    page.centred("Ada Brandt", TEXT, 11, 26)
    found = finish(page)
    assert found.title == "The Tide Strategy: Catching Small Papers with Large Nets"
    assert [author.name for author in found.authors] == ["Ada Brandt"]


def test_a_title_goes_on_in_smaller_print_of_its_face_above_the_authors(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("Title: Tides in Small Harbours", BOLD, 17)
    page.centred("II. Nets, and whom they catch", BOLD, 14, 27)
    page.centred("Ada Brandt", TEXT, 11, 26)
    found = finish(page)
    assert found.title == "Tides in Small Harbours II. Nets, and whom they catch"
    assert [author.name for author in found.authors] == ["Ada Brandt"]


def test_a_title_that_the_file_describes_may_be_below_larger_print(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.canvas.setTitle("A Study of Small Papers")
    page.centred("Tides", BOLD, 25)
    page.centred("A Study of Small Papers", gap=40)
    page.centred("Ada Brandt", TEXT, 11)
    assert finish(page).title == "A Study of Small Papers"


def test_prose_far_below_an_abstract_is_not_part_of_it(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("Ada Brandt", TEXT, 11)
    page.abstract(f"We study papers that are small. {FILLER}")
    page.y += 40
    page.paragraph(FILLER)
    page.sections("Results", "Discussion", "Methods")
    assert read_file(page.save()).abstract == f"We study papers that are small. {FILLER}"


def test_full_lines_of_names_and_places_are_no_abstract(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.y += 12
    page.lines(
        "Ada Brandt, Bo Lindqvist, Cy Okafor, Dina Haddad and Emil Moreau",
        "1 Department of Ecology and Tides, Harbour University, Lisbon, Portugal",
        "2 State Laboratory of Small Papers, Harbour University, Lisbon, Portugal",
        "3 Center for Research and Computing, Harbour University, Lisbon, Portugal",
    )
    page.sections("Summary", *NAMES)
    found = read_file(page.save())
    assert [author.name for author in found.authors][:2] == ["Ada Brandt", "Bo Lindqvist"]
    assert found.abstract == FILLER


def test_larger_print_below_the_addresses_of_authors_is_no_title(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("ada@harbour.example", TEXT, 10, 16)
    page.centred("Paper Search", BOLD, 22, 60)
    assert finish(page).title == "A Study of Small Papers"


@pytest.mark.parametrize(
    ("paragraphs", "gap", "is_doubtful"),
    [
        ([SECOND], 10, False),
        ([SECOND, "Code is at hand for all who ask for it."], 10, False),
        ([SECOND], 620, False),  # on the next page
        ([LIST], 40, True),  # far below, and indented
    ],
)
def test_an_abstract_without_a_heading_is_whole_or_in_doubt(
    tmp_path: Path, paragraphs: Sequence[str], gap: float, is_doubtful: bool
) -> None:
    page = start(tmp_path)
    page.centred("Ada Brandt", TEXT, 11)
    page.y += 30
    page.paragraph("We study papers that are small. " + FILLER)
    for paragraph in paragraphs:
        page.y += gap
        if page.y > 700:
            page.page()
        page.paragraph(paragraph, indent=30 * is_doubtful)
    page.sections("1 Introduction", "2 Method", "3 Conclusion")
    found = read_file(page.save())
    whole = ["We study papers that are small. " + FILLER, *([] if is_doubtful else paragraphs)]
    assert (found.abstract or "").replace("\n\n", " ") == " ".join(whole)
    assert ("abstract" in found.doubts) == is_doubtful


def test_centred_affiliations_are_no_abstract(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("Ada Brandt", TEXT, 11)
    for place in ("Science", "Patient Computing", "the Study of Quiet Machines and Tides"):
        page.centred(f"Department of {place}, The University of Somewhere, Leeds", TEXT, 9, 12)
    page.sections("1 Introduction", "2 Method", "3 Conclusion")
    assert read_file(page.save()).abstract is None


def test_a_watermark_across_the_page_is_no_title(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("Ada Brandt", TEXT, 11)
    canvas = page.canvas
    canvas.saveState()
    canvas.translate(120, HEIGHT - 600)
    canvas.rotate(55)
    canvas.setFont(TEXT, 48)
    canvas.drawString(0, 0, "Unpublished working draft")
    canvas.restoreState()
    found = finish(page)
    assert found.title == "A Study of Small Papers"
    assert "draft" not in " ".join(section.text for section in found.sections)
    assert [section.heading for section in found.sections] == [
        "Introduction",
        "Method",
        "Conclusion",
    ]
