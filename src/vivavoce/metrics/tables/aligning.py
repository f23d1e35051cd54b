"""A system's table in the words of the gold one, wherever both mean the same.

What is compared after it is compared by the lexical rule as before, so that `score_table` of the
table as it was given is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.metrics.tables.meaning import Meaning
from vivavoce.metrics.tables.table_questions import rename_columns
from vivavoce.metrics.tables.table_schema import column_unit, match_columns

_MAX_COLUMNS, _MAX_ROWS = 60, 500
"""Of a table whose words are compared by meaning; what is beyond keeps its words."""


def align_by_meaning(
    gold: LiteratureTable, system: LiteratureTable, meaning: Meaning
) -> LiteratureTable:
    """The system's table with gold names for columns and gold values for cells of the same sense.

    Args:
        gold: The table that is right.
        system: The table under review.
        meaning: Decides which headers and cells mean the same.
    """
    pairs = match_headers(gold.columns, system.columns, meaning)
    given = rename_columns(system, gold, pairs)
    values: dict[tuple[str, int], list[str]] = {}
    for row in gold.rows[:_MAX_ROWS]:
        for column, there in pairs.items():
            if cell := row.cells[column]:
                values.setdefault((row.paper, there), []).append(cell)
    units = [column_unit(name) for name in given.columns]

    def aligned(row: TableRow) -> TableRow:
        return replace(
            row,
            cells=tuple(
                cell
                if cell is None
                else _in_words_of(
                    values.get((row.paper, place), ()), cell, units[place], name, meaning
                )
                for place, (cell, name) in enumerate(zip(row.cells, given.columns, strict=True))
            ),
        )

    rows = (*map(aligned, given.rows[:_MAX_ROWS]), *given.rows[_MAX_ROWS:])
    return replace(given, rows=rows)


def match_headers(
    gold: tuple[str, ...], system: tuple[str, ...], meaning: Meaning
) -> dict[int, int]:
    """Pair columns one to one: those of the lexical rule first, then those of the same sense."""
    pairs = match_columns(gold, system)
    left = [place for place in range(len(system))[:_MAX_COLUMNS] if place not in pairs.values()]
    for here in sorted(range(len(gold))[:_MAX_COLUMNS], key=lambda place: gold[place]):
        if here in pairs:
            continue
        for there in sorted(left, key=lambda place: system[place]):
            if meaning.same_headers(gold[here], system[there]):
                pairs[here] = there
                left.remove(there)
                break
    return pairs


def _in_words_of(values: Iterable[str], cell: str, unit: str, header: str, meaning: Meaning) -> str:
    """The gold value that a cell means; the cell itself where it means none or is one."""
    keys = {cell_key(value, unit) for value in values}
    key = cell_key(cell, unit)
    if not key or key in keys:
        return cell
    return next((value for value in values if meaning.same_cells(value, cell, header)), cell)
