"""What reading tables in an answer may cost, and the table that comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_CHARACTERS = 1_000_000
"""About 250,000 tokens."""
MAX_TABLES = 1_000
MAX_ROWS = 10_000
"""Body rows of all tables of one answer together; header rows do not count."""
MAX_COLUMNS = 1_000
MAX_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """One table: every row has as many cells as the header."""

    kind: str
    """How it was written: `pipe`, `html`, `latex` or `csv`."""
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class TableBudget:
    """Counts what was read of one answer and says when to stop."""

    def __init__(self) -> None:
        self.tables = 0
        self.rows = 0
        self.cells = 0
        self.truncated = False

    def open_table(self, columns: int) -> bool:
        """Whether one more table may be read; its header's cells are counted."""
        return self._spend(columns, rows=0, tables=1)

    def admit_row(self, columns: int) -> bool:
        """Whether one more body row may be read."""
        return self._spend(columns, rows=1, tables=0)

    def _spend(self, cells: int, *, rows: int, tables: int) -> bool:
        over = (
            self.tables + tables > MAX_TABLES
            or self.rows + rows > MAX_ROWS
            or self.cells + cells > MAX_CELLS
        )
        if over:
            self.truncated = True
            return False
        self.tables += tables
        self.rows += rows
        self.cells += cells
        return True


def build_table(kind: str, rows: Iterator[list[str]], budget: TableBudget) -> ParsedTable | None:
    """The table of a stream of rows, the first of which is the header.

    Rows are pulled one by one, so none beyond the budget is read. None when there is no row;
    that counts as a table too.
    """
    header = next(rows, None)
    if header is None:
        budget.open_table(0)
        return None
    if len(header) > MAX_COLUMNS:
        budget.truncated = True
        header = header[:MAX_COLUMNS]
    width = len(header)
    if not budget.open_table(width):
        return None
    body: list[tuple[str, ...]] = []
    for row in rows:
        if not budget.admit_row(width):
            break
        body.append(tuple(row[:width]) + ("",) * (width - len(row)))
    return ParsedTable(kind, tuple(header), tuple(body))
