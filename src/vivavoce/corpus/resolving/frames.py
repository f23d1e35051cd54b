"""The join of the keys of references with those of papers, as one of dataframes on Daft.

`resolve_shard` looks keys up in the mapped files of an index, which every process of a machine
shares. Where the keys of many shards are to be joined on a cluster at once, this gives the same
candidates: the matches of a shard stand for the whole index then (`Index.narrowed`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus.resolving.hashing import Keys, Kind, as_kind, distinct, kinds_of
from vivavoce.corpus.resolving.index import Index
from vivavoce.corpus.resolving.raw_keys import ReferenceKeys

if TYPE_CHECKING:
    import daft

_AT_ONCE = 1 << 20
_PAPER_KEYS = pa.schema([("key", pa.uint64()), ("value", pa.uint32())])
_SHARD_KEYS = pa.schema([("shard", pa.string()), ("key", pa.uint64())])


def write_paper_keys(folder: Path, index: Index) -> None:
    """Write the keys of an index as Parquet files, a range of keys each."""
    folder.mkdir(parents=True, exist_ok=True)
    keys, values = index.arrays["keys"], index.arrays["values"]
    for number, start in enumerate(range(0, max(len(keys), 1), _AT_ONCE)):
        part = slice(start, start + _AT_ONCE)
        table = pa.table([np.asarray(keys[part]), np.asarray(values[part])], schema=_PAPER_KEYS)
        pq.write_table(table, folder / f"{number:05d}.parquet")


def write_shard_keys(folder: Path, shard: str, found: ReferenceKeys) -> None:
    """Write the keys of a shard of references, each once, as a Parquet file."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = distinct(np.concatenate([found.keys, _own_titles(found.keys)]))
    table = pa.table([pa.array([shard] * len(keys), pa.string()), keys], schema=_SHARD_KEYS)
    pq.write_table(table, folder / f"{shard}.parquet")


def match(shard_keys: Path, paper_keys: Path) -> daft.DataFrame:
    """Which keys of each shard stand for which papers: shard, key and value."""
    os.environ.setdefault("DAFT_PROGRESS_BAR", "0")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    os.environ.setdefault("DAFT_ANALYTICS_ENABLED", "0")
    import daft

    asked = daft.read_parquet(f"{shard_keys}/*.parquet")
    return asked.join(daft.read_parquet(f"{paper_keys}/*.parquet"), on="key")


def _own_titles(keys: Keys) -> Keys:
    """The titles of references as whole ones, which they are asked for by `resolve_shard`."""
    return as_kind(keys[kinds_of(keys) == Kind.PART], Kind.TITLE)
