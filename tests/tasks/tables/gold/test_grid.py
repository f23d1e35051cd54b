"""Printed tables read as grids: headers, labels and values."""

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
        # Names that wrap to a second line.
        (
            (("Model", "Hybrid", "Domain"), ("", "search", ""), ("Ash [1]", "dense", "web")),
            ("Model", "Hybrid search", "Domain"),
        ),
        ((("Model", "Size"), ("", "3 GB"), ("Ash [1]", "2 GB")), ("Model", "Size")),
        # Neither a line of numbers nor a line with other words continues the header.
        ((("", "Dev", ""), ("", "88.1", "87.0"), ("Ash", "1", "2")), ("", "Dev", "")),
        ((("Model", "S", "S"), ("Nobody", "up", "on"), ("Ash", "a", "b")), ("Model", "S", "S")),
    ],
)
def test_header_rows_are_joined(rows: tuple[Cells, ...], columns: Cells) -> None:
    grid = read_grid(rows, [False] * (len(rows) - 1) + [True])
    assert grid is not None
    assert grid.columns == columns


def test_a_row_with_citations_is_not_a_header() -> None:
    rows = (("Model", "Memory", "Memory"), ("Model", "read", "graph"))
    grid = read_grid(rows, [False, True])
    assert grid is not None
    assert grid.columns == rows[0]
    assert read_grid(rows, [True, True]) is None
    assert read_grid([("", ""), ("", "")], [False, True]) is None


def test_lines_are_numbered_and_filled_and_group_rows_are_dropped() -> None:
    rows = [("Model", "Year"), ("Neural", "Neural"), ("Ash [1]",), ("Ours", "2022")]
    grid = read_grid(rows, [False, False, True, False])
    assert grid is not None
    assert grid.lines == (Line(2, ("Ash [1]", "")), Line(3, ("Ours", "2022")))


@pytest.mark.parametrize(
    ("cell", "text"),
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
def test_citations_are_removed_from_cells(cell: str, text: str) -> None:
    assert without_citations(cell) == text


@pytest.mark.parametrize(
    ("columns", "lines", "labels"),
    [
        (("Kind", "Method", "Year"), [("point", "Ash [1]", "2021")], (1,)),
        (("Kind", "Method", "P"), [("FS", "Nye et al. (2018)", "84")], (1,)),
        # Citations have a separate column, and the header shows which column has the name.
        (("Method", "Year", "Ref"), [("Ash", "2021", "[1]")], (0, 2)),
        (("Polymer", "Solvent", "Ref"), [("Ash", "2021", "[1]")], (2,)),
        (("", "Size"), [("Work 11", "small")], (0,)),
        ((), [], ()),
    ],
)
def test_the_label_column_is_found_by_citations_and_header(
    columns: Cells, lines: list[Cells], labels: tuple[int, ...]
) -> None:
    assert label_columns(columns, lines) == labels


@given(st.lists(st.sampled_from(["F1", "F1 (2)", "F1 (3)", "EM"]), max_size=8))
def test_repeated_names_get_distinct_suffixes(names: list[str]) -> None:
    distinct = distinct_names(names)
    assert len(set(distinct)) == len(names)
    assert all(new.startswith(name) for name, new in zip(names, distinct, strict=True))
    assert distinct[:1] == tuple(names[:1])


def shift(names: Cells, *rows: Cells) -> str | None:
    lines = tuple(Line(number, cells) for number, cells in enumerate(rows, start=1))
    return shift_of(Grid(names, lines), lines)


@pytest.mark.parametrize(
    ("names", "cells", "shifted"),
    [
        (("Method", "Year", "Code"), ("x", "x"), None),
        (("Year", "Code", ""), ("x", "x"), "column 3 has no name"),
        (("Method", "", "Code"), ("x", ""), "'Code' is over nothing, and column 2 has no name"),
    ],
)
def test_a_shifted_header_is_detected(names: Cells, cells: Cells, shifted: str | None) -> None:
    assert shift(names, ("Ash [1]", *cells), ("Bay [2]", *cells)) == shifted


NOT_YEARS = "'Year' is over values that are not years"
NOT_NUMBERS = "'F1' is over words, and numbers are beside them"


@pytest.mark.parametrize(
    ("columns", "rows", "misplaced"),
    [
        (("Year", "F1", "Code"), [("2019", "91.2", "yes"), ("2020", "90", "no")], None),
        # Names are one column too far to the left or to the right.
        (("Year", "F1"), [("yes", "2019"), ("no", "2020")], NOT_YEARS),
        (("Code", "F1"), [("91.2", "yes"), ("90.4", "no")], NOT_NUMBERS),
        (("F1", "Code"), [("yes", "91.2"), ("no", "90.4")], NOT_NUMBERS),
        # Missing cells are ignored, a date has a year, and a metric may have words only.
        (("Year", "F1"), [("Mar 2019", None), ("2020", "90")], None),
        (("Robustness", "Ethics"), [("✓", "✗"), ("✗", "✓")], None),
    ],
)
def test_names_that_do_not_fit_their_values_are_detected(
    columns: Cells, rows: list[tuple[str | None, ...]], misplaced: str | None
) -> None:
    assert misfit(Values(("A", "B"), columns, tuple(rows))) == misplaced


@pytest.mark.parametrize("name", ["", "Group"])
def test_a_group_column_before_the_labels_is_not_a_shift(name: str) -> None:
    names = (name, "Method", "Year", "Note")
    rows = (("Neural", "Ash [1]", "2019", ""), ("Rules", "Bay [2]", "2020", ""))
    assert shift(names, *rows) is None


def values(header: Cells, *lines: Cells) -> Values:
    rows = tuple(Line(number, line) for number, line in enumerate(lines, start=1))
    return read_values(Grid(header, rows), rows)


def test_only_columns_of_values_are_kept() -> None:
    found = values(
        ("No.", "Method", "Year", "Ref.", "Resource Link", "", "Note"),
        ("1", "Ash", "2021", "[1]", "GitHub", "x", "-"),
        ("2", "Bay", "2020", "[2]", "GitHub", "y", ""),
    )
    assert found == Values(("Ash", "Bay"), ("Year",), (("2021",), ("2020",)))


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        (("3M", "-", "N/A", "2M [7]"), ("3M", None, None, "2M")),
        # Where all cells are ticks or empty, an empty cell means no.
        (("✓", "", "✓", ""), ("✓", "✗", "✓", "✗")),
        (("✓", "✗", "", "✓"), ("✓", "✗", None, "✓")),
    ],
)
def test_dashes_and_empty_cells_are_read(printed: Cells, read: tuple[str | None, ...]) -> None:
    lines = [(f"Ash [{n}]", cell) for n, cell in enumerate(printed, start=1)]
    assert values(("Method", "Size"), *lines).rows == tuple((cell,) for cell in read)
