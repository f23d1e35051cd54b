"""Tables of LaTeXML pages: captions, rows of cells and the references cited in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from vivavoce.records import CitedTable
from vivavoce.sources.html.tree import classes_of, outermost, outside_divisions
from vivavoce.sources.html.typeset import line_of

_WIDEST_SPAN = 40
_TALLEST_SPAN = 200
_WIDEST_ROW = 400
_MOST_CELLS = 200_000
_LONGEST_RANGE = 50
_DASH = re.compile(r"\s*[\])]?\s*[-‐–—−]\s*[\[(]?\s*")


def read_table(
    holder: etree._Element, ordinal: int, ordinals: Mapping[str, int]
) -> CitedTable | None:
    """The table in a figure, or a tabular alone; None where there is neither caption nor cell."""
    captions = [line_of(caption) for caption in outside_divisions(holder, _is_caption)]
    tabulars = [holder] if is_tabular(holder) else list(outside_divisions(holder, is_tabular))
    caption = " ".join(text for text in captions if text)
    cells = tuple(_rows(tabulars))
    if not caption and not cells:
        return None
    return CitedTable(ordinal, caption, cells, cited_in(holder, ordinals))


def is_grid(tabular: etree._Element) -> bool:
    """Whether a tabular has two rows and two columns: a smaller one was used for layout."""
    rows = list(outermost(tabular, _is_row))
    widths = (sum(_width(cell) for cell in outermost(row, _is_cell)) for row in rows)
    return len(rows) > 1 and max(widths) > 1


def is_tabular(element: etree._Element) -> bool:
    """Whether an element is a grid of cells and not one of formulas."""
    return "ltx_tabular" in classes_of(element)


def cited_in(element: etree._Element, ordinals: Mapping[str, int]) -> tuple[int, ...]:
    """The references that links below an element lead to; a dash between two links is a range."""
    found: set[int] = set()
    last, between = -1, ""
    for link in outside_divisions(element, lambda below: below.tag == "a"):
        here = ordinals.get((link.get("href") or "").rpartition("#")[2], -1)
        if here < 0:
            continue
        found.add(here)
        if _DASH.fullmatch(between) and 0 <= last < here <= last + _LONGEST_RANGE:
            found.update(range(last, here))
        last, between = here, (link.tail or "") if link.getnext() is not None else ""
    return tuple(sorted(found))


def _rows(tabulars: list[etree._Element]) -> Iterator[tuple[str, ...]]:
    """The rows that hold text; the further places that a cell spans are empty."""
    room = _MOST_CELLS
    for tabular in tabulars:
        left: dict[int, int] = {}  # column -> rows below that a cell above still covers
        for row in outermost(tabular, _is_row):
            cells = _row(row, left)
            room -= len(cells)
            if room < 0:
                return
            if any(cells):
                yield tuple(cells)


def _row(row: etree._Element, left: dict[int, int]) -> list[str]:
    cells: list[str] = []
    for cell in outermost(row, _is_cell):
        _pass_covered(cells, left)
        width = _width(cell)
        if len(cells) + width > _WIDEST_ROW:
            break
        height = min(_span(cell, "rowspan"), _TALLEST_SPAN)
        left.update(dict.fromkeys(range(len(cells), len(cells) + width), height - 1))
        cells += [line_of(cell), *[""] * (width - 1)]
    _pass_covered(cells, left)
    return cells


def _pass_covered(cells: list[str], left: dict[int, int]) -> None:
    while left.get(len(cells), 0) > 0:
        left[len(cells)] -= 1
        cells.append("")


def _width(cell: etree._Element) -> int:
    return min(_span(cell, "colspan"), _WIDEST_SPAN)


def _span(cell: etree._Element, name: str) -> int:
    """How far a cell goes; cells that are no `td` say it in a class, as `ltx_colspan_2`."""
    start = f"ltx_{name}_"
    named = (kind[len(start) :] for kind in sorted(classes_of(cell)) if kind.startswith(start))
    value = cell.get(name) or next(named, "1")
    return max(int(value), 1) if value.isascii() and value.isdigit() and len(value) < 5 else 1


def _is_caption(element: etree._Element) -> bool:
    return element.tag == "figcaption" or "ltx_caption" in classes_of(element)


def _is_row(element: etree._Element) -> bool:
    return element.tag == "tr" or "ltx_tr" in classes_of(element)


def _is_cell(element: etree._Element) -> bool:
    return element.tag in {"td", "th"} or "ltx_td" in classes_of(element)
