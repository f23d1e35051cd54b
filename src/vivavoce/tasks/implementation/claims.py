"""What a report claims of a method's values on a market: one number, to be computed again.

Each statistic is a function of the values, a series by (datetime, instrument), and of the daily
prices. Its source text is shipped as part of a program, so it stands alone.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from vivavoce.tasks.implementation.formula import Formula
from vivavoce.tasks.implementation.report import Statistic

RESULT = "claim.json"
"""The file a program leaves beside its values: {"value": NUMBER}."""


def information_coefficient(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Mean over days of the correlation with the return to the stock's next trading day."""
    close = daily_pv.set_index(["datetime", "instrument"])["$close"].sort_index()
    following = close.groupby(level="instrument").shift(-1) / close - 1
    pairs = pd.DataFrame({"value": values, "following": following.reindex(values.index)}).dropna()
    days = []
    for _, day in pairs.groupby(level="datetime"):
        if len(day) > 1 and day["value"].nunique() > 1 and day["following"].nunique() > 1:
            days.append(np.corrcoef(day["value"], day["following"])[0, 1])
    return float(np.mean(days))


def mean(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Mean of the defined values."""
    return float(values.mean())


def share_positive(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Share of the defined values above zero."""
    return float((values.dropna() > 0).mean())


def persistence(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Correlation of a value with the same stock's value on its row before, over all of them."""
    ordered = values.sort_index()
    before = ordered.groupby(level="instrument").shift(1)
    pairs = pd.DataFrame({"value": ordered, "before": before}).dropna()
    return float(np.corrcoef(pairs["value"], pairs["before"])[0, 1])


STATISTICS: Mapping[Statistic, Callable[[pd.Series, pd.DataFrame], float]] = {
    "information_coefficient": information_coefficient,
    "mean": mean,
    "share_positive": share_positive,
    "persistence": persistence,
}


def compute_claim(formula: Formula, statistic: Statistic, frames: Mapping[str, Any]) -> float:
    """The number that a formula's reference gives on the market's tables."""
    values = formula.compute(*(frames[name] for name in formula.tables), **formula.parameters)
    return STATISTICS[statistic](values, frames["daily_pv"])


def claim_program(program: str, statistic: Statistic) -> str:
    """A formula's program that goes on to compute a claim's number and leave it in `RESULT`."""
    function = STATISTICS[statistic]
    return (
        f"import json\n\n{program}\n\n"
        f"{textwrap.dedent(inspect.getsource(function))}\n\n"
        f'number = {function.__name__}(values, pd.read_parquet("daily_pv.parquet"))\n'
        f'with open("{RESULT}", "w") as stream:\n'
        '    json.dump({"value": number}, stream)\n'
    )
