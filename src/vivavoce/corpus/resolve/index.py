"""The papers of a corpus by key, in files that are mapped into memory.

`keys.npy` holds the keys in ascending order, so a shard of references reads the parts that it
needs and no process holds the whole. It is made of facts of papers, with the keys that do not
depend on other papers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import compress, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vivavoce.corpus.identity.matching import title_key, title_words
from vivavoce.corpus.identity.merge import MergedPaper
from vivavoce.corpus.resolve import titles as rules
from vivavoce.corpus.resolve.keys import HASH_VERSION, Keys, Numbers, hash_texts, identifier_text
from vivavoce.corpus.resolve.references import KnownPaper, know_paper
from vivavoce.corpus.resolve.titles import (
    MAX_TITLE,
    Census,
    Kind,
    edges,
    parts_of_title,
)
from vivavoce.errors import DamagedError
from vivavoce.store import canonical_json, read_sealed

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
        pa.field("digest", pa.uint64()),
        pa.field("id_keys", _KEYS),
        # One entry a title:
        pa.field("title_keys", _KEYS),
        pa.field("words", pa.list_(_TEXTS)),
        pa.field("part_keys", pa.list_(_KEYS)),
        pa.field("edge_keys", pa.list_(_KEYS)),
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
    columns: dict[str, Any] = {
        **{name: [row[name] for row in rows] for name in PAPER.names},
        "digest": hash_texts([canonical_json(row) for row in rows], Kind.ID),
        "id_keys": _nested(names, Kind.ID, _KEYS),
        **_title_columns([paper.titles for paper in known]),
    }
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, type=field.type)
        for field in FACTS
        for column in (columns[field.name],)
    ]
    return pa.Table.from_arrays(arrays, schema=FACTS)


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


def _title_columns(titles: list[tuple[str, ...]]) -> dict[str, Any]:
    counts = [len(some) for some in titles]
    flat = [title for some in titles for title in some]
    words = [title_words(title[:MAX_TITLE]) for title in flat]
    keys = [title_key(title) for title in flat]
    parts = [
        [key for parts in parts_of_title(title) for part in parts if (key := title_key(part))]
        for title in flat
    ]
    return {
        "title_keys": _lists(hash_texts(keys, Kind.TITLE), counts),
        "words": _lists(pa.array(words, type=_TEXTS), counts),
        "part_keys": _lists(_nested(parts, Kind.PART, _KEYS), counts),
        "edge_keys": _lists(_nested([list(edges(w)) for w in words], Kind.NEAR, _KEYS), counts),
    }


def _nested(texts: list[list[str]], kind: Kind, type_: pa.DataType) -> pa.Array:
    keys = hash_texts([text for some in texts for text in some], kind)
    return _lists(keys, [len(some) for some in texts]).cast(type_)


def _lists(values: Any, counts: list[int]) -> pa.Array:
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))


FORMAT = 2
"""Raised when a file of an index changes meaning."""
INDEX, PAPERS, TITLES = "index.json", "papers.arrow", "titles.arrow"
ARRAYS = {
    "keys": "<u8",
    "values": "<u4",
    "full": "<u8",
    "words": "<u8",
    "counts": "<u4",
    "title_papers": "<u4",
    "title_lengths": "<u2",
    "digests": "<u8",
}
"""The arrays of an index, each a file."""


class Matches(NamedTuple):
    """Matches of some keys with papers: a range of the index for each key asked for."""

    first: Numbers
    last: Numbers


@dataclass(frozen=True)
class Index:
    """The papers of a corpus by key, with the counts over all of them."""

    folder: Path
    arrays: Mapping[str, NDArray[Any]]
    papers: pa.RecordBatchFileReader
    titles: pa.RecordBatchFileReader
    _starts: Mapping[str, Numbers] = field(default_factory=dict)

    def match(self, keys: Keys) -> Matches:
        """The range of `values` of each key; keys in ascending order are fastest."""
        held = self.arrays["keys"]
        first = np.searchsorted(held, keys, side="left")
        last = first.copy()
        if not len(held):
            return Matches(first, last)
        found = np.flatnonzero(held[np.minimum(first, len(held) - 1)] == keys)
        last[found] = np.searchsorted(held, keys[found], side="right")
        return Matches(first, last)

    def values(self, numbers: Numbers) -> Numbers:
        """Values at some places: for `Kind.ID` the number of a paper, else of a title."""
        return np.asarray(self.arrays["values"][numbers], np.int64)

    def papers_of_titles(self, numbers: Numbers) -> Numbers:
        """The number of the paper of each title."""
        return np.asarray(self.arrays["title_papers"][numbers], np.int64)

    def known_papers(self, numbers: Numbers) -> list[KnownPaper]:
        """The papers of some numbers, in the order of the corpus."""
        found = papers_of(self._take(self.papers, "papers", numbers))
        return sorted(found, key=lambda paper: paper.paper_id)

    def letters_of_titles(self, numbers: Numbers) -> list[str]:
        """The letters of some titles, by which near ones are compared; numbers ascend."""
        letters: list[str] = self._take(self.titles, "titles", numbers)["letters"].to_pylist()
        return letters

    def _take(self, reader: pa.RecordBatchFileReader, name: str, numbers: Numbers) -> pa.Table:
        """Rows by ascending number, read out of the batches that hold them."""
        starts = self._starts[name]
        cuts = np.searchsorted(numbers, starts)
        taken = [
            reader.get_batch(batch).take(pa.array(numbers[low:high] - starts[batch]))
            for batch, (low, high) in enumerate(pairwise(cuts))
            if low < high
        ]
        return pa.Table.from_batches(taken, schema=reader.schema)


class IndexCensus(Census):
    """Counts over the whole corpus, as they were when an index was built."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self._index = index
        self._known: dict[str, int] = {}

    def seen(self, words: Collection[str]) -> Mapping[str, int]:
        """In how many titles each word stands."""
        missing = sorted(word for word in words if word not in self._known)
        if missing:
            keys = hash_texts(missing, Kind.NEAR)
            held, counts = self._index.arrays["words"], self._index.arrays["counts"]
            at = np.minimum(np.searchsorted(held, keys), max(len(held) - 1, 0))
            found = np.where(held[at] == keys, counts[at], 0) if len(held) else np.zeros(len(keys))
            self._known.update(zip(missing, map(int, found), strict=True))
        return {word: self._known[word] for word in words}

    def oversized(self, blocks: Mapping[str, int]) -> Set[str]:
        """The blocks that held too many titles when the index was built."""
        names = list(blocks)
        is_full = np.isin(hash_texts(names, Kind.NEAR), self._index.arrays["full"])
        return set(compress(names, is_full.tolist()))


def stamp() -> dict[str, Any]:
    """Versions and limits that an index must have been written with to be read."""
    return {
        "format": FORMAT,
        "hash": HASH_VERSION,
        "unicode": unicodedata.unidata_version,
        "limits": [rules.MAX_BLOCK, rules.RARE_WORDS],
    }


def open_index(folder: Path) -> Index:
    """The index in a folder.

    Raises:
        DamagedError: It is not whole, or was written by other code.
    """
    sealed = read_sealed(folder / INDEX, "build the index again")
    if any(sealed.get(name) != value for name, value in stamp().items()):
        raise DamagedError(f"{folder / INDEX} was written by another version: build it again")
    arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    papers, titles = (
        pa.ipc.open_file(pa.memory_map(str(folder / name))) for name in (PAPERS, TITLES)
    )
    starts = {
        name: np.cumsum([0, *sealed["batches"][name]], dtype=np.int64)
        for name in ("papers", "titles")
    }
    return Index(folder, arrays, papers, titles, starts)


def write_array(folder: Path, name: str, values: NDArray[Any]) -> None:
    """Write one of the arrays of an index, all of one dimension: one value a row."""
    with (folder / f"{name}.npy").open("wb") as stream:
        np.save(stream, np.ascontiguousarray(values, np.dtype(ARRAYS[name])), allow_pickle=False)


def _mapped(path: Path) -> NDArray[Any]:
    """An array in a file, read where it is looked at."""
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise DamagedError(f"{path} cannot be read: {error}: build the index again") from error
    return values
