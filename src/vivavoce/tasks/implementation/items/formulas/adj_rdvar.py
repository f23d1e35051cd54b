"""Downside variance of a day, against the other stocks."""

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def adj_rdvar(high_freq: pd.DataFrame) -> pd.Series:
    """Realised downside variance less its mean over the stocks of the day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).groupby(keys).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return (down - down.groupby(level="datetime").transform("mean")).rename("value")


def adj_rdvar_flat(high_freq: pd.DataFrame) -> pd.Series:
    """The minute before is whatever row stands before."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return (down - down.groupby(level="datetime").transform("mean")).rename("value")


FORMULAS = (
    Formula(
        name="AdjRDvar",
        category="minute",
        difficulty="medium",
        description=(
            "Realised downside variance of a stock's day less the mean of that of all stocks on "
            "the same day. The downside variance is the sum of the squared negative one-minute "
            "log returns of the close within the day; the first minute of a day has no return. "
            "One value a day and stock, dated at midnight; undefined (NaN) when the day of the "
            "stock has no return, and such stocks are left out of the mean."
        ),
        formulation=(
            r"AdjRDvar_{i,d} = RDvar_{i,d} - \frac{1}{K_d} \sum_{k=1}^{K_d} RDvar_{k,d}, \quad "
            r"RDvar_{i,d} = \sum_{m=2}^{N} r_{i,d,m}^2 \, \mathbf{1}\{r_{i,d,m} < 0\}, \quad "
            r"r_{i,d,m} = \ln C_{i,d,m} - \ln C_{i,d,m-1}"
        ),
        variables={
            "C_{i,d,m}": "close of minute m of day d of stock i: high_freq, column close",
            "r_{i,d,m}": "log return of the minute",
            "N": "minutes of the day",
            "K_d": "stocks with a value on day d",
        },
        tables=("high_freq",),
        compute=adj_rdvar,
        naive=adj_rdvar_flat,
    ),
)
