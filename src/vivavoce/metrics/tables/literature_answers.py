"""Reading of literature tables from JSON rows, or from tables inside a text."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.cell_matching import MAX_CELL, fold_words, folded
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.text.cell_text import collapse_spaces, plain_words
from vivavoce.text.normalise import normalise_title
from vivavoce.text.table_lines import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, ParsedTable
from vivavoce.text.table_parsing import parse_tables

_UNKNOWN = "unknown: "
_MARK = re.compile(r"[\[\]():]")
_MAX_MARKS = 20


class PaperNames:
    """Finds the paper that a table cell names, by id or by title."""

    def __init__(self, gold: LiteratureTable, titles: Mapping[str, str] | None = None) -> None:
        papers = [*gold.papers, *(row.paper for row in gold.rows), *(titles or {})]
        self._by_id = {folded(paper): paper for paper in reversed(papers)}
        self._by_title = {
            normalise_title(plain_words(title)): paper
            for paper, title in reversed(list((titles or {}).items()))
            if normalise_title(title)
        }
        self.find = cache(self._find)

    def knows(self, name: str) -> bool:
        """Check whether any paper has this name."""
        return not self.find(name).startswith(_UNKNOWN)

    def _find(self, name: str) -> str:
        """Find the paper's id; a name that no paper has is returned, marked as unknown."""
        words = plain_words(name[:MAX_CELL])
        bracketed = words.partition("[")[2].partition("]")[0]
        for candidate in filter(None, (words, words.strip("[]()"), bracketed)):
            paper = self._by_id.get(fold_words(candidate))
            paper = paper or self._by_title.get(normalise_title(candidate))
            if paper is not None:
                return paper
        # An id, authors or a number may stand before or behind a title.
        for mark in islice(_MARK.finditer(words), _MAX_MARKS):
            for beside in (words[: mark.start()], words[mark.end() :]):
                if paper := self._by_title.get(normalise_title(beside)):
                    return paper
        return f"{_UNKNOWN}{fold_words(words)}"


def table_from_json(value: Mapping[str, Any], names: PaperNames | None = None) -> LiteratureTable:
    """Read the table of a gold or prediction row; `InputError` names a part of the wrong type.

    Without `papers`, the selection consists of the papers of the rows. Rows and columns beyond the
    limits for tables in answers are not read.
    """
    table = _typed(value.get("table") or {}, Mapping, "table", "an object")
    rows = _typed(table.get("rows") or [], list, "table.rows", "a list")
    columns = _read_columns(table, rows)
    limit = min(MAX_ROWS, MAX_CELLS // max(1, len(columns)))
    read = [_read_row(row, columns[:MAX_COLUMNS], names) for row in rows[:limit]]
    papers = value.get("papers")
    selected = [row.paper for row in read] if papers is None else _read_papers(papers, names)
    return LiteratureTable(
        papers=tuple(dict.fromkeys(selected)),
        columns=tuple(columns[:MAX_COLUMNS]),
        rows=tuple(read),
        truncated=len(rows) > limit or len(columns) > MAX_COLUMNS,
    )


def table_from_text(
    text: str | None, names: PaperNames, papers: Sequence[str] | None = None
) -> LiteratureTable:
    """Read the table of a model's answer, whose rows or columns are papers.

    The column that names most papers is moved to the front, without row numbers. Several tables are
    joined: one that shares columns adds rows, one that shares none adds columns. A table with the
    same columns replaces the earlier rows about its papers.
    """
    answer = parse_tables(text or "")
    columns: dict[str, int] = {}
    merged: list[tuple[str, dict[int, str]]] = []
    for table in answer.tables:
        _merge(_by_paper(table, names), names, columns, merged)
    rows = tuple(
        TableRow(paper, tuple(cells.get(column) for column in range(len(columns))))
        for paper, cells in merged[: MAX_CELLS // max(1, len(columns))]
    )
    selected = [row.paper for row in rows] if papers is None else _read_papers(papers, names)
    return LiteratureTable(
        papers=tuple(dict.fromkeys(selected)),
        columns=tuple(columns),
        rows=rows,
        truncated=answer.truncated or len(rows) < len(merged),
    )


def _by_paper(table: ParsedTable, names: PaperNames) -> ParsedTable:
    """Rearrange a table so that its first column names the papers."""
    grid = [table.header, *table.rows]
    columns = [_without_label(column, names) for column in zip(*grid, strict=True)]
    grid = list(zip(*columns, strict=True))
    named = [sum(map(names.knows, column[1:])) for column in columns]
    if sum(map(names.knows, table.header[1:])) > max(named, default=0):
        grid, named = columns, [1]
    place = named.index(max(named)) if named else 0
    if place:
        kept = [
            place,
            *(n for n in range(len(named)) if n != place and not _counts(columns[n])),
        ]
        grid = [tuple(row[n] for n in kept) for row in grid]
    header, *rows = grid
    return ParsedTable(header, tuple(rows))


def _without_label(column: tuple[str, ...], names: PaperNames) -> tuple[str, ...]:
    """A column without the word or sign before each id, as in `Paper 1` and `#1`."""
    header, *cells = column
    label = re.match(r".*\W", cells[0]) if len(cells) > 1 else None
    if label is None or any(map(names.knows, cells)):
        return column
    ids = [cell.removeprefix(label[0]) for cell in cells]
    return (header, *ids) if all(map(names.knows, ids)) else column


def _counts(column: Sequence[str]) -> bool:
    """Check whether the cells below a header count the rows: 1, 2, 3."""
    return [cell.strip(" .)#") for cell in column[1:]] == [
        str(number) for number in range(1, len(column))
    ]


def _merge(
    table: ParsedTable,
    names: PaperNames,
    columns: dict[str, int],
    merged: list[tuple[str, dict[int, str]]],
) -> None:
    """Add the rows of a table in an answer to the rows of its earlier tables."""
    header = [plain_words(name) for name in table.header[1:]]
    brings_columns = bool(columns) and not any(name in columns for name in header)
    places = [columns.setdefault(name, len(columns)) for name in header]
    if columns and not brings_columns:
        about = {names.find(row[0]) for row in table.rows}
        merged[:] = [entry for entry in merged if entry[0] not in about]
    waiting: dict[str, list[dict[int, str]]] = {}
    if brings_columns:
        for paper, earlier in reversed(merged):
            waiting.setdefault(paper, []).append(earlier)
    for row in table.rows:
        if row == table.header or not row[0]:
            continue
        paper = names.find(row[0])
        cells: dict[int, str] = {}
        if begun := waiting.get(paper):
            cells = begun.pop()
        else:
            merged.append((paper, cells))
        for place, cell in zip(places, row[1:], strict=True):
            cells.setdefault(place, cell)


def _read_columns(table: Mapping[str, Any], rows: Sequence[Any]) -> list[str]:
    """Listed columns, followed by those that only rows mention."""
    listed = _typed(table.get("columns") or [], list, "table.columns", "a list")
    columns = dict.fromkeys(_typed(name, str, "table.columns", "names") for name in listed)
    for row in rows[:MAX_ROWS]:
        cells = _typed(row, Mapping, "table.rows", "objects").get("cells") or {}
        columns |= dict.fromkeys(_typed(cells, Mapping, "cells", "an object"))
    return list(columns)


def _read_row(row: Mapping[str, Any], columns: Sequence[str], names: PaperNames | None) -> TableRow:
    paper = row.get("paper")
    if not isinstance(paper, str | int) or isinstance(paper, bool):
        raise InputError("Each row of a table needs a paper: its id, as a string or an integer.")
    cells = row.get("cells") or {}
    return TableRow(_name(paper, names), tuple(cell_text(cells.get(column)) for column in columns))


def _read_papers(papers: Any, names: PaperNames | None) -> list[str]:
    listed = _typed(papers, list, "papers", "a list")
    return [_name(_typed(paper, str | int, "papers", "ids"), names) for paper in listed]


def _name(paper: str | int, names: PaperNames | None) -> str:
    text = str(paper)
    return names.find(text) if names is not None else text


def cell_text(value: Any) -> str | None:
    """A cell as text: lists joined by commas, True and False as yes and no."""
    if value is None:
        return None
    if isinstance(value, list):
        parts = [cell_text(part) for part in value if not isinstance(part, list)]
        if len(parts) < len(value):
            raise InputError("A cell of a table is a value or a list of values, not a nested list.")
        return ", ".join(part for part in parts if part)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return hex(value) if value.bit_length() > 1000 else str(value)
    if isinstance(value, float):
        return repr(value)
    return collapse_spaces(_typed(value, str, "A cell of a table", "text, a number or null"))


def _typed(value: Any, kind: Any, what: str, expected: str) -> Any:
    if not isinstance(value, kind):
        raise InputError(f"{what} must be {expected}, not {type(value).__name__}.")
    return value
