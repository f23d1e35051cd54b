"""Tables of TEI files, and what their rows cite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.tei.citations import Citations
from vivavoce.sources.fulltext.tei.xml import lines_of, text_of
from vivavoce.sources.xml import children
from vivavoce.text.row_citations import RowCitations, RowsCited, TableText

_WIDEST_SPAN = 40
_TALLEST_SPAN = 200


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    height: int = 1
    """Rows that it covers."""
    marked: tuple[int, ...] = ()
    """References that its markup points to."""


def read_tables(root: etree._Element, citations: Citations) -> tuple[CitedTable, ...]:
    """The tables of the text in order."""
    figures = root.iterfind("text//figure[@type='table']")
    return tuple(_read(figure, ordinal, citations) for ordinal, figure in enumerate(figures))


def _read(figure: etree._Element, ordinal: int, citations: Citations) -> CitedTable:
    caption, rows = _caption(figure), list(_rows(figure, citations))
    cells = tuple(tuple(cell.text for cell in row) for row in rows if _is_kept(row))
    notes = [text_of(note) for note in figure.iterfind("note")]
    between_rows = "\n\n" if any(len(row) > 1 for row in cells) else "\n"
    text = TableText(caption, cells, notes, between_rows=between_rows)
    mentions = list(citations.printed_in(text.text))
    printed = (one for _, meant in mentions for one in meant)
    cited = tuple(sorted({*citations.marked_in(figure), *printed}))
    return CitedTable(ordinal, caption, cells, cited, _by_row(rows, text.by_cell(mentions), cited))


def _by_row(
    rows: list[list[_Cell]], printed: dict[tuple[int, int], tuple[int, ...]], cited: tuple[int, ...]
) -> RowsCited:
    found = RowCitations()
    kept = 0
    for row in rows:
        is_kept = _is_kept(row)
        for column, cell in enumerate(row):
            of_text = printed.get((kept, column), ()) if is_kept else ()
            found.cite((*cell.marked, *of_text), cell.height)
        found.end_row(is_kept=is_kept)
        kept += is_kept
    return found.by_row(cited)


def _caption(figure: etree._Element) -> str:
    pieces = [text_of(figure.find("head")), text_of(figure.find("figDesc"))]
    label = text_of(figure.find("label"))
    if not pieces[0] and label and not pieces[1].casefold().startswith("tab"):
        pieces[0] = f"Table {label}:"
    caption = ""
    for piece in pieces:
        if _bare(piece).startswith(_bare(caption)):
            caption = piece
        elif _bare(piece) not in _bare(caption):
            caption += f" {piece}"
    return caption


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _rows(figure: etree._Element, citations: Citations) -> Iterator[list[_Cell]]:
    for table in figure.iterfind("table"):
        marked = list(table.iter("row"))
        for row in marked:
            yield list(_cells(row, citations))
        if not marked:
            yield from ([_Cell(line)] for line in lines_of(table))


def _cells(row: etree._Element, citations: Citations) -> Iterator[_Cell]:
    for cell in children(row):
        height = _span(cell, "rows", _TALLEST_SPAN)
        yield _Cell(text_of(cell), height, tuple(citations.marked_in(cell)))
        yield from [_Cell("")] * (_span(cell, "cols", _WIDEST_SPAN) - 1)


def _span(cell: etree._Element, name: str, most: int) -> int:
    span = cell.get(name) or "1"
    is_number = span.isascii() and span.isdigit() and len(span) < 4
    return min(int(span), most) if is_number else 1


def _is_kept(row: list[_Cell]) -> bool:
    return any(cell.text for cell in row)
