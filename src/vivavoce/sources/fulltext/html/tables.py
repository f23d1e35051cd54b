"""Tables of LaTeXML pages: captions, rows of cells and the references cited in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.html.tree import classes_of, outermost, outside_divisions
from vivavoce.sources.fulltext.html.typeset import line_of
from vivavoce.text.row_citations import RowCitations

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
    cited = tuple(sorted(set(_mentions(holder, ordinals))))
    cells: list[tuple[str, ...]] = []
    row_cited: list[tuple[int, ...]] = []
    known = frozenset(cited)
    room = _MOST_CELLS
    for tabular in tabulars:
        grid = _Grid(ordinals, room)
        cells += grid.read(tabular)
        row_cited += grid.citations.by_row(known)
        room = grid.room
    if not caption and not cells:
        return None
    return CitedTable(ordinal, caption, tuple(cells), cited, tuple(row_cited))


def is_grid(tabular: etree._Element) -> bool:
    """Whether a tabular has two rows and two columns: a smaller one was used for layout."""
    rows = list(outermost(tabular, _is_row))
    widths = (sum(_width(cell) for cell in outermost(row, _is_cell)) for row in rows)
    return len(rows) > 1 and max(widths) > 1


def is_tabular(element: etree._Element) -> bool:
    """Whether an element is a grid of cells and not one of formulas."""
    return "ltx_tabular" in classes_of(element)


def _mentions(element: etree._Element, ordinals: Mapping[str, int]) -> Iterator[int]:
    """The references that links below an element lead to; a dash between two links is a range."""
    last, between = -1, ""
    for link in outside_divisions(element, lambda below: below.tag == "a"):
        here = ordinals.get((link.get("href") or "").rpartition("#")[2], -1)
        if here < 0:
            continue
        if _DASH.fullmatch(between) and 0 <= last < here <= last + _LONGEST_RANGE:
            yield from range(last + 1, here)
        yield here
        last, between = here, (link.tail or "") if link.getnext() is not None else ""


class _Grid:
    """Reads the rows of a tabular and what they cite."""

    def __init__(self, ordinals: Mapping[str, int], room: int) -> None:
        self.room = room
        """How many more places may be read."""
        self.citations = RowCitations()
        self._ordinals = ordinals
        self._left: dict[int, int] = {}
        """Column -> rows below that a cell above still covers."""

    def read(self, tabular: etree._Element) -> Iterator[tuple[str, ...]]:
        """The rows that hold text; the further places that a cell spans are empty."""
        for row in outermost(tabular, _is_row):
            if self.room < 0:
                return
            cells = self._row(row)
            self.room -= len(cells)
            is_kept = self.room >= 0 and any(cells)
            self.citations.end_row(is_kept=is_kept)
            if is_kept:
                yield tuple(cells)

    def _row(self, row: etree._Element) -> list[str]:
        cells: list[str] = []
        for cell in outermost(row, _is_cell):
            self._pass_covered(cells)
            width = _width(cell)
            if len(cells) + width > _WIDEST_ROW:
                break
            height = min(_span(cell, "rowspan"), _TALLEST_SPAN)
            self._left.update(dict.fromkeys(range(len(cells), len(cells) + width), height - 1))
            self.citations.cite(_mentions(cell, self._ordinals), height)
            cells += [line_of(cell), *[""] * (width - 1)]
        self._pass_covered(cells)
        return cells

    def _pass_covered(self, cells: list[str]) -> None:
        while self._left.get(len(cells), 0) > 0:
            self._left[len(cells)] -= 1
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
