"""Charts as SVG files: Vega-Lite draws them when a site is built, so pages ship no chart code.

A file carries its colours for light and dark, names no font file and nothing outside itself, and
holds only shapes and text: whatever else a chart might bring is dropped here.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vivavoce.errors import MissingExtra, VivaError
from vivavoce.web.board.charts.shapes import HEIGHT, WIDTH, Spec
from vivavoce.web.board.page import Page, environment, file_of

if TYPE_CHECKING:
    from markupsafe import Markup


PACKAGE = "vl-convert-python"
_VEGA_LITE = "6.4"
_FORMS = 32

_DARK = {
    "#ffffff": "#1a1d22",
    "#1c1e21": "#e9e7e1",
    "#5d6169": "#a2a5ab",
    "#e3e0d8": "#2c3037",
    "#bdb9ae": "#4c515a",
    "#1d5a8f": "#8fc0ee",
    "#b4532a": "#eb9b6f",
    "#2f7d4f": "#7fc79b",
    "#7a4a9e": "#c3a0e0",
    "#8a6d12": "#d9bd63",
    "#a83a5b": "#ec91ab",
    "#2a7d8c": "#7fcbd8",
    "#565b63": "#b4b7bd",
}
"""For each colour of a chart the one that it has where the reader prefers a dark page."""

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


def draw(spec: Spec) -> bytes:
    """Draw a Vega-Lite chart as an SVG file.

    Raises:
        MissingExtra: vl-convert is not installed.
        VivaError: It could not draw the chart, or drew something else than shapes and text.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtra(PACKAGE, "web", "Drawing charts") from error
    try:
        svg = vl_convert.vega_to_svg(_vega_of(spec), allowed_base_urls=[])
    except ValueError as error:
        raise VivaError(f"A chart could not be drawn: {error}") from error
    return _cleaned(svg, spec["usermeta"]["names"])


def _vega_of(spec: Spec) -> Spec:
    """A chart as Vega has it; those that differ in points and domains alone are compiled once."""
    form = copy.deepcopy({**spec, "usermeta": None, "data": {"name": "rows"}})
    scales = {axis: form["encoding"].get(axis, {}).get("scale", {}) for axis in ("x", "y")}
    domains = {axis: scale["domain"] for axis, scale in scales.items() if scale}
    for axis in domains:
        scales[axis]["domain"] = [1, 2]
    vega: Spec = json.loads(_compiled(json.dumps(form)))
    vega["data"][0] |= spec["data"]
    for scale in vega["scales"]:
        scale["domain"] = domains.get(scale["name"], scale["domain"])
    return vega


@lru_cache(maxsize=_FORMS)
def _compiled(form: str) -> str:
    import vl_convert

    return json.dumps(vl_convert.vegalite_to_vega(form, vl_version=_VEGA_LITE))


def _cleaned(svg: str, names: Sequence[str]) -> bytes:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    drawn = etree.fromstring(svg.encode("utf-8"), parser)
    for group in drawn.iter(_SVG + "g"):
        kind = group.get("class", "")
        if kind.startswith("mark-text") and "role-axis" not in kind:
            for text in group:
                text.text = names[int(text.text or 0)]
    colours: set[str] = set()
    for element in drawn.iter():
        if element.tag not in _TAGS:
            raise VivaError(f"A chart holds the element {element.tag}, which no chart needs.")
        for name, value in element.attrib.items():
            if name not in _ATTRIBUTES:
                del element.attrib[name]
            elif value in _DARK:
                colours.add(value)
    style = etree.Element(_SVG + "style")
    style.text = _style(sorted(colours))
    drawn.insert(0, style)
    etree.cleanup_namespaces(drawn)
    return bytes(etree.tostring(drawn, encoding="utf-8")) + b"\n"


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
    plot: Callable[[], Spec]
    """Lays out the drawing: a page needs only its size."""
    values: Mapping[str, Any]
    """Given to the template."""
    height: int = HEIGHT

    @property
    def spec(self) -> Spec:
        """The drawing as Vega-Lite has it."""
        return self.plot()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that has its numbers; no part of it is drawn yet."""

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


def keys_of(charts: Sequence[Chart]) -> list[Any]:
    """Inputs of a page that come from its charts."""
    return [drawer() if charts else "", [[chart.path, chart.key] for chart in charts]]


def shown(charts: Sequence[Chart], root: str) -> list[Markup]:
    """The charts as parts of a page; tables alone where they cannot be drawn here."""
    from markupsafe import Markup

    is_drawn = is_available()
    made = []
    for chart in charts:
        figure = chart.build()
        text = environment().get_template(f"charts/{figure.template}.html.j2")
        drawing = {"source": f"{root}{chart.path}", "width": WIDTH, "height": figure.height}
        # The template escapes what it is given.
        html = text.render(
            title=figure.title, figure=figure, is_drawn=is_drawn, **drawing, **figure.values
        )
        made.append(Markup(html))
    return made
