"""The papers of a corpus by key, in files that are mapped into memory.

`keys.npy` holds the keys in ascending order, so a shard of references reads the parts that it
needs and no process holds the whole. It is made of facts of papers, each with its own keys.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vivavoce.corpus.identity.matching import title_key
from vivavoce.corpus.identity.merge import MergedPaper
from vivavoce.corpus.resolve.keys import (
    HASH_VERSION,
    Keys,
    Kind,
    Numbers,
    hash_texts,
    identifier_text,
)
from vivavoce.corpus.resolve.references import KnownPaper, know_paper, parts_of_title
from vivavoce.errors import DamagedError
from vivavoce.store import read_sealed, write_sealed

_TEXTS = pa.list_(pa.string())
_KEYS = pa.list_(pa.uint64())
PAPER = pa.schema(
    [
        ("paper_id", pa.string()),
        ("authors", _TEXTS),
        ("years", pa.list_(pa.int32())),
        ("schemes", _TEXTS),
        ("values", _TEXTS),
        ("titles", _TEXTS),
    ]
)
"""A paper as a reference is compared with it."""
FACTS = pa.schema(
    [
        *PAPER,
        pa.field("id_keys", _KEYS),
        pa.field("title_keys", _KEYS),
        pa.field("part_keys", _KEYS),
    ]
)
"""A table of facts: a row for each paper."""


def paper_facts(
    papers: Iterable[tuple[MergedPaper, int | None]], metadata_kinds: Collection[str] = ()
) -> pa.Table:
    """The facts of papers, each with the year it was published in.

    Args:
        papers: Papers that may be cited. Of their documents the texts are not looked at.
        metadata_kinds: Kinds whose titles go before those extracted from texts.
    """
    known = [_titled(know_paper(paper, year, metadata_kinds)) for paper, year in papers]
    rows = [paper_row(paper) for paper in known]
    names = [[identifier_text(*name) for name in paper.names] for paper in known]
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
        **{name: [row[name] for row in rows] for name in PAPER.names},
        "id_keys": _nested(names, Kind.ID),
        "title_keys": _nested(titles, Kind.TITLE),
        "part_keys": _nested(parts, Kind.PART),
    }
    return pa.table(columns, schema=FACTS)


def paper_row(paper: KnownPaper) -> dict[str, Any]:
    """A paper as a row of `PAPER`."""
    return {
        "paper_id": paper.paper_id,
        "authors": list(paper.authors),
        "years": sorted(paper.years),
        "schemes": [scheme for scheme, _ in paper.names],
        "values": [value for _, value in paper.names],
        "titles": list(paper.titles),
    }


def papers_of(table: pa.Table) -> Iterator[KnownPaper]:
    """The papers that rows of `PAPER` hold."""
    columns = [table[name].to_pylist() for name in PAPER.names]
    for paper_id, authors, years, schemes, values, titles in zip(*columns, strict=True):
        names = tuple(zip(schemes, values, strict=True))
        yield KnownPaper(paper_id, tuple(titles), tuple(authors), frozenset(years), names)


def _titled(paper: KnownPaper) -> KnownPaper:
    """A paper without the titles that nothing can be found by."""
    titles = tuple(title for title in paper.titles if title_key(title))
    if len(titles) == len(paper.titles):
        return paper
    return KnownPaper(paper.paper_id, titles, paper.authors, paper.years, paper.names)


def _nested(texts: list[list[str]], kind: Kind) -> pa.Array:
    keys = hash_texts([text for some in texts for text in some], kind)
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(keys))


FORMAT = 4
"""Raised when a file of an index changes meaning."""
INDEX, PAPERS = "index.json", "papers.arrow"
_Rows = tuple[Keys, NDArray[np.uint32]]
"""Keys and the number of the paper of each."""
ARRAYS = {"keys": "<u8", "values": "<u4"}
"""The arrays of an index, each a file."""


class Matches(NamedTuple):
    """Matches of some keys with papers: a range of the index for each key asked for."""

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
        """The range of `values` of each key; keys in ascending order are fastest."""
        sorted_keys = self.arrays["keys"]
        first = np.searchsorted(sorted_keys, keys, side="left")
        last = first.copy()
        if not len(sorted_keys):
            return Matches(first, last)
        found = np.flatnonzero(sorted_keys[np.minimum(first, len(sorted_keys) - 1)] == keys)
        last[found] = np.searchsorted(sorted_keys, keys[found], side="right")
        return Matches(first, last)

    def values(self, numbers: Numbers) -> Numbers:
        """Numbers of the papers at some places."""
        return np.asarray(self.arrays["values"][numbers], np.int64)

    def known_papers(self, numbers: Numbers) -> list[KnownPaper]:
        """The papers of some ascending numbers, in the order of the corpus."""
        cuts = np.searchsorted(numbers, self.starts)
        taken = [
            self.papers.get_batch(batch).take(pa.array(numbers[low:high] - self.starts[batch]))
            for batch, (low, high) in enumerate(pairwise(cuts))
            if low < high
        ]
        found = papers_of(pa.Table.from_batches(taken, schema=PAPER))
        return sorted(found, key=lambda paper: paper.paper_id)


def _stamp() -> dict[str, Any]:
    """Versions that an index must have been written with to be read."""
    return {"format": FORMAT, "hash": HASH_VERSION, "unicode": unicodedata.unidata_version}


def open_index(folder: Path) -> Index:
    """The index in a folder.

    Raises:
        DamagedError: It is not whole, or was written by other code.
    """
    sealed = read_sealed(folder / INDEX, "build the index again")
    if any(sealed.get(name) != value for name, value in _stamp().items()):
        raise DamagedError(f"{folder / INDEX} was written by another version: build it again")
    arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    papers = pa.ipc.open_file(pa.memory_map(str(folder / PAPERS)))
    return Index(folder, arrays, papers, np.cumsum([0, *sealed["batches"]], dtype=np.int64))


def build_index(folder: Path, facts: Iterable[pa.Table]) -> None:
    """Write the index of the papers that tables of facts tell of.

    The facts are gone through once. A paper occurs in one of them only.
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
            for name, found in rows.items():
                lists = whole[name].combine_chunks()
                counts = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
                keys = lists.flatten().to_numpy(zero_copy_only=False)
                found.append((keys, np.repeat(numbers, counts)))
    rows["id_keys"] = [_first_of_each(*_joined(rows["id_keys"]), ids)]
    keys, values = _joined([row for found in rows.values() for row in found])
    order = np.argsort(keys, kind="stable")
    arrays: dict[str, NDArray[Any]] = {
        "keys": keys[order],
        "values": values[order],
    }
    for name, array in arrays.items():
        with (folder / f"{name}.npy").open("wb") as stream:
            np.save(stream, array.astype(ARRAYS[name], copy=False), allow_pickle=False)
    write_sealed(folder / INDEX, {**_stamp(), "batches": batches})


def _joined(rows: Sequence[_Rows]) -> _Rows:
    return np.concatenate([keys for keys, _ in rows]), np.concatenate([own for _, own in rows])


def _first_of_each(keys: Keys, papers: NDArray[np.uint32], ids: list[pa.Array]) -> _Rows:
    """First paper of the corpus for each identifier that several share."""
    if not len(keys):
        return keys, papers
    place = np.empty(sum(map(len, ids)), np.int64)
    place[pc.sort_indices(pa.chunked_array(ids)).to_numpy()] = np.arange(len(place))
    order = np.lexsort((place[papers], keys))
    keys, papers = keys[order], papers[order]
    is_first = np.concatenate([[True], keys[1:] != keys[:-1]])
    return keys[is_first], papers[is_first]


def _mapped(path: Path) -> NDArray[Any]:
    """An array in a file, read where it is looked at."""
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise DamagedError(f"{path} cannot be read: {error}: build the index again") from error
    return values
