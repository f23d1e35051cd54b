"""Which entries of reference lists mean the same work outside the corpus.

A work is its arXiv id, else its DOI, else its normalised title with the year, else the normalised
text of the entry; an entry that has none of them means no work. A weaker identity gives way to
the stronger one that other entries show beside it, if they all show the same: a title cited here
with its DOI and there without is one work.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus.merge import ids_in_doi
from vivavoce.networks.columns import (
    MISSING,
    Ints,
    Longs,
    flat,
    prefixed,
    text_column,
    text_scalar,
    without_null,
)
from vivavoce.text.normalise import normalise_title

TELLING = ["title", "year", "arxiv_id", "doi", "raw"]
"""The columns of a reference that tell."""
COLUMNS = ["arxiv", "doi", "title", "name", "text"]
"""Its identities, the strongest first; `name` is the title without the year."""
_ARXIV, _DOI, _TITLE, _TEXT = "arxiv:", "doi:", "title:", "text:"


def read_identities(references: pa.Table) -> pa.Table:
    """The identities that each reference shows, in `COLUMNS`; `text` only for want of others.

    `references` has the columns `TELLING`.
    """
    doi = pc.utf8_lower(pc.utf8_trim_whitespace(flat(references["doi"])))
    inside = _mapped(doi, lambda value: ids_in_doi(value).get("arxiv"))
    arxiv = prefixed(_ARXIV, pc.coalesce(flat(references["arxiv_id"]), inside))
    doi = prefixed(_DOI, pc.if_else(pc.is_valid(inside), text_scalar(None), doi))
    year = without_null(flat(references["year"]).cast(pa.large_string()))
    name = _mapped(flat(references["title"]), lambda text: _labelled(_TITLE, text))
    title = pc.binary_join_element_wise(name, year, text_scalar("|"))
    known = pc.is_valid(pc.coalesce(arxiv, doi, title))
    raw = pc.if_else(known, text_scalar(None), flat(references["raw"]))
    text = _mapped(raw, lambda value: _labelled(_TEXT, value))
    return pa.Table.from_arrays([arxiv, doi, title, name, text], names=COLUMNS)


def identify(arxiv: Ints, doi: Ints, title: Ints, name: Ints, text: Ints) -> Ints:
    """Of each reference the identity that stands for its work; -1 for none.

    Identities are numbers, -1 for none; no two columns of `COLUMNS` have one in common.
    """
    by_id = _coalesce(arxiv, _strengthen(doi, arxiv, doi))
    return _coalesce(_coalesce(by_id, _strengthen(title, by_id, name)), text)


def _strengthen(weak: Ints, strong: Ints, label: Ints) -> Ints:
    """In place of each weak identity, the one strong identity it is ever seen beside.

    An entry grown together of two works shows the title of one beside the id of the other. So
    the label has to be the most frequent of those seen beside the strong identity.
    """
    only = _only_partner(weak, strong, int(weak.max(initial=0)) + 1)
    usual = _usual_partner(strong, label, int(strong.max(initial=0)) + 1)
    chosen = np.full(len(weak), MISSING, dtype=np.int32)
    chosen[weak != MISSING] = only[weak[weak != MISSING]]
    known = chosen != MISSING
    chosen[known] = np.where(usual[chosen[known]] == label[known], chosen[known], MISSING)
    return _coalesce(chosen, weak)


def _coalesce(first: Ints, other: Ints) -> Ints:
    return np.where(first == MISSING, other, first)


def _only_partner(left: Ints, right: Ints, count: int) -> Ints:
    """For each left number, the right number in its rows; -1 where there are several or none."""
    first, second, _ = _partners(left, right)
    only = np.full(count, MISSING, dtype=np.int32)
    only[first] = second
    only[np.bincount(first, minlength=count) != 1] = MISSING
    return only


def _usual_partner(left: Ints, right: Ints, count: int) -> Ints:
    """For each left number, the most frequent right number in its rows; -1 for a tie or none."""
    first, second, rows = _partners(left, right)
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, first, rows)
    best = rows == most[first]
    usual = np.full(count, MISSING, dtype=np.int32)
    usual[first[best]] = second[best]
    usual[np.bincount(first[best], minlength=count) != 1] = MISSING
    return usual


def _partners(left: Ints, right: Ints) -> tuple[Longs, Longs, Longs]:
    """The distinct pairs of rows that have both numbers, and how many rows show each."""
    both = (left != MISSING) & (right != MISSING)
    width = int(right.max(initial=0)) + 1
    keys = left[both].astype(np.int64) * width + right[both]
    pairs, rows = np.unique(keys, return_counts=True)
    first, second = np.divmod(pairs, width)
    return first, second, rows


def _labelled(label: str, text: str) -> str | None:
    """A normalised text behind its label; None where nothing is left of it."""
    normal = normalise_title(text)
    return label + normal if normal else None


def _mapped(texts: pa.Array, change: Callable[[str], str | None]) -> pa.Array:
    """Each text changed, distinct texts once; empty is null."""
    encoded = pc.dictionary_encode(texts)
    changed = text_column([change(text) or None for text in encoded.dictionary.to_pylist()])
    return changed.take(encoded.indices)
