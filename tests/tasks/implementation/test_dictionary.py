"""The data dictionary's three levels."""

from __future__ import annotations

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.market import TABLES, Market, generate
from vivavoce.tasks.implementation.items.market_dictionary import LEVELS, describe


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


def test_only_the_tables_asked_for_are_described_in_their_order() -> None:
    for level in LEVELS:
        text = describe(["high_freq", "daily_f"], level)
        assert "`daily_pv.parquet`" not in text
        assert text.index("`high_freq.parquet`") < text.index("`daily_f.parquet`")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="no market table 'weekly'; there are daily_pv, daily_f"):
        describe(["weekly"], "full")
    with pytest.raises(InputError, match="no data level 'all'; there are none, brief, full"):
        describe(TABLES, "all")
