"""PB_ROE_movement: whether a stock's difference of places is above, below or at an earlier one."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The sign of the change of the rank difference over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    change = (ranks["B/P"] - ranks["ROE"]).groupby(level="instrument").diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def naive(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    change = (ranks["B/P"] - ranks["ROE"]).diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def _variant(name: str, lag: int) -> Formula:
    return Formula(
        name=name,
        category="fundamental",
        difficulty="hard",
        description=(
            "The direction in which a stock moves between cheapness and profitability. On each "
            "day take the stock's rank by book to price less its rank by return on equity. A rank "
            "counts from 1 for the day's smallest value upwards; equal values all get the mean of "
            "the places they take; a missing figure has no rank and takes no place. The factor is "
            f"1 where this difference is higher than in the stock's row {lag} rows earlier, -1 "
            "where it is lower, 0 where the two are equal. No value to compare counts as no "
            "movement: where the earlier row does not exist, or either difference is missing, the "
            "factor is 0. It is never NaN."
        ),
        formulation=(
            r"d_{i,t} = \operatorname{rank}_t(B_{i,t}) - \operatorname{rank}_t(R_{i,t}),"
            rf"\qquad f_{{i,t}} = \operatorname{{sign}}\left(d_{{i,t}} - d_{{i,t-{lag}}}\right),"
            r"\qquad \operatorname{sign}(\text{missing}) = 0"
        ),
        variables={
            "B_{i,t}": "book value to price of stock i on day t: daily_f, column B/P",
            "R_{i,t}": "return on equity of stock i on day t: daily_f, column ROE",
            r"\operatorname{rank}_t": "ascending rank among the stocks of day t, ties averaged",
            f"t-{lag}": f"the same stock's row {lag} rows earlier in order of datetime",
        },
        tables=("daily_f",),
        compute=compute,
        naive=naive,
        parameters={"lag": lag},
        origin="public",
    )


FORMULAS = (
    _variant("PB_ROE_movement", 5),
    _variant("PB_ROE_movement_10", 10),
    _variant("PB_ROE_movement_20", 20),
)
