"""Ratios of sums over items, and numbers computed from them, with bootstrap intervals.

A mean is the sum of values over the number of defined ones. A pooled share is the sum of hits over
the sum of questions. An F1 is the harmonic mean of two such ratios. So one resample of the clusters
serves them all, and each draw's number is computed from that draw's sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vivavoce.statistics.intervals import Floats, Resample, defined, percentile_interval

Derive = Callable[[Mapping[str, Floats]], Floats]


@dataclass(frozen=True, slots=True)
class Shares:
    """A numerator and a denominator for each item; a denominator of 0 leaves the item out."""

    numerators: Sequence[float]
    denominators: Sequence[float]

    @property
    def undefined(self) -> int:
        """Number of items left out."""
        return sum(1 for denominator in self.denominators if not denominator)


def means_of(values: Sequence[float | None]) -> Shares:
    """Shares whose ratio is the mean of the defined values."""
    return Shares(
        [0.0 if value is None else value for value in values],
        [0.0 if value is None else 1.0 for value in values],
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """Measurements of a family on its items."""

    shares: Mapping[str, Shares]
    derived: Mapping[str, tuple[Derive, Sequence[str]]] = field(default_factory=dict)
    """Derived metrics: their function, and the shares whose undefined items they count."""
    items: int = 0
    """Number of leading pairs that were measured; 0 for all."""
    order: Sequence[str] = ()
    """Order in which metrics are listed; by default the shares, then the derived ones."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that the numbers depend on, and counts to report with them."""


def estimate(measured: Measured, draws: Resample) -> dict[str, dict[str, Any]]:
    """Value, percentile interval, n and undefined items of every metric.

    As in `Resample.intervals`, there is no interval if fewer than two clusters have a value.
    """
    names = list(measured.shares)
    tops = np.array([measured.shares[name].numerators for name in names], dtype=float).T
    bottoms = np.array([measured.shares[name].denominators for name in names], dtype=float).T
    points = _ratios(tops.sum(axis=0, keepdims=True), bottoms.sum(axis=0, keepdims=True), names)
    drawn = None
    if draws.gives_intervals:
        drawn = _ratios(draws.means(tops), draws.means(bottoms), names)
    undefined = {name: measured.shares[name].undefined for name in names}
    _, counts = draws.by_cluster(np.where(bottoms > 0, bottoms, np.nan))
    enough = dict(zip(names, ((counts > 0).sum(axis=0) > 1).tolist(), strict=True))
    for name, (derive, sources) in measured.derived.items():
        points[name] = derive(points)
        undefined[name] = max((undefined[source] for source in sources), default=0)
        enough[name] = all(enough[source] for source in sources)
        if drawn is not None:
            drawn[name] = derive(drawn)
    return {
        name: {
            "value": defined(points[name][0]),
            "ci": None
            if drawn is None or not enough[name]
            else _interval(drawn[name], points[name][0]),
            "n": draws.items,
            "undefined": undefined[name],
        }
        for name in measured.order or points
    }


def harmonic(first: str, second: str) -> tuple[Derive, Sequence[str]]:
    """The harmonic mean of two metrics: 0 if both are 0, undefined if either is."""

    def derive(values: Mapping[str, Floats]) -> Floats:
        one, other = values[first], values[second]
        total = one + other
        safe = np.where(total == 0, 1.0, total)
        return np.asarray(2 * one * other / safe, dtype=np.float64)

    return derive, (first, second)


def average(*names: str) -> tuple[Derive, Sequence[str]]:
    """The mean of several metrics; undefined ones are left out."""

    def derive(values: Mapping[str, Floats]) -> Floats:
        stacked = np.stack([values[name] for name in names])
        defined = ~np.isnan(stacked)
        counts = defined.sum(axis=0)
        sums = np.where(defined, stacked, 0.0).sum(axis=0)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    return derive, ()


def _ratios(tops: Floats, bottoms: Floats, names: Sequence[str]) -> dict[str, Floats]:
    """Ratio of each column; NaN where its denominator is 0."""
    values = np.full(tops.shape, np.nan)
    np.divide(tops, bottoms, out=values, where=bottoms > 0)
    return {name: values[:, column] for column, name in enumerate(names)}


def _interval(drawn: Floats, point: float) -> list[float] | None:
    if np.isnan(point):
        return None
    interval = percentile_interval(drawn)
    return list(interval) if interval else None
