"""The papers of a corpus by key, in files that are mapped into memory.

`keys.npy` holds the keys in ascending order, so a shard of references reads the parts that it
needs and no process holds the whole.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from itertools import compress, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vivavoce.corpus.resolve import titles as rules
from vivavoce.corpus.resolve.facts import papers_of
from vivavoce.corpus.resolve.hashing import HASH_VERSION, Keys, Kind, Numbers, hash_texts
from vivavoce.corpus.resolve.known_papers import KnownPaper
from vivavoce.corpus.resolve.titles import Census
from vivavoce.errors import DamagedError
from vivavoce.store import read_sealed

FORMAT = 1
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

    def oversized(self, kind: Kind, blocks: Mapping[str, int], limit: int) -> Set[str]:
        """The blocks that were over the limit when the index was built."""
        names = list(blocks)
        is_full = np.isin(hash_texts(names, kind), self._index.arrays["full"])
        return set(compress(names, is_full.tolist()))


def stamp() -> dict[str, Any]:
    """Versions and limits that an index must have been written with to be read."""
    return {
        "format": FORMAT,
        "hash": HASH_VERSION,
        "unicode": unicodedata.unidata_version,
        "limits": [rules.MAX_BLOCK, rules.RARE_WORDS, rules.MAX_RAW_BLOCK],
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
