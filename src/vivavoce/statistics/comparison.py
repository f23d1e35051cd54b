"""Contestants compared on the same items: paired differences, ties, ranks and win rates.

Two contestants are tied when the 95% interval of their paired difference contains 0. Intervals
that overlap say nothing of the kind: two contestants who fail on the same hard papers can differ
clearly although their own intervals overlap.

Where all contestants have a value for every item, the resampled mean of a difference is the
difference of two resampled means, so each contestant is resampled once instead of every pair; an
interval beside 0 is found by counting draws, without sorting them. The result is that of comparing
pair by pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist, median

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import (
    DEFAULT_LEVEL,
    Floats,
    Interval,
    Resample,
    percentile_interval,
)

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


Signs = MutableMapping[Pair, int]
"""By pair of names in alphabetical order: 1 where the first is told apart as better, -1 where the
second is, 0 where neither."""

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
    """Whether the interval contains 0; None without an interval."""


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
    [(_, difference)] = _differences({"a": _column(a), "b": _column(b)}, [("a", "b")], resample)
    return difference


def rank(
    contestants: Mapping[str, npt.ArrayLike],
    resample: Resample,
    higher_is_better: bool = True,
    signs: Signs | None = None,
) -> dict[str, Rank]:
    """Rank contestants by their mean over the items of `resample`, with ties.

    A contestant is significantly better than another when the 95% interval of their paired
    difference lies on its side of 0; a pair without an interval is not told apart. Where
    `resample` gives no intervals at all, rank intervals are None and no ties are named. A rank
    interval always holds the rank: where contestants have values on different items, so that the
    means and the paired differences may disagree, it is widened to. A contestant without any value
    is not ranked. The order of the names and of the items has no say.

    Args:
        contestants: Values of shape (n,) by name, NaN for an item without one.
        resample: The n items, and how they are drawn.
        higher_is_better: Whether a greater mean is the better one.
        signs: Pairs compared before on the same items and draws: those are not compared again,
            and all others are added.
    """
    sign = 1.0 if higher_is_better else -1.0
    columns = {name: sign * _column(contestants[name]) for name in contestants}
    means = {name: resample.mean(column)[0] for name, column in columns.items()}
    ranked = {name: mean for name, mean in means.items() if mean is not None}
    known: Signs = {} if signs is None else signs
    if resample.gives_intervals:
        _add_signs(known, {name: columns[name] for name in sorted(ranked)}, resample)
    unranked = Rank(rank=None, rank_interval=None, tied_with=())
    return {
        name: _rank_of(name, ranked, known, resample.gives_intervals)
        if name in ranked
        else unranked
        for name in contestants
    }


def smallest_detectable_difference(
    contestants: Mapping[str, npt.ArrayLike], resample: Resample
) -> float | None:
    """The true difference that these items would show as significant four times out of five.

    (z(0.975) + z(0.8)) = 2.80 clustered standard errors of the paired difference, the median over
    all pairs: two-sided 5%, 80% power. A pair whose difference is the same on every item says
    nothing about n and is left out; None when no pair is left. It needs no draws.

    Source: Bloom, Minimum Detectable Effects, Evaluation Review 19(5), 1995.
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
    return (NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)) * median(errors)


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


def _differences(
    columns: Mapping[str, Floats], pairs: Sequence[Pair], resample: Resample
) -> Iterator[tuple[Pair, Difference]]:
    margins = _margins(columns)
    for some_pairs, table in _difference_tables(columns, pairs, resample):
        results = zip(resample.mean(table), resample.intervals(table), strict=True)
        for pair, (value, interval) in zip(some_pairs, results, strict=True):
            low, high = interval or (None, None)
            tied = _holds_zero(interval, max(margins[name] for name in pair))
            yield pair, Difference(value, low, high, tied)


def _difference_tables(
    columns: Mapping[str, Floats], pairs: Sequence[Pair], resample: Resample
) -> Iterator[tuple[Sequence[Pair], Floats]]:
    """Pairs and their differences as columns, in pieces that fit."""
    piece = max(1, _COLUMN_CELLS // max(1, resample.resamples, resample.items))
    for start in range(0, len(pairs), piece):
        some_pairs = pairs[start : start + piece]
        table = np.column_stack([_subtract(columns[a], columns[b]) for a, b in some_pairs])
        yield some_pairs, table


def _add_signs(known: Signs, columns: Mapping[str, Floats], resample: Resample) -> None:
    missing = [pair for pair in combinations(columns, 2) if pair not in known]
    whole = {name for name, column in columns.items() if is_whole(column)}
    quick = [pair for pair in missing if whole >= set(pair)]
    known.update(signs_of_pairs(columns, quick, resample, _margins(columns)))
    others = [pair for pair in missing if pair not in known]
    for pair, found in _differences(columns, others, resample):
        is_ahead = found.low is not None and found.low > 0
        known[pair] = 0 if found.tied is not False else 1 if is_ahead else -1


def _rank_of(name: str, means: Mapping[str, float], signs: Signs, has_intervals: bool) -> Rank:
    own = means[name]
    place = 1 + sum(mean > own for mean in means.values())
    if not has_intervals:
        return Rank(rank=place, rank_interval=None, tied_with=())
    rivals = {
        rival: signs[name, rival] if name < rival else -signs[rival, name]
        for rival in sorted(means)
        if rival != name
    }
    tied_with = tuple(rival for rival, found in rivals.items() if found == 0)
    worse = sum(found > 0 for found in rivals.values())
    best, worst = 1 + sum(found < 0 for found in rivals.values()), len(means) - worse
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


def _holds_zero(interval: Interval | None, margin: float) -> bool | None:
    if interval is None:
        return None
    low, high = interval
    return low <= margin and high >= -margin
