"""Printed tables as grids: headers joined and repaired, labels found, values read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.tables.grid import (
    Grid,
    Line,
    Values,
    distinct_names,
    label_columns,
    misfit,
    read_grid,
    read_values,
    shift_of,
    without_citations,
)

Cells = tuple[str, ...]


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (
            (
                ("Model", "Memory", "Memory", "Time"),
                ("Model", "Operation", "Structure", "Time"),
                ("Ash [1]", "read", "graph", "2021"),
            ),
            ("Model", "Memory › Operation", "Memory › Structure", "Time"),
        ),
        (
            (("", "Dev", "", "Test", ""), ("Model", "P", "R", "P", "R"), ("Ash", *"1234")),
            ("Model", "Dev › P", "Dev › R", "Test › P", "Test › R"),
        ),
        # names that are too long for one line
        (
            (("Model", "Hybrid", "Domain"), ("", "search", ""), ("Ash [1]", "dense", "web")),
            ("Model", "Hybrid search", "Domain"),
        ),
        ((("Model", "Size"), ("", "3 GB"), ("Ash [1]", "2 GB")), ("Model", "Size")),
        # a line of numbers, and one that says something else, are no headers
        ((("", "Dev", ""), ("", "88.1", "87.0"), ("Ash", "1", "2")), ("", "Dev", "")),
        ((("Model", "S", "S"), ("Nobody", "up", "on"), ("Ash", "a", "b")), ("Model", "S", "S")),
    ],
)
def test_names_below_a_span_are_joined_to_it(rows: tuple[Cells, ...], columns: Cells) -> None:
    grid = read_grid(rows, [False] * (len(rows) - 1) + [True])
    assert grid is not None
    assert grid.columns == columns


def test_a_row_that_cites_is_never_part_of_a_header() -> None:
    rows = (("Model", "Memory", "Memory"), ("Model", "read", "graph"))
    grid = read_grid(rows, [False, True])
    assert grid is not None
    assert grid.columns == rows[0]
    assert read_grid(rows, [True, True]) is None
    assert read_grid([("", ""), ("", "")], [False, True]) is None


def test_lines_keep_their_place_are_filled_up_and_groups_are_none() -> None:
    rows = [("Model", "Year"), ("Neural", "Neural"), ("Ash [1]",), ("Ours", "2022")]
    grid = read_grid(rows, [False, False, True, False])
    assert grid is not None
    assert grid.lines == (Line(2, ("Ash [1]", "")), Line(3, ("Ours", "2022")))


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("KITTI [82, 83]", "KITTI"),
        ("[263, 3-10]", ""),
        ("GLM (Zeng et al., 2022)", "GLM"),
        ("Both (Name, 2020a; Other and Name, 2019)", "Both"),
        ("Nye et al. (2018)", "Nye et al. (2018)"),
        ("in [0, 1]", "in [0, 1]"),
        ("released (May 2022)", "released (May 2022)"),
        ("**88.1** $\\pm$ 0.2", "88.1 ± 0.2"),
        ("A [1], B [2]", "A , B"),
    ],
)
def test_marks_of_citations_are_taken_out(cell: str, words: str) -> None:
    assert without_citations(cell) == words


@pytest.mark.parametrize(
    ("columns", "lines", "labels"),
    [
        (("Kind", "Method", "Year"), [("point", "Ash [1]", "2021")], (1,)),
        (("Kind", "Method", "P"), [("FS", "Nye et al. (2018)", "84")], (1,)),
        # Citations have a column of their own, and the header shows the place of the name.
        (("Method", "Year", "Ref"), [("Ash", "2021", "[1]")], (0, 2)),
        (("Polymer", "Solvent", "Ref"), [("Ash", "2021", "[1]")], (2,)),
        (("", "Size"), [("Work 11", "small")], (0,)),
        ((), [], ()),
    ],
)
def test_the_column_of_labels_is_where_citations_are(
    columns: Cells, lines: list[Cells], labels: tuple[int, ...]
) -> None:
    assert label_columns(columns, lines) == labels


@given(st.lists(st.sampled_from(["F1", "F1 (2)", "F1 (3)", "EM"]), max_size=8))
def test_names_become_distinct_and_the_first_stays(names: list[str]) -> None:
    distinct = distinct_names(names)
    assert len(set(distinct)) == len(names)
    assert all(new.startswith(old) for old, new in zip(names, distinct, strict=True))
    assert distinct[:1] == tuple(names[:1])


def shift(names: Cells, *rows: Cells) -> str | None:
    lines = tuple(Line(number, cells) for number, cells in enumerate(rows, start=1))
    return shift_of(Grid(names, lines), lines)


@pytest.mark.parametrize(
    ("names", "filled", "expected"),
    [
        (("Method", "Year", "Code"), "xx", None),
        # A name may be missing anywhere, not only over the last column.
        (("Method", "Year", ""), "xx", "column 3 has no name"),
        (("Method", "", "Year", "Code"), "xx-", "'Code' is over nothing, and column 2 has no name"),
        (("Year", "Code", ""), "xx", "column 3 has no name"),
    ],
)
def test_a_header_is_shifted_to_its_values(names: Cells, filled: str, expected: str | None) -> None:
    cells = [cell.replace("-", "") for cell in filled]
    assert shift(names, ("Ash [1]", *cells), ("Bay [2]", *cells)) == expected


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (("Year", "F1", "Code"), [("2019", "91.2", "yes"), ("2020", "90", "no")], None),
        # Names one column too far to the right, and to the left.
        (("Year", "F1"), [("yes", "2019"), ("no", "2020")], "'Year' is over values that are not"),
        (("Code", "F1"), [("91.2", "yes"), ("90.4", "no")], "'F1' is over words, and numbers are"),
        (("F1", "Code"), [("yes", "91.2"), ("no", "90.4")], "'F1' is over words, and numbers are"),
        # A dash says nothing, a date has a year, and words below a metric may be meant.
        (("Year", "F1"), [("Mar 2019", None), ("2020", "90")], None),
        (("Robustness", "Ethics"), [("✓", "✗"), ("✗", "✓")], None),
    ],
)
def test_names_have_to_fit_what_is_below_them(
    columns: Cells, rows: list[tuple[str | None, ...]], expected: str | None
) -> None:
    found = misfit(Values(("A", "B"), columns, tuple(rows)))
    assert found is None if expected is None else str(found).startswith(expected)


@pytest.mark.parametrize("name", ["", "Group"])
def test_groups_before_the_labels_are_no_shift(name: str) -> None:
    names = (name, "Method", "Year", "Note")
    rows = (("Neural", "Ash [1]", "2019", ""), ("Rules", "Bay [2]", "2020", ""))
    assert shift(names, *rows) is None


def values(header: Cells, *lines: Cells) -> Values:
    rows = tuple(Line(number, line) for number, line in enumerate(lines, start=1))
    return read_values(Grid(header, rows), rows)


def test_labels_references_links_and_running_numbers_are_no_columns() -> None:
    found = values(
        ("No.", "Method", "Year", "Ref.", "Resource Link", "", "Note"),
        ("1", "Ash", "2021", "[1]", "GitHub", "x", "-"),
        ("2", "Bay", "2020", "[2]", "GitHub", "y", ""),
    )
    assert found == Values(("Ash", "Bay"), ("Year",), (("2021",), ("2020",)))


@pytest.mark.parametrize(
    ("printed_cells", "read"),
    [
        (("3M", "-", "N/A", "2M [7]"), ("3M", None, None, "2M")),
        # In a column of ticks alone an empty cell means no.
        (("✓", "", "✓", ""), ("✓", "✗", "✓", "✗")),
        (("✓", "✗", "", "✓"), ("✓", "✗", None, "✓")),
    ],
)
def test_dashes_are_not_available(printed_cells: Cells, read: tuple[str | None, ...]) -> None:
    lines = [(f"Ash [{n}]", cell) for n, cell in enumerate(printed_cells, start=1)]
    assert values(("Method", "Size"), *lines).rows == tuple((cell,) for cell in read)
