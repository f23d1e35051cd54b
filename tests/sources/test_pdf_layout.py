"""PDFs with columns, line numbers, headings and lists of authors that are set in unusual ways."""

from pathlib import Path

import pytest
from tests.sources.pdf_pages import BOLD, FILLER, ITALIC, TEXT, WIDTH, Paper

from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file

AUTHORS = ("Brandt", "Lindqvist", "Okafor", "Haddad", "Moreau", "Novak", "Silva", "Tanaka")
ENTRIES = [
    (f"{name}, A. {1990 + number}, Quiet Tides,", f"Journal of Harbour Studies, {number + 1}, 201")
    for number, name in enumerate(sorted(AUTHORS))
]


def headings(document: Document) -> list[str | None]:
    return [section.heading for section in document.sections]


def in_columns(paper: Paper, columns: list[list[tuple[str, str]]]) -> None:
    """Entries of two lines, the second indented, in columns side by side."""
    top = paper.y
    for place, entries in enumerate(columns):
        paper.y = top
        for first, second in entries:
            for text, indent in ((first, 0), (second, 9)):
                paper.y += 12
                paper.say(text, paper.left + 205 * place + indent, paper.y, TEXT, 10)


def test_references_may_stand_in_two_columns_below_text_in_one(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        paper.heading(heading)
        paper.paragraph(f"{FILLER} {FILLER}")
    paper.centred("REFERENCES", TEXT, 10)
    in_columns(paper, [ENTRIES[:4], ENTRIES[4:]])
    raws = [reference.raw for reference in read_file(paper.save()).references]
    assert raws == [f"{first} {second}" for first, second in ENTRIES]


def test_a_list_in_two_columns_may_repeat_its_heading_on_every_page(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        paper.heading(heading)
        paper.paragraph(f"{FILLER} {FILLER}")
    paper.page()
    paper.centred("REFERENCES", TEXT, 10)
    in_columns(paper, [ENTRIES[:3], ENTRIES[3:6]])
    paper.page()
    paper.centred("REFERENCES", TEXT, 10)
    in_columns(paper, [ENTRIES[6:7], ENTRIES[7:]])
    references = read_file(paper.save()).references
    assert [reference.raw for reference in references] == [f"{a} {b}" for a, b in ENTRIES]


def test_references_without_a_heading_go_on_beside_the_last_section(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", left=54, width=235)
    paper.front()
    for heading in ("1 Introduction", "2 Method", "3 Results"):
        paper.heading(heading)
        paper.paragraph(f"{FILLER} {FILLER}")
    paper.page()
    top = paper.y
    entries = [[(f"[{n}] {one[0]}", one[1]) for n, one in enumerate(ENTRIES, 1)][:4]]
    entries.append([(f"[{n}] {one[0]}", one[1]) for n, one in enumerate(ENTRIES, 1)][4:])
    paper.paragraph(FILLER)
    end = paper.y
    paper.left, paper.y = 54 + 205 + 60, top
    paper.heading("4 Conclusion", gap=12)
    paper.lines("The last words of the last section", "stand beside the words of the one before.")
    paper.left, paper.y = 54, end + 40
    for place, own in enumerate(entries):
        paper.left = 54 + 265 * place
        in_columns(paper, [own])
        paper.y = end + 40
    document = read_file(paper.save())
    assert [r.raw[:4] for r in document.references] == [f"[{n}] " for n in range(1, 9)]
    assert document.sections[-1].text.endswith("beside the words of the one before.")


def test_the_numbers_of_a_manuscripts_lines_are_no_words(tmp_path: Path) -> None:
    class Manuscript(Paper):
        number = 0

        def _line(self, text: str, indent: float, size: float) -> None:
            super()._line(text, indent, size)
            self.number += 1
            self.say(str(self.number), 104 - 3 * len(str(self.number)), self.y, TEXT, 5)

    paper = Manuscript(tmp_path / "a.pdf")
    paper.front()
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    document = read_file(paper.save())
    assert document.abstract == f"We study papers that are small. {FILLER}"
    assert [section.text for section in document.sections] == [FILLER] * 3


def test_parts_of_roman_sections_may_have_arabic_numbers(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    paper.sections("I Introduction", "II Method", "2.1 Models", "2.2 Data", "III Conclusion")
    document = read_file(paper.save())
    assert headings(document) == ["Introduction", "Method", "Models", "Data", "Conclusion"]
    assert [section.level for section in document.sections] == [1, 1, 2, 2, 1]


def test_a_numbered_heading_in_another_face_ends_where_the_text_begins(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    for number, heading in enumerate(("Introduction", "Method", "Conclusion"), 1):
        paper.heading(f"{number} {heading}")
        for part in (1, 2):
            paper.y += 24
            end = paper.say(f"{number}.{part} Part {part}. ", 108, paper.y, "Helvetica", 10)
            paper.say("The part begins on the line of its heading", end, paper.y)
            paper.paragraph(FILLER)
    document = read_file(paper.save())
    assert headings(document)[1:3] == ["Part 1", "Part 2"]
    assert document.sections[1].text.startswith("The part begins on the line of its heading")


def test_numbered_parts_may_begin_with_code_or_digits(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    parts = ["2.1. tides.data", "2.2. 1D harbours", '2.3. Nets, kind="small"']
    for heading in ("1. Introduction", "2. Method", *parts, "3. Conclusion"):
        if paper.y > 600:
            paper.page()
        is_part = heading in parts
        paper.heading(heading, *((TEXT, 10) if is_part else (BOLD, 12)))
        paper.paragraph(FILLER)
    assert headings(read_file(paper.save())) == [
        *("Introduction", "Method", "tides.data", "1D harbours", 'Nets, kind="small"'),
        "Conclusion",
    ]


@pytest.mark.parametrize(
    "statement", ["Lemma 5. (the small one)", "Claim 3.2.1 (papers are small).", "Theorem 2."]
)
def test_a_numbered_statement_is_no_heading(tmp_path: Path, statement: str) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    paper.sections("1 Introduction", "2 Method")
    paper.heading(statement, size=10)
    paper.paragraph(FILLER)
    paper.sections("3 Conclusion")
    assert headings(read_file(paper.save())) == ["Introduction", "Method", "Conclusion"]


def test_the_line_that_opens_a_formula_is_no_heading(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    paper.sections("1 Introduction", "2 Method")
    paper.y += 24
    end = paper.say("Choosing ", 108, paper.y, ITALIC)
    end = paper.say("x > 0", end, paper.y, "Courier")
    paper.say(" in the first step we have", end, paper.y, ITALIC)
    paper.y += 24
    paper.say("x + y = z", WIDTH / 2, paper.y, "Courier")
    paper.y += 12
    paper.paragraph(FILLER)
    paper.sections("3 Conclusion")
    assert headings(read_file(paper.save())) == ["Introduction", "Method", "Conclusion"]


def test_an_abstract_on_the_second_page_is_below_a_long_list_of_authors(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Study of Small Papers")
    names = [f"{first} {last}" for first in ("Ada", "Bo", "Cy") for last in AUTHORS]
    paper.y += 12
    for start in range(0, len(names), 4):
        own = ", ".join(names[start : start + 4])
        paper.y += 14
        paper.say(own + ", and E." if start == 20 else own + ",", 108, paper.y, BOLD, 12)
    paper.y += 14
    paper.say("A. Quintero", 108, paper.y, BOLD, 12)
    for number in range(1, 25):
        paper.lines(f"{number} Harbour University, Department {number}, Lisbon, Portugal", size=8)
    paper.page()
    paper.heading("ABSTRACT", size=12)
    paper.paragraph(f"We study papers that are small. {FILLER}")
    paper.sections("Introduction", "Method", "Conclusion")
    document = read_file(paper.save())
    assert document.abstract == f"We study papers that are small. {FILLER}"
    assert [author.name for author in document.authors] == [*names, "E. A. Quintero"]
    assert headings(document) == ["Introduction", "Method", "Conclusion"]


@pytest.mark.parametrize("first", ["José", "Jos´e"])
def test_a_name_that_a_line_breaks_is_one_name(tmp_path: Path, first: str) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Study of Small Papers")
    for line in (
        f"Ada Brandt, Bo Lindqvist, {first}",
        "Luis Contreras, Cy Okafor, Hugo van",
        "Dijk",
    ):
        paper.y += 14
        paper.say(line, 120, paper.y, TEXT, 11)
    paper.abstract()
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    names = [author.name for author in read_file(paper.save()).authors]
    assert names == [
        "Ada Brandt",
        "Bo Lindqvist",
        "José Luis Contreras",
        "Cy Okafor",
        "Hugo van Dijk",
    ]
