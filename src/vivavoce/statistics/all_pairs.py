"""All pairs of many contestants who have a value for every item, at once.

The resampled mean of a difference is then the difference of two resampled means, so each
contestant is resampled once instead of every pair; and where an interval lies beside 0 is told by
counting draws, without sorting them. What comes out is what comparing pair by pair gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, Resample, percentile_interval

Pair = tuple[str, str]

_TAIL = (1.0 - DEFAULT_LEVEL) / 2.0


def is_whole(column: Floats) -> bool:
    """Whether a contestant has a value for every item."""
    return not np.isnan(column).any()


def signs_of_pairs(
    columns: Mapping[str, Floats],
    pairs: Sequence[Pair],
    resample: Resample,
    margins: Mapping[str, float],
) -> Iterator[tuple[Pair, int]]:
    """For each pair 1 where the interval of (first - second) lies above 0, -1 below, else 0.

    Args:
        columns: Values of shape (n,) by name, none of them NaN.
        pairs: Names that stand among the columns.
        resample: The n items, and how they are drawn; it gives intervals.
        margins: By name, how far from 0 a bound still counts as 0; of two the larger one holds.
    """
    names = sorted({name for pair in pairs for name in pair})
    if not names:
        return
    draws = np.ascontiguousarray(resample.means(np.column_stack([columns[n] for n in names])).T)
    of = dict(zip(names, draws, strict=True))
    for pair in pairs:
        first, second = pair
        difference = of[first] - of[second]
        margin = max(margins[first], margins[second])
        if _lies_above(difference, margin):
            yield pair, 1
        else:
            yield pair, -1 if _lies_above(-difference, margin) else 0


def _lies_above(draws: Floats, margin: float) -> bool:
    """Whether the lower bound of the draws' percentile interval is above a margin."""
    below = math.floor(_TAIL * (len(draws) - 1))  # the bound lies between this draw and the next
    not_above = len(draws) - int(np.count_nonzero(draws > margin))
    if not_above <= below:
        return True
    if not_above >= below + 2:
        return False
    found = percentile_interval(draws)
    return found is not None and found[0] > margin


def errors_of_pairs(
    columns: Mapping[str, Floats], resample: Resample
) -> Iterator[tuple[Pair, float]]:
    """The clustered standard error of the mean difference of every pair, in the order of the names.

    Args:
        columns: Values of shape (n,) by name, none of them NaN.
        resample: The n items; at least two clusters of them.
    """
    names = list(columns)
    if len(names) < 2 or resample.clusters < 2:
        return
    sums, sizes = resample.by_cluster(np.column_stack([columns[name] for name in names]))
    size, total = sizes[:, :1], resample.items
    factor = resample.clusters / (resample.clusters - 1)
    for place, first in enumerate(names[:-1]):
        differences = sums[:, place : place + 1] - sums[:, place + 1 :]
        deviations = differences - differences.sum(axis=0) / total * size
        squares = (deviations**2).sum(axis=0)
        errors = np.sqrt(factor * squares) / total
        for second, error in zip(names[place + 1 :], errors.tolist(), strict=True):
            yield (first, second), error
