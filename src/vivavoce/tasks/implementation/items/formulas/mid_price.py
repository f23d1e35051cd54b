"""mid_price: the spread of a day's minute mid-prices relative to their mean."""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula

_QUOTES = {
    "p_{i,m}": "the minute's mid-price as defined above",
    "b_{i,m}": "best bid price of stock i in minute m: high_freq, column bid",
    "a_{i,m}": "best ask price of that minute: high_freq, column ask",
}
_SIZES = {
    "v^b_{i,m}": "size at the best bid in that minute: high_freq, column bidV",
    "v^a_{i,m}": "size at the best ask in that minute: high_freq, column askV",
}
_STATISTICS = {
    r"\operatorname{std}_{m \in d}": (
        "sample standard deviation (divisor: number of minutes less 1) over the minutes of day d"
    ),
    r"\operatorname{mean}_{m \in d}": "arithmetic mean over the minutes of day d",
}


def compute(high_freq: pd.DataFrame, divisor: int) -> pd.Series:
    """Deviation / mean over each day of (bid + ask) / `divisor`."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    price = (frame["bid"] + frame["ask"]) / divisor
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def compute_with_sizes(high_freq: pd.DataFrame) -> pd.Series:
    """Deviation / mean over each day of (bid + ask) / 2 + (bidV + askV) / 2."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    price = (frame["bid"] + frame["ask"]) / 2 + (frame["bidV"] + frame["askV"]) / 2
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def _description(price: str) -> str:
    return (
        f"How much the quotes of a day vary. In each minute the mid-price is {price}. The factor "
        "has one value for each stock and day: the sample standard deviation of the day's minute "
        "mid-prices, divided by their mean. It is NaN where the day has fewer than two minutes or "
        "the mean is zero."
    )


def _formulation(price: str) -> str:
    return (
        rf"p_{{i,m}} = {price},\qquad f_{{i,d}} = "
        r"\frac{\operatorname{std}_{m \in d}(p_{i,m})}{\operatorname{mean}_{m \in d}(p_{i,m})}"
    )


FORMULAS = (
    Formula(
        name="mid_price",
        category="minute",
        difficulty="easy",
        description=_description("the sum of bid price and ask price, the sum then divided by 2"),
        formulation=_formulation(r"\frac{b_{i,m} + a_{i,m}}{2}"),
        variables={**_QUOTES, **_STATISTICS},
        tables=("high_freq",),
        compute=compute,
        parameters={"divisor": 2},
        origin="public",
    ),
    Formula(
        name="mid_price_2",
        category="minute",
        difficulty="easy",
        description=_description(
            "the sum of bid price and ask price, that sum divided by 2, plus the sum of bid size "
            "and ask size, that sum also divided by 2"
        ),
        formulation=_formulation(r"\frac{b_{i,m} + a_{i,m}}{2} + \frac{v^b_{i,m} + v^a_{i,m}}{2}"),
        variables={**_QUOTES, **_SIZES, **_STATISTICS},
        tables=("high_freq",),
        compute=compute_with_sizes,
        origin="public",
    ),
    Formula(
        name="mid_price_3",
        category="minute",
        difficulty="easy",
        description=_description("the sum of bid price and ask price, the sum then divided by 3"),
        formulation=_formulation(r"\frac{b_{i,m} + a_{i,m}}{3}"),
        variables={**_QUOTES, **_STATISTICS},
        tables=("high_freq",),
        compute=compute,
        parameters={"divisor": 3},
        origin="public",
        alias_of="mid_price",
    ),
)
