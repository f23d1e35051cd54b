"""PB_ROE: a stock's place by book to price less its place by return on equity."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(daily_f: pd.DataFrame, divisor: int) -> pd.Series:
    """The rank by B/P of each day, divided by `divisor`, less the rank by ROE."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    return (ranks["B/P"] / divisor - ranks["ROE"]).rename("value")


def _variant(name: str, divisor: int) -> Formula:
    divided = "" if divisor == 1 else f", divide this rank by {divisor},"
    rank = r"\operatorname{rank}_t(B_{i,t})"
    scaled = rank if divisor == 1 else rf"\frac{{{rank}}}{{{divisor}}}"
    return Formula(
        name=name,
        category="fundamental",
        difficulty="easy",
        description=(
            "Cheapness against profitability, by places. On each day rank the stocks by book to "
            f"price{divided} and subtract the stock's rank by return on equity on the same day. "
            "A rank counts from 1 for the smallest value upwards, as a count and not as a share; "
            "equal values all get the mean of the places they take. A missing figure has no rank "
            "and takes no place; where either rank is missing the factor is NaN."
        ),
        formulation=rf"f_{{i,t}} = {scaled} - \operatorname{{rank}}_t(R_{{i,t}})",
        variables={
            "B_{i,t}": "book value to price of stock i on day t: daily_f, column B/P",
            "R_{i,t}": "return on equity of stock i on day t: daily_f, column ROE",
            r"\operatorname{rank}_t": "ascending rank among the stocks of day t, ties averaged",
        },
        tables=("daily_f",),
        compute=compute,
        parameters={"divisor": divisor},
        origin="public",
    )


FORMULAS = (_variant("PB_ROE", 1), _variant("PB_ROE_2", 2), _variant("PB_ROE_3", 3))
