"""First pages of PDFs: title, authors, abstract, dates and what else they print of their paper."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NullObject,
    NumberObject,
    StreamObject,
)
from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.sources.pdf_pages import BOLD, FILLER, TEXT, Paper, paper_with_table

from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.imprint import Imprint, read_imprint
from vivavoce.sources.fulltext.pdf.references import printed_numbers
from vivavoce.text.citation_markers import numeric_mentions


class Page(Paper):
    """A page with marks above the line."""

    def raised(self, *parts: str, gap: float = 16.0, size: float = 11.0) -> None:
        """A centred line; parts that start with `^` are raised marks."""
        self.y += gap
        x = self.left + 40
        for part in parts:
            if part.startswith("^"):
                x = self.say(part[1:], x, self.y - 4, TEXT, 0.6 * size)
            else:
                x = self.say(part, x, self.y, TEXT, size)

    def side_by_side(self, left: str, right: str, gap: float = 12.0) -> None:
        self.y += gap
        self.say(left, self.left, self.y)
        self.say(right, self.left + 220, self.y)

    def body(self) -> None:
        self.abstract()
        self.sections("1 Introduction", "2 Method", "3 Conclusion")


def _stream(data: bytes) -> StreamObject:
    stream = StreamObject()
    stream.set_data(data)
    return stream


def start(tmp_path: Path) -> Page:
    page = Page(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    return page


def names(page: Page) -> list[str]:
    page.body()
    return [author.name for author in read_file(page.save()).authors]


def test_marks_and_addresses_belong_to_no_name(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.raised("Ada Brandt", "^1,2", ", Bo Lindqvist", "^2", " and Cy Okafor", "^1")
    page.raised("^1", "Harbour University, Lisbon")
    page.raised("^2", "Institute for Tides, Leeds")
    page.raised("{abrandt, cy.okafor}@harbour.example, lindqvist@tides.example", size=9)
    assert names(page) == ["Ada Brandt", "Bo Lindqvist", "Cy Okafor"]


def test_authors_side_by_side_have_their_places_below(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.side_by_side("Ada Brandt", "Bo Lindqvist", 24)
    page.side_by_side("Harbour University", "Institute for Tides")
    page.side_by_side("Lisbon, Portugal", "Leeds, United Kingdom")
    page.side_by_side("x17@harbour.example", "y4@tides.example")
    assert names(page) == ["Ada Brandt", "Bo Lindqvist"]


def test_texts_in_another_face_are_no_names(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.y += 20
    x = page.say("Ada Brandt, ", 120, page.y, TEXT, 11)
    x = page.say("Senior Member", x, page.y, BOLD, 11)
    page.say(", Bo Lindqvist", x, page.y, TEXT, 11)
    page.centred("Tidal Works", BOLD, 11, 14)
    assert names(page) == ["Ada Brandt", "Bo Lindqvist"]


def test_degrees_and_orcids_are_no_authors(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.raised("Ada Brandt, PhD", "^1", ", Bo Lindqvist, MD", "^2", ", Cy Okafor, MSc", "^1")
    page.raised("^1", "Department of Tides, The University of Somewhere")
    page.raised("^2", "Institute for Tides, Leeds")
    page.body()
    found = read_file(page.save())
    assert [a.name for a in found.authors] == ["Ada Brandt", "Bo Lindqvist", "Cy Okafor"]
    page = Page(tmp_path / "b.pdf")
    page.centred("A Study of Small Papers")
    orcid = "[0000-0002-1825-0097]"
    page.raised("Ada Brandt", f"^1{orcid}", ", Bo Lindqvist", f"^2{orcid}")
    page.raised("^1", "Harbour University, Lisbon")
    page.body()
    assert [a.name for a in read_file(page.save()).authors] == ["Ada Brandt", "Bo Lindqvist"]


def test_letters_of_a_ligature_are_those_that_its_font_names(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("Ada Brandt", TEXT, 11)
    page.abstract(f"We o~er an e|cient method. {FILLER}")
    page.sections(*NAMES)
    writer = PdfWriter(clone_from=page.save())
    names = [NumberObject(27), *map(NameObject, ("/f_f_i", "/f_f.liga"))]
    for sheet in writer.pages:
        contents = sheet["/Contents"].get_object()
        data = contents.get_data().replace(b"|", rb"\033").replace(b"~", rb"\034")
        sheet[NameObject("/Contents")] = writer._add_object(_stream(data))
        for font in sheet["/Resources"]["/Font"].values():
            encoding = DictionaryObject({NameObject("/Differences"): ArrayObject(names)})
            font.get_object()[NameObject("/Encoding")] = encoding
        # A damaged entry stands before the fonts.
        fonts = {NameObject("/A"): NullObject(), **sheet["/Resources"]["/Font"]}
        sheet["/Resources"][NameObject("/Font")] = DictionaryObject(fonts)
    writer.write(tmp_path / "b.pdf")
    found = read_file(tmp_path / "b.pdf").abstract
    assert found == f"We offer an efficient method. {FILLER}"


@pytest.mark.parametrize(
    ("name", "accent", "letters", "printed"),
    [
        ("Amelie Brandt", "´", "Am", "Amélie Brandt"),
        ("Jil Millimann", "´", "Jil Millim", "Jil Millimánn"),
        ("Wim Kuttler", "¨", "Wim K", "Wim Küttler"),
        ("Ina Montreal", "´", "Ina Montr", "Ina Montréal"),
    ],
)
def test_an_accent_drawn_apart_is_on_the_letter_below_it(
    tmp_path: Path, name: str, accent: str, letters: str, printed: str
) -> None:
    page = start(tmp_path)
    page.y += 20
    page.say(name, 200, page.y, TEXT, 12)
    before, through = (stringWidth(name[:n], TEXT, 12) for n in (len(letters), len(letters) + 1))
    page.say(accent, 200 + (before + through - stringWidth(accent, TEXT, 12)) / 2, page.y, TEXT, 12)
    assert names(page) == [printed]


def test_initials_may_end_a_name(tmp_path: Path) -> None:
    page = start(tmp_path)
    page.centred("Asha B C", TEXT, 11, 16)
    page.centred("K. Rao", TEXT, 11, 16)
    assert names(page) == ["Asha B C", "K. Rao"]


def with_raised_citations(path: Path, marks: str) -> Page:
    """Sections in which each of these numbers stands raised behind a word, and ten references."""
    page = Page(path)
    page.centred("A Study of Small Papers")
    page.body()
    page.y -= 8
    for mark in marks.split():
        page.raised("This was shown before", f"^{mark}", " by others and by us", size=10, gap=12)
        page.paragraph(FILLER)
        if page.y > 560:
            page.page()
    page.heading("References")
    for number in range(1, 11):
        page.lines(
            f"{number}. A. Brandt, A work of number {number}, Journal of Tides, {2000 + number}."
        )
    return page


def test_raised_numbers_that_cover_the_references_are_citations(tmp_path: Path) -> None:
    found = read_file(with_raised_citations(tmp_path / "a.pdf", "1 2,3 4-6 9").save())
    text = " ".join(section.text for section in found.sections)
    assert re.findall(r"before (\[[^]]*\]) by", text) == ["[1]", "[2, 3]", "[4-6]", "[9]"]
    numbers = printed_numbers(found.references)
    cited = sorted(n for _, meant in numeric_mentions(text, numbers) for n in meant)
    assert cited == [0, 1, 2, 3, 4, 5, 8]


def test_raised_numbers_of_footnotes_are_no_citations(tmp_path: Path) -> None:
    found = read_file(with_raised_citations(tmp_path / "a.pdf", "1 2").save())
    assert "[" not in " ".join(section.text for section in found.sections)


@pytest.mark.parametrize(
    ("front", "margins", "date"),
    [
        (["Dated: 3 June 2020"], [], "2020-06-03"),
        (["April 20, 2025"], [], "2025-04-20"),
        (["October 2018"], [], "2018-10"),
        (
            [],
            ["Received 1 May 2019; accepted 2 July 2019; published online 9 August 2019"],
            "2019-08-09",
        ),
        ([], ["Received 1 May 2019; accepted 2 July 2019"], "2019-07-02"),
        ([], ["Received 1 May 2019"], None),
        (["Draft version November 24, 2026"], [], None),
        ([], ["Preprint submitted to Elsevier November 24, 2026"], None),
        ([], ["© 2017 Association for Computing Machinery"], "2017"),
        ([], ["Proceedings of the 12th Workshop on Quiet Models, Lisbon, 2016"], "2016"),
        (["3 June 2020"], ["Accepted 1 January 2021"], "2020-06-03"),
        (["99 June 2020"], [], "2020-06"),
        ([], ["Date: March 28, 2015."], "2015-03-28"),
        ([], ["Lisbon, Portugal, 9–14 June 2013. c 2013 Quiet Association"], "2013-06-14"),
        ([], ["Journal of Quiet Models, May 2011"], "2011-05"),
        (
            [],
            ["Date of publication July 1, 2019; date of current version August 2, 2019."],
            "2019-07-01",
        ),
        # Days on which a copy was made, whatever the words: nothing says that they are the paper's.
        ([], ["This copy was fetched by 10.0.0.1 on Tue, 12 Mar 2019 10:10 UTC"], None),
        ([], ["October 17, 2018 9:25 INSTRUCTION FILE paper"], None),
        (["Printed on May 5, 2020"], [], None),
        (["5 May 2020, 10:11"], [], None),
        ([], ["Available to guest since 5 May 2020"], None),
        ([], ["University of Lisbon, 5 May 2020"], "2020-05-05"),
        ([], ["© 2001 The Authors", "Saved from a library by guest on 5 May 2020"], "2001"),
        ([], ["Journal of Quiet Models, Vol. 12, No. 3 (2001), pp. 1–20", "5 May 2020"], "2001"),
    ],
)
def test_the_credible_date_counts(front: list[str], margins: list[str], date: str | None) -> None:
    assert read_imprint(front, margins).date == date


def test_identifiers_and_venue_are_read_from_the_margins() -> None:
    margins = [
        "Proceedings of the 58th Annual Meeting of the Quiet Association, pages 1–9",
        "https://doi.org/10.5555/1234567",
        "arXiv:2001.01234v2",
    ]
    found = read_imprint([], margins)
    assert found == Imprint(
        date=None,
        doi="10.5555/1234567",
        arxiv_id="2001.01234",
        venue="Proceedings of the 58th Annual Meeting of the Quiet Association, pages 1–9",
    )


NAMES = ("1 Introduction", "2 Method", "3 Results", "4 Conclusion")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["Ada Brandt (Harbour University), Ben Okafor (Institute of Tides)"], "Ada Ben"),
        (["Ada Brandt (Harbour University)", "Ben Okafor (Tidal Institute, Oslo)"], "Ada Ben"),
        (["Authors: Ada Brandt, Ben Okafor", "Harbour University"], "Ada Ben"),
        (["Author: Ada Brandt"], "Ada"),
        (["Ada Brandt / Ben Okafor", "Harbour University"], "Ada Ben"),
        (["Ada Brandt - Harbour University", "Ben Okafor - Tidal Institute"], "Ada Ben"),
        (["Ada Brandt and Ben Okafor, Harbour University, Norway"], "Ada Ben"),
        (["Ada Brandt [Harbour University]", "Ben Okafor [Tidal Institute]"], "Ada Ben"),
        (["Ada Brandt, Harbour University; Ben Okafor, Tidal Institute"], "Ada Ben"),
        (["Ada Brandt, Ben", "Okafor"], "Ada Ben"),  # the end of a line breaks a name
        (["Ada Brandt | Ben Okafor |", "Ada Brandt"], "Ada Ben"),
        (["Ada Brandt", "3C-404A, Tide Works", "Murray Hill NJ 07974"], "Ada"),
        (["Ada Brandt¹, Ben Okafor²³", "¹Harbour University"], "Ada Ben"),
        (["Ada Brandt, Ben Okafor", "Key Points:"], "Ada Ben"),
        (["An Shu Te, Ada Brandt", "Harbour University"], "An Ada"),
        (["Ada Brandt, Lab Saha, Ben Okafor", "Harbour University"], "Ada Ben"),
    ],
)
def test_author_lines_of_every_form(tmp_path: Path, lines: Sequence[str], names: str) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    for line in lines:
        page.centred(line, TEXT, 11, 16)
    page.abstract()
    page.sections(*NAMES)
    found = [author.name for author in read_file(page.save()).authors]
    known = {"Ada": "Ada Brandt", "An": "An Shu Te", "Ben": "Ben Okafor"}
    assert found == [known[name] for name in names.split()]


def test_a_table_whose_columns_are_not_told_apart_has_no_cells(tmp_path: Path) -> None:
    rows = [("Reader one", ""), ("Reader two", ""), ("Reader three", "")]
    page = paper_with_table(tmp_path / "a.pdf", rows, "Table 1: Readers that were tried.")
    [table] = read_file(page.save()).tables
    assert table.caption == "Table 1: Readers that were tried."
    assert table.cells == ()
