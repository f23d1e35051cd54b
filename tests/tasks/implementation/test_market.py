"""The synthetic market: reproducible, small, and odd in every way it promises."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.formula import DICTIONARY
from vivavoce.tasks.implementation.items.market import TABLES, generate

Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def market() -> Tables:
    return generate(7)


def _missing_days(frame: pd.DataFrame) -> tuple[dict[str, int], dict[str, int]]:
    """Days before an instrument's first row, and days without a row after it."""
    days = np.sort(frame["datetime"].unique())
    late, gap = {}, {}
    for name, stamps in frame.groupby("instrument")["datetime"]:
        before = int((days < stamps.min()).sum())
        inside = len(days) - before - len(stamps)
        if before:
            late[str(name)] = before
        if inside:
            gap[str(name)] = inside
    return late, gap


def test_the_market_of_a_seed_never_changes(market: Tables) -> None:
    digest = hashlib.sha256()
    for name in TABLES:
        frame = market[name]
        for column in frame.columns:
            values = frame[column]
            if column in ("instrument", "industry"):
                digest.update("\n".join(values).encode())
            else:
                digest.update(values.to_numpy().astype("<i8" if column == "datetime" else "<f8"))
    assert digest.hexdigest()[:16] == "20719504d07bce32"
    assert not generate(8)["daily_pv"].equals(market["daily_pv"])


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_flat_and_typed(market: Tables, name: str) -> None:
    frame = market[name]
    assert list(frame.columns) == list(DICTIONARY[name]["columns"])
    assert frame["datetime"].dtype == np.dtype("datetime64[ns]")
    numbers = frame.drop(columns=["datetime", "instrument", "industry"], errors="ignore")
    assert (numbers.dtypes == np.float64).all()
    assert not np.isinf(numbers.to_numpy()).any()
    assert frame["instrument"].str.fullmatch(r"S[HZ]\d{6}").all()


def test_prices_of_a_day_lie_between_its_low_and_high(market: Tables) -> None:
    frame = market["daily_pv"]
    for column in ("$open", "$close", "$vwap"):
        assert (frame[column] >= frame["$low"]).all()
        assert (frame[column] <= frame["$high"]).all()
    assert (frame["$low"] > 0).all()
    assert (frame["$volume"] > 0).all()
    assert (frame["$volume"] % 1 == 0).all()
    assert not frame.isna().any(axis=None)


def test_money_turnover_and_cap_follow_from_prices_paid(market: Tables) -> None:
    both = market["daily_pv"].merge(
        market["daily_f"], on=["datetime", "instrument"], validate="1:1"
    )
    money = both["$vwap"] / both["$factor"] * both["$volume"]
    assert np.allclose(both["$money"], money, atol=0.01)
    known = both.dropna(subset="free_float_shares")
    turnover = known["$volume"] / known["free_float_shares"]
    assert np.allclose(known["turnover"], turnover, atol=1e-6)
    paid = (known["$close"] / known["$factor"]).round(2)
    assert np.allclose(known["free_float_cap"], paid * known["free_float_shares"], rtol=1e-9)


def test_minutes_end_at_the_price_paid_and_add_up_to_the_volume(market: Tables) -> None:
    minutes = market["high_freq"].sort_values("datetime")
    minutes = minutes.assign(datetime=minutes["datetime"].dt.normalize())
    ended = minutes.groupby(["datetime", "instrument"]).agg({"close": "last", "volume": "sum"})
    daily = market["daily_pv"].set_index(["datetime", "instrument"]).loc[ended.index]
    assert ended["close"].equals((daily["$close"] / daily["$factor"]).round(2))
    assert ended["volume"].equals(daily["$volume"])
    assert (minutes["volume"] >= 0).all()
    assert (minutes["volume"] == 0).any()
    assert (minutes.groupby("instrument")["datetime"].nunique() == 10).all()


def test_a_seed_is_no_negative_number() -> None:
    with pytest.raises(InputError, match="seed is -1"):
        generate(-1)


@settings(max_examples=3, deadline=None, derandomize=True)
@given(st.integers(0, 2**63))
def test_every_seed_has_the_oddities(seed: int) -> None:
    market = generate(seed)
    late, gap = _missing_days(market["daily_pv"])
    assert (len(late), len(gap)) == (3, 3)
    prices = market["daily_pv"]
    assert (prices["$high"] == prices["$low"]).sum() >= 12
    assert (market["daily_f"]["PE"] < 0).any()
    assert (market["daily_f"]["net_profit_growth"] == 0).any()
    assert market["daily_f"].dropna(subset="ROE").duplicated(["datetime", "ROE"]).any()
    assert market["daily_f"]["ROE"].isna().any()
    assert 46_000 < len(market["high_freq"]) < 48_000
