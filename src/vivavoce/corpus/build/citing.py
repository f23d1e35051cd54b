"""References of the shards resolved to papers, and again when papers came or went."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce import __version__
from vivavoce.columns import write_parquet_table
from vivavoce.corpus.build.parts import FACTS, REFERENCES
from vivavoce.corpus.resolve.changes import changed_keys, touched_rows, write_digest
from vivavoce.corpus.resolve.hashing import Keys
from vivavoce.corpus.resolve.index import Index, open_index
from vivavoce.corpus.resolve.indexing import build_index
from vivavoce.corpus.resolve.shards import RESOLVED, resolve_shard
from vivavoce.errors import DamagedError
from vivavoce.store import Row, hash_file, hash_of, hash_tree, mark_done, read_done

INDEX = "index-"
"""Prefix of the folders of indexes; the hash of the papers they hold follows."""
DIGESTS = "digests"
_SEALED = "index.json"


def make_index(folder: Path, names: Sequence[str], facts: Sequence[str]) -> str:
    """Build the index of all papers, unless it stands; returns the name of its folder."""
    inputs = hash_of([__version__, *facts])
    name = INDEX + inputs[:16]
    if is_sound(folder, name):
        return name
    shutil.rmtree(folder / name, ignore_errors=True)
    build_index(folder / name, (pq.read_table(folder / FACTS / f"{n}.parquet") for n in names))
    files = hash_tree(folder / name)
    mark_done(folder / name / _SEALED, config=name, inputs=name, extra={"files": files})
    return name


def is_sound(folder: Path, name: str) -> bool:
    """Return whether an index is as it was written."""
    marker = read_done(folder / name / _SEALED, config=name, inputs=name)
    return marker is not None and all(
        (folder / name / file).exists() and hash_file(folder / name / file) == digest
        for file, digest in marker["files"].items()
    )


def resolve_references(task: Row) -> Row:
    """Resolve the references of one shard.

    Args:
        task: `folder` of the tables, `name`, `config` and `inputs` of the shard, the `index` to
            use, and `since`: the index they were resolved with, or None; `digest` is the hash of
            their keys then.
    """
    folder, name = Path(task["folder"]), str(task["name"])
    path, digest = folder / REFERENCES / f"{name}.parquet", folder / DIGESTS / f"{name}.arrow"
    index, rows = _open(folder / task["index"]), None
    if task["since"] and digest.exists() and hash_file(digest) == task["digest"]:
        try:
            rows = touched_rows(digest, _changes(folder / task["since"], folder / task["index"]))
        except DamagedError:
            rows = None  # all of them, then
    references = pq.read_table(path)
    found = resolve_shard(references, index, rows)
    if rows is None:
        write_digest(digest, found.keys)
        resolved = found.table
    else:
        place = np.arange(references.num_rows)
        place[rows] = references.num_rows + np.arange(len(rows))
        both = pa.concat_tables([references.select(RESOLVED.names), found.table])
        resolved = both.take(pa.array(place))
    for column in RESOLVED.names:
        at = references.schema.get_field_index(column)
        references = references.set_column(at, references.field(at), resolved[column])
    mark_done(
        path,
        config=task["config"],
        inputs=task["inputs"],
        extra={
            **write_parquet_table(path, references),
            "index": task["index"],
            "digest": hash_file(digest),
        },
    )
    return {}


@lru_cache(maxsize=2)
def _open(folder: Path) -> Index:
    return open_index(folder)


@lru_cache(maxsize=1)
def _changes(old: Path, new: Path) -> Keys:
    return changed_keys(_open(old), _open(new))
