"""Columns that say something, what counts as a value, and why a table is no item."""

from __future__ import annotations

import pytest

from vivavoce.tasks.tables.items.table_headers import (
    Grid,
    Line,
    Values,
    find_duplicates,
    read_values,
    why_not,
)
from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable, TablesOptions


def values(header: tuple[str, ...], *lines: tuple[str, ...]) -> Values:
    rows = tuple(Line(number, line) for number, line in enumerate(lines, start=1))
    return read_values(Grid(header, rows), rows)


def test_labels_references_links_and_running_numbers_are_no_columns() -> None:
    found = values(
        ("No.", "Method", "Year", "Ref.", "Resource Link", "", "Note"),
        ("1", "Ash", "2021", "[1]", "GitHub", "x", "-"),
        ("2", "Bay", "2020", "[2]", "GitHub", "y", ""),
    )
    assert found.columns == ("Year",)
    assert found.labels == ("Ash", "Bay")
    assert found.rows == (("2021",), ("2020",))


def test_dashes_and_empty_cells_are_not_available() -> None:
    found = values(("Method", "Size"), ("Ash [1]", "3M"), ("Bay [2]", "-"), ("Cob [3]", "N/A"))
    assert found.rows == (("3M",), (None,), (None,))


def test_in_a_column_of_ticks_an_empty_cell_means_no() -> None:
    found = values(("Method", "Open", "Size"), ("Ash [1]", "✓", "3M"), ("Bay [2]", "", ""))
    assert found.rows == (("✓", "3M"), ("✗", None))


def test_where_crosses_are_printed_an_empty_cell_stays_unknown() -> None:
    found = values(("Method", "Open"), ("Ash [1]", "✓"), ("Bay [2]", "✗"), ("Cob [3]", ""))
    assert found.rows == (("✓",), ("✗",), (None,))


def test_a_citation_inside_a_cell_is_no_value() -> None:
    found = values(("Method", "Data"), ("Ash [1]", "news [7]"), ("Bay [2]", "web"))
    assert found.rows == (("news",), ("web",))


def said(*rows: tuple[str | None, ...], formulas: int = 0) -> Values:
    names = tuple(f"c{at}" for at in range(len(rows[0]) if rows else 0))
    return Values(("",) * len(rows), names, rows, formulas)


FULL = (("a", "b"), ("c", "d"))


@pytest.mark.parametrize(
    ("found", "papers", "reason"),
    [
        (said(("a", "b")), "x", "few_rows"),
        (said(*FULL), "xx", "few_papers"),
        (said(("a",), ("b",)), "xy", "few_columns"),
        (said(("a", None), (None, None)), "xy", "sparse"),
        (said(*FULL, formulas=1), "xy", "formulas"),  # one of four values is over a tenth
    ],
)
def test_every_reason_is_told(found: Values, papers: str, reason: str) -> None:
    why = why_not(found, papers, TablesOptions())
    assert why is not None
    assert why[0] == reason


def test_half_empty_is_not_yet_sparse() -> None:
    assert why_not(said(("a", None), (None, "d")), "xy", TablesOptions()) is None


def test_tables_of_numbers_are_left_out_on_demand() -> None:
    numbers = said(("88.1", "2"), ("87%", None))
    assert why_not(numbers, "xy", TablesOptions()) is None
    why = why_not(numbers, "xy", TablesOptions(numeric=False))
    assert why == ("numeric_only", "all 3 values are numbers")
    assert why_not(said(("88.1", "yes"), ("87", "no")), "xy", TablesOptions(numeric=False)) is None


def test_formulas_are_counted_and_quantities_are_none() -> None:
    found = values(
        ("Method", "Loss", "Error"),
        ("Ash [1]", "$L = \\sum_i x_i$", "$10^{-4}$"),
        ("Bay [2]", "hinge", "88 $\\pm$ 1"),
    )
    assert found.formulas == 1


def gold(name: str, columns: tuple[str, ...], *rows: tuple[str, ...]) -> GoldTable:
    lines = tuple(GoldRow(n, cells[0], "", cells[1:]) for n, cells in enumerate(rows))
    return GoldTable(name, "p", "cited", "c", columns, lines, None)


def test_a_duplicate_may_be_in_another_order() -> None:
    first = gold("a", ("Year", "Data"), ("x", "2020", "news"), ("y", "2021", "web"))
    turned = gold("b", ("data", "years"), ("y", "Web", "2021"), ("x", "news", "2020"))
    other = gold("c", ("Year", "Data"), ("x", "2020", "news"), ("z", "2021", "web"))
    assert find_duplicates([first, turned, other]) == {"b": "a"}
