"""Rows of tables know whom they cite: cells that span rows, and places in a text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.row_citations import RowCitations, TableText

Cells = Sequence[Sequence[tuple[tuple[int, ...], int]]]
"""By row: what each cell cites, and how many rows it covers."""


def gathered(rows: Cells, blank: frozenset[int] = frozenset()) -> RowCitations:
    found = RowCitations()
    for number, row in enumerate(rows):
        for ordinals, height in row:
            found.cite(ordinals, height)
        found.end_row(is_kept=number not in blank)
    return found


def test_a_row_cites_what_its_cells_cite_each_once() -> None:
    rows = [[((3, 1), 1), ((1, 2), 1)], []]
    assert gathered(rows).by_row(range(4)) == ((3, 1, 2), ())


def test_a_cell_over_several_rows_counts_in_each() -> None:
    rows = [[((5,), 3), ((0,), 1)], [((1,), 1)], [], [((2,), 1)]]
    assert gathered(rows).by_row(range(6)) == ((5, 0), (5, 1), (5,), (2,))


def test_a_cell_may_stand_in_the_last_of_its_rows() -> None:
    rows = [[((0,), 1)], [((1,), 1)], [((7,), -2)], [((2,), 1)]]
    assert gathered(rows).by_row(range(8)) == ((0,), (1, 7), (7,), (2,))


def test_blank_rows_are_passed_by_what_spans_them() -> None:
    rows = [[((5,), 3)], [], [((1,), 1)], [((2,), 1)]]
    assert gathered(rows, frozenset({1})).by_row(range(6)) == ((5,), (5, 1), (2,))


@given(
    rows=st.lists(
        st.lists(
            st.tuples(st.lists(st.integers(0, 7), max_size=3).map(tuple), st.integers(-3, 4)),
            max_size=3,
        ),
        max_size=6,
    ),
    blank=st.frozensets(st.integers(0, 5)),
)
def test_rows_cite_what_covers_them(rows: Cells, blank: frozenset[int]) -> None:
    found = gathered(rows, blank).by_row(range(8))
    expected: list[set[int]] = [set() for _ in rows]
    for number, row in enumerate(rows):
        for ordinals, height in row:
            reach = range(number, number + max(height, 1))
            if height < 0:
                reach = range(number + height + 1, number + 1)
            for covered in reach:
                if 0 <= covered < len(rows):
                    expected[covered] |= set(ordinals)
    kept = [cited for number, cited in enumerate(expected) if number not in blank]
    assert [set(cited) for cited in found] == kept
    assert all(len(set(cited)) == len(cited) for cited in found)


@pytest.mark.timeout(60)
def test_two_cells_cannot_make_a_million_rows_cite_everything() -> None:
    # 20,000 rows that 5,000 references reach into would be 100 million mentions.
    rows: Cells = [[(tuple(range(5_000)), 20_000)], *[[]] * 19_999]
    found = gathered(rows).by_row(range(5_000))
    assert (len(found), len(found[0])) == (20_000, 5_000)
    assert max(map(len, found[1:])) == 20


def test_a_table_is_one_text_with_the_cell_of_each_place() -> None:
    table = TableText("Cap", [("a", "", "bc"), ("", ""), ("d",)], ["note"])
    assert table.text == "Cap\n\na\nbc\n\nd\n\nnote"
    found = {table.text[place]: table.cell_at(place) for place in (0, 5, 7, 8, 11, 15)}
    assert found == {
        **{"C": None, "a": (0, 0), "b": (0, 2), "c": (0, 2)},
        **{"d": (2, 0), "o": None},
    }


def test_places_in_caption_and_notes_are_in_no_row() -> None:
    table = TableText("One", [("two", "three"), ("four",)], ["five"], between_rows="\n")
    assert table.text == "One\n\ntwo\nthree\nfour\n\nfive"
    places = {word: table.text.index(word) for word in ("One", "two", "three", "four", "five")}
    meant = {"five": (9,), "three": (1,), "two": (2, 0), "One": (8,), "four": (2,)}
    mentions = [(places[word], ordinals) for word, ordinals in meant.items()]
    assert table.by_row(mentions, range(10)) == ((2, 0, 1), (2,))


@given(st.lists(st.lists(st.text("ab", max_size=3), max_size=3), max_size=5), st.text("c"))
def test_every_cell_is_found_where_it_stands(cells: list[list[str]], caption: str) -> None:
    table = TableText(caption, cells, ["c"])
    for place, letter in enumerate(table.text):
        at = table.cell_at(place)
        if letter in "ab":
            assert at is not None
            assert letter in cells[at[0]][at[1]]
        elif letter == "c":
            assert at is None
