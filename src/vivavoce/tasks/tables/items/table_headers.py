"""Printed tables as grids: names of columns, the lines below them, and the column of labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vivavoce.metrics.tables.cell_matching import cell_key, folded, read_number
from vivavoce.metrics.tables.table_schema import column_key
from vivavoce.tasks.tables.items.table_items import GoldTable, TablesOptions
from vivavoce.text.cell_text import latex_words, plain_words
from vivavoce.text.data import read_data

JOINT = " › "
"""Between the name of a group of columns and that of a column in it."""
_MAX_HEADER_ROWS = 3
_MAX_COLUMNS = 200
_MAX_CELL = 2_000
_NUMBER = r"[1-9]\d{0,2}"
_NUMBERS = re.compile(
    rf"(?<![=∈×^_])\[\s?{_NUMBER}(?:\s?[,;–—-]\s?{_NUMBER}){{0,40}}\s?\]"  # [3], [3, 5-7]
)
_NAMES_AND_YEAR = re.compile(
    r"[(\[]\s?[^\W\d_][^()\[\]\d]{0,120}(?:[,.&]|\band\b)\s?(?:19|20)\d\d[a-z]?"
    r"(?:\s?[,;][^()\[\]]{0,200})?[)\]]"  # (Name et al., 2019a; Name, 2020)
)
_YEAR = re.compile(r"\(\s?(?:19|20)\d\d[a-z]?\s?\)")  # Name et al. (2019)
_WORDS = read_data(__file__, "table_headers.toml")
_LABELS = frozenset(_WORDS["labels"])


@dataclass(frozen=True, slots=True)
class Line:
    """A line below the header."""

    ordinal: int
    """Its place among all rows of the table."""
    cells: tuple[str, ...]
    """As printed, as many as there are columns."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with as many cells in each line as it has columns."""

    columns: tuple[str, ...]
    """Names, those of several header rows joined; empty where a column has none."""
    lines: tuple[Line, ...]


def read_grid(cells: Sequence[Sequence[str]], cites: Sequence[bool]) -> Grid | None:
    """The grid of a printed table; None where no header can be told.

    A row is part of the header when it fills the spans of the one above it and repeats, or leaves
    empty, all else. Lines that divide the table into groups are no lines of the grid.

    Args:
        cells: Rows of cells; what spans is repeated, or the places it covers are empty.
        cites: Whether a row cites; no such row is part of a header.
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
        above = _spread(header[-1])
        if not _goes_on(above, rows[end]):
            break
        header[-1] = above
        header.append(rows[end])
        end += 1
    lines = [
        Line(ordinal, rows[ordinal])
        for ordinal in range(end, len(rows))
        if cites[ordinal] or not _is_divider(rows[ordinal])
    ]
    return Grid(_join(header), tuple(lines))


def without_citations(cell: str) -> str:
    """The words of a cell without markup and marks of citations."""
    text = plain_words(cell[:_MAX_CELL])
    if "[" in text or "(" in text:
        text = _NUMBERS.sub(" ", _NAMES_AND_YEAR.sub(" ", text))
    return " ".join(text.split()).strip(" ,;")


def label_columns(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The columns that only say which work a line is about; the one with its name goes first.

    Citations follow the name, or are in a column of their own; a header such as `Method` then shows
    the place of the name.
    """
    cited = [sum(_has_citation(line[column]) for line in lines) for column in range(len(columns))]
    most = max(cited, default=0)
    if not most:
        return (0,) if columns else ()
    marked = cited.index(most)
    named = sum(bool(without_citations(line[marked])) for line in lines)
    if 2 * named > len(lines):
        return (marked,)
    said = (place for place, column in enumerate(columns) if column.casefold() in _LABELS)
    name = next(said, None)
    return (marked,) if name in (None, marked) else (name, marked)


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, a number after those that others had before."""
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = count = seen.get(name, 0) + 1
        while count > 1 and f"{name} ({count})" in seen:
            count += 1
        distinct.append(name if count == 1 else f"{name} ({count})")
        seen.setdefault(distinct[-1], 1)
    return tuple(distinct)


def _is_divider(row: Sequence[str]) -> bool:
    """Check whether a row has at most one cell for the whole table, such as the name of a group."""
    said = {cell.strip() for cell in row} - {""}
    return not said or (len(said) == 1 and bool(row[0].strip()))


def _spread(row: tuple[str, ...]) -> tuple[str, ...]:
    """A header row with each name in every place that it covers."""
    spread: list[str] = []
    for cell in row:
        spread.append(cell or (spread[-1] if spread else ""))
    return tuple(spread)


def _goes_on(above: Sequence[str], row: Sequence[str]) -> bool:
    """Check whether a row names the parts of the spans above it, and says nothing new elsewhere."""
    joined = [bool(one) and one == other for one, other in pairwise(above)]
    spanned = [any(sides) for sides in zip((False, *joined), (*joined, False), strict=True)]
    names = [cell for cell, is_spanned in zip(row, spanned, strict=True) if is_spanned]
    if not all(name.strip() for name in names):
        return False
    numbers = sum(read_number(name) is not None for name in names)
    splits = any(
        is_joined and one != other
        for is_joined, (one, other) in zip(joined, pairwise(row), strict=True)
    )
    return (
        splits
        and 2 * numbers < len(names)
        and all(
            is_spanned or not over or cell in ("", over)
            for over, cell, is_spanned in zip(above, row, spanned, strict=True)
        )
    )


def _join(header: Sequence[Sequence[str]]) -> tuple[str, ...]:
    names = []
    for parts in zip(*header, strict=True):
        words = (without_citations(part) for part in parts)
        names.append(JOINT.join(dict.fromkeys(word for word in words if word)))
    return tuple(names)


def _has_citation(cell: str) -> bool:
    text = cell[:_MAX_CELL]
    return any(marks.search(text) for marks in (_NUMBERS, _NAMES_AND_YEAR, _YEAR))


_NO, _YES = "no", "yes"
_CROSS = "✗"
_POINTERS = frozenset(_WORDS["pointers"])
"""Names of columns that point to a work and say nothing of it."""
_INDEX_NAMES = frozenset(_WORDS["index_names"])
_MATHS = re.compile(r"\$([^$]{1,500})\$")
_OPERATOR = re.compile(r"[=^_(+/|]|\\(?:frac|sum|prod|int|sqrt|log|exp|max|min|hat|bar|mathbb)\b")
_FORMULAS = 0.1
"""Share of the values that may be formulas."""


@dataclass(frozen=True, slots=True)
class Values:
    """Works that the lines of a grid are about."""

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    """Names; two columns may have one."""
    rows: tuple[tuple[str | None, ...], ...]
    formulas: int
    """Values that are formulas."""


def read_values(grid: Grid, lines: Sequence[Line]) -> Values:
    """The values in some lines of a grid.

    Left out are columns of labels, references, links and running numbers, and those without a name
    or a value. N/A are empty cells and dashes; but in a column of ticks alone an empty cell means
    no. Such columns and the values keep their order.
    """
    printed = [line.cells for line in lines]
    labels = label_columns(grid.columns, printed)
    kept: list[tuple[str, list[str | None]]] = []
    formulas = 0
    for place, name in enumerate(grid.columns):
        values = [_value(cells[place]) for cells in printed]
        if place in labels or not name or not any(values) or _is_pointer(name, values):
            continue
        formulas += sum(_is_formula(cells[place]) for cells in printed)
        # In a column in which only what applies is marked, the rest is marked too.
        if {cell_key(value) for value in values if value is not None} == {_YES}:
            values = [_CROSS if value is None else value for value in values]
        kept.append((name, values))
    named = [without_citations(cells[labels[0]]) if labels else "" for cells in printed]
    return Values(
        labels=tuple(named),
        columns=tuple(name for name, _ in kept),
        rows=tuple(tuple(values[at] for _, values in kept) for at in range(len(printed))),
        formulas=formulas,
    )


def why_not(
    values: Values, papers: Iterable[str], options: TablesOptions
) -> tuple[str, str] | None:
    """The reason for which a table is no item, and what it is seen by; None when it is one."""
    filled = [cell for row in values.rows for cell in row if cell is not None]
    places = len(values.rows) * len(values.columns)
    known = len(set(papers))
    if len(values.rows) < options.min_rows:
        return "few_rows", f"{len(values.rows)} rows cite one work"
    if known < options.min_papers:
        return "few_papers", f"{known} works"
    if len(values.columns) < options.min_columns:
        return "few_columns", f"{len(values.columns)} columns beside the label"
    if 2 * len(filled) < places:
        return "sparse", f"{places - len(filled)} of {places} cells are empty"
    if values.formulas > _FORMULAS * len(filled):
        return "formulas", f"{values.formulas} of {len(filled)} values are formulas"
    if not options.numeric and all(read_number(cell) is not None for cell in filled):
        return "numeric_only", f"all {len(filled)} values are numbers"
    return None


def find_duplicates(tables: Sequence[GoldTable]) -> Mapping[str, str]:
    """Tables that say what an earlier one says, by id, with the id of the earlier one."""
    first: dict[tuple[object, ...], str] = {}
    duplicates: dict[str, str] = {}
    for table in tables:
        key = _content(table)
        if first.setdefault(key, table.id) != table.id:
            duplicates[table.id] = first[key]
    return duplicates


def _content(table: GoldTable) -> tuple[object, ...]:
    """Columns and rows whatever their order."""
    order = sorted(range(len(table.columns)), key=lambda at: (column_key(table.columns[at]), at))
    rows = sorted((row.paper, *(cell_key(row.cells[at]) for at in order)) for row in table.rows)
    return tuple(column_key(table.columns[at]) for at in order), tuple(rows)


def _value(cell: str) -> str | None:
    text = without_citations(cell)
    return text if cell_key(text) else None


def _is_pointer(name: str, values: Sequence[str | None]) -> bool:
    key = folded(name)
    if key in _POINTERS:
        return True
    numbers = [value for value in values if value is not None]
    return key in _INDEX_NAMES and all(number.rstrip(".)").isdigit() for number in numbers)


def _is_formula(cell: str) -> bool:
    """Check whether a cell has mathematics with letters and an operator."""
    return any(
        _OPERATOR.search(maths) and any(map(str.isalpha, latex_words(maths)))
        for maths in _MATHS.findall(cell[:2_000])
    )
