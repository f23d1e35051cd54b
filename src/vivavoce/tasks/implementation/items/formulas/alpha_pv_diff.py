"""alpha_pv_diff: the change of the close less the change of the open, over the day's range."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """Changes over `lag` rows of each instrument, divided by the range of the day."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$close", "$open"]].groupby(level="instrument").diff(lag)
    spread = frame["$high"] - frame["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread).rename("value")


def naive(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the changes taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$close", "$open"]].diff(lag)
    spread = frame["$high"] - frame["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread).rename("value")


def _variant(name: str, lag: int) -> Formula:
    return Formula(
        name=name,
        category="price-volume",
        difficulty="medium",
        description=(
            f"For each stock and day take how much the close has changed since the stock's row "
            f"{lag} rows earlier, and subtract how much the open has changed since that same row. "
            "Divide the difference by this sum: the high of the day, less its low, plus 0.001. "
            "Changes are in units of price, not relative. Where the earlier row does not exist "
            "the value is NaN."
        ),
        formulation=(
            rf"f_{{i,t}} = \frac{{(C_{{i,t}} - C_{{i,t-{lag}}}) - (O_{{i,t}} - O_{{i,t-{lag}}})}}"
            r"{H_{i,t} - L_{i,t} + 0.001}"
        ),
        variables={
            "C_{i,t}": "close of stock i on day t: daily_pv, column $close",
            "O_{i,t}": "open of that day: daily_pv, column $open",
            "H_{i,t}": "highest price of that day: daily_pv, column $high",
            "L_{i,t}": "lowest price of that day: daily_pv, column $low",
            f"t-{lag}": f"the same stock's row {lag} rows earlier in order of datetime",
        },
        tables=("daily_pv",),
        compute=compute,
        naive=naive,
        parameters={"lag": lag},
        origin="public",
    )


FORMULAS = (
    _variant("alpha_pv_diff", 10),
    _variant("alpha_pv_diff_15", 15),
    _variant("alpha_pv_diff_20", 20),
)
