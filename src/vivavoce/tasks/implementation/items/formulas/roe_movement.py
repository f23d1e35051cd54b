"""ROE_movement: whether the return on equity is above, below or at its earlier value."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The sign of the change of ROE over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    change = frame["ROE"].groupby(level="instrument").diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def naive(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    change = frame["ROE"].diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def _variant(name: str, lag: int) -> Formula:
    return Formula(
        name=name,
        category="fundamental",
        difficulty="medium",
        description=(
            "The direction in which profitability moves. For each stock and day: 1 where the "
            f"return on equity is higher than in the stock's row {lag} rows earlier, -1 where it "
            "is lower, 0 where the two are equal. No value to compare counts as no movement: "
            "where the earlier row does not exist, or either of the two figures is missing, the "
            "factor is 0. It is never NaN."
        ),
        formulation=(
            rf"f_{{i,t}} = \operatorname{{sign}}\left(R_{{i,t}} - R_{{i,t-{lag}}}\right),"
            r"\qquad \operatorname{sign}(\text{missing}) = 0"
        ),
        variables={
            "R_{i,t}": "return on equity of stock i on day t: daily_f, column ROE",
            f"t-{lag}": f"the same stock's row {lag} rows earlier in order of datetime",
        },
        tables=("daily_f",),
        compute=compute,
        naive=naive,
        parameters={"lag": lag},
        origin="public",
    )


FORMULAS = (
    _variant("ROE_movement", 5),
    _variant("ROE_movement_10", 10),
    _variant("ROE_movement_20", 20),
)
