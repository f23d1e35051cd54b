"""Cluster bootstrap: 95% intervals from one set of draws shared by all metrics and contestants.

The items from one paper or table depend on each other, so whole clusters are drawn with
replacement. A draw is stored as the count of each cluster in it, so the resampled means of all
metrics are ratios of sums over clusters. Two contestants are always compared on the same draws.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile
interval); Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8
(hierarchical data).

A family's metric is a ratio of sums over items, or a number computed from such ratios: a mean, a
pooled share, an F1. One resample of the clusters serves all metrics. Each draw's number is computed
from that draw's sums.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Interval = list[float]
"""Lower and upper end."""

DEFAULT_RESAMPLES = 10_000
DEFAULT_LEVEL = 0.95

_BATCH_CELLS = 500_000  # draws x clusters in memory at once: two arrays of 4 MB
_ROUNDING = 1e-12
_PRODUCTS_AT_ONCE = 1 << 16
"""Number small enough that BLAS uses one thread: several would mostly wait for each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Resample:
    """Seeded draws from the clusters of n items; made by `resample`.

    Every method restarts from the seed, so all metrics get the same draws, in any order and
    combination. Values are arrays of shape (n,) or (n, k), in item order, with one column per
    metric or contestant. NaN is an undefined value, left out of numerator and denominator. Other
    shapes and infinite values raise `InputError`.
    """

    codes: Integers
    """Index of each item's cluster among the sorted labels."""
    clusters: int
    resamples: int
    seed: int

    @property
    def items(self) -> int:
        """Number of items."""
        return len(self.codes)

    @property
    def gives_intervals(self) -> bool:
        """True if there are draws, and at least two clusters, as an interval needs."""
        return self.resamples > 0 and self.clusters > 1

    def indices(self) -> Iterator[Integers]:
        """Yield drawn clusters in batches of shape (draws, clusters); batch size changes no draw.

        These are the integers that `scipy.stats.bootstrap` draws from `default_rng(seed)`.
        """
        generator = np.random.Generator(np.random.PCG64(self.seed))
        batch = max(1, _BATCH_CELLS // max(1, self.clusters))
        for start in range(0, self.resamples, batch):
            draws = min(batch, self.resamples - start)
            yield generator.integers(0, self.clusters, size=(draws, self.clusters))

    def counts(self) -> Iterator[Integers]:
        """Yield how often each draw has each cluster, in the batches of `indices`."""
        for indices in self.indices():
            indices += np.arange(len(indices))[:, None] * self.clusters
            yield np.bincount(indices.ravel(), minlength=indices.size).reshape(indices.shape)

    def by_cluster(self, values: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Sums and numbers of the defined values, with one row per cluster, by column."""
        table = self._table(values)
        defined = ~np.isnan(table)
        table = np.where(defined, table, 0.0)
        order = np.argsort(self.codes, kind="stable")
        if self.clusters == self.items:
            return table[order], defined[order].astype(np.float64)
        starts = np.searchsorted(self.codes[order], np.arange(self.clusters))
        sizes = np.add.reduceat(defined[order].astype(np.float64), starts, axis=0)
        sums = np.empty((len(starts), table.shape[1]))
        bounds = [*starts.tolist(), len(table)]
        for number, column in enumerate(table[order].T.tolist()):
            sums[:, number] = [math.fsum(column[start:stop]) for start, stop in pairwise(bounds)]
        return sums, sizes

    def means(self, values: npt.ArrayLike) -> Floats:
        """Resampled means, shape (resamples, k); NaN if a draw has no defined value.

        The mean in a draw is the sum of the drawn values divided by their number. So large clusters
        weigh more than small clusters, as in the mean of all items.
        """
        sums, sizes = self.by_cluster(values)
        columns = sums.shape[1]
        if columns and (sizes == sizes[:, :1]).all():
            sizes = sizes[:, :1]
        parts = np.hstack([sums, sizes])
        drawn = np.zeros((self.resamples, parts.shape[1]))
        at_once = max(16, _PRODUCTS_AT_ONCE // max(1, parts.size))
        start = 0
        for counts in self.counts():
            for first in range(0, len(counts), at_once):
                few = counts[first : first + at_once].astype(float)
                np.matmul(few, parts, out=drawn[start : start + len(few)])
                start += len(few)
        return quotient(drawn[:, :columns], drawn[:, columns:])

    def mean(self, values: npt.ArrayLike) -> list[float | None]:
        """Mean of the defined values in each column, correctly rounded; None if there are none."""
        return [mean_of(column) for column in self._table(values).T.tolist()]

    def intervals(self, values: npt.ArrayLike) -> list[Interval | None]:
        """95% percentile interval for the mean of each column.

        None if there is nothing to resample: no draws were requested, or fewer than two clusters
        have a defined value. Draws without a defined value are dropped.
        """
        _, sizes = self.by_cluster(values)
        enough = (sizes > 0).sum(axis=0) > 1
        if not self.gives_intervals or not enough.any():
            return [None] * sizes.shape[1]
        draws = self.means(values)
        return [
            percentile_interval(draws[:, column]) if enough[column] else None
            for column in range(sizes.shape[1])
        ]

    def _table(self, values: npt.ArrayLike) -> Floats:
        table = np.asarray(values, dtype=np.float64)
        if table.ndim == 1:
            table = table[:, None]
        if table.ndim != 2 or len(table) != self.items:
            raise InputError(
                f"values of shape {np.shape(values)} do not fit {self.items} items. "
                "Give one row for each cluster label passed to resample()."
            )
        if np.isinf(table).any():
            raise InputError("values contain an infinite number. Use NaN for an undefined value.")
        return table


def resample(
    clusters: Sequence[str | int], *, resamples: int = DEFAULT_RESAMPLES, seed: int = 0
) -> Resample:
    """Set up draws for items, given each item's cluster; an independent item is its own cluster.

    The order of the items does not matter: clusters are numbered in the order of their labels,
    integers before strings (1 and "1" differ). `resamples=0` switches intervals off.

    Raises:
        InputError: `resamples` or `seed` is negative.
    """
    if resamples < 0 or seed < 0:
        raise InputError(f"resamples={resamples} and seed={seed} must not be negative.")
    labels = sorted(set(clusters), key=lambda label: (isinstance(label, str), label))
    places = {label: place for place, label in enumerate(labels)}
    codes = np.fromiter((places[label] for label in clusters), np.int64, count=len(clusters))
    return Resample(codes=codes, clusters=len(labels), resamples=resamples, seed=seed)


def defined(value: str | float | None) -> float | None:
    """Convert a value to a plain number; None for infinity, and for NaN, which marks undefined."""
    number = math.nan if value is None else float(value)
    return number if math.isfinite(number) else None


def mean_of(values: Iterable[float | None]) -> float | None:
    """Mean of the defined values, correctly rounded; None if there are none."""
    numbers = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else None


def percentile_interval(draws: npt.ArrayLike, level: float = DEFAULT_LEVEL) -> Interval | None:
    """Interval that leaves (1 - level) / 2 of the draws on each side, interpolated linearly.

    NaN draws are dropped; None if no draw remains. `InputError` unless 0 < level < 1.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} is not between 0 and 1. For a 95% interval use 0.95.")
    column = np.asarray(draws, dtype=np.float64)
    column = column[~np.isnan(column)]
    if not column.size:
        return None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(column, [tail, 1.0 - tail])
    return [float(low), float(high)]


def quotient(numerators: npt.NDArray[Any], denominators: npt.NDArray[Any]) -> Floats:
    """Elementwise quotient; NaN for a denominator of 0, up to rounding."""
    ratios = np.full(numerators.shape, np.nan)
    np.divide(numerators, denominators, out=ratios, where=denominators > _ROUNDING)
    return ratios


Derive = Callable[[Mapping[str, Floats]], Floats]


@dataclass(frozen=True, slots=True)
class Shares:
    """One numerator and one denominator per item; a denominator of 0 leaves the item out."""

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
    """A family's measurements on its items."""

    shares: Mapping[str, Shares]
    derived: Mapping[str, tuple[Derive, Sequence[str]]] = field(default_factory=dict)
    """Derived metrics: a function, and the shares whose undefined items count for the metric."""
    items: int = 0
    """Number of pairs measured, from the first; 0 means all."""
    order: Sequence[str] = ()
    """Order in which metrics are listed; by default the shares, then the derived metrics."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings on which the numbers depend, and counts to report with the numbers."""


def estimate(measured: Measured, draws: Resample) -> dict[str, dict[str, Any]]:
    """Compute value, percentile interval, n and number of undefined items for every metric.

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
            if drawn is None or not enough[name] or np.isnan(points[name][0])
            else percentile_interval(drawn[name]),
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
    """Ratios by column; NaN for a denominator of 0."""
    values = quotient(tops, bottoms)
    return {name: values[:, column] for column, name in enumerate(names)}
