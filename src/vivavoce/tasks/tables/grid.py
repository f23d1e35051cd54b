"""Printed tables as grids: column names, lines and values.

A header is shifted if a column of values has no name, or if names do not fit their values: a year
must be above years, and a metric above numbers if its neighbours are.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter

from vivavoce.metrics.tables.cell_matching import cell_key, folded, read_number
from vivavoce.readers.metric_values import is_resource, split_metric
from vivavoce.readers.terms import metric_key
from vivavoce.store import Row
from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words

JOINT = " › "
"""Separator between the name of a group of columns and the name of a column in it."""
_MAX_HEADER_ROWS = 3
_MAX_COLUMNS = 200
_MAX_CELL = 2_000
_MIN_VALUES = 2
"""Minimum values of a filled column, if there are that many lines."""

_TABLE = r"(?:table|tab\.?)\s{0,3}([0-9]{1,3}|[IVXL]{1,6}|[A-Z]\.?[0-9]{1,2})"
_CAPTION = re.compile(rf"{_TABLE}(?!\w)", re.IGNORECASE)
_NUMBER = r"[1-9]\d{0,2}"
_NUMBERS = re.compile(
    rf"(?<![=∈×^_])\[\s?{_NUMBER}(?:\s?[,;–—-]\s?{_NUMBER}){{0,40}}\s?\]"  # [3], [3, 5-7]
)
_NAMES_AND_YEAR = re.compile(
    r"[(\[]\s?[^\W\d_][^()\[\]\d]{0,120}(?:[,.&]|\band\b)\s?(?:19|20)\d\d[a-z]?"
    r"(?:\s?[,;][^()\[\]]{0,200})?[)\]]"  # (Name et al., 2019a; Name, 2020)
)
_YEAR = re.compile(r"\(\s?(?:19|20)\d\d[a-z]?\s?\)")  # Name et al. (2019)
_WORDS = read_data(__file__, "grid.toml")
_LABELS = frozenset(_WORDS["labels"])
"""Names of columns that identify a work."""
_POINTERS = frozenset(_WORDS["pointers"])
"""Names of columns that only refer to a work."""
_INDEX_NAMES = frozenset(_WORDS["index_names"])
_YES, _CROSS = "yes", "✗"
_YEARS = re.compile(r"\b(?:19|20)\d\d\b")
_MIN_SHARE = 0.5
"""Minimum share of the values below a name that fit it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line below the header."""

    ordinal: int
    """Position among all rows of the table."""
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose lines have a cell for each column."""

    columns: tuple[str, ...]
    """Names, joined over header rows; empty for unnamed columns."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """Labels and values in selected lines of a grid."""

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    """Names, which may repeat."""
    rows: tuple[tuple[str | None, ...], ...]


def without_number(caption: str) -> str:
    """A caption without its leading number."""
    number = _CAPTION.match(caption.strip())
    return caption.strip()[number.end() :].lstrip(" .:–—-") if number else caption.strip()


def cited_by_row(table: Row) -> list[Sequence[int]]:
    """The references that each row of a printed table cites."""
    cited = list(table.get("row_cited") or ())
    return cited + [()] * (len(table["cells"]) - len(cited))


def read_grid(cells: Sequence[Sequence[str]], cites: Sequence[bool]) -> Grid | None:
    """Read the grid of a printed table; None without a recognisable header.

    A row belongs to the header in two cases: it names the parts of the spans above and is otherwise
    empty or repeated, or it continues these names. Lines that divide the table are left out.

    Args:
        cells: Rows of cells; a cell that spans several places is repeated in each.
        cites: Flags of rows that cite, which are never part of a header.
    """
    width = min(max(map(len, cells), default=0), _MAX_COLUMNS)
    rows = [tuple(row[:width]) + ("",) * (width - len(row)) for row in cells]
    start = 0
    while start < len(rows) and width > 1 and not cites[start] and _is_divider(rows[start]):
        start += 1
    if start >= len(rows) or cites[start] or not any(rows[start]):
        return None
    end = start + 1
    header = [rows[start]]
    while end < len(rows) and len(header) < _MAX_HEADER_ROWS and not cites[end]:
        # A name is repeated in all cells that it covers.
        above: tuple[str, ...] = tuple(accumulate(header[-1], lambda left, name: name or left))
        if _goes_on(above, rows[end]):
            header[-1:] = [above, rows[end]]
        elif _is_second_line(header[-1], rows[end]):
            both = zip(header[-1], rows[end], strict=True)
            header[-1] = tuple(" ".join(filter(None, parts)) for parts in both)
        else:
            break
        end += 1
    names = []
    for parts in zip(*header, strict=True):
        words = (without_citations(part) for part in parts)
        names.append(JOINT.join(dict.fromkeys(word for word in words if word)))
    lines = [
        Line(ordinal, rows[ordinal])
        for ordinal in range(end, len(rows))
        if cites[ordinal] or not _is_divider(rows[ordinal])
    ]
    return Grid(tuple(names), tuple(lines))


def _is_divider(row: Sequence[str]) -> bool:
    """True if a row has at most one filled cell, such as the name of a group."""
    texts = {cell.strip() for cell in row} - {""}
    return not texts or (len(texts) == 1 and bool(row[0].strip()))


def _goes_on(above: Sequence[str], row: Sequence[str]) -> bool:
    """True if a row names the parts of the spans above it and nothing else."""
    parts: list[str] = []
    splits = False
    for name, below in groupby(zip(above, row, strict=True), key=itemgetter(0)):
        cells = [cell for _, cell in below]
        if name and len(cells) > 1:
            parts += cells
            splits = splits or len(set(cells)) > 1
        elif name and cells[0] not in ("", name):
            return False
    numbers = sum(read_number(part) is not None for part in parts)
    return splits and all(part.strip() for part in parts) and 2 * numbers < len(parts)


def _is_second_line(header: Sequence[str], row: Sequence[str]) -> bool:
    """True if a row continues the names: only words and, unlike in a line, an empty first cell."""
    words = [cell for cell in row if cell.strip()]
    is_words = all(any(map(str.isalpha, one)) and read_number(one) is None for one in words)
    return bool(words) and is_words and bool(header[0].strip()) and not row[0].strip()


def without_citations(cell: str) -> str:
    """Words of a cell without markup and citations."""
    text = plain_words(cell[:_MAX_CELL])
    if "[" in text or "(" in text:
        text = _NUMBERS.sub(" ", _NAMES_AND_YEAR.sub(" ", text))
    return " ".join(text.split()).strip(" ,;")


def label_columns(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Columns that only identify the work; the one with its name comes first.

    Citations follow the name or have a separate column; then a header such as `Method` shows the
    column of the name.
    """
    marks = (_NUMBERS, _NAMES_AND_YEAR, _YEAR)
    cited = [
        sum(any(mark.search(line[position][:_MAX_CELL]) for mark in marks) for line in lines)
        for position in range(len(columns))
    ]
    if not any(cited):
        return (0,) if columns else ()
    marked = cited.index(max(cited))
    named = sum(bool(without_citations(line[marked])) for line in lines)
    if 2 * named > len(lines):
        return (marked,)
    named_as = (position for position, column in enumerate(columns) if column.casefold() in _LABELS)
    return tuple(dict.fromkeys((next(named_as, marked), marked)))


def shift_of(grid: Grid, lines: Sequence[Line]) -> str | None:
    """Evidence, from lines about works, that names are not above their own columns."""
    labels = label_columns(grid.columns, [line.cells for line in lines])
    least = max(1, min(_MIN_VALUES, len(lines)))
    values = (
        sum(bool(cell_key(without_citations(line.cells[position]))) for line in lines)
        for position in range(len(grid.columns))
    )
    filled = [count >= least for count in values]
    # Columns before the labels may have names of groups.
    behind = range(max(labels, default=-1) + 1, len(grid.columns))
    nameless = [position for position in behind if filled[position] and not grid.columns[position]]
    empty = [position for position in behind if grid.columns[position] and not filled[position]]
    if nameless and empty:
        return (
            f"{grid.columns[empty[0]]!r} is over nothing, and column {nameless[0] + 1} has no name"
        )
    return f"column {nameless[0] + 1} has no name" if nameless else None


def misfit(values: Values) -> str | None:
    """Evidence that names are not above their own values; None without any."""
    cells = [[cell for cell in column if cell] for column in zip(*values.rows, strict=True)]
    shares = [_share(map(read_number, column)) for column in cells]
    measured = [_is_metric(name) for name in values.columns]
    for position, (name, column) in enumerate(zip(values.columns, cells, strict=True)):
        if folded(name) == "year" and _share(map(_YEARS.search, column)) < _MIN_SHARE:
            return f"{name!r} is over values that are not years"
        beside = [
            n for n in (position - 1, position + 1) if 0 <= n < len(cells) and not measured[n]
        ]
        if measured[position] and not shares[position] and any(shares[n] == 1 for n in beside):
            return f"{name!r} is over words, and numbers are beside them"
    return None


def _share(values: Iterable[object]) -> float:
    """Share of values that are not None; 1 without values."""
    listed = list(values)
    return sum(one is not None for one in listed) / len(listed) if listed else 1.0


def _is_metric(name: str) -> bool:
    """True if a name is exactly a metric's name."""
    metric, rest = split_metric(name)
    return bool(metric) and not rest and not is_resource(metric_key(metric))


def read_values(grid: Grid, lines: Sequence[Line]) -> Values:
    """Read the values in lines of a grid.

    Columns of labels, references, links and running numbers are left out, as are those without a
    name or values. Empty cells and dashes are N/A, except in a column of ticks, where an empty cell
    means no.
    """
    printed = [line.cells for line in lines]
    labels = label_columns(grid.columns, printed)
    kept: list[tuple[str, list[str | None]]] = []
    for place, name in enumerate(grid.columns):
        texts = (without_citations(cells[place]) for cells in printed)
        values = [text if cell_key(text) else None for text in texts]
        shown = [value for value in values if value is not None]
        key = folded(name)
        is_index = key in _INDEX_NAMES and all(text.rstrip(".)").isdigit() for text in shown)
        if place in labels or not name or not shown or key in _POINTERS or is_index:
            continue
        # In a column of ticks, unmarked cells mean no.
        if {cell_key(value) for value in shown} == {_YES}:
            values = [_CROSS if value is None else value for value in values]
        kept.append((name, values))
    named = [without_citations(cells[labels[0]]) if labels else "" for cells in printed]
    return Values(
        labels=tuple(named),
        columns=tuple(name for name, _ in kept),
        rows=tuple(
            tuple(values[position] for _, values in kept) for position in range(len(printed))
        ),
    )


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, with a number after repeated ones."""
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = count = seen.get(name, 0) + 1
        while count > 1 and f"{name} ({count})" in seen:
            count += 1
        distinct.append(name if count == 1 else f"{name} ({count})")
        seen.setdefault(distinct[-1], 1)
    return tuple(distinct)
