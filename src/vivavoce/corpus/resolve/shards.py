"""References of one shard resolved: keys joined with those of papers, and rules for the others.

A reference without a key of any paper never reaches a rule. The others are resolved by a
`PaperIndex` of the papers found for the slice, which holds every paper that an index of the whole
corpus would compare them with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from vivavoce.corpus.identity.matching import title_words
from vivavoce.corpus.resolve.index import Index, IndexCensus, Matches
from vivavoce.corpus.resolve.keys import (
    COLUMNS,
    Flags,
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
from vivavoce.text.shingles import distinct

RESOLVED = pa.schema(
    [("cited_paper_id", pa.string()), ("resolver", pa.string()), ("confidence", pa.float64())]
)
"""Columns found for each reference; null where the work is not in the corpus."""
_AT_ONCE = 20_000
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
    for start in range(0, len(asked), _AT_ONCE):
        some = asked.slice(start, _AT_ONCE).combine_chunks()
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
    told: dict[tuple[object, ...], Resolution | None] = {}
    asked = references.take(pa.array(found.rows)).to_pylist()
    for number, row in zip(found.rows.tolist(), asked, strict=True):
        same = tuple(row.values())
        if same not in told:
            told[same] = known.resolve(reference_of(row))
        answers[number] = told[same]
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
        index.values(_ranges(matches.first[some], matches.last[some]))
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
        titles = index.values(_ranges(first[part], last[part]))
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


def _ranges(first: Numbers, last: Numbers) -> Numbers:
    sizes = last - first
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
