"""The data dictionary's three levels, and the domain notes."""

from __future__ import annotations

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.market import TABLES, Market, generate
from vivavoce.tasks.implementation.items.market_dictionary import LEVELS, NOTES, describe, notes


@pytest.fixture(scope="module")
def market() -> Market:
    return generate(1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("table", TABLES)
def test_every_column_of_every_table_is_described(market: Market, table: str, level: str) -> None:
    text = describe([table], level)
    assert f"`{table}.parquet`" in text
    for column in market.table(table).columns:
        assert f"`{column}`" in text


@pytest.mark.parametrize("table", TABLES)
def test_without_information_there_are_only_names(market: Market, table: str) -> None:
    names = ", ".join(f"`{column}`" for column in market.table(table).columns)
    assert describe([table], "none") == f"- `{table}.parquet`: {names}"


@pytest.mark.parametrize("table", TABLES)
def test_a_brief_dictionary_has_one_line_a_column(market: Market, table: str) -> None:
    lines = [line for line in describe([table], "brief").splitlines() if line.startswith("- ")]
    assert len(lines) == len(market.table(table).columns)
    assert all(line.endswith(".") and len(line) < 80 for line in lines)


def test_a_brief_dictionary_tells_that_daily_prices_are_adjusted() -> None:
    # Else a reader who needs adjusted prices would multiply by the factor once more.
    assert "`$factor`: Adjustment factor: price here / price paid." in describe(
        ["daily_pv"], "brief"
    )


@pytest.mark.parametrize("table", TABLES)
def test_a_full_dictionary_has_a_unit_for_every_column(market: Market, table: str) -> None:
    rows = [line for line in describe([table], "full").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0] for row in cells] == [f"`{name}`" for name in market.table(table).columns]
    assert all(len(row) == 4 and all(row) for row in cells)


def test_a_full_dictionary_tells_what_trips_programs_over() -> None:
    text = describe(TABLES, "full")
    for fact in (
        "Rows are in no order",
        "listed late",
        "suspended",
        "NaN is missing",
        "Adjusted for dividends",
        "price here / price paid",
        "it is not volatility",
        "about every 60 trading days",
        "one row a trading day and stock",
        "one row a minute and stock",
        "open, high, low and close are the same",
        "bidV and askV are both 0",
    ):
        assert fact in text
        assert fact not in describe(TABLES, "none")


def test_only_the_tables_asked_for_are_described_in_their_order() -> None:
    for level in LEVELS:
        text = describe(["high_freq", "daily_f"], level)
        assert "`daily_pv.parquet`" not in text
        assert text.index("`high_freq.parquet`") < text.index("`daily_f.parquet`")


def test_the_levels_say_more_and_more() -> None:
    lengths = [len(describe(TABLES, level)) for level in LEVELS]
    assert lengths == sorted(lengths)
    assert lengths[0] * 2 < lengths[1] < lengths[2] / 2


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="no market table 'weekly'; there are daily_pv, daily_f"):
        describe(["weekly"], "full")
    with pytest.raises(InputError, match="no data level 'all'; there are none, brief, full"):
        describe(TABLES, "all")
    with pytest.raises(InputError, match="no domain note 'beta'"):
        notes(["beta"])


def test_notes_tell_what_a_domain_takes_for_granted() -> None:
    text = notes()
    assert text.count("\n- ") == len(NOTES) - 1
    for fact in (
        "subtract from each stock's value the mean of its group on the same day",
        "new / old - 1",
        "among the rows of the same stock",
        "Ties share the mean of their ranks",
        "divided by n - 1",
        "divided by d * (d + 1) / 2",
        "one Parquet file",
    ):
        assert fact in text


def test_notes_can_be_chosen() -> None:
    assert notes(["growth"]) == f"- **growth**: {NOTES['growth']}"
    assert notes([]) == ""
