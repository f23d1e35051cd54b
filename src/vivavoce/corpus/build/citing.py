"""Resolution of references in shards; all are resolved again if papers came, left or changed.

The keys of references are joined with those of papers. References without a match are then done.
The others are resolved by a `PaperIndex` of the matching papers. It holds every paper that an index
of the whole corpus would compare with them.
"""

import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.columns import with_columns, write_parquet_table
from vivavoce.corpus.build.parts import FACTS, REFERENCES
from vivavoce.corpus.reference_index import (
    COLUMNS,
    Index,
    build_index,
    open_index,
    reference_keys,
    reference_of,
)
from vivavoce.corpus.references import PaperIndex, Resolution
from vivavoce.store import Row, hash_file, hash_of, hash_tree, is_intact, mark_done, read_done
from vivavoce.text.shingles import distinct
from vivavoce.version import __version__

INDEX = "index-"
"""Prefix of index folders; the hash of the indexed papers follows."""
_SEALED = "index.json"
RESOLVED = pa.schema(
    [("cited_paper_id", pa.string()), ("resolver", pa.string()), ("confidence", pa.float64())]
)
"""Columns that resolution fills; null if the cited work is not in the corpus."""
_REFERENCES = 20_000
"""Number of references joined at a time."""


def make_index(folder: Path, names: Sequence[str], facts: Sequence[str]) -> str:
    """Build the index of all papers unless it exists; return the name of its folder."""
    inputs = hash_of([__version__, *facts])
    name = INDEX + inputs[:16]
    marker = read_done(folder / name / _SEALED, config=name, inputs=name)
    if marker is not None and all(
        is_intact(folder / name / file, digest) for file, digest in marker["files"].items()
    ):
        return name
    shutil.rmtree(folder / name, ignore_errors=True)
    build_index(folder / name, (pq.read_table(folder / FACTS / f"{n}.parquet") for n in names))
    files = hash_tree(folder / name)
    mark_done(folder / name / _SEALED, config=name, inputs=name, extra={"files": files})
    return name


def resolve_references(task: Row) -> Row:
    """Resolve the references of one shard; an unchanged file is not rewritten.

    Args:
        task: `folder` of the tables; `name`, `config` and `inputs` of the shard; the `index` to
            use; and `lists`, the marker of the shard's references.
    """
    folder = Path(task["folder"])
    path = folder / REFERENCES / f"{task['name']}.parquet"
    entry = {part: task["lists"][part] for part in ("sha256", "rows", "row_hash")}
    is_intact = hash_file(path) == entry["sha256"]  # a worker may have died after writing it
    references = pq.read_table(path)
    resolved = resolve_shard(references, _open(folder / task["index"]))
    if not (is_intact and resolved.equals(references.select(RESOLVED.names))):
        columns = {name: resolved[name] for name in resolved.column_names}
        entry = write_parquet_table(path, with_columns(references, columns))
    extra = {**entry, "index": task["index"]}
    mark_done(path, config=task["config"], inputs=task["inputs"], extra=extra)
    return {}


def files_to_resolve(task: Row) -> Iterator[Path]:
    """The files that `resolve_references` needs for a task."""
    folder = Path(task["folder"])
    yield folder / REFERENCES / f"{task['name']}.parquet"
    yield from (path for path in (folder / task["index"]).rglob("*") if path.is_file())


@lru_cache(maxsize=1)
def _open(folder: Path) -> Index:
    return open_index(folder)


def resolve_shard(references: pa.Table, index: Index) -> pa.Table:
    """Resolve references against the papers of a corpus.

    `references` has the columns `COLUMNS`; the result has the schema `RESOLVED`, row for row.
    """
    asked = references.select(COLUMNS)
    starts = range(0, len(asked), _REFERENCES)
    tables = [_resolve_slice(asked.slice(n, _REFERENCES).combine_chunks(), index) for n in starts]
    return pa.concat_tables([RESOLVED.empty_table(), *tables])


def _resolve_slice(references: pa.Table, index: Index) -> pa.Table:
    """Resolve references by an equi-join of their keys with the keys of papers."""
    keys = reference_keys(references)
    wanted, which = np.unique(keys.keys, return_inverse=True)
    matches = index.match(wanted)
    sizes = matches.last - matches.first
    places = np.repeat(matches.first - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    known = PaperIndex(index.known_papers(distinct(index.values(places))))
    rows = distinct(keys.rows[(sizes > 0)[which]])
    answers: list[Resolution | None] = [None] * len(references)
    resolutions: dict[tuple[object, ...], Resolution | None] = {}
    for number, row in zip(rows.tolist(), references.take(pa.array(rows)).to_pylist(), strict=True):
        same = tuple(row.values())
        if same not in resolutions:
            resolutions[same] = known.resolve(reference_of(row))
        answers[number] = resolutions[same]
    columns = [
        pa.array([answer and answer[place] for answer in answers], type=field.type)
        for place, field in enumerate(RESOLVED)
    ]
    return pa.table(columns, schema=RESOLVED)
