"""Which columns of a printed table say something of the works, and which tables are items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.metrics.tables.cell_matching import cell_key, folded, read_number
from vivavoce.metrics.tables.table_schema import column_key
from vivavoce.tasks.tables.items.gold.headers import Grid, Line, label_columns, without_citations
from vivavoce.tasks.tables.items.options import TablesOptions
from vivavoce.tasks.tables.items.table_items import GoldTable
from vivavoce.text.cell_text import latex_words

_NO, _YES = "no", "yes"
_CROSS = "✗"
_POINTERS = frozenset(
    {
        *("author", "authors", "bib", "citation", "citations", "cite", "paper", "papers"),
        *("papertitle", "ref", "ref.", "refs", "refs.", "reference", "references", "title"),
        *("github", "homepage", "link", "links", "projectpage", "resource", "resourcelink"),
        *("resourcelinks", "resources", "url", "urls", "webpage", "website", "codelink"),
    }
)
"""Names of columns that point to a work and say nothing of it."""
_INDEX_NAMES = frozenset({"#", "id", "idx", "index", "no", "no.", "nr", "nr.", "s.no", "s.no."})
_MATHS = re.compile(r"\$([^$]{1,500})\$")
_OPERATOR = re.compile(r"[=^_(+/|]|\\(?:frac|sum|prod|int|sqrt|log|exp|max|min|hat|bar|mathbb)\b")
_FORMULAS = 0.1
"""Share of the values that may be formulas."""


@dataclass(frozen=True, slots=True)
class Values:
    """What a grid says of the works that its lines are about."""

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
        kept.append((name, _with_crosses(values)))
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


def _with_crosses(values: list[str | None]) -> list[str | None]:
    """A column in which only what applies is marked, with the rest marked too."""
    if {cell_key(value) for value in values if value is not None} != {_YES}:
        return values
    return [_CROSS if value is None else value for value in values]


def _is_formula(cell: str) -> bool:
    """Whether a cell has mathematics with letters and an operator."""
    return any(
        _OPERATOR.search(maths) and any(map(str.isalpha, latex_words(maths)))
        for maths in _MATHS.findall(cell[:2_000])
    )
