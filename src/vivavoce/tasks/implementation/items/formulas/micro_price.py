"""micro_price: the spread of a day's size-weighted minute prices relative to their mean.

The factor below the line cancels in the quotient, so the variants are one factor by three names.
"""

from __future__ import annotations

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def compute(high_freq: pd.DataFrame, scale: int) -> pd.Series:
    """Deviation / mean over each day of (bid * askV + ask * bidV) / (`scale` * (bidV + askV))."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    sizes = frame["bidV"] + frame["askV"]
    weighted = frame["bid"] * frame["askV"] + frame["ask"] * frame["bidV"]
    price = weighted / (scale * sizes.where(sizes != 0))
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def _variant(name: str, scale: int) -> Formula:
    total = "the sum of bid size and ask size"
    sizes = r"v^b_{i,m} + v^a_{i,m}"
    divisor = sizes if scale == 1 else rf"{scale}\,({sizes})"
    return Formula(
        name=name,
        category="minute",
        difficulty="hard",
        description=(
            "How much a price that leans towards the thinner side of the order book varies within "
            "a day. In each minute this micro-price is the bid price times the ask size, plus the "
            "ask price times the bid size, this sum then divided by "
            f"{total if scale == 1 else f'{scale} times {total}, all of it below the line'}. A "
            "minute in which both sizes are zero has no micro-price and is left out. The factor "
            "has one value for each stock and day: the sample standard deviation of the day's "
            "minute micro-prices, divided by their mean. It is NaN where fewer than two minutes "
            "are left or the mean is zero."
        ),
        formulation=(
            r"p_{i,m} = \frac{b_{i,m}\,v^a_{i,m} + a_{i,m}\,v^b_{i,m}}"
            rf"{{{divisor}}},\qquad f_{{i,d}} = "
            r"\frac{\operatorname{std}_{m \in d}(p_{i,m})}{\operatorname{mean}_{m \in d}(p_{i,m})}"
        ),
        variables={
            "p_{i,m}": "the minute's micro-price as defined above",
            "b_{i,m}": "best bid price of stock i in minute m: high_freq, column bid",
            "a_{i,m}": "best ask price of that minute: high_freq, column ask",
            "v^b_{i,m}": "size at the best bid in that minute: high_freq, column bidV",
            "v^a_{i,m}": "size at the best ask in that minute: high_freq, column askV",
            r"\operatorname{std}_{m \in d}": (
                "sample standard deviation (divisor: number of minutes less 1) over the minutes "
                "of day d that have a micro-price"
            ),
            r"\operatorname{mean}_{m \in d}": "arithmetic mean over the same minutes",
        },
        tables=("high_freq",),
        compute=compute,
        parameters={"scale": scale},
        origin="public",
        alias_of=None if scale == 1 else "micro_price",
    )


FORMULAS = (
    _variant("micro_price", 1),
    _variant("micro_price_2", 2),
    _variant("micro_price_3", 3),
)
