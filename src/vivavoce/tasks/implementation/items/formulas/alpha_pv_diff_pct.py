"""alpha_pv_diff_pct: the change of the close less that of the open, over high's and low's growth.

The growth of high and low is over 10 rows in every variant; only the lag above the line varies.
"""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_pv: pd.DataFrame, lag: int, growth_lag: int) -> pd.Series:
    """Changes over `lag` rows and growth over `growth_lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    groups = frame[["$open", "$close", "$high", "$low"]].groupby(level="instrument")
    change = groups.diff(lag)
    growth = frame[["$high", "$low"]] / groups[["$high", "$low"]].shift(growth_lag) - 1
    spread = growth["$high"] - growth["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread.where(spread != 0)).rename("value")


def naive(daily_pv: pd.DataFrame, lag: int, growth_lag: int) -> pd.Series:
    """The same with changes and growth taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$open", "$close"]].diff(lag)
    growth = frame[["$high", "$low"]] / frame[["$high", "$low"]].shift(growth_lag) - 1
    spread = growth["$high"] - growth["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread.where(spread != 0)).rename("value")


def _variant(name: str, lag: int) -> Formula:
    return Formula(
        name=name,
        category="price-volume",
        difficulty="hard",
        description=(
            f"For each stock and day take how much the close has changed since the stock's row "
            f"{lag} rows earlier, in units of price, and subtract how much the open has changed "
            "since that same row. Divide the difference by this sum: the relative change of the "
            "high over 10 rows, less the relative change of the low over 10 rows, plus 0.001. The "
            "relative change is the value divided by the one 10 of the stock's rows earlier, then "
            "less 1. Where an earlier row does not exist, or the divisor is exactly zero, the "
            "value is NaN."
        ),
        formulation=(
            rf"f_{{i,t}} = \frac{{(C_{{i,t}} - C_{{i,t-{lag}}}) - (O_{{i,t}} - O_{{i,t-{lag}}})}}"
            r"{\left(\frac{H_{i,t}}{H_{i,t-10}} - 1\right)"
            r" - \left(\frac{L_{i,t}}{L_{i,t-10}} - 1\right) + 0.001}"
        ),
        variables={
            "C_{i,t}": "close of stock i on day t: daily_pv, column $close",
            "O_{i,t}": "open of that day: daily_pv, column $open",
            "H_{i,t}": "highest price of that day: daily_pv, column $high",
            "L_{i,t}": "lowest price of that day: daily_pv, column $low",
            **{
                f"t-{rows}": f"the same stock's row {rows} rows earlier in order of datetime"
                for rows in sorted({lag, 10})
            },
        },
        tables=("daily_pv",),
        compute=compute,
        naive=naive,
        parameters={"lag": lag, "growth_lag": 10},
        origin="public",
    )


FORMULAS = (
    _variant("alpha_pv_diff_pct", 10),
    _variant("alpha_pv_diff_pct_15", 15),
    _variant("alpha_pv_diff_pct_20", 20),
)
