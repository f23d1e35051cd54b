"""Tables: captions, rows of cells and the references cited in them."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.records import CitedTable
from vivavoce.sources.latex.layout import Layout, Span
from vivavoce.sources.latex.typeset import Typesetter
from vivavoce.sources.latex.vocabulary import TABULARS

_CAPTIONS = frozenset(
    {"\\caption", "\\tablecaption", "\\topcaption", "\\bottomcaption", "\\tcaption"}
)
_ROW_ENDS = frozenset({"\\\\", "\\tabularnewline", "\\cr", "\\\\*"})
_HEAD_MARKS = frozenset({"\\endfirsthead", "\\endhead", "\\endfoot", "\\endlastfoot"})
_MOST_CELLS = 50_000
_MOST_COLUMNS = 300


def read_table(setter: Typesetter, start: int, end: int, ordinal: int) -> CitedTable | None:
    r"""The table in an environment from `\\begin` to `\end`; None for a picture of one."""
    layout = setter.layout
    caption = " ".join(_captions(setter, start, end))
    cells: list[tuple[str, ...]] = []
    place = start
    while place <= end:
        token = layout.tokens[place]
        stop = layout.ends.get(place)
        if stop is not None and token[7:-1] in TABULARS and stop <= end:
            cells += read_rows(setter, place, stop)
            place = stop
        place += 1
    if not cells and not caption:
        return None
    keys = [key for found in layout.citations(start, end) for key in found.keys]
    return CitedTable(
        ordinal=ordinal,
        caption=caption,
        cells=tuple(cells),
        cited=tuple(sorted(setter.citations.ordinals(keys))),
    )


def _captions(setter: Typesetter, start: int, end: int) -> Iterator[str]:
    layout = setter.layout
    for place in range(start, end):
        token = layout.tokens[place]
        if token in _CAPTIONS:
            found = layout.required(place)
        elif token == "\\captionof":
            kind = layout.required(place)
            found = layout.group(layout.past_options(kind.after)) if kind else None
        else:
            continue
        if found is not None and found.end <= end:
            text = setter.line(found.start, found.end)
            if text:
                yield text


def read_rows(setter: Typesetter, start: int, end: int) -> list[tuple[str, ...]]:
    """The rows of a tabular; rows of rules alone are left out."""
    layout = setter.layout
    rows: list[tuple[str, ...]] = []
    mark = 0
    is_first_head = False
    total = 0
    for cells, ending in _split_rows(layout, _past_arguments(layout, start), end):
        row = _render(setter, cells)
        total += len(row)
        if total > _MOST_CELLS:
            break
        if any(row):
            rows.append(row)
        if ending == "\\endfirsthead":
            is_first_head, mark = True, len(rows)
        elif ending in _HEAD_MARKS:
            # The head and foot that are printed again on the pages that follow.
            if is_first_head or ending != "\\endhead":
                del rows[mark:]
            mark = len(rows)
    return rows


def _past_arguments(layout: Layout, start: int) -> int:
    after = layout.past_options(start + 1)
    for _ in range(TABULARS[layout.tokens[start][7:-1]]):
        group = layout.group(after)
        if group is None:
            break
        after = layout.past_options(group.after)
    return after


def _split_rows(layout: Layout, place: int, end: int) -> Iterator[tuple[list[Span], str]]:
    """The stretches of cells, row by row, and the command that ends each row."""
    cells: list[Span] = []
    start = place
    while place < end:
        token = layout.tokens[place]
        if token in _ROW_ENDS or token in _HEAD_MARKS or token == "&":
            cells.append(Span(start, place, place + 1))
            if token == "&":
                place += 1
            else:
                yield cells, token
                cells = []
                place = layout.past_options(place + 1) if token == "\\\\" else place + 1
            start = place
            continue
        inside = layout.closes.get(place) or layout.ends.get(place)
        place = place + 1 if inside is None or inside > end else inside + 1
    cells.append(Span(start, end, end))
    yield cells, ""


def _render(setter: Typesetter, cells: list[Span]) -> tuple[str, ...]:
    """The texts of a row; a cell over several columns is followed by empty ones."""
    row: list[str] = []
    for cell in cells:
        row.append(setter.line(cell.start, cell.end))
        row += [""] * (_columns(setter.layout, cell) - 1)
        if len(row) > _MOST_COLUMNS:
            return tuple(row[:_MOST_COLUMNS])
    return tuple(row)


def _columns(layout: Layout, cell: Span) -> int:
    place = next(layout.find(frozenset({"\\multicolumn"}), cell.start, cell.end), None)
    count = layout.group(place + 1) if place is not None else None
    number = layout.source(count).strip() if count is not None else ""
    is_number = number.isascii() and number.isdigit() and len(number) < 4
    return min(max(int(number), 1), _MOST_COLUMNS) if is_number else 1
