"""What a chart on a page is: a drawing with words around it and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from vivavoce.web.board.charts.drawing import draw, drawer, is_available
from vivavoce.web.board.charts.shapes import Spec, size_of
from vivavoce.web.board.page import Page, environment, file_of

if TYPE_CHECKING:
    from markupsafe import Markup


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
