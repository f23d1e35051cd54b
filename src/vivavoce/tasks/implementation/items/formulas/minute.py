"""Reference implementations over the minutes of days: one value a day and stock, see `daily`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.items.formulas.daily import Grouping


def by_stock_day(rows: pd.DataFrame) -> list[pd.Series]:
    """Group minutes by their day and stock."""
    return [rows["datetime"].dt.normalize(), rows["instrument"]]


def adj_rdskew(high_freq: pd.DataFrame, own: Grouping = by_stock_day) -> pd.Series:
    """Downside part of the realised skewness less its mean over the stocks of the day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = by_stock_day(rows)
    change = np.log(rows["close"]).groupby(own(rows)).diff()
    cubes = (change.clip(upper=0) ** 3).groupby(keys).sum(min_count=1)
    squares = (change**2).groupby(keys).sum(min_count=1)
    count = change.groupby(keys).count()
    skew: pd.Series = np.sqrt(count) * cubes / squares.where(squares > 0) ** 1.5
    return (skew - skew.groupby(level="datetime").transform("mean")).rename("value")


def adj_rdvar(high_freq: pd.DataFrame, own: Grouping = by_stock_day) -> pd.Series:
    """Realised downside variance less its mean over the stocks of the day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = by_stock_day(rows)
    change = np.log(rows["close"]).groupby(own(rows)).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return (down - down.groupby(level="datetime").transform("mean")).rename("value")


def daily_rdvar(high_freq: pd.DataFrame, own: Grouping = by_stock_day) -> pd.Series:
    """Sum of the squared negative minute returns of each stock and day."""
    rows = high_freq.sort_values(["datetime", "instrument"])
    keys = by_stock_day(rows)
    change = np.log(rows["close"]).groupby(own(rows)).diff()
    down: pd.Series = (change.clip(upper=0) ** 2).groupby(keys).sum(min_count=1)
    return down.rename("value")


def liquidity_imbalance(high_freq: pd.DataFrame, scale: int) -> pd.Series:
    """Deviation / mean over each day of (bidV - askV) / (`scale` * (bidV + askV))."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    sizes = frame["bidV"] + frame["askV"]
    imbalance = (frame["bidV"] - frame["askV"]) / (scale * sizes.where(sizes != 0))
    minutes = imbalance.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def micro_price(high_freq: pd.DataFrame, scale: int) -> pd.Series:
    """Deviation / mean over each day of (bid * askV + ask * bidV) / (`scale` * (bidV + askV))."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    sizes = frame["bidV"] + frame["askV"]
    weighted = frame["bid"] * frame["askV"] + frame["ask"] * frame["bidV"]
    price = weighted / (scale * sizes.where(sizes != 0))
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def mid_price(high_freq: pd.DataFrame, divisor: int) -> pd.Series:
    """Deviation / mean over each day of (bid + ask) / `divisor`."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    price = (frame["bid"] + frame["ask"]) / divisor
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def mid_price_with_sizes(high_freq: pd.DataFrame) -> pd.Series:
    """Deviation / mean over each day of (bid + ask) / 2 + (bidV + askV) / 2."""
    frame = high_freq.sort_values(["datetime", "instrument"])
    price = (frame["bid"] + frame["ask"]) / 2 + (frame["bidV"] + frame["askV"]) / 2
    minutes = price.groupby([frame["datetime"].dt.normalize(), frame["instrument"]])
    mean = minutes.mean()
    return (minutes.std() / mean.where(mean != 0)).rename("value")


def minute_pv_corr(high_freq: pd.DataFrame) -> pd.Series:
    """Pearson correlation of close and volume over the minutes of each stock and day."""
    values = {}
    days = high_freq["datetime"].dt.normalize()
    for key, own in high_freq.groupby([days, high_freq["instrument"]]):
        both = own[["close", "volume"]].dropna()
        varies = (both.nunique() > 1).all()
        values[key] = both["close"].corr(both["volume"]) if varies else np.nan
    return pd.Series(values, name="value").rename_axis(["datetime", "instrument"]).sort_index()
