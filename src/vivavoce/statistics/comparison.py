"""Contestants compared on the same items: paired differences, ties, ranks and win rates.

Better, tied and the ranks that a contestant may have come from one test of all pairs together (see
`ranks`). Intervals of two values that overlap say nothing of the kind: two contestants who fail on
the same hard papers can differ clearly although their own intervals overlap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist, median

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, Interval, Resample
from vivavoce.statistics.ranks import rank

Pair = tuple[str, str]

_ALPHA = 1.0 - DEFAULT_LEVEL
_POWER = 0.8


def is_whole(column: Floats) -> bool:
    """Whether a contestant has a value for every item."""
    return not np.isnan(column).any()


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


# A bound this close to 0, relative to the values, differs from it by rounding alone.
_ROUNDING = 1e-12

_COLUMN_CELLS = 2_000_000  # draws or items x pairs compared at once: 16 MB an array


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of (a - b) over the items where both have a value."""

    value: float | None
    """None when the two share no item with a value."""
    low: float | None
    high: float | None
    """The 95% interval; None when it cannot be had (see `Resample.intervals`)."""
    tied: bool | None
    """True if the interval contains 0 or `rank` does not tell the two apart; None without an
    interval. Of few clusters the interval alone says too much."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A contestant's place among those compared; 1 is best."""

    rank: int | None
    """1 + how many have a better value: equal values share a rank. None without a value."""
    rank_interval: tuple[int, int] | None
    """(1 + how many are significantly better, k - how many are significantly worse)."""
    tied_with: tuple[str, ...]
    """Names of the contestants that cannot be told apart from this one, sorted."""


@dataclass(frozen=True, slots=True)
class WinRate:
    """(wins + ties / 2) / n with its 95% interval; n is wins + ties + losses."""

    value: float | None
    interval: Interval | None
    wins: int
    ties: int
    losses: int
    undefined: int
    """Items without a verdict: not in n."""


def paired_difference(a: npt.ArrayLike, b: npt.ArrayLike, resample: Resample) -> Difference:
    """Difference of two contestants' values, shape (n,), on the n items of `resample` in its order.

    NaN stands for an item without a value; only items with both count.
    """
    difference = _subtract(_column(a), _column(b))
    value, interval = resample.mean(difference)[0], resample.intervals(difference)[0]
    if interval is None:
        return Difference(value, None, None, None)
    low, high = interval
    columns = np.column_stack([a, b])
    draws, codes = resample.resamples, resample.codes.tolist()
    is_apart = any(
        found.beats for found in rank(columns, codes, resamples=draws, seed=resample.seed)
    )
    return Difference(value, low, high, tied=not is_apart or low <= 0.0 <= high)


def rank_contestants(
    contestants: Mapping[str, npt.ArrayLike], resample: Resample, higher_is_better: bool = True
) -> dict[str, Rank]:
    """Rank contestants by their mean over the items of `resample`, with ties.

    Two contestants are tied when `rank` does not tell them apart. Where `resample` gives no
    intervals at all, rank intervals are None and no ties are named. A rank interval always holds
    the rank: where contestants have values on different items, so that the means and the paired
    differences may disagree, it is widened to. A contestant without any value is not ranked. The
    order of the names and of the items has no say.

    Args:
        contestants: Values of shape (n,) by name, NaN for an item without one.
        resample: The n items, and how they are drawn.
        higher_is_better: Whether a greater mean is the better one.
    """
    sign = 1.0 if higher_is_better else -1.0
    columns = {name: sign * _column(contestants[name]) for name in sorted(contestants)}
    means = {name: resample.mean(column)[0] for name, column in columns.items()}
    ranked = {name: mean for name, mean in means.items() if mean is not None}
    found = dict.fromkeys(contestants, Rank(rank=None, rank_interval=None, tied_with=()))
    beats: dict[str, set[str]] = {}
    if ranked and resample.gives_intervals:
        names = list(ranked)
        standings = rank(
            np.column_stack([columns[name] for name in names]),
            resample.codes.tolist(),
            resamples=resample.resamples,
            seed=resample.seed,
        )
        beats = {
            name: {names[rival] for rival in standing.beats}
            for name, standing in zip(names, standings, strict=True)
        }
    return found | {name: _rank_of(name, ranked, beats) for name in ranked}


def smallest_detectable_difference(
    contestants: Mapping[str, npt.ArrayLike], resample: Resample
) -> float | None:
    """The true difference that these items would show as significant four times out of five.

    (z(1 - 0.05 / 2p) + z(0.8)) clustered standard errors of the paired difference, the median over
    all p pairs: two-sided 5% for all of them together, 80% power; 2.80 errors for one pair. A pair
    whose difference is the same on every item says nothing about n and is left out; None when no
    pair is left. It needs no draws.

    Source: Bloom, Minimum Detectable Effects, Evaluation Review 19(5), 1995, with Bonferroni's
    bound for the number of comparisons.
    """
    columns = {name: _column(contestants[name]) for name in sorted(contestants)}
    whole = {name: column for name, column in columns.items() if is_whole(column)}
    margins = _margins(columns)
    errors = [
        error
        for (first, second), error in errors_of_pairs(whole, resample)
        if error > max(margins[first], margins[second])
    ]
    others = [pair for pair in combinations(columns, 2) if not whole.keys() >= set(pair)]
    for some_pairs, table in _difference_tables(columns, others, resample):
        for pair, error in zip(some_pairs, resample.standard_error(table), strict=True):
            if error is not None and error > max(map(margins.__getitem__, pair)):
                errors.append(error)
    if not errors:
        return None
    normal, pairs = NormalDist(), math.comb(len(columns), 2)
    return (normal.inv_cdf(1 - _ALPHA / (2 * pairs)) + normal.inv_cdf(_POWER)) * median(errors)


def win_rate(verdicts: npt.ArrayLike, resample: Resample) -> WinRate:
    """Win rate from one verdict an item: 1 won, 0 tied, -1 lost, NaN without a verdict.

    A judge whose verdict changes with the order of the answers gives 0, hence a rate of 0.5.
    `verdicts` has the shape (n,); `InputError` for any other value in it.
    """
    outcomes = _column(verdicts)
    known = outcomes[~np.isnan(outcomes)]
    if not np.isin(known, (-1.0, 0.0, 1.0)).all():
        raise InputError("A verdict is neither 1 (won), 0 (tied), -1 (lost) nor NaN (none).")
    points = (outcomes + 1.0) / 2.0
    return WinRate(
        value=resample.mean(points)[0],
        interval=resample.intervals(points)[0],
        wins=int((known == 1).sum()),
        ties=int((known == 0).sum()),
        losses=int((known == -1).sum()),
        undefined=len(outcomes) - len(known),
    )


def _difference_tables(
    columns: Mapping[str, Floats], pairs: Sequence[Pair], resample: Resample
) -> Iterator[tuple[Sequence[Pair], Floats]]:
    """Pairs and their differences as columns, in pieces that fit."""
    piece = max(1, _COLUMN_CELLS // max(1, resample.resamples, resample.items))
    for start in range(0, len(pairs), piece):
        some_pairs = pairs[start : start + piece]
        table = np.column_stack([_subtract(columns[a], columns[b]) for a, b in some_pairs])
        yield some_pairs, table


def _rank_of(name: str, means: Mapping[str, float], beats: Mapping[str, set[str]]) -> Rank:
    """The rank among those with a mean; `beats` is empty where nothing was tested."""
    place = 1 + sum(mean > means[name] for mean in means.values())
    if not beats:
        return Rank(rank=place, rank_interval=None, tied_with=())
    better = {rival for rival, beaten in beats.items() if name in beaten}
    worse = beats[name]
    tied_with = tuple(sorted(means.keys() - better - worse - {name}))
    best, worst = 1 + len(better), len(means) - len(worse)
    return Rank(place, (min(best, place), max(worst, place)), tied_with)


def _column(values: npt.ArrayLike) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise InputError(
            f"values of shape {column.shape} are not one column. Give one value for each item."
        )
    return column


def _subtract(a: Floats, b: Floats) -> Floats:
    if a.shape != b.shape:
        raise InputError(
            f"{len(a)} values cannot be compared with {len(b)}. "
            "Give both contestants one value for each item, NaN where there is none."
        )
    return a - b


def _margins(columns: Mapping[str, Floats]) -> dict[str, float]:
    """By name, how far from 0 a bound still counts as 0."""
    return {name: _ROUNDING * _scale(column) for name, column in columns.items()}


def _scale(column: Floats) -> float:
    defined = np.abs(column[~np.isnan(column)])
    return float(defined.max()) if defined.size else 0.0
