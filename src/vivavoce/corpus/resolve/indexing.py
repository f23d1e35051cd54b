"""The index of a corpus out of the facts of its papers.

What depends on all papers is counted here: in how many titles a word stands, which words of a title
are its rarest, and which blocks hold too many titles to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vivavoce.corpus.resolve import titles as rules
from vivavoce.corpus.resolve.index import INDEX, PAPER, PAPERS, TITLES, stamp, write_array
from vivavoce.corpus.resolve.keys import Keys, hash_texts
from vivavoce.corpus.resolve.titles import Kind
from vivavoce.store import write_sealed
from vivavoce.text.shingles import distinct

_LETTERS = pa.schema([("letters", pa.string())])
_MAX_LENGTH = np.iinfo(np.uint16).max


@dataclass
class _Gathered:
    """Numbers that are kept of the facts while they are read."""

    words: dict[str, int] = field(default_factory=dict)
    """Every word of the corpus and its number."""
    columns: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    ids: list[pa.Array] = field(default_factory=list)
    papers: int = 0
    titles: int = 0

    def add(self, **columns: NDArray[Any]) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def take(self, name: str) -> NDArray[Any]:
        """A column in one piece, and no longer in pieces."""
        pieces = self.columns.pop(name, [])
        return np.concatenate(pieces) if pieces else np.empty(0, np.uint64)


def build_index(folder: Path, facts: Iterable[pa.Table]) -> None:
    """Write the index of the papers that tables of facts tell of.

    The facts are gone through once. A paper occurs in one of them only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).unlink(missing_ok=True)
    gathered = _Gathered()
    batches: dict[str, list[int]] = {"papers": [], "titles": []}
    with (
        pa.ipc.new_file(str(folder / PAPERS), PAPER) as papers,
        pa.ipc.new_file(str(folder / TITLES), _LETTERS) as titles,
    ):
        for table in facts:
            whole = table.combine_chunks()
            _write(papers, whole.select(PAPER.names), batches["papers"])
            letters = _gather(gathered, whole)
            _write(titles, pa.table([letters], schema=_LETTERS), batches["titles"])
    keys, values, full = _sorted_rows(gathered, _word_rows(folder, gathered))
    write_array(folder, "full", full)
    write_array(folder, "keys", keys)
    write_array(folder, "values", values)
    for name in ("title_papers", "title_lengths", "digests"):
        write_array(folder, name, gathered.take(name))
    counted = {"papers": gathered.papers, "titles": gathered.titles, "keys": len(keys)}
    write_sealed(folder / INDEX, {**stamp(), **counted, "batches": batches})


def _write(writer: pa.RecordBatchFileWriter, table: pa.Table, batches: list[int]) -> None:
    """Write a table as one batch and note its rows."""
    for batch in table.combine_chunks().to_batches():
        writer.write_batch(batch)
        batches.append(len(batch))


def _gather(gathered: _Gathered, table: pa.Table) -> pa.Array:
    """Keep the numbers of a table of facts; returns the letters of its titles."""
    numbers = np.arange(gathered.papers, gathered.papers + len(table), dtype=np.uint32)
    ids, id_papers = _flat(table["id_keys"], numbers)
    title_keys, title_papers = _flat(table["title_keys"], numbers)
    titles = np.arange(gathered.titles, gathered.titles + len(title_keys), dtype=np.uint32)
    parts, part_titles = _flat(_inner(table["part_keys"]), titles)
    edges, edge_titles = _flat(_inner(table["edge_keys"]), titles)
    words = _inner(table["words"])
    letters = pc.binary_join(words, "")
    occurring, word_titles = _flat(words, titles, as_words=gathered.words)
    gathered.add(
        ids=ids,
        id_papers=id_papers,
        title_keys=title_keys,
        title_papers=title_papers,
        parts=parts,
        part_titles=part_titles,
        edges=edges,
        edge_titles=edge_titles,
        title_lengths=np.minimum(
            pc.utf8_length(letters).to_numpy(zero_copy_only=False), _MAX_LENGTH
        ),
        digests=table["digest"].to_numpy(),
        # One number for a word in a title, so that a sort finds those that repeat.
        occurring=(word_titles.astype(np.uint64) << np.uint64(32)) | occurring.astype(np.uint64),
    )
    gathered.ids.append(table["paper_id"].combine_chunks())
    gathered.papers += len(table)
    gathered.titles += len(titles)
    return letters


def _inner(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks().flatten()


def _flat(
    lists: pa.Array | pa.ChunkedArray,
    owners: NDArray[np.uint32],
    as_words: dict[str, int] | None = None,
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The values of lists, or the numbers of their words, and who each belongs to."""
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    counts = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    values = lists.flatten()
    owned = np.repeat(owners, counts)
    if as_words is None:
        return values.to_numpy(zero_copy_only=False), owned
    encoded = values.dictionary_encode()
    known = encoded.dictionary.to_pylist()
    numbers = np.array([as_words.setdefault(word, len(as_words)) for word in known], np.uint32)
    return numbers[encoded.indices.to_numpy(zero_copy_only=False)], owned


def _word_rows(folder: Path, gathered: _Gathered) -> tuple[Keys, NDArray[np.uint32]]:
    """The blocks of rare words, as keys and titles; the counts of all words are written."""
    texts = list(gathered.words)
    keys = hash_texts(texts, Kind.NEAR)
    occurring = distinct(gathered.take("occurring"))
    titles = (occurring >> np.uint64(32)).astype(np.uint32)
    words = (occurring & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    counts = np.bincount(words, minlength=len(texts))
    order = np.argsort(keys)
    write_array(folder, "words", keys[order])
    write_array(folder, "counts", counts[order])
    # The rarest first, words that are as rare by their spelling.
    spelling = np.empty(len(texts), np.int64)
    spelling[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    ranked = np.lexsort((spelling, counts))
    rank = np.empty(len(texts), np.uint64)
    rank[ranked] = np.arange(len(texts), dtype=np.uint64)
    is_light = np.array([word in rules.LIGHT for word in texts], np.bool_)
    is_telling = ~is_light[words] if len(texts) else np.empty(0, np.bool_)
    by_rank = np.sort(
        (titles[is_telling].astype(np.uint64) << np.uint64(32)) | rank[words[is_telling]]
    )
    owners = (by_rank >> np.uint64(32)).astype(np.uint32)
    begins = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))[: len(owners)]
    place = np.arange(len(owners)) - np.repeat(begins, np.diff([*begins, len(owners)]))
    is_rare = place < rules.RARE_WORDS
    rarest = ranked[(by_rank[is_rare] & np.uint64(0xFFFFFFFF)).astype(np.int64)]
    return keys[rarest], owners[is_rare]


def _sorted_rows(
    gathered: _Gathered, words: tuple[Keys, NDArray[np.uint32]]
) -> tuple[Keys, NDArray[np.uint32], Keys]:
    """All keys in ascending order, the values of each, and the keys of full blocks."""
    titles = np.arange(gathered.titles, dtype=np.uint32)
    near_keys = np.concatenate([words[0], gathered.take("edges")])
    near_owners = np.concatenate([words[1], gathered.take("edge_titles")])
    blocks, counts = np.unique(near_keys, return_counts=True)
    full = blocks[counts > rules.MAX_BLOCK].astype(np.uint64)
    is_kept = ~np.isin(near_keys, full)
    rows = [
        _first_of_each(gathered.take("ids"), gathered.take("id_papers"), gathered.ids),
        (gathered.take("title_keys"), titles),
        (gathered.take("parts"), gathered.take("part_titles")),
        (near_keys[is_kept], near_owners[is_kept]),
    ]
    keys = np.concatenate([keys for keys, _ in rows]).astype(np.uint64)
    values = np.concatenate([values for _, values in rows]).astype(np.uint32)
    del rows
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order], full


def _first_of_each(
    keys: Keys, papers: NDArray[np.uint32], ids: list[pa.Array]
) -> tuple[Keys, NDArray[np.uint32]]:
    """First paper of the corpus for each identifier that several share."""
    if not len(keys):
        return keys, papers
    place = np.empty(sum(map(len, ids)), np.int64)
    place[pc.sort_indices(pa.chunked_array(ids)).to_numpy()] = np.arange(len(place))
    order = np.lexsort((place[papers], keys))
    keys, papers = keys[order], papers[order]
    is_first = np.concatenate([[True], keys[1:] != keys[:-1]])
    return keys[is_first], papers[is_first]
