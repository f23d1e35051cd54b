"""The shards of a corpus that networks are made of, and what was read out of each.

A piece depends on the rows of its shard alone and is kept as long as the corpus has the shard. Its
file is named by the hash of the shard and by its own, so a damaged one is noticed and made anew.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import DamagedError
from vivavoce.store import parquet_of, write_bytes

FOLDER = "networks"
_PIECES = "pieces"
# Numbers and keys hardly repeat: a dictionary of them takes time and room.
PARQUET = {"compression": "lz4", "use_dictionary": False, "row_group_size": 1 << 24}
"""Options with which networks and pieces are written."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a table that has rows."""

    name: str
    """Below the corpus' folder `tables`."""
    sha256: str


def column_batches(corpus: Corpus, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a table of the corpus, one of its files after the other.

    Raises:
        DamagedError: A file is not as it was written.
    """
    for name in corpus.files(table):
        if problem := corpus.damage(name):
            raise DamagedError(problem)
        yield read_file(corpus.folder / "tables" / name, names)


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


def shards_of(corpus: Corpus, table: str) -> list[Shard]:
    """The shards of a table that have rows, in order."""
    files = corpus.manifest["files"]
    return [Shard(n, files[n]["sha256"]) for n in corpus.files(table) if files[n]["rows"]]


def read_shard(corpus: Corpus, shard: Shard, columns: Sequence[str]) -> pa.Table:
    """Some columns of a shard; `DamagedError` when it is not as it was written."""
    if problem := corpus.damage(shard.name):
        raise DamagedError(problem)
    return read_file(corpus.folder / "tables" / shard.name, columns)


class Pieces:
    """The pieces of one kind; those of an earlier run count for nothing when all is made anew."""

    def __init__(self, networks: Path, kind: str, *, fresh: bool = False) -> None:
        self.folder = networks / _PIECES / kind
        self._is_fresh = fresh
        self._written: set[str] = set()

    def find(self, shard: Shard) -> pa.Table | None:
        """The piece of a shard; None when it is not there as it was written."""
        if self._is_fresh and shard.sha256 not in self._written:
            return None
        for path in self._files_of(shard):
            content = path.read_bytes()
            if path.stem.partition("-")[2] == hashlib.sha256(content).hexdigest():
                return pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        return None

    def keep(self, shard: Shard, piece: pa.Table) -> None:
        """Keep the piece of a shard."""
        content = parquet_of(piece.combine_chunks(), **PARQUET)
        own = hashlib.sha256(content).hexdigest()
        for path in self._files_of(shard):
            path.unlink()
        write_bytes(self.folder / f"{shard.sha256}-{own}.parquet", content)
        self._written.add(shard.sha256)

    def _files_of(self, shard: Shard) -> list[Path]:
        return sorted(self.folder.glob(f"{shard.sha256}-*.parquet"))


def drop_pieces(networks: Path, kinds: Collection[str], wanted: Collection[str]) -> None:
    """Drop the pieces of other kinds, and those of shards whose hash is not wanted."""
    for folder in sorted((networks / _PIECES).glob("*")):
        if folder.name not in kinds:
            shutil.rmtree(folder)
        for path in sorted(folder.glob("*.parquet")):
            if path.name.partition("-")[0] not in wanted:
                path.unlink()
