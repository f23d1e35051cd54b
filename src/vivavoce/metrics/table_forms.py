"""Literature tables as a reader is shown them: a rectangle, under names that others may share."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping

from vivavoce.metrics.cell_matching import cell_key, folded, is_unit
from vivavoce.metrics.literature_tables import LiteratureTable
from vivavoce.metrics.table_schema import column_unit
from vivavoce.text.cell_text import collapse_spaces

ABSENT = "N/A"
PAPER = "Paper"
_BRACKETS = re.compile(r"\s?[(\[]([^()\[\]]{0,60})[)\]]")


def rectangle(table: LiteratureTable, names: Mapping[str, str] | None = None) -> str:
    """The table as CSV: a header, a line for each row, `N/A` where there is no value.

    The first column names the papers, with `names` by their ids. Values stay as they were written,
    on one line each; equal lines stand once.
    """
    known = names or {}
    lines = [[PAPER, *map(collapse_spaces, table.columns)]]
    for row in table.rows:
        cells = [
            collapse_spaces(cell) if cell is not None and cell_key(cell) else ABSENT
            for cell in row.cells
        ]
        lines.append([collapse_spaces(known.get(row.paper, row.paper)), *cells])
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows(dict.fromkeys(map(tuple, lines)))
    return stream.getvalue().rstrip("\n")


def rename_columns(
    system: LiteratureTable, gold: LiteratureTable, pairs: Mapping[int, int]
) -> LiteratureTable:
    """The system's table with the gold names of the columns that are paired with gold ones.

    A column keeps its own unit: `Model size (M)` that is paired with `Parameters` becomes
    `Parameters (m)`, so that its values still mean what they meant.
    """
    columns = list(system.columns)
    for here, there in pairs.items():
        name, unit = gold.columns[here], column_unit(columns[there])
        if unit != column_unit(name):
            name = _BRACKETS.sub(_without_unit, name) + (f" ({unit})" if unit else "")
        columns[there] = name
    return LiteratureTable(system.papers, tuple(columns), system.rows, system.truncated)


def _without_unit(bracketed: re.Match[str]) -> str:
    return "" if is_unit(folded(bracketed.group(1))) else bracketed.group()
