"""Ranks of many contestants at once: the chance of any false "better" is bounded for all together.

Among fourteen equal contestants there are 91 pairs, and tests that are each wrong once in twenty
name a false winner on most boards. Here the greatest difference is compared with the greatest that
random signs give (see `sign_flips`). Once it is decided, the next is compared with the greatest of
the remaining pairs, and so on down to the first undecided one.

Source: Romano and Wolf, Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing,
JASA 100(469), 2005; Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks with Applications,
Review of Economic Studies 91(1), 2024.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Integers
from vivavoce.statistics.sign_flips import CELLS, Contrasts, Flipped, Flips

SAME = 1 - 1e-5
"""A drawn size above this share of one that was observed is equal to it but for rounding."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant among those compared with it."""

    rank: int
    """1 + how many are significantly better; 1 is best."""
    low: int
    """The best rank that the data allow, all contestants taken together."""
    high: int
    """The worst one."""
    beats: tuple[int, ...]
    """Columns of the contestants that it is significantly better than."""


def rank(
    values: npt.ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> list[Standing]:
    """Rank contestants; the chance that any `beats` is false is at most 1 - level.

    The order of the items does not matter. Two contestants without a common item, or without a
    difference, are tied. Fewer than six clusters decide nothing, however great the differences.

    Args:
        values: Shape (items, contestants); higher is better, NaN is undefined. Two contestants are
            compared over the items where both have a value.
        clusters: The label of each item's cluster, in the same order.
        level: Chance that every `beats`, and so every range of ranks, is true.
        resamples: Draws of signs; 0 decides nothing.
        seed: Seed of the draws.

    Returns:
        One for each column, in their order.

    Raises:
        InputError: The values do not fit the clusters, one is infinite, or an option is out of
            its range.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} is not between 0 and 1. For 95% use 0.95.")
    flips = Flips(resamples, seed)
    contrasts = Contrasts(*in_order(values, clusters))
    decided = _step_down(contrasts, contrasts.flipped(flips), resamples, 1.0 - level)
    return standings(contrasts, decided)


def in_order(
    values: npt.ArrayLike, clusters: Sequence[Hashable]
) -> tuple[npt.ArrayLike, Sequence[Hashable]]:
    """Items by the label of their cluster, so that their own order has no say."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(clusters):
        return values, clusters  # which is refused where they are compared
    order = sorted(range(len(clusters)), key=lambda item: _sort_key(clusters[item]))
    return table[order], [clusters[item] for item in order]


def _sort_key(label: Hashable) -> tuple[str, float, str]:
    return type(label).__name__, label if isinstance(label, int | float) else 0, str(label)


def standings(contrasts: Contrasts, decided: Integers) -> list[Standing]:
    """Standings that follow from decided pairs."""
    beaten: list[list[int]] = [[] for _ in range(contrasts.contestants)]
    losses = [0] * contrasts.contestants
    for pair in decided:
        better, worse = int(contrasts.first[pair]), int(contrasts.second[pair])
        if contrasts.statistics[pair] < 0:
            better, worse = worse, better
        beaten[better].append(worse)
        losses[worse] += 1
    return [
        Standing(1 + lost, 1 + lost, contrasts.contestants - len(won), tuple(sorted(won)))
        for won, lost in zip(beaten, losses, strict=True)
    ]


def allowed_draws(draws: int, alpha: float) -> int:
    """Number of draws that may be as great as what is observed; -1 where none may decide.

    What is observed is one draw more, and as great as itself.
    """
    return int((draws + 1) * alpha + 1e-9) - 1


def bound_of(drawn: npt.ArrayLike, alpha: float) -> float:
    """Size above which a difference is decided, from the greatest size of every draw."""
    sizes = np.sort(np.asarray(drawn, dtype=np.float64))[::-1]
    allowed = allowed_draws(len(sizes), alpha)
    return float(sizes[allowed]) / SAME if allowed >= 0 else np.inf


def _step_down(contrasts: Contrasts, flipped: Flipped, draws: int, alpha: float) -> Integers:
    """Numbers of the pairs that are decided, the clearest first."""
    sizes = np.abs(contrasts.statistics)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    allowed = allowed_draws(draws, alpha)
    exceeded = np.empty(len(order), dtype=np.int64)
    greatest = np.zeros(draws, dtype=np.float32)
    piece = max(1, CELLS // max(1, draws))
    for stop in range(len(order), 0, -piece):
        start = max(0, stop - piece)
        pairs = order[start:stop]
        bounds = (sizes[pairs] * SAME).astype(np.float32)
        drawn = flipped.sizes(pairs)
        for place in range(len(pairs) - 1, -1, -1):
            np.maximum(drawn[place], greatest, out=greatest)
            exceeded[start + place] = np.count_nonzero(greatest >= bounds[place])
    undecided = np.flatnonzero(exceeded > allowed)
    return order[: undecided[0]] if len(undecided) else order
