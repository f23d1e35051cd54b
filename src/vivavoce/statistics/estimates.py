"""Numbers of an audit, each with n and a 95% interval from the cluster bootstrap.

A number that is not a mean is a function of sums over items, such as a slope or a coefficient of
agreement: it is computed from the sums of every draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.statistics.agreement import (
    alpha_of_counts,
    cohen_of_counts,
    pair_cells,
    pairwise_of_counts,
)
from vivavoce.statistics.comparison import paired_difference
from vivavoce.statistics.intervals import Floats, Resample, percentile_interval, resample
from vivavoce.store import Row

FromSums = Callable[[Floats], Floats]
"""Takes sums of shape (draws, columns) and gives one value a draw; NaN where undefined."""
COEFFICIENTS: Mapping[str, FromSums] = {
    "agreement": pairwise_of_counts,
    "kappa": cohen_of_counts,
    "alpha": alpha_of_counts,
}
"""Pairwise agreement, Cohen's kappa and Krippendorff's alpha."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Settings of the bootstrap."""

    resamples: int = 10_000
    seed: int = 0

    def of(self, clusters: Sequence[str]) -> Resample:
        """The draws of items whose clusters are given in order."""
        return resample(clusters, resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its 95% interval, and how many cases are behind it."""

    value: float | None
    interval: tuple[float, float] | None
    n: int

    def fields(self) -> Row:
        """As the columns of a row."""
        return {
            "value": self.value,
            "ci": list(self.interval) if self.interval else None,
            "n": self.n,
        }


def mean_estimate(values: Sequence[float], clusters: Sequence[str], draws: Draws) -> Estimate:
    """The mean of the values that are not NaN."""
    column = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(column)
    if not kept.any():
        return Estimate(None, None, 0)
    drawn = draws.of([label for label, keep in zip(clusters, kept, strict=True) if keep])
    return Estimate(drawn.mean(column[kept])[0], drawn.intervals(column[kept])[0], int(kept.sum()))


def estimate_from_sums(
    table: npt.ArrayLike, clusters: Sequence[str], from_sums: FromSums, draws: Draws
) -> Estimate:
    """A function of the column sums of a table with one row a case."""
    rows = np.asarray(table, dtype=np.float64)
    if not len(rows):
        return Estimate(None, None, 0)
    drawn = draws.of(clusters)
    sums, _ = drawn.by_cluster(rows)
    value = float(from_sums(sums.sum(axis=0, keepdims=True))[0])
    if math.isnan(value) or not drawn.gives_intervals:
        return Estimate(None if math.isnan(value) else value, None, len(rows))
    found = []
    for indices in drawn.indices():
        counts = np.stack([np.bincount(row, minlength=drawn.clusters) for row in indices])
        found.append(from_sums(counts.astype(np.float64) @ sums))
    return Estimate(value, percentile_interval(np.concatenate(found)), len(rows))


def agreement_estimates(
    pairs: Sequence[tuple[Hashable, Hashable]],
    clusters: Sequence[str],
    draws: Draws,
    coefficients: Mapping[str, FromSums] = COEFFICIENTS,
) -> dict[str, Estimate]:
    """Coefficients of agreement of the two labels of each case, from tables of counts."""
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    cells = pair_cells(pairs, labels)

    def estimated(coefficient: FromSums) -> Estimate:
        def from_sums(sums: Floats) -> Floats:
            return coefficient(sums.reshape(-1, len(labels), len(labels)))

        return estimate_from_sums(cells, clusters, from_sums, draws)

    return {name: estimated(coefficient) for name, coefficient in coefficients.items()}


def paired_row(
    a: Mapping[str, float],
    b: Mapping[str, float],
    clusters: Mapping[str, str],
    draws: Draws,
    span: float = 0.0,
) -> Row:
    """(b - a) over the items where both have a value: means, difference, interval, n, undecided.

    `span` is the range that values may have.
    """
    shared = [item for item in sorted(a.keys() & b.keys()) if not math.isnan(a[item] + b[item])]
    if not shared:
        return {"a": None, "b": None, "difference": None, "ci": None, "n": 0, "undecided": None}
    drawn = draws.of([clusters[item] for item in shared])
    first = np.array([a[item] for item in shared])
    second = np.array([b[item] for item in shared])
    found = paired_difference(second, first, drawn, span=span)
    interval = None if found.low is None or found.high is None else [found.low, found.high]
    return {
        "a": drawn.mean(first)[0],
        "b": drawn.mean(second)[0],
        "difference": found.value,
        "ci": interval,
        "n": len(shared),
        "undecided": found.undecided,
    }
