"""The papers of a corpus by key, in files that are mapped into memory.

`keys.npy` holds the keys in ascending order, so a shard of references reads only the parts that it
needs, and no process holds the whole index. The index is built from facts about papers. Each paper
has all the keys under which a reference may mean it.

A key is a 64-bit hash of a text, the same on every machine. Two texts rarely share a key, and then
do no harm: a key only says which papers are worth comparing.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vivavoce.corpus.matching import title_key
from vivavoce.corpus.references import (
    KnownPaper,
    identifiers_of,
    parts_of_title,
    titles_inside,
)
from vivavoce.errors import DamagedError
from vivavoce.records import Reference
from vivavoce.store import read_sealed, write_sealed

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


class Kind(IntEnum):
    """Kind of a key, stored in its highest bits."""

    ID = 0
    TITLE = 1
    PART = 2


HASH_VERSION = 4
"""Version, increased when texts get different keys or references are looked up by other keys."""
_KIND_SHIFT = np.uint64(60)


def hash_texts(texts: Sequence[str], kind: Kind) -> Keys:
    """The key of each text."""
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in encoded)
    return (np.frombuffer(digests, "<u8") >> np.uint64(4)) | (np.uint64(kind) << _KIND_SHIFT)


class ReferenceKeys(NamedTuple):
    """Keys of references, each with the row number of its reference."""

    rows: NDArray[np.uint32]
    keys: Keys


COLUMNS = ("raw", "title", "year", "first_author", "arxiv_id", "doi", "given_id")
"""Columns of a reference that are read."""
_ADDRESS = r"(?i)aclweb\.org|aclanthology\.|10\.18653/|10\.3115/"


def reference_keys(references: pa.Table) -> ReferenceKeys:
    """The keys of references, with row numbers; `references` has the columns `COLUMNS`."""
    texts: dict[Kind, list[str]] = {kind: [] for kind in Kind}
    rows: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    keys_of = cache(_keys_of_title)  # a repeated title is processed once
    for number, title in enumerate(references["title"].to_pylist()):
        for kind, keys in keys_of(title or ""):
            texts[kind] += keys
            rows[kind] += [number] * len(keys)
    named = pc.match_substring_regex(pc.fill_null(references["raw"], ""), _ADDRESS)
    for name in ("doi", "arxiv_id", "given_id"):
        named = pc.or_(named, references[name].is_valid())
    numbers = np.flatnonzero(named.to_numpy())
    for number, row in zip(numbers.tolist(), references.take(numbers).to_pylist(), strict=True):
        names = list(map(":".join, identifiers_of(reference_of(row))))
        texts[Kind.ID] += names
        rows[Kind.ID] += [number] * len(names)
    return ReferenceKeys(
        np.concatenate([np.array(rows[kind], np.uint32) for kind in Kind]),
        np.concatenate([hash_texts(texts[kind], kind) for kind in Kind]),
    )


def reference_of(row: Mapping[str, Any]) -> Reference:
    """The reference in a row, with only the fields that its resolution needs."""
    return Reference(0, row["raw"] or "", **{name: row[name] for name in COLUMNS[1:]})


def _keys_of_title(title: str) -> list[tuple[Kind, list[str]]]:
    key = title_key(title)
    if not key:
        return []
    others = map(title_key, chain(parts_of_title(title)[0], titles_inside(title)))
    return [(Kind.TITLE, [key, *(other for other in others if other)]), (Kind.PART, [key])]


_TEXTS = pa.list_(pa.string())
_KEYS = pa.list_(pa.uint64())
PAPER = pa.schema(
    [
        ("paper_id", pa.string()),
        ("authors", _TEXTS),
        ("years", pa.list_(pa.int32())),
        ("names", _TEXTS),
        ("titles", _TEXTS),
    ]
)
"""Facts of a paper that a reference is compared with."""
FACTS = pa.schema(
    [
        *PAPER,
        pa.field("id_keys", _KEYS),
        pa.field("title_keys", _KEYS),
        pa.field("part_keys", _KEYS),
    ]
)
"""A table of facts, with one row per paper."""


def paper_facts(papers: Iterable[KnownPaper]) -> pa.Table:
    """The facts of papers."""
    # A title without letters and digits cannot find anything.
    known = [replace(one, titles=tuple(filter(title_key, one.titles))) for one in papers]
    titles = [list(map(title_key, paper.titles)) for paper in known]
    parts = [
        [
            key
            for parts in map(parts_of_title, paper.titles)
            for part in (*parts[0], *parts[1])
            if (key := title_key(part))
        ]
        for paper in known
    ]
    columns: dict[str, Any] = {
        **{name: [getattr(paper, name) for paper in known] for name in PAPER.names},
        "years": [sorted(paper.years) for paper in known],
        "id_keys": _nested([paper.names for paper in known], Kind.ID),
        "title_keys": _nested(titles, Kind.TITLE),
        "part_keys": _nested(parts, Kind.PART),
    }
    return pa.table(columns, schema=FACTS)


def papers_of(table: pa.Table) -> Iterator[KnownPaper]:
    """The papers in rows that have the columns `PAPER`."""
    for row in table.select(PAPER.names).to_pylist():
        lists = {name: tuple(row[name]) for name in ("titles", "authors", "names")}
        yield KnownPaper(row["paper_id"], years=frozenset(row["years"]), **lists)


def _nested(texts: Sequence[Sequence[str]], kind: Kind) -> pa.Array:
    keys = hash_texts([text for some in texts for text in some], kind)
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(keys))


FORMAT = 5
"""Version, increased when a file of an index changes meaning."""
INDEX, PAPERS = "index.json", "papers.arrow"
_Rows = tuple[Keys, NDArray[np.uint32]]
"""Keys, each with the number of its paper."""
ARRAYS = {"keys": "<u8", "values": "<u4"}
"""The arrays of an index, each in its own file."""


class Matches(NamedTuple):
    """Matches between keys and papers: for each key, a range of positions in the index."""

    first: Numbers
    last: Numbers


@dataclass(frozen=True)
class Index:
    """The papers of a corpus by key."""

    folder: Path
    arrays: Mapping[str, NDArray[Any]]
    papers: pa.RecordBatchFileReader
    starts: Numbers
    """Number of the first paper of each batch."""

    def match(self, keys: Keys) -> Matches:
        """Find the range of `values` for each key; ascending keys are fastest."""
        sorted_keys = self.arrays["keys"]
        first = np.searchsorted(sorted_keys, keys, side="left")
        last = first.copy()
        if not len(sorted_keys):
            return Matches(first, last)
        hits = np.flatnonzero(sorted_keys[np.minimum(first, len(sorted_keys) - 1)] == keys)
        last[hits] = np.searchsorted(sorted_keys, keys[hits], side="right")
        return Matches(first, last)

    def values(self, numbers: Numbers) -> Numbers:
        """Numbers of the papers at some positions in the index."""
        return np.asarray(self.arrays["values"][numbers], np.int64)

    def known_papers(self, numbers: Numbers) -> list[KnownPaper]:
        """The papers with some numbers, given in ascending order; returned in corpus order."""
        cuts = np.searchsorted(numbers, self.starts)
        taken = [
            self.papers.get_batch(batch).take(pa.array(numbers[low:high] - self.starts[batch]))
            for batch, (low, high) in enumerate(pairwise(cuts))
            if low < high
        ]
        papers = papers_of(pa.Table.from_batches(taken, schema=PAPER))
        return sorted(papers, key=lambda paper: paper.paper_id)


def _stamp() -> dict[str, Any]:
    """The versions that an index must have been written with to be readable."""
    return {"format": FORMAT, "hash": HASH_VERSION, "unicode": unicodedata.unidata_version}


def open_index(folder: Path) -> Index:
    """The index in a folder; `DamagedError` if it is incomplete or written by another version."""
    sealed = read_sealed(folder / INDEX, "build the index again")
    if any(sealed.get(name) != value for name, value in _stamp().items()):
        raise DamagedError(f"{folder / INDEX} was written by another version: build it again")
    arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    papers = pa.ipc.open_file(pa.memory_map(str(folder / PAPERS)))
    return Index(folder, arrays, papers, np.cumsum([0, *sealed["batches"]], dtype=np.int64))


def build_index(folder: Path, facts: Iterable[pa.Table]) -> None:
    """Write the index of the papers described by tables of facts.

    The tables are read once. Each paper must occur in only one of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).unlink(missing_ok=True)
    batches: list[int] = []
    ids: list[pa.Array] = []
    rows: dict[str, list[_Rows]] = {
        name: [(np.empty(0, np.uint64), np.empty(0, np.uint32))]
        for name in ("id_keys", "title_keys", "part_keys")
    }
    with pa.ipc.new_file(str(folder / PAPERS), PAPER) as papers:
        for table in facts:
            whole = table.combine_chunks()
            start = sum(batches)
            for batch in whole.select(PAPER.names).to_batches():
                papers.write_batch(batch)
                batches.append(len(batch))
            numbers = np.arange(start, start + len(whole), dtype=np.uint32)
            ids.append(whole["paper_id"].combine_chunks())
            for name, pieces in rows.items():
                lists = whole[name].combine_chunks()
                counts = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
                keys = lists.flatten().to_numpy(zero_copy_only=False)
                pieces.append((keys, np.repeat(numbers, counts)))
    rows["id_keys"] = [_first_of_each(*_joined(rows["id_keys"]), ids)]
    keys, values = _joined([row for pieces in rows.values() for row in pieces])
    order = np.argsort(keys, kind="stable")
    for name, array in (("keys", keys[order]), ("values", values[order])):
        with (folder / f"{name}.npy").open("wb") as stream:
            np.save(stream, array.astype(ARRAYS[name], copy=False), allow_pickle=False)
    write_sealed(folder / INDEX, {**_stamp(), "batches": batches})


def _joined(rows: Sequence[_Rows]) -> _Rows:
    return np.concatenate([keys for keys, _ in rows]), np.concatenate([own for _, own in rows])


def _first_of_each(keys: Keys, papers: NDArray[np.uint32], ids: list[pa.Array]) -> _Rows:
    """Keep, for each identifier, only the first paper in corpus order that has it."""
    if not len(keys):
        return keys, papers
    place = np.empty(sum(map(len, ids)), np.int64)
    place[pc.sort_indices(pa.chunked_array(ids)).to_numpy()] = np.arange(len(place))
    order = np.lexsort((place[papers], keys))
    keys, papers = keys[order], papers[order]
    is_first = np.concatenate([[True], keys[1:] != keys[:-1]])
    return keys[is_first], papers[is_first]


def _mapped(path: Path) -> NDArray[Any]:
    """An array in a file, mapped so that only the parts in use are read."""
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise DamagedError(f"{path} cannot be read: {error}: build the index again") from error
    return values
