"""Columns of the tables of a corpus that networks are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import DamagedError

FOLDER = "networks"


def column_batches(corpus: Corpus, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a table of the corpus, one of its files after the other.

    Raises:
        DamagedError: A file is not as it was written.
    """
    for name in corpus.files(table):
        yield read_shard(corpus, name, names)


def read_file(path: Path, names: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some of its columns.

    Raises:
        DamagedError: It cannot be read.
    """
    try:
        with pq.ParquetFile(path) as file:
            return file.read(columns=None if names is None else list(names), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read as Parquet: {error}") from error


def read_columns(corpus: Corpus, table: str, names: Sequence[str]) -> pa.Table:
    """Some columns of a whole table; text has 64-bit offsets, so it may pass 2 GB.

    Raises:
        DamagedError: A file is not as it was written.
    """
    return whole_table(table, names, column_batches(corpus, table, names))


def whole_table(table: str, names: Sequence[str], pieces: Iterable[pa.Table]) -> pa.Table:
    """Pieces of some columns of a table of the corpus in one; text has 64-bit offsets."""
    schema = pa.schema([TABLES[table].field(name) for name in names])
    empty = pa.Table.from_batches([], schema=schema)
    return pa.concat_tables([widen(piece) for piece in [empty, *pieces]]).combine_chunks()


def widen(table: pa.Table) -> pa.Table:
    """A table whose columns of text have 64-bit offsets."""
    fields = [
        pa.field(field.name, pa.large_string() if pa.types.is_string(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def read_shard(corpus: Corpus, name: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of a file of a table; `DamagedError` when it is not as it was written."""
    if problem := corpus.damage(name):
        raise DamagedError(problem)
    return read_file(corpus.folder / "tables" / name, columns)
