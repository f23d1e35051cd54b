"""Reference implementations over the daily tables.

Each takes its tables, then parameters by name, and gives a series by (datetime, instrument). Its
source is shipped as part of a program, so it stands alone. A twin `_flat` takes its lags and
windows over the flat table, forgetting the instrument. Lags and windows are in days: rows of a
stock.
"""

from __future__ import annotations

import pandas as pd


def alpha053(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The negated change of the range ratio over `lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    above_low = frame["$close"] - frame["$low"]
    below_high = frame["$high"] - frame["$close"]
    ratio = (above_low - below_high) / above_low.where(above_low != 0)
    return (-ratio.groupby(level="instrument").diff(lag)).rename("value")


def alpha053_flat(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    above_low = frame["$close"] - frame["$low"]
    below_high = frame["$high"] - frame["$close"]
    ratio = (above_low - below_high) / above_low.where(above_low != 0)
    return (-ratio.diff(lag)).rename("value")


def alpha070(
    daily_pv: pd.DataFrame,
    lag: int = 1,
    adv_window: int = 50,
    corr_window: int = 17,
    rank_window: int = 17,
) -> pd.Series:
    """Rank of the change of vwap, to the power of a rank in time, negated."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    peers = rows.groupby(["datetime", "industry"])["$close"].transform("mean")
    rows["neutral"] = rows["$close"] - peers
    parts = []
    for _, own in rows.groupby(level="instrument"):
        adv = own["$money"].rolling(adv_window).mean()
        first, second = own["neutral"].rolling(corr_window), adv.rolling(corr_window)
        varies = (first.max() > first.min()) & (second.max() > second.min())
        tie = first.corr(adv).where(varies)
        power = tie.rolling(rank_window).rank(pct=True)
        parts.append(pd.DataFrame({"delta": own["$vwap"].diff(lag), "power": power}))
    both = pd.concat(parts).sort_index()
    base = both["delta"].groupby(level="datetime").rank(pct=True)
    # 1 to the power of NaN is 1, hence the mask.
    return (-(base ** both["power"])).where(both.notna().all(axis=1)).rename("value")


def alpha070_flat(
    daily_pv: pd.DataFrame,
    lag: int = 1,
    adv_window: int = 50,
    corr_window: int = 17,
    rank_window: int = 17,
) -> pd.Series:
    """Lags and windows run over the rows of all stocks; ranks and means of a day are right."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    peers = rows.groupby(["datetime", "industry"])["$close"].transform("mean")
    adv = rows["$money"].rolling(adv_window).mean()
    tie = (rows["$close"] - peers).rolling(corr_window).corr(adv)
    power = tie.rolling(rank_window).rank(pct=True)
    delta = rows["$vwap"].diff(lag)
    base = delta.groupby(level="datetime").rank(pct=True)
    return (-(base**power)).where(delta.notna() & power.notna()).rename("value")


def alpha_pv_diff(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """Changes over `lag` rows of each instrument, divided by the range of the day."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$close", "$open"]].groupby(level="instrument").diff(lag)
    spread = frame["$high"] - frame["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread).rename("value")


def alpha_pv_diff_flat(daily_pv: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the changes taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$close", "$open"]].diff(lag)
    spread = frame["$high"] - frame["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread).rename("value")


def alpha_pv_diff_pct(daily_pv: pd.DataFrame, lag: int, growth_lag: int) -> pd.Series:
    """Changes over `lag` rows and growth over `growth_lag` rows of each instrument."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    groups = frame[["$open", "$close", "$high", "$low"]].groupby(level="instrument")
    change = groups.diff(lag)
    growth = frame[["$high", "$low"]] / groups[["$high", "$low"]].shift(growth_lag) - 1
    spread = growth["$high"] - growth["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread.where(spread != 0)).rename("value")


def alpha_pv_diff_pct_flat(daily_pv: pd.DataFrame, lag: int, growth_lag: int) -> pd.Series:
    """The same with changes and growth taken over the flat table."""
    frame = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    change = frame[["$open", "$close"]].diff(lag)
    growth = frame[["$high", "$low"]] / frame[["$high", "$low"]].shift(growth_lag) - 1
    spread = growth["$high"] - growth["$low"] + 0.001
    return ((change["$close"] - change["$open"]) / spread.where(spread != 0)).rename("value")


def liquidity_factor(daily_pv: pd.DataFrame, window: int = 20, scale: float = 1e8) -> pd.Series:
    """Rolling mean of |return| per money traded of each stock, over `window` days."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    close, money = rows["$close"], rows["$money"]
    change = close / close.groupby(level="instrument").shift(1) - 1
    impact = change.abs() / money.where(money > 0) * scale
    mean = impact.groupby(level="instrument").rolling(window).mean()
    return mean.droplevel(0).sort_index().rename("value")


def liquidity_factor_flat(
    daily_pv: pd.DataFrame, window: int = 20, scale: float = 1e8
) -> pd.Series:
    """Lag and window run over the rows of all stocks."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    close, money = rows["$close"], rows["$money"]
    change = close / close.shift(1) - 1
    impact = change.abs() / money.where(money > 0) * scale
    return impact.rolling(window).mean().rename("value")


def one_month_volatility(daily_pv: pd.DataFrame, window: int = 20) -> pd.Series:
    """Rolling sample standard deviation of the daily returns of each stock."""
    close = daily_pv.set_index(["datetime", "instrument"])["$close"].sort_index()
    change = close / close.groupby(level="instrument").shift(1) - 1
    std = change.groupby(level="instrument").rolling(window).std()
    return std.droplevel(0).sort_index().rename("value")


def one_month_volatility_flat(daily_pv: pd.DataFrame, window: int = 20) -> pd.Series:
    """Lag and window run over the rows of all stocks."""
    close = daily_pv.set_index(["datetime", "instrument"])["$close"].sort_index()
    return (close / close.shift(1) - 1).rolling(window).std().rename("value")


def pb_roe(daily_f: pd.DataFrame, divisor: int) -> pd.Series:
    """The rank by B/P of each day, divided by `divisor`, less the rank by ROE."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    return (ranks["B/P"] / divisor - ranks["ROE"]).rename("value")


def pb_roe_movement(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The sign of the change of the rank difference over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    change = (ranks["B/P"] - ranks["ROE"]).groupby(level="instrument").diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def pb_roe_movement_flat(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    ranks = frame[["B/P", "ROE"]].groupby(level="datetime").rank()
    change = (ranks["B/P"] - ranks["ROE"]).diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def peg(daily_f: pd.DataFrame) -> pd.Series:
    """PE over growth in percent."""
    rows = daily_f.set_index(["datetime", "instrument"]).sort_index()
    growth = rows["net_profit_growth"]
    return (rows["PE"] / (100 * growth.where(growth != 0))).rename("value")


def roe_movement(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The sign of the change of ROE over `lag` rows of each instrument."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    change = frame["ROE"].groupby(level="instrument").diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def roe_movement_flat(daily_f: pd.DataFrame, lag: int) -> pd.Series:
    """The same with the change taken over the flat table."""
    frame = daily_f.set_index(["datetime", "instrument"]).sort_index()
    change = frame["ROE"].diff(lag)
    return ((change > 0).astype(float) - (change < 0).astype(float)).rename("value")


def turnover_correlation_with_price(
    daily_f: pd.DataFrame, daily_pv: pd.DataFrame, window: int = 20
) -> pd.Series:
    """Rolling Pearson correlation of turnover and close of each stock, over `window` days."""
    keys = ["datetime", "instrument"]
    rows = daily_f.merge(daily_pv, on=keys, how="left").set_index(keys).sort_index()
    parts = []
    for _, own in rows.groupby(level="instrument"):
        turnover, close = own["turnover"].rolling(window), own["$close"].rolling(window)
        varies = (turnover.max() > turnover.min()) & (close.max() > close.min())
        parts.append(turnover.corr(own["$close"]).where(varies))
    together: pd.Series = pd.concat(parts)
    return together.sort_index().rename("value")


def turnover_correlation_with_price_flat(
    daily_f: pd.DataFrame, daily_pv: pd.DataFrame, window: int = 20
) -> pd.Series:
    """The window runs over the rows of all stocks."""
    keys = ["datetime", "instrument"]
    rows = daily_f.merge(daily_pv, on=keys, how="left").set_index(keys).sort_index()
    return rows["turnover"].rolling(window).corr(rows["$close"]).rename("value")


def turnover_std_1m(daily_f: pd.DataFrame, window: int = 20) -> pd.Series:
    """Rolling sample standard deviation of the turnover of each stock."""
    turnover = daily_f.set_index(["datetime", "instrument"])["turnover"].sort_index()
    std = turnover.groupby(level="instrument").rolling(window).std()
    return std.droplevel(0).sort_index().rename("value")


def turnover_std_1m_flat(daily_f: pd.DataFrame, window: int = 20) -> pd.Series:
    """The window runs over the rows of all stocks."""
    turnover = daily_f.set_index(["datetime", "instrument"])["turnover"].sort_index()
    return turnover.rolling(window).std().rename("value")


def vol20(daily_pv: pd.DataFrame, window: int = 20) -> pd.Series:
    """Rolling mean of each stock's daily range relative to its close."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    spread = (rows["$high"] - rows["$low"]) / rows["$close"]
    mean = spread.groupby(level="instrument").rolling(window).mean()
    return mean.droplevel(0).sort_index().rename("value")


def vol20_flat(daily_pv: pd.DataFrame, window: int = 20) -> pd.Series:
    """The window runs over the rows of all stocks."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    spread = (rows["$high"] - rows["$low"]) / rows["$close"]
    return spread.rolling(window).mean().rename("value")
