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
from vivavoce.networks.columns import MISSING, Ints, Longs, as_numbers, flat, prefixed
from vivavoce.text.normalise import normalise_title

TELLING = ["title", "year", "arxiv_id", "doi", "raw"]
"""The columns of a reference that tell."""
COLUMNS = ["arxiv", "doi", "title", "name", "text"]
"""Its identities, the strongest first; `name` is the title without the year."""
_ARXIV, _DOI, _TITLE, _TEXT = "arxiv:", "doi:", "title:", "text:"
_NONE = pa.scalar(None, pa.large_string())


def read_identities(references: pa.Table) -> pa.Table:
    """The identities that each reference shows, in `COLUMNS`; `text` only for want of others."""
    doi = pc.utf8_lower(pc.utf8_trim_whitespace(flat(references["doi"])))
    inside = _mapped(doi, lambda value: ids_in_doi(value).get("arxiv"))
    arxiv = prefixed(_ARXIV, pc.coalesce(flat(references["arxiv_id"]), inside))
    doi = prefixed(_DOI, pc.if_else(pc.is_valid(inside), _NONE, doi))
    year = pc.fill_null(pc.cast(flat(references["year"]), pa.large_string()), "")
    name = prefixed(_TITLE, _mapped(flat(references["title"]), normalise_title))
    title = pc.binary_join_element_wise(name, year, pa.scalar("|", pa.large_string()))
    known = pc.is_valid(pc.coalesce(arxiv, doi, title))
    raw = pc.if_else(known, _NONE, flat(references["raw"]))
    text = prefixed(_TEXT, _mapped(raw, normalise_title))
    return pa.table([arxiv, doi, title, name, text], names=COLUMNS)


def identify(identities: pa.Table) -> pa.Array:
    """One key for each reference, equal for references that mean one work; null for none."""
    arxiv, doi, title, name, text = (flat(identities[column]) for column in COLUMNS)
    by_id = pc.coalesce(arxiv, _strengthen(doi, arxiv, doi))
    return pc.coalesce(by_id, _strengthen(title, by_id, name), text)


def _strengthen(weak: pa.Array, strong: pa.Array, label: pa.Array) -> pa.Array:
    """In place of each weak identity, the one strong identity it is ever seen beside.

    An entry grown together of two works shows the title of one beside the id of the other. So
    the label has to be the most frequent of those seen beside the strong identity.
    """
    weak_codes, strong_codes = pc.dictionary_encode(weak), pc.dictionary_encode(strong)
    left, right = as_numbers(weak_codes.indices), as_numbers(strong_codes.indices)
    shown = as_numbers(pc.dictionary_encode(label).indices)
    only = _only_partner(left, right, len(weak_codes.dictionary))
    usual = _usual_partner(right, shown, len(strong_codes.dictionary))
    chosen = np.full(len(left), MISSING, dtype=np.int32)
    chosen[left != MISSING] = only[left[left != MISSING]]
    known = chosen != MISSING
    chosen[known] = np.where(usual[chosen[known]] == shown[known], chosen[known], MISSING)
    stronger = strong_codes.dictionary.take(pa.array(chosen, mask=chosen == MISSING))
    return pc.coalesce(stronger, weak)


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


def _mapped(texts: pa.Array, change: Callable[[str], str | None]) -> pa.Array:
    """Each text changed, distinct texts once; empty becomes null."""
    encoded = pc.dictionary_encode(texts)
    changed = [change(text) or None for text in encoded.dictionary.to_pylist()]
    return pa.array(changed, pa.large_string()).take(encoded.indices)
