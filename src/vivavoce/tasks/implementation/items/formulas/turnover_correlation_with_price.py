"""Whether the turnover of a stock moves with its price."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


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


FORMULAS = (
    Formula(
        name="turnover_correlation_with_price",
        category="fundamental",
        difficulty="hard",
        description=(
            "Pearson correlation of the daily turnover rate and the closing price of a stock over "
            "its latest 20 trading days, the present one included. The two are in different "
            "tables, joined by day and stock. Undefined (NaN) until the stock has 20 days, when a "
            "value in the window is missing, and when one of the two does not vary in the window."
        ),
        formulation=(
            r"\rho_{i,t} = \frac{\sum_{j=0}^{n-1} (TR_{i,t-j} - \overline{TR}_{i,t})"
            r"(C_{i,t-j} - \overline{C}_{i,t})}{\sqrt{\sum_{j=0}^{n-1} (TR_{i,t-j} - "
            r"\overline{TR}_{i,t})^2 \sum_{j=0}^{n-1} (C_{i,t-j} - \overline{C}_{i,t})^2}}, "
            r"\quad n = 20"
        ),
        variables={
            "TR_{i,t}": "turnover rate of stock i on day t: daily_f, column turnover",
            "C_{i,t}": "close as recorded: daily_pv, column $close",
            r"\overline{TR}_{i,t}, \overline{C}_{i,t}": "their means over the same n days",
            "n": "days in the window; t-j is the j-th trading day of the stock before t",
        },
        tables=("daily_f", "daily_pv"),
        compute=turnover_correlation_with_price,
        naive=turnover_correlation_with_price_flat,
        parameters={"window": 20},
    ),
)
