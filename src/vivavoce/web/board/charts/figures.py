"""What a chart on a page is: a drawing with words around it and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.web.board.charts.drawing import draw, drawer, is_available
from vivavoce.web.board.charts.shapes import Spec, size_of
from vivavoce.web.board.page import Page, environment, file_of

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_ROWS = 40
"""Of a chart's table: all numbers are in the page's own table and in its downloads."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, ready to show."""

    title: str
    alt: str
    """What the drawing shows, in a sentence or two."""
    note: str
    """How to read it; may be empty."""
    head: tuple[str, ...]
    """Of its table; empty where the page shows the same numbers beside it."""
    rows: tuple[tuple[str, ...], ...]
    """At most `MAX_ROWS`."""
    spec: Spec
    unlisted: int = 0
    """How many rows more there would be."""


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

    template = environment().get_template("_chart.html.j2")
    is_drawn = is_drawn and is_available()
    made = []
    for chart in charts:
        figure = chart.build()
        width, height = size_of(figure.spec)
        given = {"figure": figure, "width": width, "height": height, "is_drawn": is_drawn}
        # The template escapes what it is given.
        made.append(Markup(template.render(source=f"{root}{chart.path}", **given)))
    return made


def amount(value: float) -> str:
    """A number of three digits: 12,300, 4.56 or 0.00789."""
    if value >= 1000:
        return f"{float(f'{value:.{_DIGITS}g}'):,.0f}"
    return f"{value:.{_DIGITS}g}" if value >= 0.0001 or value == 0 else f"{value:.1e}"
