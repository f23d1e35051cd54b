"""Charts as SVG inside a page: dots with intervals, such as quality against cost.

Colours come from the style sheet, in light and dark. Every chart has a title, a description for
those who do not see it, and a table of its numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from vivavoce.text.printing import visible
from vivavoce.web.board.page import environment

_LEFT, _TOP, _WIDTH, _HEIGHT = 46, 30, 376, 210
"""Plane of a chart in units of its image, which is 440 wide and 290 high."""
_MARGIN = 0.06
"""Share of an axis's length that is free at both of its ends."""
_ALIKE, _LEAST = 1e-9, 1e-30
"""Values that are no further apart, as a share of their size or at all, are one to an axis."""
_LOG_FROM = 12.0
"""The largest value is so many times the smallest where an axis becomes logarithmic."""
_TICKS = 5
_LETTER, _LINE = 7.0, 15.0
"""Width of a letter and height of a line of text."""
_MAKER = re.compile(r"^[\w.-]{1,60}/(?:[\w.-]{1,60}/)?(?=[\w.-])")


class Point(NamedTuple):
    """A contestant's value with its interval; an empty name is not drawn."""

    name: str
    x: float
    y: float
    low: float
    high: float
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of numbers."""

    title: str
    low: float
    high: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Position of a value, from 0 at the low end to 1 at the high one."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """A few values with their labels."""
        values = self._powers() if self.is_log else self._steps()
        return [(value, f"{value:g}") for value in values]

    def _powers(self) -> list[float]:
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        marks = (1, 2, 5) if len(exponents) <= 3 else (1,)
        values = (mark * 10.0**exponent for exponent in exponents for mark in marks)
        return [value for value in values if self.low <= value <= self.high]

    def _steps(self) -> list[float]:
        least = (self.high - self.low) / _TICKS
        power = 10.0 ** math.floor(math.log10(least))
        step = next(mark * power for mark in (1, 2, 5, 10) if mark * power >= least)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [number * step for number in range(first, last + 1)]


def axis_of(title: str, values: Sequence[float], *, may_be_log: bool = False) -> Axis:
    """An axis that holds all values."""
    low, high = min(values), max(values)
    if may_be_log and low > 0 and high / low >= _LOG_FROM:
        ratio = (high / low) ** _MARGIN
        return Axis(title, low / ratio, high * ratio, is_log=True)
    size, span = max(abs(low), abs(high)), high - low
    if span < max(_ALIKE * size, _LEAST):
        span = size if size > _LEAST else 1.0
    # No axis shows amounts below 0 where there are none.
    first = 0.0 if 0 <= low < _MARGIN * span else low - _MARGIN * span
    return Axis(title, first, high + _MARGIN * span)


def chart(
    name: str,
    title: str,
    words: str,
    note: str,
    axes: tuple[Axis, Axis],
    points: Sequence[Point],
    table: Sequence[Sequence[str]],
) -> Markup:
    """A chart as part of a page.

    Args:
        name: Tells it from other charts of its page.
        title: Its heading.
        words: Description for those who do not see it.
        note: Printed below the title.
        axes: Across and up.
        points: Best first.
        table: Its numbers, after a row of heads.
    """
    x, y = axes

    def across(value: float) -> float:
        return round(_LEFT + _WIDTH * x.place(value), 1)

    def down(value: float) -> float:
        return round(_TOP + _HEIGHT * (1 - y.place(value)), 1)

    dots = [(one.name, across(one.x), down(one.y)) for one in points]
    return Markup(
        environment()
        .get_template("_chart.html.j2")
        .render(
            name=name,
            title=title,
            words=words,
            note=note,
            titles=(x.title, y.title),
            plane=(_LEFT, _TOP, _LEFT + _WIDTH, _TOP + _HEIGHT),
            x_ticks=[(across(value), label) for value, label in x.ticks()],
            y_ticks=[(down(value), label) for value, label in y.ticks()],
            points=[
                (at, height, down(one.low), down(one.high), one.is_hollow)
                for one, (_, at, height) in zip(points, dots, strict=True)
            ],
            labels=list(_beside(dots)),
            table=table,
        )
    )


def _beside(dots: Sequence[tuple[str, float, float]]) -> Iterator[tuple[float, float, str, str]]:
    """Names beside their dots, on a side where they touch no name before; else left out."""
    taken: list[tuple[float, float, float]] = []
    for name, x, y in dots:
        length = 8 + _LETTER * len(name)
        for anchor, start in (("start", x), ("end", x - length)):
            fits = start >= 0 and start + length <= _LEFT + _WIDTH
            if (
                name
                and fits
                and all(
                    start + length < low or start > high or abs(y - level) > _LINE
                    for low, high, level in taken
                )
            ):
                taken.append((start, start + length, y))
                yield (x + 8 if anchor == "start" else x - 8), y + 4, anchor, name
                break


def short(name: object, limit: int = 20) -> str:
    """A name that fits into a chart: without its maker, harmless, and cut with a mark."""
    text = visible(name, 200).strip()
    tail = _MAKER.sub("", text, count=1)
    return tail if len(tail) <= limit else tail[: limit - 1].rstrip() + "…"
