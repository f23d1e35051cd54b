"""Printed tables as grids: names of columns, the lines below them, and the column of labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.text.cell_text import plain_words

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
_LABELS = frozenset(
    "algorithm approach author authors benchmark dataset datasets framework method methods model "
    "models name paper papers study studies system systems variant variants work works".split()
)


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

    Citations stand behind the name, or in a column of their own; the name is then where a header
    such as `Method` says so.
    """
    cited = [sum(_has_citation(line[column]) for line in lines) for column in range(len(columns))]
    most = max(cited, default=0)
    if not most:
        return (0,) if columns else ()
    marked = cited.index(most)
    named = sum(bool(without_citations(line[marked])) for line in lines)
    if 2 * named > len(lines):
        return (marked,)
    name = next((place for place, column in enumerate(columns) if _is_label(column)), None)
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
    """Whether a row says at most one thing for the whole table, such as the name of a group."""
    said = {cell.strip() for cell in row} - {""}
    return not said or (len(said) == 1 and bool(row[0].strip()))


def _spread(row: tuple[str, ...]) -> tuple[str, ...]:
    """A header row with each name in every place that it covers."""
    spread: list[str] = []
    for cell in row:
        spread.append(cell or (spread[-1] if spread else ""))
    return tuple(spread)


def _goes_on(above: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row names what the spans of the row above hold, and says nothing new elsewhere."""
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
    """The names of a column in all header rows, each once."""
    names = []
    for parts in zip(*header, strict=True):
        words = (without_citations(part) for part in parts)
        names.append(JOINT.join(dict.fromkeys(word for word in words if word)))
    return tuple(names)


def _has_citation(cell: str) -> bool:
    text = cell[:_MAX_CELL]
    return any(marks.search(text) for marks in (_NUMBERS, _NAMES_AND_YEAR, _YEAR))


def _is_label(name: str) -> bool:
    return name.casefold() in _LABELS
