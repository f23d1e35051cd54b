"""Facts of papers that resolving needs, with the keys that do not depend on other papers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from vivavoce.corpus.identity.matching import title_key, title_words
from vivavoce.corpus.identity.merge import MergedPaper
from vivavoce.corpus.resolve.hashing import Kind, hash_texts
from vivavoce.corpus.resolve.keys import identifier_text
from vivavoce.corpus.resolve.known_papers import KnownPaper, know_paper
from vivavoce.corpus.resolve.titles import BLOCK, MAX_TITLE, edges, letters_of, parts_of_title
from vivavoce.store import canonical_json

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
        pa.field("raw_keys", _KEYS),  # 0 for a title of too few letters
        pa.field("block_keys", _KEYS),
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
    letters = [letters_of(title) for title in flat]
    raw = hash_texts(letters, Kind.RAW)
    blocks = hash_texts([text[:BLOCK] for text in letters], Kind.RAW_BLOCK)
    is_short = np.array([not text for text in letters], np.bool_)
    raw[is_short] = blocks[is_short] = 0
    parts = [
        [key for parts in parts_of_title(title) for part in parts if (key := title_key(part))]
        for title in flat
    ]
    return {
        "title_keys": _lists(hash_texts(keys, Kind.TITLE), counts),
        "raw_keys": _lists(raw, counts),
        "block_keys": _lists(blocks, counts),
        "words": _lists(pa.array(words, type=_TEXTS), counts),
        "part_keys": _lists(_nested(parts, Kind.PART, _KEYS), counts),
        "edge_keys": _lists(_nested([list(edges(w)) for w in words], Kind.NEAR, _KEYS), counts),
    }


def _nested(texts: list[list[str]], kind: Kind, type_: pa.DataType) -> pa.Array:
    keys = hash_texts([text for some in texts for text in some], kind)
    return _lists(keys, [len(some) for some in texts]).cast(type_)


def _lists(values: Any, counts: list[int]) -> pa.Array:
    """Values in lists of the lengths given."""
    offsets = np.cumsum([0, *counts], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
