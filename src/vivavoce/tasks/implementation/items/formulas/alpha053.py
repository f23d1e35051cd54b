"""alpha053: how far the close has moved within its day's range since an earlier day, negated."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The negated change of the range ratio over `lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    above_low = frame["$close"] - frame["$low"]
    below_high = frame["$high"] - frame["$close"]
    ratio = (above_low - below_high) / above_low.where(above_low != 0)
    return (-ratio.groupby(level="instrument").diff(lag)).rename("value")


def naive(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    above_low = frame["$close"] - frame["$low"]
    below_high = frame["$high"] - frame["$close"]
    ratio = (above_low - below_high) / above_low.where(above_low != 0)
    return (-ratio.diff(lag)).rename("value")


def _variant(name: str, lag: int) -> Formula:
    return Formula(
        name=name,
        category="price-volume",
        difficulty="easy",
        description=(
            "A reversal factor on daily prices. For each stock and day take the distance of the "
            "close from the low, subtract the distance of the high from the close, and divide "
            "that difference by the distance of the close from the low. The factor is minus one "
            f"times the change of this ratio since the stock's row {lag} rows earlier. A ratio "
            "whose divisor is zero (close equal to low) is NaN, and so is every value that needs "
            "it or needs a row before the stock's first."
        ),
        formulation=(
            r"r_{i,t} = \frac{(C_{i,t} - L_{i,t}) - (H_{i,t} - C_{i,t})}{C_{i,t} - L_{i,t}},"
            rf"\qquad f_{{i,t}} = -\left(r_{{i,t}} - r_{{i,t-{lag}}}\right)"
        ),
        variables={
            "C_{i,t}": "close of stock i on day t: daily_pv, column $close",
            "L_{i,t}": "lowest price of that day: daily_pv, column $low",
            "H_{i,t}": "highest price of that day: daily_pv, column $high",
            f"t-{lag}": f"the same stock's row {lag} rows earlier in order of datetime",
        },
        tables=("daily_pv",),
        compute=compute,
        naive=naive,
        parameters={"lag": lag},
        origin="public",
    )


FORMULAS = (_variant("alpha053", 9), _variant("alpha053_5", 5), _variant("alpha053_15", 15))
