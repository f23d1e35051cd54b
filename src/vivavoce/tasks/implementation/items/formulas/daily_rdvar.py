"""Downside variance of a day, out of its minutes."""

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def daily_rdvar(high_freq: pd.DataFrame) -> pd.Series:
    """Sum of the squared negative minute returns of each stock and day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).groupby(keys).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return down.rename("value")


def daily_rdvar_flat(high_freq: pd.DataFrame) -> pd.Series:
    """The minute before is whatever row stands before."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = [rows["datetime"].dt.normalize(), rows["instrument"]]
    change = np.log(rows["close"]).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return down.rename("value")


FORMULAS = (
    Formula(
        name="DailyRDvar",
        category="minute",
        difficulty="easy",
        description=(
            "Realised downside variance: the sum of the squared negative one-minute log returns "
            "of the close of a stock within a day. The first minute of a day has no return. One "
            "value a day and stock, dated at midnight; 0 when no return is negative, undefined "
            "(NaN) when the day has no return."
        ),
        formulation=(
            r"RDvar_{i,d} = \sum_{m=2}^{N} r_{i,d,m}^2 \, \mathbf{1}\{r_{i,d,m} < 0\}, \quad "
            r"r_{i,d,m} = \ln C_{i,d,m} - \ln C_{i,d,m-1}"
        ),
        variables={
            "C_{i,d,m}": "close of minute m of day d of stock i: high_freq, column close",
            "r_{i,d,m}": "log return of the minute",
            "N": "minutes of the day",
        },
        tables=("high_freq",),
        compute=daily_rdvar,
        naive=daily_rdvar_flat,
    ),
)
