"""Volatility within the day, which its name invites to confuse with volume."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


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


FORMULAS = (
    Formula(
        name="Vol20",
        category="price-volume",
        difficulty="medium",
        description=(
            "Volatility of a stock over 20 days, measured by its daily price range: the highest "
            "less the lowest price of the day, divided by the close, averaged over the latest 20 "
            "trading days of the stock, the present one included. Undefined (NaN) until the stock "
            "has 20 days."
        ),
        formulation=(
            r"\mathrm{Vol20}_{i,t} = \frac{1}{n} \sum_{j=0}^{n-1} "
            r"\frac{H_{i,t-j} - L_{i,t-j}}{C_{i,t-j}}, \quad n = 20"
        ),
        variables={
            "H_{i,t}": "highest price of stock i on day t: daily_pv, column $high",
            "L_{i,t}": "lowest price: daily_pv, column $low",
            "C_{i,t}": "closing price: daily_pv, column $close",
            "n": "days in the window; t-j is the j-th trading day of the stock before t",
        },
        tables=("daily_pv",),
        compute=vol20,
        naive=vol20_flat,
        parameters={"window": 20},
    ),
)
