"""Tables written: sorted by key, one file a shard, with a hash of the rows that lasts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus.schema import TABLES
from vivavoce.store import Row, hash_file, write_bytes

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
"""What each table is sorted by."""
ROWS_PER_GROUP = 1 << 16
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


def write_parquet_table(path: Path, table: pa.Table) -> Row:
    """Write a table to one Parquet file, whole or not at all; return what its manifest says."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        compression="zstd",
        write_statistics=False,
        row_group_size=ROWS_PER_GROUP,
    )
    write_bytes(path, sink.getvalue())
    return {"sha256": hash_file(path), "rows": table.num_rows, "row_hash": hash_table(table)}


def hash_table(table: pa.Table) -> str:
    """Sha256 of a table's rows, whatever writes or reads them.

    Of each run of rows column by column: which values are null, then the values. Numbers are
    little-endian bytes; of texts and lists come the lengths, then what they hold.
    """
    digest = hashlib.sha256()
    digest.update("\0".join([str(table.num_rows), *table.column_names]).encode())
    for start in range(0, table.num_rows, ROWS_PER_GROUP):
        rows = table.slice(start, ROWS_PER_GROUP)
        for column in rows.columns:
            _feed(digest.update, _whole(column))
    return digest.hexdigest()


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _feed(update: Callable[[Any], None], values: pa.Array) -> None:
    valid = values.is_valid()
    update(np.packbits(valid.to_numpy(zero_copy_only=False)).tobytes())
    if pa.types.is_list(values.type):
        lengths = pc.fill_null(pc.list_value_length(values), 0)
        update(lengths.to_numpy(zero_copy_only=False).astype("<i8").tobytes())
        _feed(update, values.flatten())
    elif pa.types.is_string(values.type):
        texts = pc.fill_null(values, "")
        lengths = pc.binary_length(texts)
        update(lengths.to_numpy(zero_copy_only=False).astype("<i8").tobytes())
        update(_content(texts))
    elif pa.types.is_boolean(values.type):
        flags = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
        update(np.packbits(flags).tobytes())
    else:
        numbers = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
        kind = "<f8" if pa.types.is_floating(values.type) else "<i8"
        update(numbers.astype(kind).tobytes())


def _content(texts: pa.Array) -> memoryview:
    """The bytes of all texts, one after the other."""
    _, offsets, content = texts.buffers()
    if content is None or not len(texts):
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(content)[int(ends[0]) : int(ends[-1])]
