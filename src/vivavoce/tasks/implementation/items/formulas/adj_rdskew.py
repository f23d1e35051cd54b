"""The downside part of a day's skewness, against the other stocks."""

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def adj_rdskew(high_freq: pd.DataFrame) -> pd.Series:
    """Downside part of the realised skewness less its mean over the stocks of the day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).groupby(keys).diff()
    cubes = (change.clip(upper=0) ** 3).groupby(keys).sum(min_count=1)
    squares = (change**2).groupby(keys).sum(min_count=1)
    count = change.groupby(keys).count()
    skew: pd.Series = np.sqrt(count) * cubes / squares.where(squares > 0) ** 1.5
    return (skew - skew.groupby(level="datetime").transform("mean")).rename("value")


def adj_rdskew_flat(high_freq: pd.DataFrame) -> pd.Series:
    """The minute before is whatever row stands before."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).diff()
    cubes = (change.clip(upper=0) ** 3).groupby(keys).sum(min_count=1)
    squares = (change**2).groupby(keys).sum(min_count=1)
    count = change.groupby(keys).count()
    skew: pd.Series = np.sqrt(count) * cubes / squares.where(squares > 0) ** 1.5
    return (skew - skew.groupby(level="datetime").transform("mean")).rename("value")


FORMULAS = (
    Formula(
        name="AdjRDskew",
        category="minute",
        difficulty="hard",
        description=(
            "Realised downside skewness of a stock's day less the mean of that of all stocks on "
            "the same day. The downside skewness takes the cubes of the negative one-minute log "
            "returns of the close only, but is scaled by all returns of the day: their number and "
            "the sum of their squares. The first minute of a day has no return. One value a day "
            "and stock, dated at midnight; undefined (NaN) when the day of the stock has no return "
            "other than 0, and such stocks are left out of the mean."
        ),
        formulation=(
            r"AdjRDskew_{i,d} = S_{i,d} - \frac{1}{K_d} \sum_{k=1}^{K_d} S_{k,d}, \quad "
            r"S_{i,d} = \frac{\sqrt{n_{i,d}} \, \sum_{m} r_{i,d,m}^3 \, "
            r"\mathbf{1}\{r_{i,d,m} < 0\}}{\left(\sum_{m} r_{i,d,m}^2\right)^{3/2}}, \quad "
            r"r_{i,d,m} = \ln C_{i,d,m} - \ln C_{i,d,m-1}"
        ),
        variables={
            "C_{i,d,m}": "close of minute m of day d of stock i: high_freq, column close",
            "r_{i,d,m}": "log return of the minute",
            "n_{i,d}": "number of returns of the day",
            "K_d": "stocks with a value on day d",
        },
        tables=("high_freq",),
        compute=adj_rdskew,
        naive=adj_rdskew_flat,
    ),
)
