"""The similarity of tables by which readers are measured."""

from __future__ import annotations

import pytest
from benchmarks.pdf.grits import compare, grid_of
from benchmarks.pdf.made_tables import make_table
from hypothesis import given
from hypothesis import strategies as st


def test_a_table_is_wholly_like_itself() -> None:
    grid = grid_of([["a", "b", ""], ["c", "d", "e"]], [(0, 1, 1, 2)])
    found = compare(grid, grid)
    assert (found.content, found.structure, found.exact) == (1.0, 1.0, 1.0)


def test_a_missing_row_and_a_wrong_text_cost_their_places() -> None:
    true = grid_of([["a", "b"], ["cd", "e"], ["f", "g"]], [])
    found = compare(true, grid_of([["a", "b"], ["cx", "e"]], []))
    # Of 6 and 4 places 3 are the same; `cd` and `cx` share one letter of two each.
    assert found.content == pytest.approx(2 * 3.5 / 10)
    assert found.structure == pytest.approx(2 * 4 / 10)
    assert found.exact == 3 / 6


def test_a_span_that_is_not_seen_costs_structure() -> None:
    true = grid_of([["a", ""], ["b", "c"]], [(0, 0, 1, 2)])
    found = compare(true, grid_of([["a", ""], ["b", "c"]], []))
    # Each of two places covers one place instead of two; the text stands in one of them.
    assert found.structure == pytest.approx(2 * (0.5 + 0.5 + 1 + 1) / 8)
    assert found.content == pytest.approx(2 * 3 / 8)


def test_nothing_is_like_a_table() -> None:
    true = grid_of([["a", "b"]], [])
    assert compare(true, []).content == 0.0
    assert compare([], []).content == 1.0


@given(st.lists(st.lists(st.sampled_from(["", "a", "bc"]), min_size=2, max_size=2), max_size=4))
def test_the_similarity_is_a_share(rows: list[list[str]]) -> None:
    true = grid_of([["a", "bc"], ["", "a"]], [])
    found = compare(true, grid_of(rows, []))
    assert 0 <= found.content <= 1
    assert 0 <= found.exact <= 1
    assert (found.structure == 1.0) == (len(rows) == 2)


def test_made_tables_are_grids() -> None:
    for number in range(40):
        table = make_table(number, "words" if number % 4 == 0 else "results")
        widths = {len(row) for row in table.cells}
        assert len(widths) == 1
        grid_of(table.truth()["cells"], table.truth()["spans"])  # type: ignore[arg-type]
