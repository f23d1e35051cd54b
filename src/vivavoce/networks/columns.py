"""Tables in columns: read from a corpus, hashed, and written with the same bytes each time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import DamagedError
from vivavoce.store import write_bytes

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MISSING = -1
"""The number of what is not there."""
_ROWS_A_GROUP = 1 << 20


def column_batches(corpus: Corpus, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a table of the corpus, one of its files after the other.

    Raises:
        DamagedError: A file is not as it was written.
    """
    for name in corpus.files(table):
        if problem := corpus.damage(name):
            raise DamagedError(problem)
        yield pq.read_table(corpus.folder / "tables" / name, columns=list(names))


def read_columns(corpus: Corpus, table: str, names: Sequence[str]) -> pa.Table:
    """Some columns of a whole table; text has 64-bit offsets, so it may pass 2 GB.

    Raises:
        DamagedError: A file is not as it was written.
    """
    pieces = [widen(piece) for piece in column_batches(corpus, table, names)]
    empty = widen(pa.schema([TABLES[table].field(name) for name in names]).empty_table())
    return pa.concat_tables([empty, *pieces]).combine_chunks()


def widen(table: pa.Table) -> pa.Table:
    """A table whose columns of text have 64-bit offsets."""
    fields = [
        pa.field(field.name, pa.large_string() if pa.types.is_string(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def as_numbers(values: Any, *, missing: int = MISSING) -> Ints:
    """A column of integers, with `missing` for null."""
    filled = pc.fill_null(pc.cast(values, pa.int32()), missing)
    return np.asarray(filled.to_numpy(zero_copy_only=False), dtype=np.int32)


def as_flags(values: Any) -> Flags:
    """A column of true and false, null as false."""
    filled = pc.fill_null(values, False)
    return np.asarray(filled.to_numpy(zero_copy_only=False), dtype=np.bool_)


def flat(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else joined.chunk(0)


def prefixed(prefix: str, texts: pa.Array) -> pa.Array:
    """Texts with something before them; null for what is null or empty."""
    text = pa.large_string()
    before, separator = pa.scalar(prefix, text), pa.scalar("", text)
    full = pc.binary_join_element_wise(before, texts, separator)
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, text), full)


def sorted_keys(keys: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct keys in order, and the number of each value among them; null has none."""
    encoded = pc.dictionary_encode(keys)
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = as_numbers(encoded.indices)
    found = codes != MISSING
    numbers = np.full(len(codes), MISSING, dtype=np.int32)
    numbers[found] = rank[codes[found]]
    return encoded.dictionary.take(pa.array(order)), numbers


def hash_columns(table: pa.Table) -> str:
    """Sha256 of a table's content, whatever writes or reads it.

    Of each column its name and type, then which values are null, then the values: numbers as
    little-endian bytes, of texts the lengths and the bytes.
    """
    digest = hashlib.sha256()
    for name in table.column_names:
        column = flat(table[name])
        digest.update(f"{name}\0{column.type}\0{len(column)}\0".encode())
        digest.update(np.packbits(as_flags(pc.is_null(column))).tobytes())
        if pa.types.is_large_string(column.type):
            whole = pc.fill_null(column, "")
            lengths = pc.binary_length(whole).to_numpy()
            digest.update(np.ascontiguousarray(lengths, dtype="<i8").tobytes())
            digest.update(_bytes_of(whole))
        else:
            numbers = pc.fill_null(column, False if pa.types.is_boolean(column.type) else 0)
            values = numbers.to_numpy(zero_copy_only=False)
            little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"))
            digest.update(little.data)
    return digest.hexdigest()


def _bytes_of(texts: pa.Array) -> memoryview:
    """The bytes of all texts, one after the other; null is not among them."""
    _, offsets, content = texts.buffers()
    if content is None or not len(texts):
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(content)[ends[0] : ends[-1]]


def write_columns(path: Path, table: pa.Table) -> None:
    """Write a table to one Parquet file, whole or not at all."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table, sink, compression="zstd", write_statistics=False, row_group_size=_ROWS_A_GROUP
    )
    write_bytes(path, sink.getvalue())
