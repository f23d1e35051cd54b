"""Documents out of what every markup yields: keys, ranges, marks, spans and sections."""

import pytest

from vivavoce.errors import InputError
from vivavoce.records import Author, CitedTable, Document
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.model import (
    Block,
    Cell,
    CitationStyle,
    Entry,
    Label,
    Manuscript,
    RawTable,
    bounded,
    cite,
    refer,
)

WORKS = [
    Entry("a", "A. Kim. First. 2015.", years=["2015"], names="Kim"),
    Entry("b", "B. Lee. Second. 2016.", years=["2016"], names="Lee et al.", group="g"),
    Entry("c", "C. Roe. Third.", names="Roe", group="g"),
]
AUTHOR_YEAR = CitationStyle(is_numeric=False)
NATBIB = CitationStyle(is_numeric=False, cites_in_brackets=False)


def assembled(paper: Manuscript) -> Document:
    return assemble(paper, Document("tei", "x"))


def table_of(*rows: list[Cell], is_full: bool = False) -> CitedTable:
    grid = RawTable(grids=[list(rows)], is_full=is_full)
    return assembled(Manuscript(entries=WORKS, tables=[grid])).tables[0]


@pytest.mark.parametrize(
    ("mark", "style", "printed"),
    [
        (cite(["b", "a"]), CitationStyle(), "[2, 1]"),
        (cite(["B"], "text", after="p. 3"), CitationStyle(), "Lee et al. [2, p. 3]"),
        (cite(["a", "c"], before="see"), AUTHOR_YEAR, "(see Kim, 2015; Roe, n.d.)"),
        (cite(["a", "b"], "text"), AUTHOR_YEAR, "Kim (2015), Lee et al. (2016)"),
        (cite(["a"], "plain"), AUTHOR_YEAR, "(Kim, 2015)"),
        (cite(["a"], "plain"), NATBIB, "Kim (2015)"),
        (cite(["a"], "bare"), AUTHOR_YEAR, "Kim, 2015"),
        (cite(["a", "b"], "authors"), AUTHOR_YEAR, "Kim, Lee et al."),
        (cite(["a", "b"], "years in brackets"), CitationStyle(), "(2015, 2016)"),
        (cite(["gone"]), CitationStyle(), "[gone]"),
        (cite(["gone"], unknown="?"), AUTHOR_YEAR, "(?)"),
        (cite(["a"], after=f"in {refer('t')}"), CitationStyle(), "[1, in 2]"),
        (refer("t,s", how="named"), CitationStyle(), "Table 2 and Section 1"),
        (refer("e1,e2,e3", how="list"), CitationStyle(), "Equations (1) to (3)"),
        (refer("e1,e3", how="list"), CitationStyle(), "Equations (1) and (3)"),
        (refer("e1,e2", how="range"), CitationStyle(), "Equations (1) to (2)"),
        (refer("e1,t", how="names"), CitationStyle(), "Equation and Table"),
        (refer("gone", how="named"), CitationStyle(), ""),
    ],
)
def test_marks_have_the_style_of_the_paper(mark: str, style: CitationStyle, printed: str) -> None:
    labels = {"t": Label("Table", "2"), "s": Label("Section", "1")}
    labels |= {f"e{number}": Label("Equation", str(number)) for number in (1, 2, 3)}
    blocks = [Block("One", paragraphs=[f"As {mark}."])]
    found = assembled(Manuscript(blocks=blocks, entries=WORKS, style=style, labels=labels))
    assert found.sections[0].text == f"As {printed}."


@pytest.mark.timeout(60)
def test_a_table_cannot_swell() -> None:
    found = table_of(*([Cell("a", width=40, height=200)] * 20 for _ in range(9_000)))
    assert sum(map(len, found.cells)) <= 200_000


def test_grids_are_read_as_far_as_a_table_may_reach() -> None:
    rows = ([Cell("a")] * 40 for _ in range(10**9))
    grids = bounded([[[Cell("b")]], rows, rows])
    assert sum(len(row) for grid in grids for row in grid) <= 200_040


def test_a_section_headed_abstract_is_one_where_there_is_no_other() -> None:
    blocks = [Block("Abstract", paragraphs=["Short."]), Block("One", paragraphs=["Text."])]
    found = assembled(Manuscript(blocks=blocks))
    assert (found.abstract, [s.heading for s in found.sections]) == ("Short.", ["One"])
    assert len(assembled(Manuscript(abstract="Own.", blocks=blocks)).sections) == 2
    parts = [Block("ABSTRACT"), Block("Aims", level=2, paragraphs=["Short."]), blocks[1]]
    found = assembled(Manuscript(blocks=parts))
    assert (found.abstract, [s.heading for s in found.sections]) == ("Aims\n\nShort.", ["One"])


def test_a_grade_of_membership_is_no_author() -> None:
    names = (
        "Ana Roe",
        "Senior Member Ieee",
        "Bo Oz",
        "Student Member",
        "IEEE",
        "Cy Fellow",
        "Fellow",
    )
    found = assembled(Manuscript(title="T", authors=[Author(name) for name in names]))
    assert [author.name for author in found.authors] == ["Ana Roe", "Bo Oz", "Cy Fellow"]


def test_a_paper_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="holds no title, no abstract, no text"):
        assembled(Manuscript())
