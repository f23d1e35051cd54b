"""Header rows are joined, citations taken out, and the column of labels is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.tables.items.table_headers import (
    distinct_names,
    label_columns,
    read_grid,
    without_citations,
)


def columns(*rows: tuple[str, ...], citing: int = 1) -> tuple[str, ...]:
    """The columns of a table of which the last rows cite."""
    grid = read_grid(rows, [False] * (len(rows) - citing) + [True] * citing)
    assert grid is not None
    return grid.columns


def test_names_below_a_span_are_joined_to_it() -> None:
    assert columns(
        ("Model", "Memory", "Memory", "Time"),
        ("Model", "Operation", "Structure", "Time"),
        ("Ash [1]", "read", "graph", "2021"),
    ) == ("Model", "Memory › Operation", "Memory › Structure", "Time")


def test_places_that_a_span_covers_may_be_empty() -> None:
    assert columns(
        ("", "Dev", "", "Test", ""), ("Model", "P", "R", "P", "R"), ("Ash [1]", "1", "2", "3", "4")
    ) == ("Model", "Dev › P", "Dev › R", "Test › P", "Test › R")


def test_a_line_of_numbers_or_of_other_words_is_no_header() -> None:
    assert columns(("", "Dev", ""), ("", "88.1", "87.0"), ("Ash [1]", "1", "2")) == ("", "Dev", "")
    assert columns(
        ("Model", "Score", "Score"), ("Nobody", "high", "low"), ("Ash [1]", "low", "high")
    ) == ("Model", "Score", "Score")


def test_a_row_that_cites_is_never_part_of_a_header() -> None:
    rows = (("Model", "Memory", "Memory"), ("Model", "read", "graph"))
    assert columns(*rows) == rows[0]
    assert read_grid(rows, [True, True]) is None
    assert read_grid([("", ""), ("", "")], [False, True]) is None
    assert read_grid([], []) is None


def test_a_title_above_the_header_is_skipped() -> None:
    assert columns(("Parsers", "Parsers"), ("Model", "Year"), ("Ash [1]", "2021")) == (
        "Model",
        "Year",
    )


def test_lines_keep_their_place_and_groups_are_no_lines() -> None:
    rows = [("Model", "Year"), ("Neural", "Neural"), ("Ash [1]", "2021"), ("Ours", "2022")]
    grid = read_grid(rows, [False, False, True, False])
    assert grid is not None
    assert [line.ordinal for line in grid.lines] == [2, 3]


def test_short_rows_are_filled_up() -> None:
    grid = read_grid([("Model", "Year", "Data"), ("Ash [1]",)], [False, True])
    assert grid is not None
    assert grid.lines[0].cells == ("Ash [1]", "", "")


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


def test_the_name_stands_where_citations_do() -> None:
    lines = [("point", "Ash [1]", "2021"), ("grid", "Bay [2]", "2020")]
    assert label_columns(("Kind", "Method", "Year"), lines) == (1,)
    years = [("FS", "Nye et al. (2018)", "84"), ("WS", "Liu (2021)", "22")]
    assert label_columns(("Kind", "Method", "P"), years) == (1,)


def test_citations_of_their_own_leave_the_name_to_the_header() -> None:
    lines = [("Ash", "2021", "[1]"), ("Bay", "2020", "[2]")]
    assert label_columns(("Method", "Year", "Ref"), lines) == (0, 2)
    assert label_columns(("Polymer", "Solvent", "Ref"), lines) == (2,)


def test_without_marks_the_first_column_is_the_label() -> None:
    assert label_columns(("", "Size"), [("Work 11", "small")]) == (0,)
    assert label_columns((), []) == ()


@given(st.lists(st.sampled_from(["F1", "F1 (2)", "F1 (3)", "EM"]), max_size=8))
def test_names_become_distinct_and_the_first_stays(names: list[str]) -> None:
    distinct = distinct_names(names)
    assert len(set(distinct)) == len(names)
    assert all(new.startswith(old) for old, new in zip(names, distinct, strict=True))
    assert distinct[:1] == tuple(names[:1])
