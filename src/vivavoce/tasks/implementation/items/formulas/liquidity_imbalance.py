"""liquidity_imbalance: the spread of a day's minute order imbalances relative to their mean.

The factor below the line cancels in the quotient, so the variants are one factor by three names.
"""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(high_freq: pd.DataFrame, scale: int) -> pd.Series:
    """Deviation / mean over each day of (bidV - askV) / (`scale` * (bidV + askV))."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    sizes = frame["bidV"] + frame["askV"]
    imbalance = (frame["bidV"] - frame["askV"]) / (scale * sizes.where(sizes != 0))
    minutes = imbalance.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def _variant(name: str, scale: int) -> Formula:
    total = "the sum of bid size and ask size"
    sizes = r"v^b_{i,m} + v^a_{i,m}"
    divisor = sizes if scale == 1 else rf"{scale}\,({sizes})"
    return Formula(
        name=name,
        category="minute",
        difficulty="medium",
        description=(
            "How unsteady the balance of the order book is within a day. In each minute the "
            "imbalance is the bid size less the ask size, divided by "
            f"{total if scale == 1 else f'{scale} times {total}, all of it below the line'}. A "
            "minute in which both sizes are zero has no imbalance and is left out. The factor has "
            "one value for each stock and day: the sample standard deviation of the day's minute "
            "imbalances, divided by their mean. It is NaN where fewer than two minutes are left "
            "or the mean is zero."
        ),
        formulation=(
            r"q_{i,m} = \frac{v^b_{i,m} - v^a_{i,m}}"
            rf"{{{divisor}}},\qquad f_{{i,d}} = "
            r"\frac{\operatorname{std}_{m \in d}(q_{i,m})}{\operatorname{mean}_{m \in d}(q_{i,m})}"
        ),
        variables={
            "q_{i,m}": "the minute's imbalance as defined above",
            "v^b_{i,m}": "size at the best bid of stock i in minute m: high_freq, column bidV",
            "v^a_{i,m}": "size at the best ask in that minute: high_freq, column askV",
            r"\operatorname{std}_{m \in d}": (
                "sample standard deviation (divisor: number of minutes less 1) over the minutes "
                "of day d that have an imbalance"
            ),
            r"\operatorname{mean}_{m \in d}": "arithmetic mean over the same minutes",
        },
        tables=("high_freq",),
        compute=compute,
        parameters={"scale": scale},
        origin="public",
        alias_of=None if scale == 1 else "liquidity_imbalance",
    )


FORMULAS = (
    _variant("liquidity_imbalance", 1),
    _variant("liquidity_imbalance_2", 2),
    _variant("liquidity_imbalance_3", 3),
)
