"""Contestants compared on the same items: paired differences and ranks.

One joint test of all pairs decides who is better and which ranks are plausible (see `ranks`).
Overlap of the intervals of two values decides nothing: two contestants who fail on the same hard
papers can differ clearly although their own intervals overlap.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, Interval, Resample
from vivavoce.statistics.ranks import MIN_CLUSTERS, Contrasts, rank

_ALPHA = 1.0 - DEFAULT_LEVEL
_POWER = 0.8
_MAX_CLUSTERS = 10_000
"""Upper limit of the search in `more_clusters`: nobody will have more papers."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of (a - b) over the items for which both have a value."""

    value: float | None
    """Mean difference; None if no item has a value from both."""
    interval: Interval | None
    """The 95% interval; None if it cannot be computed (see `Resample.intervals`)."""
    undecided: bool | None
    """True if the interval contains 0 or `rank` does not separate the two; None without an
    interval. With few clusters, the interval alone would be too narrow."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A contestant's place among the contestants compared; 1 is best."""

    rank: int | None
    """1 + the number with a better value, so equal values share a rank; None without a value."""
    rank_interval: tuple[int, int] | None
    """(1 + number significantly better, k - number significantly worse), for k contestants."""
    undecided_with: tuple[str, ...]
    """Sorted names of contestants that these items do not separate from this one."""
    more_needed: tuple[int | None, ...] = ()
    """Additional clusters that would decide each undecided pair (see `more_clusters`)."""


def paired_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, resample: Resample, *, span: float = 0.0, looks: int = 1
) -> Difference:
    """Compare two contestants' values, each of shape (n,), on the n items of `resample`, in order.

    NaN marks an item without a value; only items with both values count. `span` is the range of
    possible values. If the run could have stopped at any of several `looks`, each look gets an
    equal share of the error rate.
    """
    first, second = _column(a), _column(b)
    if first.shape != second.shape:
        raise InputError(
            f"{len(first)} values cannot be compared with {len(second)}. "
            "Give both contestants one value for each item, NaN where there is none."
        )
    difference = first - second
    value, interval = resample.mean(difference)[0], resample.intervals(difference)[0]
    if interval is None:
        return Difference(value, None, None)
    low, high = interval
    standings = rank(
        *(np.column_stack([a, b]), resample.codes.tolist()),
        span=span,
        level=1 - _ALPHA / looks,
        resamples=resample.resamples,
        seed=resample.seed,
    )
    is_apart = any(standing.beats for standing in standings)
    return Difference(value, interval, undecided=not is_apart or low <= 0.0 <= high)


def rank_contestants(
    contestants: Mapping[str, npt.ArrayLike],
    resample: Resample,
    higher_is_better: bool = True,
    span: float = 0.0,
) -> dict[str, Rank]:
    """Rank contestants by their mean over the items of `resample`.

    Two contestants are undecided if `rank` finds no difference. `span` is the range of possible
    values. Without draws, rank intervals are None and no undecided rivals are named. Means and
    paired differences may disagree if contestants have values on different items; a rank interval
    is then widened to contain the rank. A contestant without any value is not ranked. The order of
    names and items does not matter.

    Each contestant's values have shape (n,), with NaN for an item without a value.
    """
    sign = 1.0 if higher_is_better else -1.0
    columns = {name: sign * _column(contestants[name]) for name in sorted(contestants)}
    means = {name: resample.mean(column)[0] for name, column in columns.items()}
    ranked = {name: mean for name, mean in means.items() if mean is not None}
    unranked = dict.fromkeys(contestants, Rank(rank=None, rank_interval=None, undecided_with=()))
    beats: dict[str, set[str]] = {}
    needed: dict[frozenset[str], int | None] = {}
    if ranked and resample.resamples:
        names, codes = list(ranked), resample.codes.tolist()
        table = np.column_stack([columns[name] for name in names])
        pairs = [frozenset(pair) for pair in combinations(names, 2)]
        more = more_clusters(Contrasts(table, codes, span), len(pairs))
        needed = dict(zip(pairs, more, strict=True))
        standings = rank(
            table,
            codes,
            span=span,
            resamples=resample.resamples,
            seed=resample.seed,
        )
        beats = {
            name: {names[rival] for rival in standing.beats}
            for name, standing in zip(names, standings, strict=True)
        }
    return unranked | {name: _rank_of(name, ranked, beats, needed) for name in ranked}


def smallest_detectable_difference(
    contestants: Mapping[str, npt.ArrayLike], resample: Resample, span: float = 0.0
) -> float | None:
    """Size of a true difference that these items would show as significant four times out of five.

    `shown_by` computes it from the clustered standard errors of the paired differences, as their
    median over all pairs. A pair with the same difference on every item says nothing about n and is
    left out. None without a pair or with fewer than `MIN_CLUSTERS` clusters. No draws are needed.
    """
    columns = [_column(contestants[name]) for name in sorted(contestants)]
    if len(columns) < 2 or resample.clusters < MIN_CLUSTERS:
        return None
    contrasts = Contrasts(np.column_stack(columns), resample.codes.tolist(), span)
    errors = contrasts.errors()
    known = errors[errors > 0]
    if not known.size:
        return None
    comparisons = math.comb(len(columns), 2)
    return float(shown_by(np.median(known), resample.clusters, contrasts.span, comparisons))


def shown_by(
    errors: npt.ArrayLike, clusters: npt.ArrayLike, span: float, comparisons: int = 1
) -> Floats:
    """Size of a true difference that this many clusters would show in four runs out of five.

    It is z(1 - 0.05 / 2p) hypot(e, o) + z(0.8) e + o, where e is the standard error. One more
    cluster against the difference lowers the mean by o: half the span divided by the number of
    clusters. The test is two-sided at 5% for all p comparisons together, with 80% power.

    Source: Bloom, Minimum Detectable Effects, Evaluation Review 19(5), 1995, with Bonferroni's
    bound for the number of comparisons.
    """
    normal, error = NormalDist(), np.asarray(errors, dtype=np.float64)
    one = span / 2 / np.asarray(clusters, dtype=np.float64)
    critical = normal.inv_cdf(1 - _ALPHA / (2 * max(1, comparisons)))
    return np.asarray(critical * np.hypot(error, one) + normal.inv_cdf(_POWER) * error + one)


def more_clusters(contrasts: Contrasts, comparisons: int = 1) -> list[int | None]:
    """Additional clusters that would show each pair's difference, four times out of five.

    None if more than `_MAX_CLUSTERS` would be needed, or if the pair shows no difference.
    """
    common, errors = contrasts.common, np.nan_to_num(contrasts.errors())
    gaps = np.abs(contrasts.sums) / np.maximum(contrasts.items, 1)
    low = np.maximum(common + 1, MIN_CLUSTERS).astype(np.int64)
    high = np.full_like(low, _MAX_CLUSTERS + 1)
    while (low < high).any():
        tried = (low + high) // 2
        scaled = errors * np.sqrt(common / tried)
        is_shown = shown_by(scaled, tried, contrasts.span, comparisons) <= gaps
        low, high = np.where(is_shown, low, tried + 1), np.where(is_shown, tried, high)
    is_known = (low <= _MAX_CLUSTERS) & (gaps > 0) & (common > 1)
    more = (low - common).astype(int).tolist()
    return [count if known else None for count, known in zip(more, is_known, strict=True)]


def _rank_of(
    name: str,
    means: Mapping[str, float],
    beats: Mapping[str, set[str]],
    needed: Mapping[frozenset[str], int | None],
) -> Rank:
    """Rank a contestant among those who have a mean; `beats` is empty if nothing was tested."""
    place = 1 + sum(mean > means[name] for mean in means.values())
    if not beats:
        return Rank(rank=place, rank_interval=None, undecided_with=())
    better = {rival for rival, beaten in beats.items() if name in beaten}
    worse = beats[name]
    undecided_with = tuple(sorted(means.keys() - better - worse - {name}))
    best, worst = 1 + len(better), len(means) - len(worse)
    more = tuple(needed[frozenset((name, rival))] for rival in undecided_with)
    return Rank(place, (min(best, place), max(worst, place)), undecided_with, more)


def _column(values: npt.ArrayLike) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise InputError(
            f"values of shape {column.shape} are not one column. Give one value for each item."
        )
    return column
