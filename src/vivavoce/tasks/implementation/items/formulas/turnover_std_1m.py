"""How much the turnover of a stock varies within a month."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def turnover_std_1m(daily_f: pd.DataFrame, window: int = 20) -> pd.Series:
    """Rolling sample standard deviation of the turnover of each stock."""
    turnover = daily_f.set_index(["datetime", "instrument"])["turnover"].sort_index()
    std = turnover.groupby(level="instrument").rolling(window).std()
    return std.droplevel(0).sort_index().rename("value")


def turnover_std_1m_flat(daily_f: pd.DataFrame, window: int = 20) -> pd.Series:
    """The window runs over the rows of all stocks."""
    turnover = daily_f.set_index(["datetime", "instrument"])["turnover"].sort_index()
    return turnover.rolling(window).std().rename("value")


FORMULAS = (
    Formula(
        name="Turnover_STD_1M",
        category="fundamental",
        difficulty="medium",
        description=(
            "Sample standard deviation (divisor n - 1) of the daily turnover rate of a stock over "
            "its latest 20 trading days, the present one included. Undefined (NaN) until the stock "
            "has 20 days, and when one of them has no turnover rate."
        ),
        formulation=(
            r"\mathrm{TurnoverSTD}_{i,t} = \sqrt{\frac{1}{n-1} \sum_{j=0}^{n-1} "
            r"\left(TR_{i,t-j} - \overline{TR}_{i,t}\right)^2}, \quad n = 20"
        ),
        variables={
            "TR_{i,t}": "turnover rate of stock i on day t, a fraction: daily_f, column turnover",
            r"\overline{TR}_{i,t}": "its mean over the same n days",
            "n": "days in the window; t-j is the j-th trading day of the stock before t",
        },
        tables=("daily_f",),
        compute=turnover_std_1m,
        naive=turnover_std_1m_flat,
        parameters={"window": 20},
    ),
)
