"""How much of a factor's accuracy no constant reaches.

Some formulas are mostly one value, such as the sign of a change that is mostly 0: a table of zeros
then has a high `acc`. With c the share of rows that the best single value gets right (NaN is one
such value, and a number counts as right within the tolerance of `acc`),

    skill = max(0, (acc - c) / (1 - c))

so that every constant has 0 and the right values have 1. Undefined when the gold is constant.

Source: ours; the form is that of skill scores in forecasting.
"""

from __future__ import annotations

import numpy as np

from vivavoce.metrics import Metric
from vivavoce.metrics.implementation.factor import TOLERANCE, FactorFrame

METRICS = (Metric("skill", "acc beyond the best constant", "implementation", 0.0, 1.0, "ours"),)


def best_constant(gold: FactorFrame) -> float:
    """The highest `acc` that a table of one value everywhere can have; 0 without rows."""
    (values,) = gold.values
    if not len(values):
        return 0.0
    numbers = np.sort(values[~np.isnan(values)])
    # A constant in the middle is right for every value less than a tolerance away on either side.
    ends = np.searchsorted(numbers, numbers + 2 * TOLERANCE, side="left")
    most = int((ends - np.arange(len(numbers))).max()) if len(numbers) else 0
    return max(most, int(np.isnan(values).sum())) / len(values)


def score_skill(acc: float, constant: float) -> float:
    """The skill of an accuracy beyond that of the best constant; NaN where nothing is beyond it."""
    if constant >= 1:
        return float("nan")
    return max(0.0, (acc - constant) / (1 - constant))
