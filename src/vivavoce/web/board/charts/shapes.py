"""The three forms of our charts: points, lines and pairs.

Templates in `templates/charts` hold their Vega-Lite specifications; Vega-Lite lays out axes and
legends. Names in them are data: shorten them with `short`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from vivavoce.web.board.page import environment
from vivavoce.web.printing import visible

Spec = dict[str, Any]
"""A chart as Vega-Lite has it."""

# Measured with a font that vl-convert brings along, so that every machine lays out alike.
_FONT = "Liberation Sans"
WIDTH, HEIGHT = 440, 290
"""Of an image in pixels, its margins included; that of pairs is as high as `height_of_pairs`."""
_WIDTH, _HEIGHT = 376, 210
"""Size of the plane of a scatter; the image shrinks on phones, so text in it starts large."""
_MARGIN = 0.06
"""Share of an axis's length that is free at both of its ends."""
_ALIKE, _LEAST = 1e-9, 1e-30
"""Values that are no further apart, as a share of their size or at all, are one to an axis."""
_LOG_FROM = 12.0
"""The largest value is so many times the smallest where an axis becomes logarithmic."""
_THOUSANDS = 1000
FEW = 12
"""So few points are all named."""
_MAX_NAMES = 8
_CROWD = 24
_LABEL_GAP = 15.0
_LETTER = 7.0
"""Mean width of a letter."""
_MAKER = re.compile(r"^[\w.-]{1,60}/(?:[\w.-]{1,60}/)?(?=[\w.-])")


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of numbers."""

    title: str
    domain: tuple[float, float]
    is_log: bool = False

    @property
    def format(self) -> str:
        """As d3-format has it: 10k rather than 10,000."""
        return "~s" if self.domain[1] >= _THOUSANDS else "~g"

    def place(self, value: float) -> float:
        """Position of a value, from 0 at the low end to 1 at the high one."""
        low, high = self.domain
        if self.is_log:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a scatter."""

    x: float
    y: float
    is_hollow: bool = False
    name: str = ""
    """Drawn beside it; empty for none."""
    low: float | None = None
    high: float | None = None
    """Its interval, drawn where both are given."""


class Line(NamedTuple):
    """A line of a chart, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


class Pair(NamedTuple):
    """Two values of one thing."""

    name: str
    first: float
    second: float


def axis_of(title: str, values: Sequence[float], *, may_be_log: bool = False) -> Axis:
    """An axis that holds all values."""
    low, high = min(values), max(values)
    if may_be_log and low > 0 and high / low >= _LOG_FROM:
        ratio = (high / low) ** _MARGIN
        return Axis(title, (low / ratio, high * ratio), is_log=True)
    size = max(abs(low), abs(high))
    span = high - low
    if span < max(_ALIKE * size, _LEAST):
        span = size if size > _LEAST else 1.0
    # No axis shows amounts below 0 where there are none.
    first = 0.0 if 0 <= low < _MARGIN * span else low - _MARGIN * span
    return Axis(title, (first, high + _MARGIN * span))


def short(name: object, limit: int = 20) -> str:
    """A name that fits into a chart: without its maker, harmless, and cut with a mark."""
    text = visible(name, 200).strip()
    tail = _MAKER.sub("", text, count=1)
    return tail if len(tail) <= limit else tail[: limit - 1].rstrip() + "…"


def scatter(x_title: str, y_title: str, dots: Sequence[Dot]) -> Spec:
    """Points, best first, over what they cost; names are drawn where they have room."""
    drawn = _named(dots)
    x = axis_of(x_title, [dot.x for dot in drawn], may_be_log=True)
    ends = [end for dot in drawn for end in (dot.y, dot.low, dot.high) if end is not None]
    y = axis_of(y_title, ends)
    rows = [
        # Among many points, those without a name step back.
        {
            **asdict(dot),
            "name": place,
            "side": side,
            "opacity": 1 if dot.name or len(dots) <= _CROWD else 0.4,
        }
        for place, (dot, side) in enumerate(zip(drawn, _sides(drawn, x, y), strict=True))
    ]
    names = [dot.name for dot in drawn]
    return _filled("scatter", names, dots=rows, x=x, y=y, width=_WIDTH, height=_HEIGHT)


def _named(dots: Sequence[Dot]) -> list[Dot]:
    """Dots of which many keep name and interval only where nobody is better for less."""
    if len(dots) <= FEW:
        return list(dots)
    made, least, named = [], math.inf, 0
    for dot in dots:
        if dot.x < least and named < _MAX_NAMES:
            named += 1
        else:
            dot = replace(dot, name="", low=None, high=None)
        made.append(dot)
        least = min(least, dot.x)
    return made


def _sides(dots: Sequence[Dot], x: Axis, y: Axis) -> list[str]:
    """Alignment of each dot's name: the side on which it touches no other name, or none."""
    taken: list[tuple[float, float, float]] = []
    sides = []
    for dot in dots:
        at, height = x.place(dot.x) * _WIDTH, y.place(dot.y) * _HEIGHT
        length = 8 + _LETTER * len(dot.name)
        chosen = ""
        for side, start in (("left", at), ("right", at - length)):
            fits = dot.name and start >= 0 and start + length <= _WIDTH
            if fits and all(
                start + length < low or start > high or abs(height - level) > _LABEL_GAP
                for low, high, level in taken
            ):
                taken.append((start, start + length, height))
                chosen = side
                break
        sides.append(chosen)
    return sides


def lines(series: Sequence[Line], x: Axis, y: Axis, ticks: Sequence[str] = ()) -> Spec:
    """Lines; `ticks` are words for the whole numbers of the x axis, from 0."""
    points = [
        {"line": number, "x": at, "y": value}
        for number, (_, line) in enumerate(series)
        for at, value in line
    ]
    names = [short(name, 17) for name, _ in series]
    return _filled("lines", names, points=points, x=x, y=y, ticks=ticks)


def height_of_pairs(count: int) -> int:
    """Height of an image of so many pairs."""
    return 54 + 24 * count


def pairs(title: str, found: Sequence[Pair]) -> Spec:
    """For each thing two points on one line: the first hollow, the second filled."""
    rows = [
        {"place": place, "first": first, "second": second}
        for place, (_, first, second) in enumerate(found)
    ]
    x = axis_of(title, [value for pair in found for value in pair[1:]])
    return _filled("pairs", [short(pair.name, 19) for pair in found], rows=rows, x=x)


def _filled(form: str, names: Sequence[str], **values: Any) -> Spec:
    """A chart with numbers for names: Vega measures text letter by letter, which is most of it."""
    template = environment().get_template(f"charts/{form}.json.j2")
    spec: Spec = json.loads(template.render(font=_FONT, names=names, **values))
    return spec
