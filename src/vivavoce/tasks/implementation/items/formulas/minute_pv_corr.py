"""Whether price and volume move together within a day."""

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def minute_pv_corr(high_freq: pd.DataFrame) -> pd.Series:
    """Pearson correlation of close and volume over the minutes of each stock and day."""
    values = {}
    days = high_freq["datetime"].dt.normalize()
    for key, own in high_freq.groupby([days, high_freq["instrument"]]):
        both = own[["close", "volume"]].dropna()
        varies = (both.nunique() > 1).all()
        values[key] = both["close"].corr(both["volume"]) if varies else np.nan
    return pd.Series(values, name="value").rename_axis(["datetime", "instrument"]).sort_index()


FORMULAS = (
    Formula(
        name="minute_pv_corr",
        category="minute",
        difficulty="discovery",
        description=(
            "Pearson correlation of the close and the volume of a stock over the minutes of a day. "
            "One value a day and stock, dated at midnight. Minutes in which either is missing are "
            "left out; undefined (NaN) when one of the two does not vary."
        ),
        formulation=(
            r"\rho_{i,d} = \frac{\sum_{m} (C_{i,d,m} - \overline{C}_{i,d})(V_{i,d,m} - "
            r"\overline{V}_{i,d})}{\sqrt{\sum_{m} (C_{i,d,m} - \overline{C}_{i,d})^2 "
            r"\sum_{m} (V_{i,d,m} - \overline{V}_{i,d})^2}}"
        ),
        variables={
            "C_{i,d,m}": "close of minute m of day d of stock i: high_freq, column close",
            "V_{i,d,m}": "volume of the minute: high_freq, column volume",
            r"\overline{C}_{i,d}, \overline{V}_{i,d}": "their means over the minutes of the day",
        },
        tables=("high_freq",),
        compute=minute_pv_corr,
    ),
)
