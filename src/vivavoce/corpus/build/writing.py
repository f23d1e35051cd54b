"""Rows collected into tables, sorted by key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus.schema import TABLES
from vivavoce.store import Row

KEYS: dict[str, tuple[str, ...]] = {
    "papers": ("paper_id",),
    "authorships": ("paper_id", "ordinal"),
    "sections": ("paper_id", "ordinal"),
    "references": ("paper_id", "ordinal"),
    "tables": ("paper_id", "ordinal"),
    "results": (
        *("dataset", "task", "metric", "method", "score_text", "paper_id"),
        *("paper_url", "date", "area", "modality", "higher_is_better"),
    ),
    "merges": ("paper_id", "kind", "key", "joined_by", "detail"),
    "faults": ("source", "where", "reason"),
}
"""Columns that each table is sorted by."""
_AT_A_TIME = 4_000


class Rows:
    """Rows of one table, which are packed into columns as they come."""

    def __init__(self, name: str) -> None:
        self._schema = TABLES[name]
        self._key = KEYS[name]
        self._rows: list[Row] = []
        self._packed: list[pa.Table] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, given as dictionaries of every column."""
        self._rows += rows
        if len(self._rows) >= _AT_A_TIME:
            self._pack()

    def table(self) -> pa.Table:
        """All rows, sorted by the key of the table; equal ones stay in the order added."""
        self._pack()
        return sort_rows(pa.concat_tables(self._packed), self._key)

    def _pack(self) -> None:
        self._packed.append(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []


def sort_rows(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """Sort a table by some columns as Python would, null first; equal rows keep their order."""
    columns = {}
    for name in key:
        if table[name].null_count:
            columns[f"{name} is there"] = pc.cast(table[name].is_valid(), pa.int8())
        columns[name] = table[name]
    order = pc.sort_indices(pa.table(columns), sort_keys=[(n, "ascending") for n in columns])
    is_sorted = np.array_equal(order.to_numpy(), np.arange(len(order)))
    return table if is_sorted else table.take(order)
