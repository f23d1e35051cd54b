"""Every key under which a paper may be found that a reference means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus.matching import title_key, title_words
from vivavoce.corpus.near_titles import MAX_TITLE, edges, parts_of_title, titles_inside
from vivavoce.corpus.references import identifiers_of
from vivavoce.corpus.resolving.hashing import Kind, hash_texts
from vivavoce.corpus.resolving.raw_keys import ReferenceKeys, raw_keys, sort_keys
from vivavoce.records import Reference

COLUMNS = ("raw", "title", "year", "first_author", "arxiv_id", "doi")
"""What is read of a reference."""
_ADDRESS = r"(?i)aclweb\.org|aclanthology\.|10\.18653/|10\.3115/"


def reference_keys(references: pa.Table) -> ReferenceKeys:
    """The keys of references, by their row numbers.

    Args:
        references: With the columns `COLUMNS`.
    """
    raw = _whole(references["raw"]).fill_null("")
    titles = _whole(references["title"])
    return sort_keys([_raw_keys(raw), _title_keys(titles), _identifier_keys(references, raw)])


def reference_of(row: Mapping[str, Any]) -> Reference:
    """The reference that a row holds, as far as resolving looks at it."""
    return Reference(0, row["raw"] or "", **{name: row[name] for name in COLUMNS[1:]})


def _raw_keys(raw: pa.Array) -> ReferenceKeys:
    """The keys of the texts; a text that occurs again is looked at once."""
    texts = raw.dictionary_encode()
    found = raw_keys(texts.dictionary)
    return _spread(found, texts.indices.to_numpy(zero_copy_only=False), len(texts.dictionary))


def _spread(found: ReferenceKeys, uses: Any, known: int) -> ReferenceKeys:
    """The keys of values as keys of the rows that hold these values."""
    if known == len(uses):
        return found  # each value once, in the order of the rows
    counts = np.bincount(found.rows, minlength=known)
    starts = np.cumsum(counts) - counts
    each = counts[uses]
    rows = np.repeat(np.arange(len(uses), dtype=np.uint32), each)
    inside = np.arange(len(rows)) - np.repeat(np.cumsum(each) - each, each)
    return ReferenceKeys(rows, found.keys[np.repeat(starts[uses], each) + inside])


def _title_keys(titles: pa.Array) -> ReferenceKeys:
    present = np.flatnonzero(titles.is_valid().to_numpy(zero_copy_only=False))
    known = titles.take(pa.array(present)).dictionary_encode()
    texts: dict[Kind, list[str]] = {Kind.TITLE: [], Kind.PART: [], Kind.NEAR: []}
    rows: dict[Kind, list[int]] = {kind: [] for kind in texts}
    for number, title in enumerate(known.dictionary.to_pylist()):
        for kind, keys in _keys_of_title(title):
            texts[kind] += keys
            rows[kind] += [number] * len(keys)
    found = sort_keys(
        [
            ReferenceKeys(np.array(rows[kind], np.uint32), hash_texts(texts[kind], kind))
            for kind in texts
        ]
    )
    uses = known.indices.to_numpy(zero_copy_only=False)
    spread = _spread(found, uses, len(known.dictionary))
    return ReferenceKeys(present.astype(np.uint32)[spread.rows], spread.keys)


def _keys_of_title(title: str) -> Iterable[tuple[Kind, list[str]]]:
    """The keys that the title of a reference is looked up by."""
    key = title_key(title)
    if not key:
        return
    others = map(title_key, chain(parts_of_title(title)[0], titles_inside(title)))
    yield Kind.TITLE, [key, *(other for other in others if other)]
    yield Kind.PART, [key]
    # Light words are in no block; with them a word that is new to the corpus is noticed.
    words = title_words(title[:MAX_TITLE])
    if words:
        yield Kind.NEAR, [*dict.fromkeys(words), *edges(words)]


def _identifier_keys(references: pa.Table, raw: pa.Array) -> ReferenceKeys:
    named = pc.or_(
        pc.or_(references["doi"].is_valid(), references["arxiv_id"].is_valid()).combine_chunks(),
        pc.match_substring_regex(raw, _ADDRESS),
    )
    numbers = np.flatnonzero(_whole(named).to_numpy(zero_copy_only=False))
    rows, texts = [], []
    for number, row in zip(
        numbers.tolist(), references.select(COLUMNS).take(numbers).to_pylist(), strict=True
    ):
        for scheme, value in identifiers_of(reference_of(row)):
            rows.append(number)
            texts.append(identifier_text(scheme, value))
    return ReferenceKeys(np.array(rows, np.uint32), hash_texts(texts, Kind.ID))


def identifier_text(scheme: str, value: str) -> str:
    """What the key of an identifier is made of."""
    return f"{scheme}:{value}"


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
