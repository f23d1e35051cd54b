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
from rapidfuzz import fuzz, process

from vivavoce.columns import write_parquet_table
from vivavoce.corpus.build.parts import FACTS, REFERENCES
from vivavoce.corpus.identity.matching import title_words
from vivavoce.corpus.resolve.index import Index, IndexCensus, Matches, open_index
from vivavoce.corpus.resolve.indexing import build_index
from vivavoce.corpus.resolve.keys import (
    COLUMNS,
    Flags,
    Keys,
    Numbers,
    ReferenceKeys,
    as_kind,
    kinds_of,
    reference_keys,
    reference_of,
    sort_keys,
)
from vivavoce.corpus.resolve.references import PaperIndex, Resolution
from vivavoce.corpus.resolve.titles import MAX_TITLE, MIN_RATIO, Kind
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
    is_held = hash_file(path) == entry["sha256"]  # not where a worker died after it wrote the file
    if rows is None or len(rows) or not is_held:
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
        if not (is_held and resolved.equals(before)):
            for name in resolved.column_names:
                at = references.schema.get_field_index(name)
                references = references.set_column(at, references.field(at), resolved[name])
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


def write_digest(path: Path, found: ReferenceKeys) -> None:
    """Write the keys of a shard's references in short."""
    table = pa.table([found.rows, _shortened(found.keys)], schema=_DIGEST)
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
    """The keys of which the papers differ in two indexes, and words that only one of them has."""
    found = [np.setxor1d(old.arrays["words"], new.arrays["words"])]
    for low, high in _ranges(old, new):
        mine, theirs = _sums(old, low, high), _sums(new, low, high)
        found += [_differing(mine, theirs), _differing(theirs, mine)]
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
    held = index.arrays["keys"]
    start, stop = np.searchsorted(held, np.array([low, high]))
    keys = np.asarray(held[start:stop])
    if not len(keys):
        return keys, keys
    numbers = index.values(np.arange(start, stop))
    is_title = kinds_of(keys) != Kind.ID
    numbers[is_title] = index.papers_of_titles(numbers[is_title])
    marks = mix(keys ^ mix(index.arrays["digests"][numbers]))
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[begins], np.add.reduceat(marks, begins)


def _differing(mine: tuple[Keys, Keys], theirs: tuple[Keys, Keys]) -> Keys:
    """The keys that the others do not have with the same sum."""
    keys, sums = mine
    if not len(theirs[0]):
        return keys
    at = np.minimum(np.searchsorted(theirs[0], keys), len(theirs[0]) - 1)
    differing: Keys = keys[(theirs[0][at] != keys) | (theirs[1][at] != sums)]
    return differing


def _shortened(keys: Keys) -> NDArray[np.uint32]:
    return (keys ^ (keys >> np.uint64(32))).astype(np.uint32)


RESOLVED = pa.schema(
    [("cited_paper_id", pa.string()), ("resolver", pa.string()), ("confidence", pa.float64())]
)
"""Columns found for each reference; null where the work is not in the corpus."""
_REFERENCES = 20_000
"""References whose keys are joined together."""
_PAIRS = 1 << 20
"""Pairs of titles that are compared at once."""


class Resolved(NamedTuple):
    """Resolutions of the references of a shard, and their keys."""

    table: pa.Table
    """Table of the schema `RESOLVED`, a row for each reference asked for."""
    keys: ReferenceKeys


class _Found(NamedTuple):
    """Papers that references may mean."""

    rows: Numbers
    """References for which there is one."""
    papers: Numbers


def resolve_shard(
    references: pa.Table, index: Index, rows: NDArray[np.int64] | None = None
) -> Resolved:
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
    return Resolved(pa.concat_tables(tables), sort_keys(keys))


def _resolve_slice(references: pa.Table, keys: ReferenceKeys, index: Index) -> pa.Table:
    found = _candidates(references, keys, index)
    answers: list[Resolution | None] = [None] * len(references)
    known = PaperIndex(index.known_papers(found.papers), IndexCensus(index))
    resolutions: dict[tuple[object, ...], Resolution | None] = {}
    asked = references.take(pa.array(found.rows)).to_pylist()
    for number, row in zip(found.rows.tolist(), asked, strict=True):
        same = tuple(row.values())
        if same not in resolutions:
            resolutions[same] = known.resolve(reference_of(row))
        answers[number] = resolutions[same]
    columns = [
        pa.array([answer and answer[place] for answer in answers], type=field.type)
        for place, field in enumerate(RESOLVED)
    ]
    return pa.table(columns, schema=RESOLVED)


def _candidates(references: pa.Table, keys: ReferenceKeys, index: Index) -> _Found:
    """The equi-join of the keys of references with those of papers."""
    asked, which = np.unique(keys.keys, return_inverse=True)
    matches = index.match(asked)
    is_found = (matches.last > matches.first)[which]
    kinds = kinds_of(keys.keys)
    is_near = kinds == Kind.NEAR
    surely = keys.rows[is_found & ~is_near]
    numbers = distinct(which[is_found & ~is_near])
    is_id = kinds_of(asked[numbers]) == Kind.ID
    ids, titles = (
        index.values(_places(matches.first[some], matches.last[some]))
        for some in (numbers[is_id], numbers[~is_id])
    )
    is_open = np.ones(len(references), np.bool_)
    is_open[_settled(keys, is_found, kinds, index)] = False
    joined = np.flatnonzero(is_found & is_near & is_open[keys.rows])
    near_rows, near_titles = [surely.astype(np.int64)], [titles]
    for rows, some in _near_pairs(keys.rows[joined], which[joined], matches, index):
        is_close = _are_close(references, rows, some, index)
        near_rows.append(rows[is_close])
        near_titles.append(some[is_close])
    papers = index.papers_of_titles(distinct(np.concatenate(near_titles)))
    return _Found(distinct(np.concatenate(near_rows)), distinct(np.concatenate([ids, papers])))


def _settled(
    keys: ReferenceKeys, is_found: Flags, kinds: NDArray[np.uint8], index: Index
) -> NDArray[np.uint32]:
    """References of an identifier or a title that a paper has: none near counts beside it."""
    is_own = np.flatnonzero(kinds == Kind.PART)  # the whole title, asked for as a part
    first, last = index.match(as_kind(keys.keys[is_own], Kind.TITLE))
    return np.concatenate(
        [keys.rows[is_found & (kinds == Kind.ID)], keys.rows[is_own[last > first]]]
    )


def _near_pairs(
    rows: NDArray[np.uint32], which: Numbers, matches: Matches, index: Index
) -> Iterator[tuple[Numbers, Numbers]]:
    """Pairs of a reference and a title of the corpus that share a block."""
    first, last = (bounds[which] for bounds in matches)
    sizes = last - first
    multiples = np.arange(0, int(sizes.sum()) + _PAIRS, _PAIRS)
    cuts = np.searchsorted(np.cumsum(sizes), multiples, side="right")
    for low, high in pairwise(cuts):
        part = slice(low, high)
        titles = index.values(_places(first[part], last[part]))
        pairs = (np.repeat(rows[part], sizes[part]).astype(np.int64) << 32) | titles
        pairs = distinct(pairs)
        yield pairs >> 32, pairs & 0xFFFFFFFF


def _are_close(references: pa.Table, rows: Numbers, titles: Numbers, index: Index) -> Flags:
    """Return whether titles are as near each other as near titles have to be."""
    close = np.zeros(len(rows), np.bool_)
    mine, which = np.unique(rows, return_inverse=True)
    written = references["title"].take(pa.array(mine)).to_pylist()
    letters = ["".join(title_words(title[:MAX_TITLE])) for title in written]
    own = np.array([len(text) for text in letters], np.int64)[which]
    theirs = index.arrays["title_lengths"][titles].astype(np.int64)
    # The longest subsequence that two texts can share is the shorter of them.
    likely = np.flatnonzero(200 * np.minimum(own, theirs) >= MIN_RATIO * (own + theirs))
    numbers, places = np.unique(titles[likely], return_inverse=True)
    held = index.letters_of_titles(numbers)
    choices = [held[place] for place in places.tolist()]
    scores = np.zeros(len(likely))
    cuts = np.searchsorted(which[likely], np.arange(len(mine) + 1)).tolist()
    for text, low, high in zip(letters, cuts[:-1], cuts[1:], strict=True):
        if low < high:
            some = choices[low:high]
            scores[low:high] = process.cdist(
                [text], some, scorer=fuzz.ratio, score_cutoff=MIN_RATIO, dtype=np.float64
            )
    close[likely] = scores >= MIN_RATIO
    return close


def _places(first: Numbers, last: Numbers) -> Numbers:
    sizes = last - first
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
