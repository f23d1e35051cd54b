"""References of the shards resolved to papers, and again when papers came or went.

The keys of references are joined with those of papers. A reference without a key of any paper never
reaches a rule. The others are resolved by a `PaperIndex` of the papers found for the slice, which
holds every paper that an index of the whole corpus would compare them with.

Papers that came, went or changed concern those references that share a key with them. The keys of
a shard's references are kept beside it, four bytes each. A short key may match several, so now and
then a reference is resolved again for nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vivavoce.columns import write_parquet_table
from vivavoce.corpus.build.parts import FACTS, REFERENCES
from vivavoce.corpus.resolve.index import Index, build_index, open_index
from vivavoce.corpus.resolve.keys import (
    COLUMNS,
    Keys,
    ReferenceKeys,
    reference_keys,
    reference_of,
    sort_keys,
)
from vivavoce.corpus.resolve.references import PaperIndex, Resolution
from vivavoce.errors import DamagedError
from vivavoce.store import Row, hash_file, hash_of, hash_tree, mark_done, read_done, write_bytes
from vivavoce.text.shingles import distinct, mix
from vivavoce.version import __version__

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
    """Resolve the references of one shard; a file that stays the same is not written again.

    Args:
        task: `folder` of the tables, `name`, `config` and `inputs` of the shard, the `index` to
            use, `since`: the index they were resolved with, or None, and `held`: their marker.
    """
    folder, name = Path(task["folder"]), str(task["name"])
    path, digest = folder / REFERENCES / f"{name}.parquet", folder / DIGESTS / f"{name}.arrow"
    index, rows = _open(folder / task["index"]), None
    if task["since"] and digest.exists() and hash_file(digest) == task["held"].get("digest"):
        try:
            rows = touched_rows(digest, _changes(folder / task["since"], folder / task["index"]))
        except DamagedError:
            rows = None  # all of them, then
    entry = {part: task["held"][part] for part in ("sha256", "rows", "row_hash")}
    is_intact = hash_file(path) == entry["sha256"]  # not where a worker died after writing it
    if rows is None or len(rows) or not is_intact:
        references = pq.read_table(path)
        found = resolve_shard(references, index, rows)
        if rows is None:
            write_digest(digest, found.keys)
        before = references.select(RESOLVED.names)
        resolved = found.table
        if rows is not None:
            place = np.arange(before.num_rows)
            place[rows] = before.num_rows + np.arange(len(rows))
            resolved = pa.concat_tables([before, found.table]).take(pa.array(place))
        if not (is_intact and resolved.equals(before)):
            for name in resolved.column_names:
                field = references.schema.get_field_index(name)
                references = references.set_column(field, references.field(field), resolved[name])
            entry = write_parquet_table(path, references)
    extra = {**entry, "index": task["index"], "digest": hash_file(digest)}
    mark_done(path, config=task["config"], inputs=task["inputs"], extra=extra)
    return {}


def files_to_resolve(task: Row) -> Iterator[Path]:
    """The files that `resolve_references` reads for a task."""
    folder, name = Path(task["folder"]), task["name"]
    yield folder / REFERENCES / f"{name}.parquet"
    if task["held"].get("digest"):
        yield folder / DIGESTS / f"{name}.arrow"
    for index in filter(None, (task["index"], task["since"])):
        yield from (path for path in (folder / index).rglob("*") if path.is_file())


@lru_cache(maxsize=2)
def _open(folder: Path) -> Index:
    return open_index(folder)


@lru_cache(maxsize=1)
def _changes(old: Path, new: Path) -> Keys:
    return changed_keys(_open(old), _open(new))


_AT_ONCE = 1 << 20
_DIGEST = pa.schema([("row", pa.uint32()), ("key", pa.uint32())])


def write_digest(path: Path, references: ReferenceKeys) -> None:
    """Write the keys of a shard's references in short."""
    table = pa.table([references.rows, _shortened(references.keys)], schema=_DIGEST)
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, _DIGEST, options=options) as writer:
        writer.write_table(table, max_chunksize=_AT_ONCE)
    write_bytes(path, sink.getvalue().to_pybytes())


def touched_rows(path: Path, changed: Keys) -> NDArray[np.int64]:
    """The references of a shard that may resolve otherwise now, by row number.

    Raises:
        DamagedError: The digest is absent or was altered: resolve the whole shard.
    """
    found = [np.empty(0, np.uint32)]
    short = pa.array(distinct(_shortened(changed)))
    try:
        with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                is_touched = pc.is_in(batch["key"], value_set=short)
                found.append(batch["row"].filter(is_touched).to_numpy())
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read: {error}: resolve the shard again") from error
    return distinct(np.concatenate(found)).astype(np.int64)


def changed_keys(old: Index, new: Index) -> Keys:
    """The keys of which the papers differ in two indexes."""
    found = [np.empty(0, np.uint64)]
    for low, high in _ranges(old, new):
        old_sums, new_sums = _sums(old, low, high), _sums(new, low, high)
        found += [_differing(old_sums, new_sums), _differing(new_sums, old_sums)]
    return distinct(np.concatenate(found))


def _ranges(*indexes: Index) -> Iterator[tuple[np.uint64, np.uint64]]:
    """Ranges of keys in which no index holds much more than can be looked at at once."""
    cuts = distinct(np.concatenate([i.arrays["keys"][::_AT_ONCE] for i in indexes]))
    lowest, highest = np.uint64(0), np.uint64(np.iinfo(np.uint64).max)
    edges = np.unique(np.concatenate([[lowest], cuts, [highest]]).astype(np.uint64))
    yield from pairwise(edges)


def _sums(index: Index, low: np.uint64, high: np.uint64) -> tuple[Keys, Keys]:
    """Each key of a range, and a number that tells its papers, as they are described, from others.

    The number is a sum over the papers, so that their order does not matter.
    """
    sorted_keys = index.arrays["keys"]
    start, stop = np.searchsorted(sorted_keys, np.array([low, high]))
    keys = np.asarray(sorted_keys[start:stop])
    if not len(keys):
        return keys, keys
    papers = index.values(np.arange(start, stop))
    marks = mix(keys ^ mix(index.arrays["digests"][papers]))
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[begins], np.add.reduceat(marks, begins)


def _differing(one: tuple[Keys, Keys], other: tuple[Keys, Keys]) -> Keys:
    """The keys that the others do not have with the same sum."""
    keys, sums = one
    if not len(other[0]):
        return keys
    nearest = np.minimum(np.searchsorted(other[0], keys), len(other[0]) - 1)
    differing: Keys = keys[(other[0][nearest] != keys) | (other[1][nearest] != sums)]
    return differing


def _shortened(keys: Keys) -> NDArray[np.uint32]:
    return (keys ^ (keys >> np.uint64(32))).astype(np.uint32)


RESOLVED = pa.schema(
    [("cited_paper_id", pa.string()), ("resolver", pa.string()), ("confidence", pa.float64())]
)
"""Columns found for each reference; null where the work is not in the corpus."""
_REFERENCES = 20_000
"""References whose keys are joined together."""


class Resolutions(NamedTuple):
    """Resolutions of the references of a shard, and their keys."""

    table: pa.Table
    """Table of the schema `RESOLVED`, a row for each reference asked for."""
    keys: ReferenceKeys


def resolve_shard(
    references: pa.Table, index: Index, rows: NDArray[np.int64] | None = None
) -> Resolutions:
    """Resolve references against the papers of a corpus.

    `references` have the columns `COLUMNS`; `rows` are the numbers of those to resolve.
    """
    asked = references.select(COLUMNS)
    if rows is not None:
        asked = asked.take(pa.array(rows))
    tables, keys = [RESOLVED.empty_table()], []
    for start in range(0, len(asked), _REFERENCES):
        some = asked.slice(start, _REFERENCES).combine_chunks()
        own = reference_keys(some)
        tables.append(_resolve_slice(some, own, index))
        numbers = own.rows + np.uint32(start)
        if rows is not None:
            numbers = rows[numbers].astype(np.uint32)
        keys.append(ReferenceKeys(numbers, own.keys))
    keys.append(ReferenceKeys(np.empty(0, np.uint32), np.empty(0, np.uint64)))
    return Resolutions(pa.concat_tables(tables), sort_keys(keys))


def _resolve_slice(references: pa.Table, keys: ReferenceKeys, index: Index) -> pa.Table:
    """Resolve some references: an equi-join of their keys with those of papers."""
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
