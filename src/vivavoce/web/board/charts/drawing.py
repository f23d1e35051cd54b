"""Charts as SVG files: Vega-Lite draws them when a site is built, so pages ship no chart code.

A file carries its colours for light and dark, names no font file and nothing outside itself, and
holds only shapes and text: whatever else a chart might bring is dropped here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vivavoce.errors import MissingExtra, VivaError
from vivavoce.web.board.page import Page, environment, file_of

if TYPE_CHECKING:
    from markupsafe import Markup


Spec = dict[str, Any]
"""A chart as Vega-Lite has it."""

PACKAGE = "vl-convert-python"
_VEGA_LITE = "6.4"

PAPER, INK, QUIET, RULE, STRONG = "#ffffff", "#1c1e21", "#5d6169", "#e3e0d8", "#bdb9ae"
ACCENT = "#1d5a8f"
SERIES = (
    ACCENT,
    "#b4532a",
    "#2f7d4f",
    "#7a4a9e",
    "#8a6d12",
    "#a83a5b",
    "#2a7d8c",
    "#565b63",
)
"""Colours of lines; each line is named at its end too."""

_DARK = {
    PAPER: "#1a1d22",
    INK: "#e9e7e1",
    QUIET: "#a2a5ab",
    RULE: "#2c3037",
    STRONG: "#4c515a",
    ACCENT: "#8fc0ee",
    "#b4532a": "#eb9b6f",
    "#2f7d4f": "#7fc79b",
    "#7a4a9e": "#c3a0e0",
    "#8a6d12": "#d9bd63",
    "#a83a5b": "#ec91ab",
    "#2a7d8c": "#7fcbd8",
    "#565b63": "#b4b7bd",
}
"""The colour that stands for each one where the reader prefers a dark page."""

# Measured with a font that vl-convert brings along, so that every machine lays out alike.
FONT = "Liberation Sans"
_FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
_SVG = "{http://www.w3.org/2000/svg}"
_TAGS = frozenset(_SVG + name for name in ("svg", "g", "path", "line", "rect", "text", "tspan"))
_ATTRIBUTES = frozenset(
    """
    width height viewBox version transform d fill stroke stroke-width stroke-opacity
    fill-opacity opacity stroke-dasharray stroke-linecap stroke-linejoin stroke-miterlimit
    x y x1 x2 y1 y2 dx dy font-size font-weight font-style text-anchor
    """.split()
)


def is_available() -> bool:
    """Check that charts can be drawn here."""
    return find_spec("vl_convert") is not None


@cache
def drawer() -> str:
    """Name and version of the drawing package: another one may draw the same chart otherwise."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        return "none"


def missing() -> MissingExtra:
    """Error for someone who wants charts and cannot have them."""
    return MissingExtra(PACKAGE, "web", "Drawing charts")


def draw(spec: Spec) -> bytes:
    """Draw a Vega-Lite chart as an SVG file.

    Raises:
        MissingExtra: vl-convert is not installed.
        VivaError: It could not draw the chart, or drew something else than shapes and text.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise missing() from error
    try:
        # The same drawing as in one step, which takes half as long again.
        vega = vl_convert.vegalite_to_vega(spec, vl_version=_VEGA_LITE)
        svg = vl_convert.vega_to_svg(vega, allowed_base_urls=[])
    except ValueError as error:
        raise VivaError(f"A chart could not be drawn: {error}") from error
    return _cleaned(svg)


def _cleaned(svg: str) -> bytes:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    drawn = etree.fromstring(svg.encode("utf-8"), parser)
    colours: dict[str, None] = {}
    for element in drawn.iter():
        if element.tag not in _TAGS:
            raise VivaError(f"A chart holds the element {element.tag}, which no chart needs.")
        for name, value in element.attrib.items():
            if name not in _ATTRIBUTES:
                del element.attrib[name]
            elif value in _DARK:
                colours[value] = None
    drawn = _without_empty(drawn)
    style = etree.Element(_SVG + "style")
    style.text = _style(sorted(colours))
    drawn.insert(0, style)
    etree.cleanup_namespaces(drawn)
    return bytes(etree.tostring(drawn, encoding="utf-8")) + b"\n"


def _without_empty(drawn: Any) -> Any:
    """Leave out the boxes that Vega puts behind its groups and that draw nothing."""
    for path in list(drawn.iter(_SVG + "path")):
        if path.get("fill") is None and path.get("stroke") is None:
            parent = path.getparent()
            if parent is not None and parent.get("fill") in (None, "none"):
                parent.remove(path)
    return drawn


def _style(colours: list[str]) -> str:
    dark = "".join(
        f'[fill="{light}"]{{fill:{_DARK[light]}}}[stroke="{light}"]{{stroke:{_DARK[light]}}}'
        for light in colours
    )
    text = f"text{{font-family:{_FONTS};paint-order:stroke}}"
    return f"{text}@media (prefers-color-scheme:dark){{{dark}}}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, ready to show."""

    title: str
    template: str
    """In `templates/charts`: the words around the drawing, and its table."""
    spec: Spec
    values: Mapping[str, Any]
    """Given to the template."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that has its numbers; nothing of it is made yet."""

    path: str
    """Of its drawing, inside the site."""
    key: str
    """Sha256 of the rows it shows."""
    build: Callable[[], Figure]


def drawings(charts: Sequence[Chart]) -> list[Page]:
    """The files of the charts, each once; none where charts cannot be drawn here."""
    if not is_available():
        return []
    unique = {chart.path: chart for chart in charts}
    return [
        file_of(path, [drawer(), chart.key], partial(_drawn, chart))
        for path, chart in unique.items()
    ]


def _drawn(chart: Chart) -> bytes:
    return draw(chart.build().spec)


def shown(charts: Sequence[Chart], root: str, *, is_drawn: bool = True) -> list[Markup]:
    """The charts as parts of a page; tables alone where they are not drawn."""
    from markupsafe import Markup

    is_drawn = is_drawn and is_available()
    made = []
    for chart in charts:
        figure = chart.build()
        width, height = size_of(figure.spec)
        text = environment().get_template(f"charts/{figure.template}.html.j2")
        drawing = {"source": f"{root}{chart.path}", "width": width, "height": height}
        # The template escapes what it is given.
        html = text.render(title=figure.title, is_drawn=is_drawn, **drawing, **figure.values)
        made.append(Markup(html))
    return made


def size_of(spec: Spec) -> tuple[int, int]:
    """Width and height of a chart in pixels, its margins included."""
    padding = spec["padding"]
    width = spec["width"] + padding["left"] + padding["right"]
    return width, spec["height"] + padding["top"] + padding["bottom"]


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
