"""Metrics over all items at once, spread over the items, so that a board can treat them as values.

Pooled questions, or the F1 of a mean precision and a mean recall, are no means over items. They
become one when each item has the value v = T + sum over k of dT/dm_k (x_k - m_k), where T is the
metric over all items, m_k are the means that it is made of and x_k those of the item. The mean of v
is T, and differences between two contestants and their standard errors are those of T, linearised.
The interval of T itself is the bootstrap of the ratios (`ratios.estimate`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from vivavoce.statistics.intervals import Floats
from vivavoce.statistics.ratios import Measured, Shares, average, harmonic, means_of

Pooling = Literal["macro", "micro"]
Counts = Mapping[str, Sequence[float | None]]
"""By name of a precision or recall: right answers, questions, and the value without a question."""

_PARTS = ("p", "r")
_STEP = 1e-20


def pooled_metrics(
    counts: Sequence[Sequence[Counts]], how: Pooling, averages: Mapping[str, Sequence[str]]
) -> Measured:
    """The metrics over all items, from the counts of each answer.

    Args:
        counts: For each item those of each of its answers.
        how: `macro` for means over items, `micro` for questions pooled over items.
        averages: Metrics that are means of others, such as `avg`.
    """
    names = list(counts[0][0]) if counts else []
    shares = {
        name: _shares([[each[name] for each in item] for item in counts], how) for name in names
    }
    aspects = dict.fromkeys(name.rpartition("_")[0] for name in names)
    derived = {
        f"{aspect}_f1": harmonic(*(f"{aspect}_{part}" for part in _PARTS)) for aspect in aspects
    }
    return Measured(shares, derived | {name: average(*parts) for name, parts in averages.items()})


def spread(
    counts: Sequence[Sequence[Counts]], how: Pooling, averages: Mapping[str, Sequence[str]]
) -> dict[str, Floats]:
    """The value of every item in every metric; NaN throughout where a metric is undefined."""
    measured = pooled_metrics(counts, how, averages)
    found: dict[str, Any] = {}
    for name, shares in measured.shares.items():
        parts = (np.array(part) for part in (shares.numerators, shares.denominators))
        # A step along the imaginary axis gives the derivative by each item's weight, exactly.
        over, under = (part.sum() + 1j * _STEP * part for part in parts)
        found[name] = np.full(len(counts), np.nan + 0j)
        np.divide(over, under, out=found[name], where=under.real != 0)
    for name, (derive, _) in measured.derived.items():
        found[name] = derive(found)
    return {name: each.real + len(counts) * each.imag / _STEP for name, each in found.items()}


def _shares(answers: Sequence[Sequence[Sequence[float | None]]], how: Pooling) -> Shares:
    """Right answers and questions of each item, as means over its answers; or its mean share."""
    asked = [_mean_of(item, 1) for item in answers]
    if how == "micro" and any(asked):
        return Shares([_mean_of(item, 0) for item in answers], asked)
    values = map(_value, answers)
    return means_of([None if np.isnan(value) else value for value in values])


def _mean_of(answers: Sequence[Sequence[float | None]], part: int) -> float:
    return sum(float(answer[part] or 0) for answer in answers) / len(answers)


def _value(answers: Sequence[Sequence[float | None]]) -> float:
    """The mean share over the answers to one item."""
    shares = [hits / asked if asked else none for hits, asked, none in map(_numbers, answers)]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else float("nan")


def _numbers(count: Sequence[float | None]) -> tuple[float, float, float | None]:
    hits, asked, none = count
    return float(hits or 0), float(asked or 0), none
