"""Contestants compared on the same items: paired differences, ties, ranks and win rates.

Better, tied and the ranks that a contestant may have come from one test of all pairs together (see
`ranks`). Intervals of two values that overlap do not show a tie: two contestants who fail on the
same hard papers can differ clearly although their own intervals overlap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, Interval, Resample
from vivavoce.statistics.ranks import Contrasts, rank

_ALPHA = 1.0 - DEFAULT_LEVEL
_POWER = 0.8


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


def paired_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, resample: Resample, *, looks: int = 1
) -> Difference:
    """Difference of two contestants' values, shape (n,), on the n items of `resample` in its order.

    NaN stands for an item without a value; only items with both count. Of a run that might have
    stopped at any of several `looks`, the chance of a false claim is shared out over them.
    """
    difference = _subtract(_column(a), _column(b))
    value, interval = resample.mean(difference)[0], resample.intervals(difference)[0]
    if interval is None:
        return Difference(value, None, None, None)
    low, high = interval
    columns = np.column_stack([a, b])
    draws, codes = resample.resamples, resample.codes.tolist()
    is_apart = any(
        found.beats
        for found in rank(
            columns, codes, level=1 - _ALPHA / looks, resamples=draws, seed=resample.seed
        )
    )
    return Difference(value, low, high, tied=not is_apart or low <= 0.0 <= high)


def rank_contestants(
    contestants: Mapping[str, npt.ArrayLike], resample: Resample, higher_is_better: bool = True
) -> dict[str, Rank]:
    """Rank contestants by their mean over the items of `resample`, with ties.

    Two contestants are tied when `rank` finds no difference. Where `resample` gives no intervals at
    all, rank intervals are None and no ties are named. A rank interval always holds the rank: where
    contestants have values on different items, so that the means and the paired differences may
    disagree, it is widened to. A contestant without any value is not ranked. The order of the names
    and of the items does not matter.

    A contestant has values of shape (n,), NaN for an item without one.
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
    columns = [_column(contestants[name]) for name in sorted(contestants)]
    if len(columns) < 2:
        return None
    errors = Contrasts(np.column_stack(columns), resample.codes.tolist()).errors()
    known = errors[errors > 0]
    if not known.size:
        return None
    normal, pairs = NormalDist(), math.comb(len(columns), 2)
    return (normal.inv_cdf(1 - _ALPHA / (2 * pairs)) + normal.inv_cdf(_POWER)) * float(
        np.median(known)
    )


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
