"""Tables: captions, rows of cells and the references cited in them."""

import re
from collections.abc import Iterator

from vivavoce.sources.fulltext.latex.layout import PLAIN, SILENT, SYMBOLS, TABULARS, Layout, Span
from vivavoce.sources.fulltext.latex.typeset import Typesetter
from vivavoce.sources.fulltext.model import Cell, RawTable
from vivavoce.sources.xml import MAX_HEIGHT, MAX_WIDTH, span_of

_CAPTIONS = frozenset(
    {"\\caption", "\\tablecaption", "\\topcaption", "\\bottomcaption", "\\tcaption", "\\tbl"}
)
_ROW_ENDS = frozenset({"\\\\", "\\tabularnewline", "\\cr", "\\\\*"})
_HEAD_MARKS = frozenset({"\\endfirsthead", "\\endhead", "\\endfoot", "\\endlastfoot"})
_BOLD_SWITCHES = frozenset({"\\bf", "\\bfseries"})
_BOLD = _BOLD_SWITCHES | {"\\textbf", "\\mathbf", "\\boldsymbol", "\\bm", "\\pmb"}
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_MULTIROW = frozenset({"\\multirow"})
_TABULAR_STARTS = frozenset(f"\\begin{{{name}}}" for name in TABULARS)


def read_table(setter: Typesetter, start: int, end: int) -> RawTable | None:
    r"""The table in an environment from `\begin` to `\end`; None if it has no text."""
    layout = setter.layout
    grids: list[list[list[Cell]]] = []
    place = start
    while place <= end:
        token = layout.tokens[place]
        stop = layout.ends.get(place)
        if stop is not None and token[7:-1] in TABULARS and stop <= end:
            grids.append(_grid(setter, place, stop))
            place = stop
        place += 1
    caption = " ".join(_captions(setter, start, end))
    if not caption and not any(cell.text for grid in grids for row in grid for cell in row):
        return None
    return RawTable(caption, grids, _keys(layout, start, end), is_full=True)


def _keys(layout: Layout, start: int, end: int) -> list[str]:
    return [key for citation in layout.citations(start, end) for key in citation.keys]


def _captions(setter: Typesetter, start: int, end: int) -> Iterator[str]:
    layout = setter.layout
    is_captioned = False
    for place in range(start, end):
        token = layout.tokens[place]
        if token == "\\endfirsthead" and is_captioned:
            return  # the heads of further pages repeat the caption
        argument = layout.required(place) if token in _CAPTIONS else None
        if argument is not None and argument.end <= end:
            text = setter.line(argument.start, argument.end)
            if text:
                is_captioned = True
                yield text


def _grid(setter: Typesetter, start: int, end: int) -> list[list[Cell]]:
    """The rows of a tabular."""
    layout = setter.layout
    rows: list[list[Cell]] = []
    mark = 0
    is_first_head = False
    arguments = TABULARS[layout.tokens[start][7:-1]]
    after = layout.past_groups(layout.past_options(start + 1), arguments, with_options=True)
    parts = [(after, end)]
    data = next(layout.find(frozenset({"\\startdata"}), after, end), None)
    if data is not None:  # AASTeX gives the head apart
        head = next(layout.find(frozenset({"\\tablehead"}), after, data), None)
        inside = layout.required(head) if head is not None else None
        stop = next(layout.find(frozenset({"\\enddata"}), data, end), end)
        parts = [(inside.start, inside.end)] if inside is not None else []
        parts.append((data + 1, stop))
    for cells, ending in (row for part in parts for row in _split_rows(layout, *part)):
        rows.append([_cell(setter, cell, is_first=cell is cells[0]) for cell in cells])
        if ending == "\\endfirsthead":
            is_first_head, mark = True, len(rows)
        elif ending in _HEAD_MARKS:
            # Drop a head or foot that is only repeated on later pages.
            if is_first_head or ending != "\\endhead":
                del rows[mark:]
            mark = len(rows)
    return rows


def _split_rows(layout: Layout, place: int, end: int) -> Iterator[tuple[list[Span], str]]:
    """The token ranges of the cells, row by row, and the command that ends each row."""
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


def _cell(setter: Typesetter, cell: Span, *, is_first: bool) -> Cell:
    """A cell; a lone unknown command is its text, except in the first cell of a row."""
    layout = setter.layout
    text = setter.line(cell.start, cell.end)
    if not text and not is_first:
        source = layout.source(cell).strip()
        is_unknown = source not in PLAIN and source not in SILENT and source not in SYMBOLS
        text = source if is_unknown and _COMMAND.fullmatch(source) else ""
    # Number of rows that a cell covers downwards from its own; negative for upwards.
    place = next(layout.find(_MULTIROW | _TABULAR_STARTS, cell.start, cell.end), None)
    is_own = place is not None and layout.tokens[place] in _MULTIROW  # not in an inner table
    count = layout.required(place) if place is not None and is_own else None
    number = layout.source(count).strip() if count is not None else ""
    height = span_of(number.removeprefix("-"), MAX_HEIGHT)
    return Cell(
        text=text,
        keys=[key for part in _outside_captions(layout, cell) for key in _keys(layout, *part)],
        width=_columns(layout, cell),
        height=(-height if number.startswith("-") else height),
        is_bold=text != "" and _is_bold(setter, cell, text),
    )


def _is_bold(setter: Typesetter, cell: Span, text: str) -> bool:
    """Check whether a whole cell is bold, by a switch or as the argument of a command."""
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


def _columns(layout: Layout, cell: Span) -> int:
    place = next(layout.find(frozenset({"\\multicolumn"}), cell.start, cell.end), None)
    count = layout.group(place + 1) if place is not None else None
    return span_of(layout.source(count).strip(), MAX_WIDTH) if count is not None else 1
