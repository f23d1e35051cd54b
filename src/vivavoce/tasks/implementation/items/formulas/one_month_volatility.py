"""How much the daily return of a stock varies within a month."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


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


FORMULAS = (
    Formula(
        name="One_Month_Volatility",
        category="price-volume",
        difficulty="easy",
        description=(
            "Sample standard deviation (divisor n - 1) of the latest 20 daily returns of a stock, "
            "the present day's included, not annualised. The return is the close over the close "
            "of the stock's trading day before, minus 1. Undefined (NaN) until there are 20 "
            "returns."
        ),
        formulation=(
            r"\sigma_{i,t} = \sqrt{\frac{1}{n-1} \sum_{j=0}^{n-1} \left(r_{i,t-j} - "
            r"\overline{r}_{i,t}\right)^2}, \quad r_{i,t} = \frac{C_{i,t}}{C_{i,t-1}} - 1, "
            r"\quad n = 20"
        ),
        variables={
            "C_{i,t}": "close of stock i on day t as recorded: daily_pv, column $close",
            "r_{i,t}": "daily return",
            r"\overline{r}_{i,t}": "its mean over the same n days",
            "n": "returns in the window; t-j is the j-th trading day of the stock before t",
        },
        tables=("daily_pv",),
        compute=one_month_volatility,
        naive=one_month_volatility_flat,
        parameters={"window": 20},
    ),
)
