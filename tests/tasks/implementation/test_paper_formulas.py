"""The paper's 11 factors: by hand on a few rows, and from which day on they have a value."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from vivavoce.tasks.implementation.items.formula import Formula, list_formulas
from vivavoce.tasks.implementation.items.market import generate

Tables = dict[str, pd.DataFrame]
FORMULAS = {name: formula for name, formula in list_formulas().items() if formula.origin == "paper"}
NAN = math.nan


@pytest.fixture(scope="module")
def market() -> Tables:
    return generate(7)


def tables(formula: Formula, market: Tables) -> list[pd.DataFrame]:
    return [market[name] for name in formula.tables]


def frame(days: Sequence[str], **columns: Sequence[Any]) -> pd.DataFrame:
    """Rows of one table, last row first, since no formula may trust their order."""
    names = {"instrument": "A"} | columns
    return pd.DataFrame({"datetime": pd.to_datetime(list(days)), **names})[::-1]


def compute(name: str, *inputs: pd.DataFrame, **parameters: int) -> list[float]:
    return FORMULAS[name].compute(*inputs, **parameters).tolist()


def beside_another(name: str, *inputs: pd.DataFrame, **parameters: int) -> list[float]:
    """The values of A beside a stock B of other numbers, which must have no say in them."""
    both = []
    for table in inputs:
        numbers = table.select_dtypes("number")
        both += [pd.concat([table, table.assign(instrument="B", **(numbers**2 + 7))])]
    values = FORMULAS[name].compute(*both, **parameters)
    return values.xs("A", level="instrument").tolist()


FIVE = [f"2024-01-0{day}" for day in range(1, 6)]
MINUTES = [f"2024-01-02 09:3{minute}" for minute in range(1, 6)]


def test_peg_divides_by_the_growth_in_percent() -> None:
    daily_f = frame(
        FIVE, PE=[20.0, -10.0, 30.0, NAN, 12.0], net_profit_growth=[0.25, 0.05, 0.0, 0.1, NAN]
    )
    # 20 / 25 = 0.8, -10 / 5 = -2, no growth, no PE, growth not known
    assert beside_another("PEG", daily_f) == pytest.approx([0.8, -2.0, NAN, NAN, NAN], nan_ok=True)


def test_turnover_std_divides_by_one_less_than_the_window() -> None:
    daily_f = frame(FIVE, turnover=[0.01, 0.03, 0.02, NAN, 0.05])
    # window 2: |0.03 - 0.01| / sqrt(2), |0.02 - 0.03| / sqrt(2), then a day without turnover
    expected = [NAN, 0.02 / math.sqrt(2), 0.01 / math.sqrt(2), NAN, NAN]
    assert beside_another("Turnover_STD_1M", daily_f, window=2) == pytest.approx(
        expected, nan_ok=True
    )


def test_turnover_correlation_with_price_joins_two_tables() -> None:
    daily_f = frame(FIVE, turnover=[1.0, 2.0, 3.0, 2.0, 2.0])
    daily_pv = frame([*FIVE, "2024-01-06"], **{"$close": [1.0, 3.0, 2.0, 2.0, 2.0, 9.0]})
    # rows 1-3: deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 * 2) = 0.5
    # rows 2-4: (-1/3, 2/3, -1/3) and (2/3, -1/3, -1/3): -1/3 / (6/9) = -0.5; rows 3-5: constant
    values = beside_another("turnover_correlation_with_price", daily_f, daily_pv, window=3)
    assert values == pytest.approx([NAN, NAN, 0.5, -0.5, NAN], nan_ok=True)


def test_liquidity_factor_is_the_move_per_money_traded() -> None:
    daily_pv = frame(
        FIVE, **{"$close": [10.0, 11.0, 9.9, 9.9, 19.8], "$money": [1e6, 2e6, 1e6, 0.0, 4e6]}
    )
    # returns 0.1, -0.1, 0, 1; per money 5e-8, 1e-7, none, 2.5e-7; mean of the first two * 1e8
    expected = [NAN, NAN, 7.5, NAN, NAN]
    assert beside_another("Liquidity_Factor", daily_pv, window=2) == pytest.approx(
        expected, nan_ok=True
    )


def test_one_month_volatility_needs_one_row_more_than_its_window() -> None:
    daily_pv = frame(FIVE, **{"$close": [10.0, 11.0, 11.0, 22.0, 11.0]})
    # returns 0.1, 0, 1, -0.5; of two neighbours the deviation is |a - b| / sqrt(2)
    expected = [NAN, NAN, *(gap / math.sqrt(2) for gap in (0.1, 1.0, 1.5))]
    values = beside_another("One_Month_Volatility", daily_pv, window=2)
    assert values == pytest.approx(expected, nan_ok=True)


def test_vol20_averages_the_daily_range() -> None:
    daily_pv = frame(
        FIVE,
        **{
            "$high": [11.0, 12.0, 10.0, 21.0, 10.0],
            "$low": [9.0, 8.0, 10.0, 19.0, 9.0],
            "$close": [10.0, 8.0, 10.0, 20.0, 10.0],
        },
    )
    # ranges 0.2, 0.5, 0 (locked at the limit), 0.1, 0.1
    expected = [NAN, 0.35, 0.25, 0.05, 0.1]
    assert beside_another("Vol20", daily_pv, window=2) == pytest.approx(expected, nan_ok=True)


def test_alpha070_raises_a_rank_of_the_day_to_a_rank_in_time() -> None:
    daily_pv = pd.concat(
        frame(
            FIVE,
            instrument=[name] * 5,
            industry=["food"] * 5,
            **{"$vwap": vwap, "$close": close, "$money": money},
        )
        for name, vwap, close, money in (
            ("A", [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 2.0, 6.0, 4.0], [1.0, 2.0, 3.0, 5.0, 4.0]),
            ("B", [1.0, 4.0, 4.0, 4.0, 7.0], [0.0] * 5, [2.0, 1.0, 4.0, 3.0, 5.0]),
        )
    )
    parameters = {"lag": 1, "adv_window": 1, "corr_window": 3, "rank_window": 2}
    values = FORMULAS["Alpha#70"].compute(daily_pv, **parameters).unstack()
    # Neutral close of A: 1, 2, 1, 3, 2; B is its negative.
    # Correlations of A with money over rows 1-3, 2-4, 3-5:
    #   (-1/3, 2/3, -1/3) . (-1, 0, 1) = 0                                   -> 0
    #   (0, -1, 1) . (-4/3, -1/3, 5/3) = 2, squares 2 and 42/9               -> 2 / sqrt(28/3) = .65
    #   (-1, 1, 0) . (-1, 1, 0) = 2, squares 2 and 2                         -> 1
    # so the latest of two is the larger: powers 1, 1 on days 4 and 5.
    # B with its money: rows 1-3 (-1/3, 2/3, -1/3) . (-1/3, -4/3, 5/3) = -12/9, turned: positive .76
    #   rows 2-4 (0, -1, 1) . (-5/3, 4/3, 1/3) = -1, turned: 1 / sqrt(2 * 42/9)            -> .33
    #   rows 3-5 (-1, 1, 0) . (0, -1, 1) = -1, turned: 1 / sqrt(2 * 2)                     -> .5
    # so powers 1/2 on day 4 and 1 on day 5.
    # Changes of vwap: day 4 A 1, B 0 -> ranks 1, 1/2; day 5 A 1, B 3 -> ranks 1/2, 1.
    assert values["A"].tolist() == pytest.approx([NAN, NAN, NAN, -1.0, -0.5], nan_ok=True)
    assert values["B"].tolist() == pytest.approx(
        [NAN, NAN, NAN, -math.sqrt(0.5), -1.0], nan_ok=True
    )


def test_daily_rdvar_counts_only_falls_within_the_day() -> None:
    e = math.e
    high_freq = frame([*MINUTES, "2024-01-03 09:31"], close=[e**3, e**2, e**4, e**4, e, 1.0])
    # log returns -1, 2, 0, -3: 1 + 9 = 10; the next day has one minute, hence no return
    values = FORMULAS["DailyRDvar"].compute(high_freq)
    assert values.tolist() == pytest.approx([10.0, NAN], nan_ok=True)
    assert values.index.get_level_values("datetime").tolist() == [
        pd.Timestamp("2024-01-02"),
        pd.Timestamp("2024-01-03"),
    ]


def two_stocks() -> pd.DataFrame:
    """Log returns -1, 2, 0, -3 of A and 1, -2, 0, 0 of B."""
    logs = {"A": [3, 2, 4, 4, 1], "B": [3, 4, 2, 2, 2]}
    return pd.concat(
        frame(MINUTES, instrument=[name] * 5, close=[math.e**log for log in logs[name]])
        for name in logs
    )


def test_adj_rdvar_takes_off_the_mean_of_the_day() -> None:
    # 1 + 9 = 10 and 4, mean 7
    assert compute("AdjRDvar", two_stocks()) == pytest.approx([3.0, -3.0])


def test_adj_rdskew_scales_the_cubes_of_falls_by_all_returns() -> None:
    # A: sqrt(4) * (-1 - 27) / (1 + 4 + 9)^1.5; B: sqrt(4) * -8 / (1 + 4)^1.5
    first, second = -56 / 14**1.5, -16 / 5**1.5
    half = (first - second) / 2
    assert compute("AdjRDskew", two_stocks()) == pytest.approx([half, -half])


def test_a_stock_whose_price_stood_still_has_no_skew_and_no_say_in_the_mean() -> None:
    still = frame(MINUTES, instrument=["C"] * 5, close=[5.0] * 5)
    values = compute("AdjRDskew", pd.concat([two_stocks(), still]))
    assert values == pytest.approx([*compute("AdjRDskew", two_stocks()), NAN], nan_ok=True)


def test_minute_pv_corr_is_one_number_a_day() -> None:
    days = [*MINUTES, "2024-01-03 09:31", "2024-01-03 09:32"]
    high_freq = frame(
        days, close=[1.0, 2.0, 3.0, NAN, 2.0, 4.0, 4.0], volume=[10, 30, 20, 90, 20, 1, 2]
    )
    # day 1: deviations (-1, 0, 1, 0) and (-10, 10, 0, 0): 10 / sqrt(2 * 200) = 0.5; day 2: still
    assert beside_another("minute_pv_corr", high_freq) == pytest.approx([0.5, NAN], nan_ok=True)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Turnover_STD_1M", 20),
        ("turnover_correlation_with_price", 20),
        ("Liquidity_Factor", 20 + 1),  # a return takes the day before
        ("One_Month_Volatility", 20 + 1),
        ("Vol20", 20),
        ("Alpha#70", 50 + 16 + 16),  # for the mean, the correlation and the rank in time
    ],
)
def test_a_value_takes_so_many_days_of_its_stock(name: str, first: int, market: Tables) -> None:
    formula = FORMULAS[name]
    values = formula.compute(*tables(formula, market), **formula.parameters)
    defined = values.notna().groupby(level="instrument").cumsum()
    rows = values.groupby(level="instrument").cumcount() + 1
    assert rows[defined == 1].groupby(level="instrument").min().min() == first
