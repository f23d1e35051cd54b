"""Directions of metrics, and the values that they can have, read from their names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from vivavoce.readers.metric_names import words_where

_LOWER = words_where(lambda metric: metric.better == "lower")
_COSTS = words_where(lambda metric: metric.cost)
_UNBOUNDED = words_where(lambda metric: metric.free)
_SIGNED = words_where(lambda metric: metric.signed)
_AT_LEAST_ONE = words_where(lambda metric: metric.term == "perplexity")
_WORD = re.compile(r"\w+")
_FEW = 3
"""Values from which on the scale of a board can be told."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The better end of a metric, and how it is known."""

    higher_is_better: bool
    source: str
    """`given` by the list, by the `name` of the metric, or `assumed`."""


def direction_of(metric: str, given: Sequence[bool | None] = ()) -> Direction:
    """The direction of a metric.

    Args:
        metric: Its key.
        given: What the rows of the board say; the most frequent goes, and of two the first.
    """
    told = [value for value in given if value is not None]
    if told:
        return Direction(max(told, key=told.count), "given")
    if _names(metric, _LOWER):
        return Direction(False, "name")
    return Direction(True, "name" if _is_bounded(metric) else "assumed")


def is_resource(metric: str) -> bool:
    """Check whether a metric tells what a method costs instead of how good it is."""
    return _names(metric, _COSTS)


def impossible(metric: str, value: float | None) -> str | None:
    """Why a value cannot be one of a metric's; None when it can."""
    if value is None:
        return "no number"
    if not math.isfinite(value):
        return "not finite"
    if value < 0 and not _names(metric, _SIGNED):
        return "negative"
    if _names(metric, _AT_LEAST_ONE) and value < 1:
        return "below 1"
    if _is_bounded(metric) and abs(value) > 100:
        return "above 100"
    return None


def off_scale(metric: str, values: Sequence[float]) -> list[bool]:
    """Flag values that are fractions among percentages, or percentages among fractions.

    Told only of metrics from 0 to 100, where most values are of one scale.
    """
    fractions = [abs(value) <= 1 for value in values]
    if not _is_bounded(metric) or len(values) < _FEW or len(set(fractions)) < 2:
        return [False] * len(values)
    are_fractions = median(map(abs, values)) <= 1
    others = [value != are_fractions for value in fractions]
    # A method may be no better than chance: an outlier has to be far from all others.
    rest = [abs(v) for v, is_other in zip(values, others, strict=True) if not is_other]
    far = min(rest) > 10 if not are_fractions else max(rest) <= 1
    return [is_other and far for is_other in others]


def _is_bounded(metric: str) -> bool:
    return not _names(metric, _UNBOUNDED)


def _names(metric: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(_WORD.findall(metric))
