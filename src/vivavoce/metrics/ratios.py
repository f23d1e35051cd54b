"""Shares of questions answered rightly, and how they add up over many items.

Macro = the mean of the items' shares, undefined ones left out; micro = all hits / all questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Aggregate = Literal["macro", "micro"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """`hits` out of `asked` questions."""

    hits: int
    asked: int
    when_none: float | None = None
    """The value where nothing was asked: None is undefined, 0 a failure to answer anything."""

    @property
    def value(self) -> float | None:
        """The share of hits."""
        return self.hits / self.asked if self.asked else self.when_none


def aggregate_ratios(ratios: Sequence[Ratio], how: Aggregate = "macro") -> float | None:
    """One share for many items; None when it is undefined for all of them."""
    values = [ratio.value for ratio in ratios]
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    asked = sum(ratio.asked for ratio in ratios)
    if how == "micro":
        return sum(ratio.hits for ratio in ratios) / asked if asked else 0.0
    return math.fsum(defined) / len(defined)


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """F1 of a precision and a recall; 0 when both are 0, None when either is undefined."""
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
