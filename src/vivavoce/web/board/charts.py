"""Charts as SVG inside a page: quality against cost, and tasks over the rounds.

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

MAX_LINES = 8
"""Lines of a chart: the style sheet has so many colours."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 46, 30, 376, 210
"""Plane of a chart in units of its image, which is 440 wide and 290 high."""
_LEGEND = 134
"""Width that names take beside a chart of lines."""
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
    """A value with its interval, where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


class Series(NamedTuple):
    """The points of one contestant; an empty name is not drawn."""

    name: str
    points: Sequence[Point]
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of numbers."""

    title: str
    low: float
    high: float
    is_log: bool = False
    names: Sequence[str] = ()
    """Words for the whole numbers, from 0."""

    def place(self, value: float) -> float:
        """Position of a value, from 0 at the low end to 1 at the high one."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """A few values with their labels."""
        if self.names:
            # The newest first: where not all names have room, it keeps its own.
            places = range(len(self.names) - 1, -1, -math.ceil(len(self.names) / _TICKS))
            return [(place, self.names[place]) for place in places]
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
    series: Sequence[Series],
    table: Sequence[Sequence[str]],
    *,
    is_joined: bool,
) -> Markup:
    """A chart as part of a page.

    Args:
        name: Tells it from other charts of its page.
        title: Its heading.
        words: Description for those who do not see it.
        note: Printed below the title.
        axes: Across and up.
        series: Best first.
        table: Its numbers, after a row of heads.
        is_joined: True if lines join the points of a series.
    """
    x, y = axes
    width = _WIDTH - (_LEGEND if is_joined else 0)

    def across(value: float) -> float:
        return round(_LEFT + width * x.place(value), 1)

    def down(value: float) -> float:
        return round(_TOP + _HEIGHT * (1 - y.place(value)), 1)

    drawn = [
        [
            (across(p.x), down(p.y), *(None if v is None else down(v) for v in (p.low, p.high)))
            for p in each.points
        ]
        for each in series
    ]
    right = _LEFT + width
    labels: list[tuple[float, float, str, str]]
    if is_joined:
        labels = [(right + 36, _TOP + 12 + 18 * n, "start", s.name) for n, s in enumerate(series)]
    else:
        dots = [(each.name, across(p.x), down(p.y)) for each in series for p in each.points]
        labels = list(_beside(dots))
    return Markup(
        environment()
        .get_template("_chart.html.j2")
        .render(
            name=name,
            title=title,
            words=words,
            note=note,
            titles=(x.title, y.title),
            plane=(_LEFT, _TOP, right, _TOP + _HEIGHT),
            x_ticks=[(across(value), label) for value, label in x.ticks()],
            y_ticks=[(down(value), label) for value, label in y.ticks()],
            series=list(zip(series, drawn, strict=True)),
            labels=labels,
            table=table,
            is_joined=is_joined,
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
