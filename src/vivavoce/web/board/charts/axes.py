"""Ends and ticks of a chart's axes, and room for labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MAX_TICKS = 5
_MARGIN = 0.06
"""Of an axis's length, free at both of its ends."""
_LOG_FROM = 12.0
"""The largest value is so many times the smallest where an axis becomes logarithmic."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of numbers."""

    title: str
    low: float
    high: float
    ticks: tuple[float, ...]
    is_log: bool = False
    format: str = "~g"
    """As d3-format has it; few ticks and plain numbers keep a chart cheap to draw."""

    def place(self, value: float) -> float:
        """Position of a value, from 0 at the low end to 1 at the high one."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def scale(self) -> dict[str, Any]:
        """As Vega-Lite spells it."""
        kind = {"type": "log"} if self.is_log else {"zero": False}
        return {**kind, "domain": [self.low, self.high], "nice": False}


def axis_of(
    title: str, values: Sequence[float], *, may_be_log: bool = False, format: str = "~g"
) -> Axis:
    """An axis that holds all values, with round numbers as ticks."""
    low, high = min(values), max(values)
    if may_be_log and low > 0 and high / low >= _LOG_FROM:
        ratio = (high / low) ** _MARGIN
        low, high = low / ratio, high * ratio
        return Axis(title, rounded(low), rounded(high), _log_ticks(low, high), True, format)
    span = (high - low) or abs(high) or 1.0
    # No axis shows amounts below 0 where there are none.
    first = 0.0 if 0 <= low < _MARGIN * span else low - _MARGIN * span
    last = high + _MARGIN * span
    return Axis(title, rounded(first), rounded(last), _ticks(first, last), False, format)


def spread(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Move labels apart along a line from 0 to `end` so that they stand `gap` from each other.

    The order stays; where there is no room for all, the gap shrinks.
    """
    if not places:
        return []
    gap = min(gap, end / max(1, len(places) - 1))
    order = sorted(range(len(places)), key=lambda index: (places[index], index))
    moved = [0.0] * len(places)
    lowest = -math.inf
    for index in order:
        lowest = moved[index] = max(places[index], lowest + gap)
    highest = math.inf
    for index in reversed(order):
        highest = moved[index] = min(moved[index], highest - gap, end)
    lowest = -math.inf
    for index in order:
        lowest = moved[index] = max(moved[index], 0.0, lowest + gap)
    return [rounded(place) for place in moved]


def rounded(value: float) -> float:
    """Six digits, which is finer than any pixel."""
    return float(f"{value:.6g}")


def _ticks(low: float, high: float) -> tuple[float, ...]:
    """At most five multiples of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / _MAX_TICKS))
    for factor in (1, 2, 5, 10, 20):
        step = factor * power
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first < _MAX_TICKS:
            return tuple(rounded(number * step) for number in range(first, last + 1))
    raise AssertionError("a step of 20 leaves fewer ticks")


def _log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten, with 3 or 2 and 5 times them between where there is room."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: tuple[float, ...] = ()
    for factors in ((1,), (1, 3), (1, 2, 5)):
        ticks = [factor * 10.0**power for power in powers for factor in factors]
        inside = tuple(rounded(tick) for tick in ticks if low <= tick <= high)
        if not found or len(inside) <= _MAX_TICKS:
            found = inside
    step = math.ceil(len(found) / _MAX_TICKS)
    return found[::step]
