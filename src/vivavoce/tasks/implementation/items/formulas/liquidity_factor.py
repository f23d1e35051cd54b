"""How far the price moves for the money traded (Amihud's illiquidity)."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


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


FORMULAS = (
    Formula(
        name="Liquidity_Factor",
        category="fundamental",
        difficulty="discovery",
        description=(
            "Price impact of trading: the absolute daily return of a stock divided by the money "
            "traded that day, averaged over its latest 20 trading days (the present one included) "
            "and multiplied by 100,000,000. The return is the close over the close of the stock's "
            "trading day before, minus 1. Undefined (NaN) until there are 20 such days, and when "
            "no money was traded on one of them."
        ),
        formulation=(
            r"L_{i,t} = \frac{10^8}{n} \sum_{j=0}^{n-1} \frac{|r_{i,t-j}|}{M_{i,t-j}}, \quad "
            r"r_{i,t} = \frac{C_{i,t}}{C_{i,t-1}} - 1, \quad n = 20"
        ),
        variables={
            "C_{i,t}": "close of stock i on day t as recorded: daily_pv, column $close",
            "M_{i,t}": "money traded: daily_pv, column $money",
            "r_{i,t}": "daily return",
            "n": "days in the window; t-j is the j-th trading day of the stock before t",
        },
        tables=("daily_pv",),
        compute=liquidity_factor,
        naive=liquidity_factor_flat,
        parameters={"window": 20, "scale": 1e8},
    ),
)
