"""Reference implementations of formulas over the daily tables and the minutes of days.

Each takes its tables, then parameters by name, and gives a series by (datetime, instrument). Its
source is shipped as part of a program, after the functions that it calls. A formula with lags or
windows looks back over the rows of one stock (`own`), or mistakenly over all rows (`every_row`).
Lags and windows are in days: rows of a stock.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Grouping = Callable[[Any], Any]


def by_stock(rows: Any) -> Any:
    """Group rows by the stock of their index."""
    return rows.index.get_level_values("instrument")


def every_row(rows: Any) -> Any:
    """Forget the instrument: all rows are one group."""
    return np.zeros(len(rows))


def alpha053(daily_pv: pd.DataFrame, lag: int, own: Grouping = by_stock) -> pd.Series:
    """The negated change of the range ratio over `lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    above_low = frame["$close"] - frame["$low"]
    below_high = frame["$high"] - frame["$close"]
    ratio = (above_low - below_high) / above_low.where(above_low != 0)
    return (-ratio.groupby(own(ratio)).diff(lag)).rename("value")


def alpha070(
    daily_pv: pd.DataFrame,
    lag: int = 1,
    adv_window: int = 50,
    corr_window: int = 17,
    rank_window: int = 17,
    own: Grouping = by_stock,
) -> pd.Series:
    """Rank of the change of vwap, to the power of a rank in time, negated."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    peers = rows.groupby(["datetime", "industry"])["$close"].transform("mean")
    rows["neutral"] = rows["$close"] - peers
    parts = []
    for _, one in rows.groupby(own(rows)):
        adv = one["$money"].rolling(adv_window).mean()
        first, second = one["neutral"].rolling(corr_window), adv.rolling(corr_window)
        varies = (first.max() > first.min()) & (second.max() > second.min())
        tie = first.corr(adv).where(varies)
        power = tie.rolling(rank_window).rank(pct=True)
        parts.append(pd.DataFrame({"delta": one["$vwap"].diff(lag), "power": power}))
    both = pd.concat(parts).sort_index()
    base = both["delta"].groupby(level="datetime").rank(pct=True)
    # 1 to the power of NaN is 1, hence the mask.
    return (-(base ** both["power"])).where(both.notna().all(axis=1)).rename("value")


def alpha_pv_diff(daily_pv: pd.DataFrame, lag: int, own: Grouping = by_stock) -> pd.Series:
    """Changes over `lag` rows of each instrument, divided by the range of the day."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$close", "$open"]].groupby(own(frame)).diff(lag)
    spread = frame["$high"] - frame["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread).rename("value")


def alpha_pv_diff_pct(
    daily_pv: pd.DataFrame, lag: int, growth_lag: int, own: Grouping = by_stock
) -> pd.Series:
    """Changes over `lag` rows and growth over `growth_lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    groups = frame[["$open", "$close", "$high", "$low"]].groupby(own(frame))
    change = groups.diff(lag)
    growth = frame[["$high", "$low"]] / groups[["$high", "$low"]].shift(growth_lag) - 1
    spread = growth["$high"] - growth["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread.where(spread != 0)).rename("value")


def liquidity_factor(
    daily_pv: pd.DataFrame, window: int = 20, scale: float = 1e8, own: Grouping = by_stock
) -> pd.Series:
    """Rolling mean of |return| per money traded of each stock, over `window` days."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    close, money = rows["$close"], rows["$money"]
    change = close / close.groupby(own(close)).shift(1) - 1
    impact = change.abs() / money.where(money > 0) * scale
    mean = impact.groupby(own(impact)).rolling(window).mean()
    return mean.droplevel(0).sort_index().rename("value")


def one_month_volatility(
    daily_pv: pd.DataFrame, window: int = 20, own: Grouping = by_stock
) -> pd.Series:
    """Rolling sample standard deviation of the daily returns of each stock."""
    close = daily_pv.set_index(["datetime", "instrument"])["$close"].sort_index()
    change = close / close.groupby(own(close)).shift(1) - 1
    std = change.groupby(own(change)).rolling(window).std()
    return std.droplevel(0).sort_index().rename("value")


def pb_roe(daily_f: pd.DataFrame, divisor: int) -> pd.Series:
    """The rank by B/P of each day, divided by `divisor`, less the rank by ROE."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    return (ranks["B/P"] / divisor - ranks["ROE"]).rename("value")


def pb_roe_movement(daily_f: pd.DataFrame, lag: int, own: Grouping = by_stock) -> pd.Series:
    """The sign of the change of the rank difference over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    change = (ranks["B/P"] - ranks["ROE"]).groupby(own(ranks)).diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def peg(daily_f: pd.DataFrame) -> pd.Series:
    """PE over growth in percent."""
    rows = daily_f.set_index(["datetime", "instrument"]).sort_index()
    growth = rows["net_profit_growth"]
    return (rows["PE"] / (100 * growth.where(growth != 0))).rename("value")


def roe_movement(daily_f: pd.DataFrame, lag: int, own: Grouping = by_stock) -> pd.Series:
    """The sign of the change of ROE over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    change = frame["ROE"].groupby(own(frame)).diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def turnover_correlation_with_price(
    daily_f: pd.DataFrame,
    daily_pv: pd.DataFrame,
    window: int = 20,
    own: Grouping = by_stock,
) -> pd.Series:
    """Rolling Pearson correlation of turnover and close of each stock, over `window` days."""
    keys = ["datetime", "instrument"]
    rows = daily_f.merge(daily_pv, on=keys, how="left").set_index(keys).sort_index()
    parts = []
    for _, one in rows.groupby(own(rows)):
        turnover, close = one["turnover"].rolling(window), one["$close"].rolling(window)
        varies = (turnover.max() > turnover.min()) & (close.max() > close.min())
        parts.append(turnover.corr(one["$close"]).where(varies))
    together: pd.Series = pd.concat(parts)
    return together.sort_index().rename("value")


def turnover_std_1m(daily_f: pd.DataFrame, window: int = 20, own: Grouping = by_stock) -> pd.Series:
    """Rolling sample standard deviation of the turnover of each stock."""
    turnover = daily_f.set_index(["datetime", "instrument"])["turnover"].sort_index()
    std = turnover.groupby(own(turnover)).rolling(window).std()
    return std.droplevel(0).sort_index().rename("value")


def vol20(daily_pv: pd.DataFrame, window: int = 20, own: Grouping = by_stock) -> pd.Series:
    """Rolling mean of each stock's daily range relative to its close."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    spread = (rows["$high"] - rows["$low"]) / rows["$close"]
    mean = spread.groupby(own(spread)).rolling(window).mean()
    return mean.droplevel(0).sort_index().rename("value")


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
