"""Price to earnings against growth."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def peg(daily_f: pd.DataFrame) -> pd.Series:
    """PE over growth in percent."""
    rows = daily_f.set_index(["datetime", "instrument"]).sort_index()
    growth = rows["net_profit_growth"]
    return (rows["PE"] / (100 * growth.where(growth != 0))).rename("value")


FORMULAS = (
    Formula(
        name="PEG",
        category="fundamental",
        difficulty="easy",
        description=(
            "Price-to-earnings ratio of a stock divided by the growth of its net profit in "
            "percent, day by day. Negative values stay as they are. Undefined (NaN) when either "
            "is missing or the growth is 0."
        ),
        formulation=r"\mathrm{PEG}_{i,t} = \frac{PE_{i,t}}{100 \, g_{i,t}}",
        variables={
            "PE_{i,t}": "price-to-earnings ratio of stock i on day t: daily_f, column PE",
            "g_{i,t}": "year-on-year growth of the net profit, a fraction: "
            "daily_f, column net_profit_growth",
        },
        tables=("daily_f",),
        compute=peg,
    ),
)
