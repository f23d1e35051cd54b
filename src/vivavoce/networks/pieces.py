"""What was read out of one shard of a corpus, kept as long as the corpus has the shard.

A piece depends on the rows of its shard and on nothing else. Its file is named by the hash of the
shard and by its own, so a damaged one is noticed and read out anew.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.networks.columns import to_parquet
from vivavoce.networks.shards import Shard
from vivavoce.store import write_bytes

PIECES = "pieces"


class Pieces:
    """The pieces of one kind; those of an earlier run count for nothing when all is made anew."""

    def __init__(self, networks: Path, kind: str, *, fresh: bool = False) -> None:
        self.folder = networks / PIECES / kind
        self._is_fresh = fresh
        self._written: set[str] = set()

    def shards(self) -> list[str]:
        """The hashes of the shards of which a piece is there, sorted."""
        if self._is_fresh:
            return sorted(self._written)
        return sorted(path.name.partition("-")[0] for path in self.folder.glob("*.parquet"))

    def find(self, sha256: str) -> pa.Table | None:
        """The piece of a shard; None when it is not there as it was written."""
        if self._is_fresh and sha256 not in self._written:
            return None
        for path in sorted(self.folder.glob(f"{sha256}-*.parquet")):
            content = path.read_bytes()
            if path.stem.partition("-")[2] == hashlib.sha256(content).hexdigest():
                return pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        return None

    def keep(self, shard: Shard, piece: pa.Table) -> None:
        """Keep the piece of a shard."""
        content = to_parquet(piece)
        own = hashlib.sha256(content).hexdigest()
        for path in sorted(self.folder.glob(f"{shard.sha256}-*.parquet")):
            path.unlink()
        write_bytes(self.folder / f"{shard.sha256}-{own}.parquet", content)
        self._written.add(shard.sha256)


def drop_pieces(networks: Path, kinds: Collection[str], wanted: Collection[str]) -> None:
    """Drop the pieces of other kinds, and those of shards that are not wanted."""
    for folder in sorted((networks / PIECES).glob("*")):
        if folder.name not in kinds:
            shutil.rmtree(folder)
        for path in sorted(folder.glob("*.parquet")):
            if path.name.partition("-")[0] not in wanted:
                path.unlink()
