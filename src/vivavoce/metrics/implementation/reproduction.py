"""A report's central claim computed again: were the right data chosen, is the number right?

With C and D the sets of columns that the report's method needs and that an answer names,

    data = 2 |C ∩ D| / (|C| + |D|)
    claim = 1 when |number - gold| <= 1e-6 |gold| + 1e-12, else 0

A column is named `table.column`; case and surrounding spaces do not count, nor do the keys
`datetime` and `instrument`, which every table has.

Source: RD2Bench, section 2 (the whole way from a report to numbers), with stages of our own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from vivavoce.metrics import Metric

_SOURCE = "ours, after RD2Bench, section 2"

METRICS = (
    Metric("data", "F1 of the columns chosen", "reproduction", 0.0, 1.0, _SOURCE),
    Metric("claim", "the claimed number is right", "reproduction", 0.0, 1.0, _SOURCE),
)

TOLERANCE = 1e-6
"""Relative: a claimed number may be small, and a rounded one is another number."""
_SMALLEST = 1e-12
KEYS = frozenset({"datetime", "instrument"})


def score_columns(gold: Iterable[str], chosen: Iterable[str]) -> float:
    """F1 of the columns chosen; 0 when none is."""
    needed, named = _columns(gold), _columns(chosen)
    if not needed or not named:
        return 0.0
    return 2 * len(needed & named) / (len(needed) + len(named))


def score_claim(gold: float, number: float | None) -> float:
    """1 for the right number, else 0; None and NaN are never right."""
    if number is None or not math.isfinite(number):
        return 0.0
    return float(abs(number - gold) <= TOLERANCE * abs(gold) + _SMALLEST)


def _columns(names: Iterable[str]) -> set[str]:
    spelt = {name.strip().casefold() for name in names}
    return {name for name in spelt if name and name.rpartition(".")[2] not in KEYS}
