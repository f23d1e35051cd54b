"""Tables of JATS articles."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.jats.references import Ordinals, mentions_in
from vivavoce.sources.fulltext.jats.xml import text_of
from vivavoce.sources.xml import children
from vivavoce.text.row_citations import RowCitations

_PLACES = ("body", "back", "floats-group", "floats-wrap")
_WIDEST_SPAN = 40
_TALLEST_SPAN = 200
_WIDEST_ROW = 400
_MOST_CELLS = 200_000


def read_tables(article: etree._Element, ordinals: Ordinals) -> tuple[CitedTable, ...]:
    """The tables in order; a table cites what stands in its caption, cells and notes."""
    found = (table for place in _PLACES for table in article.iterfind(f"{place}//table-wrap"))
    return tuple(_read_table(table, ordinal, ordinals) for ordinal, table in enumerate(found))


def _read_table(wrap: etree._Element, ordinal: int, ordinals: Ordinals) -> CitedTable:
    cited = tuple(sorted(set(mentions_in(wrap, ordinals))))
    citations = RowCitations()
    cells = tuple(_rows(wrap, ordinals, citations))
    return CitedTable(ordinal, _caption(wrap), cells, cited, citations.by_row(cited))


def _caption(table: etree._Element) -> str:
    label = text_of(table.find("label")).rstrip(" .:")
    caption = text_of(table.find("caption"))
    return f"{label}: {caption}" if label and caption else label or caption


def _rows(
    wrap: etree._Element, ordinals: Ordinals, citations: RowCitations
) -> Iterator[tuple[str, ...]]:
    """The rows that hold text; the further places that a cell spans are empty."""
    left: dict[int, int] = {}  # column -> rows below that a cell above still covers
    room = _MOST_CELLS
    for row in wrap.iter("tr", "row"):  # of HTML, or of OASIS tables
        cells: list[str] = []
        for cell in children(row):
            _pass_covered(cells, left)
            width = _span(cell, "colspan", _WIDEST_SPAN)
            height = _span(cell, "rowspan", _TALLEST_SPAN)
            if len(cells) + width > _WIDEST_ROW:
                break
            left.update(dict.fromkeys(range(len(cells), len(cells) + width), height - 1))
            citations.cite(mentions_in(cell, ordinals), max(height, _oasis_height(cell)))
            cells += [text_of(cell), *[""] * (width - 1)]
        _pass_covered(cells, left)
        room -= len(cells)
        is_kept = room >= 0 and any(cells)
        citations.end_row(is_kept=is_kept)
        if is_kept:
            yield tuple(cells)
        elif room < 0:
            break


def _pass_covered(cells: list[str], left: dict[int, int]) -> None:
    while left.get(len(cells), 0) > 0:
        left[len(cells)] -= 1
        cells.append("")


def _oasis_height(cell: etree._Element) -> int:
    """How many rows a cell of an OASIS table covers: it tells how many more than one."""
    more = cell.get("morerows") or "0"
    return 1 if more == "0" else 1 + _span(cell, "morerows", _TALLEST_SPAN)


def _span(cell: etree._Element, name: str, most: int) -> int:
    value = cell.get(name) or "1"
    span = int(value) if value.isascii() and value.isdigit() and len(value) < 5 else 1
    return min(max(span, 1), most)
