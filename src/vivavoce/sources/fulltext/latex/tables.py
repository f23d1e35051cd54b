"""Tables: captions, rows of cells and the references cited in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.latex.layout import TABULARS, Layout, Span
from vivavoce.sources.fulltext.latex.typeset import Typesetter
from vivavoce.text.row_citations import RowCitations

_CAPTIONS = frozenset(
    {"\\caption", "\\tablecaption", "\\topcaption", "\\bottomcaption", "\\tcaption"}
)
_ROW_ENDS = frozenset({"\\\\", "\\tabularnewline", "\\cr", "\\\\*"})
_HEAD_MARKS = frozenset({"\\endfirsthead", "\\endhead", "\\endfoot", "\\endlastfoot"})
_BOLD_SWITCHES = frozenset({"\\bf", "\\bfseries"})
_BOLD = _BOLD_SWITCHES | {"\\textbf", "\\mathbf", "\\boldsymbol", "\\bm", "\\pmb"}
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_MULTIROW = frozenset({"\\multirow"})
_TABULAR_STARTS = frozenset(f"\\begin{{{name}}}" for name in TABULARS)
_MAX_CELLS = 50_000
_MAX_COLUMNS = 300
_TALLEST_SPAN = 200


@dataclass(slots=True)
class Rows:
    """Rows of cells, what each cites, and which cells span several places or are bold."""

    cells: list[tuple[str, ...]] = field(default_factory=list)
    cited: list[tuple[int, ...]] = field(default_factory=list)
    spans: list[tuple[int, ...]] = field(default_factory=list)
    bold: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, below: Rows) -> None:
        """Add rows that follow."""
        shift = len(self.cells)
        self.cells += below.cells
        self.cited += below.cited
        self.spans += [(row + shift, *rest) for row, *rest in below.spans]
        self.bold += [(row + shift, column) for row, column in below.bold]


def read_table(setter: Typesetter, start: int, end: int, ordinal: int) -> CitedTable | None:
    r"""The table in an environment from `\\begin` to `\end`; None for a picture of one."""
    layout = setter.layout
    caption = " ".join(_captions(setter, start, end))
    cited = tuple(sorted(set(_mentions(setter, start, end))))
    known = frozenset(cited)
    found = Rows()
    place = start
    while place <= end:
        token = layout.tokens[place]
        stop = layout.ends.get(place)
        if stop is not None and token[7:-1] in TABULARS and stop <= end:
            found.add(read_rows(setter, place, stop, known))
            place = stop
        place += 1
    if not found.cells and not caption:
        return None
    return CitedTable(
        ordinal,
        caption,
        tuple(found.cells),
        cited,
        tuple(found.cited),
        tuple(found.spans),
        tuple(found.bold),
    )


def _mentions(setter: Typesetter, start: int, end: int) -> list[int]:
    """The references cited in a stretch, in order."""
    keys = [key for found in setter.layout.citations(start, end) for key in found.keys]
    return setter.citations.ordinals(keys)


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


def read_rows(setter: Typesetter, start: int, end: int, cited: frozenset[int]) -> Rows:
    """The rows of a tabular; rows of rules alone are left out."""
    layout = setter.layout
    rows: list[tuple[str, ...]] = []
    marks: list[_Marks] = []  # of each of these
    places: list[int] = []  # of each of these among all rows with text
    citations = RowCitations()
    count = 0
    mark = 0
    is_first_head = False
    total = 0
    arguments = TABULARS[layout.tokens[start][7:-1]]
    after = layout.past_groups(layout.past_options(start + 1), arguments, with_options=True)
    for cells, ending in _split_rows(layout, after, end):
        row, marked = _render(setter, cells)
        total += len(row)
        if total > _MAX_CELLS:
            break
        for cell in cells:
            height = _rows_covered(layout, cell)
            for start_of_part, end_of_part in _outside_captions(layout, cell):
                citations.cite(_mentions(setter, start_of_part, end_of_part), height)
        citations.end_row(is_kept=any(row))
        if any(row):
            rows.append(row)
            marks.append(marked)
            places.append(count)
            count += 1
        if ending == "\\endfirsthead":
            is_first_head, mark = True, len(rows)
        elif ending in _HEAD_MARKS:
            # The head and foot that are printed again on the pages that follow.
            if is_first_head or ending != "\\endhead":
                del rows[mark:], marks[mark:], places[mark:]
            mark = len(rows)
    by_row = citations.by_row(cited)
    return Rows(
        rows,
        [by_row[place] for place in places],
        [(number, *span) for number, of in enumerate(marks) for span in of.spanning],
        [(number, column) for number, of in enumerate(marks) for column in of.bold],
    )


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


@dataclass(slots=True)
class _Marks:
    """Column, rows and columns of the cells of a row that span, and columns of bold ones."""

    spanning: list[tuple[int, int, int]] = field(default_factory=list)
    bold: list[int] = field(default_factory=list)


def _render(setter: Typesetter, cells: list[Span]) -> tuple[tuple[str, ...], _Marks]:
    """The texts of a row; a cell over several columns is followed by empty ones."""
    row: list[str] = []
    marks = _Marks()
    for cell in cells:
        text = setter.line(cell.start, cell.end)
        # A cell written in the last of its rows spans rows above it, in which others stand.
        width, height = _columns(setter.layout, cell), max(1, _rows_covered(setter.layout, cell))
        if text and (width > 1 or height > 1):
            marks.spanning.append((len(row), height, width))
        if text and _is_bold(setter, cell, text):
            marks.bold.append(len(row))
        row += [text, *[""] * (width - 1)]
        if len(row) > _MAX_COLUMNS:
            return tuple(row[:_MAX_COLUMNS]), marks
    return tuple(row), marks


def _is_bold(setter: Typesetter, cell: Span, text: str) -> bool:
    """Check whether all of a cell is bold: by a switch, or as the argument of a command."""
    layout = setter.layout
    for place in layout.find(_BOLD, cell.start, cell.end):
        if layout.tokens[place] in _BOLD_SWITCHES:
            return True
        inner = layout.required(place)
        if inner is not None and _letters(setter.line(inner.start, inner.end)) == _letters(text):
            return True
    return False


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, _COMMAND.sub("", text)))


def _outside_captions(layout: Layout, cell: Span) -> Iterator[tuple[int, int]]:
    """Stretches of a cell outside captions: a long table has its caption in its first row."""
    start = cell.start
    for place in layout.find(_CAPTIONS, cell.start, cell.end):
        caption = layout.required(place)
        if place >= start and caption is not None:
            yield start, place
            start = caption.after
    yield start, cell.end


def _rows_covered(layout: Layout, cell: Span) -> int:
    """Number of rows that a cell covers from its own down; negative upwards from the last one."""
    place = next(layout.find(_MULTIROW | _TABULAR_STARTS, cell.start, cell.end), None)
    is_own = place is not None and layout.tokens[place] in _MULTIROW  # not of a table in the cell
    count = layout.required(place) if place is not None and is_own else None
    number = layout.source(count).strip() if count is not None else ""
    digits = number.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 4):
        return 1
    return max(-_TALLEST_SPAN, min(int(number), _TALLEST_SPAN))


def _columns(layout: Layout, cell: Span) -> int:
    place = next(layout.find(frozenset({"\\multicolumn"}), cell.start, cell.end), None)
    count = layout.group(place + 1) if place is not None else None
    number = layout.source(count).strip() if count is not None else ""
    is_number = number.isascii() and number.isdigit() and len(number) < 4
    return min(max(int(number), 1), _MAX_COLUMNS) if is_number else 1
