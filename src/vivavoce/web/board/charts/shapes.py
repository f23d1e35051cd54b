"""The three forms of our charts as Vega-Lite specifications: points, lines and pairs.

They say what to draw and nothing of boards. Names in them are data: shorten them with `short`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.web.board.charts.drawing import (
    ACCENT,
    FONT,
    INK,
    PAPER,
    QUIET,
    RULE,
    SERIES,
    STRONG,
    Axis,
    Spec,
    rounded,
    spread,
)
from vivavoce.web.printing import visible

WIDTH = 440
"""Of a chart; it shrinks on phones, so text in it starts large."""
_PLOT_HEIGHT = 210
_TOP, _BOTTOM = 34, 46
_LABEL_GAP = 15.0
_NAME_SPACE = 132
_TEXT = 12.5
_CROWD = 24
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_CONFIG = {
    "aria": False,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": _TEXT,
        "titleFontSize": _TEXT,
        "titleFontWeight": "normal",
        "labelColor": QUIET,
        "titleColor": QUIET,
        "gridColor": RULE,
        "domainColor": STRONG,
        "tickColor": STRONG,
        # Each of these would have every label measured again.
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
        "labelLimit": 0,
        "titleLimit": 0,
    },
}

_NAME = {"field": "t", "type": "nominal"}
_ROW_NAME = {"type": "text", "align": "right", "color": INK, "fontSize": _TEXT}
_MAKER = re.compile(r"^[\w.-]{1,60}/(?:[\w.-]{1,60}/)?(?=[\w.-])")


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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart, from left to right."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of one thing."""

    name: str
    first: float
    second: float


def short(name: object, limit: int = 20) -> str:
    """A name that fits into a chart: without its maker, harmless, and cut with a mark."""
    text = visible(name, 200).strip()
    tail = _MAKER.sub("", text, count=1)
    return tail if len(tail) <= limit else tail[: limit - 1].rstrip() + "…"


def scatter(dots: Sequence[Dot], x: Axis, y: Axis) -> Spec:
    """Points over two axes; names stand where they have room."""
    left, right = 46, 18
    width = WIDTH - left - right
    plane = {"x": _encoding("x", x), "y": _encoding("y", y)}
    rules = [
        {"x": dot.x, "y": dot.low, "y2": dot.high}
        for dot in dots
        if dot.low is not None and dot.high is not None
    ]
    points = [
        {"x": dot.x, "y": dot.y, "c": PAPER if dot.is_hollow else ACCENT, "o": _weight(dot, dots)}
        for dot in dots
    ]
    rule = {"type": "rule", "color": QUIET, "strokeWidth": 1.2}
    point = {"type": "point", "filled": True, "size": 52, "stroke": ACCENT, "strokeWidth": 1.3}
    opacity = {"field": "o", "type": "quantitative", "scale": None}
    layers = [_layer(rules, rule, **plane, y2={"field": "y2"})] if rules else []
    layers.append(_layer(points, point, **plane, fill=_raw("c"), opacity=opacity))
    # The style of the file draws this edge under the letters: they stand clear of the points.
    halo = {"fill": INK, "stroke": PAPER, "strokeWidth": 3.5, "fontSize": _TEXT}
    for align, names in _roomy(dots, x, y, width):
        text = {"type": "text", "align": align, "dx": 8 if align == "left" else -8, **halo}
        layers.append(_layer(names, text, **plane, text=_NAME))
    return _spec(layers, width, _PLOT_HEIGHT, left, right)


def _weight(dot: Dot, dots: Sequence[Dot]) -> float:
    """Opacity of a point: among many, those without a name step back."""
    return 1.0 if dot.name or len(dots) <= _CROWD else 0.4


def _roomy(
    dots: Sequence[Dot], x: Axis, y: Axis, width: int
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The names that can stand beside their points without touching another name."""
    taken: list[tuple[float, float, float]] = []
    sides: dict[str, list[dict[str, Any]]] = {"left": [], "right": []}
    for dot in dots:
        if not dot.name:
            continue
        at, height = x.place(dot.x) * width, y.place(dot.y) * _PLOT_HEIGHT
        length = 8 + 0.56 * _TEXT * len(dot.name)
        for align, start in (("left", at), ("right", at - length)):
            fits = start >= 0 and start + length <= width
            free = all(
                start + length < low or start > high or abs(height - level) > _LABEL_GAP
                for low, high, level in taken
            )
            if fits and free:
                taken.append((start, start + length, height))
                sides[align].append({"x": dot.x, "y": dot.y, "t": dot.name})
                break
    return [(align, names) for align, names in sides.items() if names]


def lines(
    series: Sequence[Line], x: Axis, y: Axis, ticks: Mapping[float, str] | None = None
) -> Spec:
    """Lines, each with its name at its right end; `ticks` are words for places on the x axis."""
    left, right = 46, _NAME_SPACE
    width = WIDTH - left - right
    points = [
        {"x": at, "y": value, "c": SERIES[number % len(SERIES)]}
        for number, line in enumerate(series)
        for at, value in line.points
    ]
    ends = [y.place(line.points[-1][1]) * _PLOT_HEIGHT for line in series]
    names = [
        {
            "x": x.high,
            "y": rounded(y.low + place / _PLOT_HEIGHT * (y.high - y.low)),
            "t": short(line.name, 17),
            "c": SERIES[number % len(SERIES)],
        }
        for number, (line, place) in enumerate(
            zip(series, spread(ends, _LABEL_GAP, _PLOT_HEIGHT), strict=True)
        )
    ]
    plane = {"x": _encoding("x", x, ticks), "y": _encoding("y", y)}
    colour = _raw("c")
    line = {"type": "line", "strokeWidth": 2, "strokeJoin": "round"}
    dot = {"type": "point", "filled": True, "size": 42, "opacity": 1}
    text = {"type": "text", "align": "left", "dx": 6, "fontSize": _TEXT}
    layers = [
        _layer(points, line, **plane, stroke=colour, detail=colour),
        _layer(points, dot, **plane, fill=colour),
        _layer(names, text, **plane, text=_NAME, fill=colour),
    ]
    return _spec(layers, width, _PLOT_HEIGHT, left, right)


def pairs(found: Sequence[Pair], x: Axis) -> Spec:
    """For each thing two points on one line: the first hollow, the second filled."""
    left, right = 158, 18
    width, height = WIDTH - left - right, 24 * len(found)
    rows = [
        {"n": number, "x": pair.first, "x2": pair.second, "t": short(pair.name, 19)}
        for number, pair in enumerate(found)
    ]
    across, down = _encoding("x", x), _slots("n", len(found), reverse=True)
    rule = {"type": "rule", "color": ACCENT, "strokeWidth": 1.5}
    dot = {"type": "point", "filled": True, "opacity": 1, "size": 62, "stroke": ACCENT}
    dot["strokeWidth"] = 1.5
    layers = [
        _layer(rows, rule, x=across, x2={"field": "x2"}, y=down),
        _layer(rows, {**dot, "fill": PAPER}, x=across, y=down),
        _layer(rows, {**dot, "fill": ACCENT}, x={**across, "field": "x2"}, y=down),
        _layer(rows, {**_ROW_NAME, "x": -10}, text=_NAME, y=down),
    ]
    return _spec(layers, width, height, left, right, top=8)


def _slots(field: str, count: int, *, reverse: bool = False) -> Spec:
    axis = Axis("", -0.5, count - 0.5, ())
    scale = {**axis.scale(), "reverse": reverse}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": None}


def _layer(values: Sequence[Mapping[str, Any]], mark: Spec, **encoding: Spec) -> Spec:
    return {"data": {"values": list(values)}, "mark": mark, "encoding": encoding}


def _raw(field: str) -> Spec:
    """A channel that takes colours as they are."""
    return {"field": field, "type": "nominal", "scale": None}


def _encoding(channel: str, axis: Axis, ticks: Mapping[float, str] | None = None) -> Spec:
    shown: Spec = {"title": axis.title, "values": list(axis.ticks), "format": axis.format}
    if channel == "y":
        # Read from left to right, above the axis.
        shown |= {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": -38}
        shown |= {"titleY": -20, "ticks": False, "domain": False}
    else:
        shown |= {"grid": False, "tickSize": 4}
    if ticks is not None:
        shown["values"] = list(ticks)
        shown["labelExpr"] = _words(ticks)
        del shown["format"]
    return {"field": channel, "type": "quantitative", "scale": axis.scale(), "axis": shown}


def _words(ticks: Mapping[float, str]) -> str:
    """An expression that gives each tick its word; words reach it as JSON strings."""
    table = json.dumps({f"{at:g}": word for at, word in ticks.items()})
    return f"{table}[format(datum.value, '~g')]"


def _spec(
    layers: Sequence[Spec],
    width: int,
    height: int,
    left: int,
    right: int,
    *,
    top: int = _TOP,
    bottom: int = _BOTTOM,
) -> Spec:
    # Fixed margins: what is drawn never moves with the fonts of a machine.
    return {
        "$schema": _SCHEMA,
        "width": width,
        "height": height,
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "autosize": {"type": "none"},
        "background": None,
        "config": _CONFIG,
        "layer": list(layers),
    }
