"""The shards of a corpus that a network was made of, kept so that a change can be told.

A shard is kept under its hash as a second name of the same file: it takes no room before the
corpus writes the shard anew, and afterwards until the networks follow.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError
from vivavoce.networks.columns import Longs, read_file
from vivavoce.networks.merging import MismatchError
from vivavoce.store import hash_file, write_bytes

FOLDER, KEPT = "networks", "kept"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a table that has rows."""

    name: str
    """Below the corpus' folder `tables`; empty for one that is only kept."""
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Change:
    """What became of the shards of a table; numbers are places in the old and the new list."""

    old: Sequence[Shard]
    new: Sequence[Shard]
    gone: list[int]
    come: list[int]
    stayed: list[tuple[int, int]]
    """(old, new) places."""


def shards_of(corpus: Corpus, table: str) -> list[Shard]:
    """The shards of a table that have rows, in order."""
    files = corpus.manifest["files"]
    found = [Shard(n, files[n]["sha256"], files[n]["rows"]) for n in corpus.files(table)]
    return [shard for shard in found if shard.rows]


def compare_shards(old: Sequence[Shard], new: Sequence[Shard]) -> Change:
    """Tell which shards stayed.

    Raises:
        MismatchError: Those that stayed changed their order.
    """
    place = {shard.sha256: number for number, shard in enumerate(old)}
    stayed = [(place[s.sha256], number) for number, s in enumerate(new) if s.sha256 in place]
    before = [old_place for old_place, _ in stayed]
    if before != sorted(set(before)):
        raise MismatchError
    kept, known = set(before), {number for _, number in stayed}
    return Change(
        old,
        new,
        gone=[number for number in range(len(old)) if number not in kept],
        come=[number for number in range(len(new)) if number not in known],
        stayed=stayed,
    )


def starts_of(shards: Iterable[Shard]) -> Longs:
    """The first row of each shard in its table, and the number of rows at the end."""
    return np.cumsum([0, *(shard.rows for shard in shards)], dtype=np.int64)


def read_shard(corpus: Corpus, shard: Shard, columns: Sequence[str]) -> pa.Table:
    """Some columns of a shard of the corpus; `DamagedError` when it is not as it was written."""
    if problem := corpus.damage(shard.name):
        raise DamagedError(problem)
    return read_file(corpus.folder / "tables" / shard.name, columns)


def read_kept(networks: Path, shard: Shard, columns: Sequence[str]) -> pa.Table:
    """Some columns of a shard as it was when a network was built.

    Raises:
        MismatchError: It is not there any more, or not as it was.
    """
    path = _path(networks, shard.sha256)
    if not path.exists() or hash_file(path) != shard.sha256:
        raise MismatchError
    return read_file(path, columns)


def keep_shards(corpus: Corpus, networks: Path, shards: Iterable[Shard]) -> None:
    """Keep shards of the corpus as they are now."""
    (networks / KEPT).mkdir(parents=True, exist_ok=True)
    for shard in shards:
        source, path = corpus.folder / "tables" / shard.name, _path(networks, shard.sha256)
        try:
            if path.exists() and path.samefile(source):
                continue
            path.unlink(missing_ok=True)
            os.link(source, path)
        except OSError:  # a file system without second names
            write_bytes(path, source.read_bytes())


def drop_kept(networks: Path, wanted: Collection[str]) -> None:
    """Drop the kept shards that no network was made of, given the hashes of the others."""
    for path in sorted((networks / KEPT).glob("*")):
        if path.stem not in wanted:
            path.unlink()


def _path(networks: Path, sha256: str) -> Path:
    return networks / KEPT / f"{sha256}.parquet"
