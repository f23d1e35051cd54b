"""Who is an author: the source's id, or the name where there is none.

A name is compared in NFKC, case folded, with single spaces. The same name with and without an id
gives two authors; both are flagged, and so are the other ways in which a name can mislead.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    as_flags,
    as_numbers,
    flat,
    prefixed,
    read_columns,
    sorted_keys,
)
from vivavoce.networks.papers import first_of_each, number_papers, read_papers

BY_ID, BY_NAME = "id:", "name:"
"""What the key of an author starts with."""
AMBIGUITIES = ("with_and_without_id", "name_of_several_ids", "initials_only")
"""Columns that say why an author may be several people, or one of several authors."""


@dataclass(frozen=True, slots=True)
class Authorships:
    """Who wrote what, in numbers: each author of a paper once, sorted by paper."""

    paper_ids: pa.Array
    """Of paper 0, 1, ..."""
    authors: pa.Table
    """One row an author, sorted by key: who that is, and what makes the name ambiguous."""
    paper: Ints
    author: Ints
    is_first: Flags
    """Whether the author comes first in the paper's list."""
    names: pa.Array
    """The names that authors go by, as `name_of` compares them."""
    bearers: tuple[Ints, Ints]
    """(author, number of a name that the author goes by) pairs."""


def name_of(name: str) -> str:
    """A name for comparison: NFKC, case folded, spaces single."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def read_authorships(corpus: Corpus) -> Authorships:
    """The authors of a corpus and what they wrote; rows without id and name are left out."""
    paper_ids = flat(read_papers(corpus)["paper_id"])
    table = read_columns(corpus, "authorships", ["paper_id", "name", "author_id"])
    paper = number_papers(flat(table["paper_id"]), paper_ids)
    # The table is sorted by paper and place, so a paper's first row is its first author.
    is_first = first_of_each(paper)
    names, name = _compare(flat(table["name"]))
    keys = _keys(flat(table["author_id"]), names.take(pa.array(name)))
    keep = (paper != MISSING) & as_flags(pc.is_valid(keys))
    keyed, author = sorted_keys(keys.filter(pa.array(keep)))
    paper, name, is_first = paper[keep], name[keep], is_first[keep]
    # An author listed twice counts at the first place.
    _, index = np.unique(paper.astype(np.int64) * max(len(keyed), 1) + author, return_index=True)
    bearers = _distinct_pairs(author, name, len(names))
    described = {
        "key": keyed,
        "name": _first_spelling(flat(table["name"]).filter(pa.array(keep)), author),
        "papers": _count(author[index], len(keyed)),
        "first_author_papers": _count(author[index][is_first[index]], len(keyed)),
        **_ambiguities(keyed, names, bearers),
    }
    return Authorships(
        paper_ids=paper_ids,
        authors=pa.table(described),
        paper=paper[index],
        author=author[index],
        is_first=is_first[index],
        names=names,
        bearers=bearers,
    )


def _compare(spelled: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct names as they are compared, and the number of each row's."""
    encoded = pc.dictionary_encode(pc.fill_null(spelled, ""))
    compared = [name_of(name) for name in encoded.dictionary.to_pylist()]
    distinct = pc.dictionary_encode(pa.array(compared, pa.large_string()))
    numbers = as_numbers(distinct.indices)[as_numbers(encoded.indices)]
    return distinct.dictionary, numbers


def _keys(ids: pa.Array, names: pa.Array) -> pa.Array:
    """What an author is told apart by; null where there is neither id nor name."""
    trimmed = pc.utf8_trim_whitespace(ids)
    return pc.coalesce(prefixed(BY_ID, trimmed), prefixed(BY_NAME, names))


def _distinct_pairs(left: Ints, right: Ints, width: int) -> tuple[Ints, Ints]:
    pairs = np.unique(left.astype(np.int64) * max(width, 1) + right)
    first, second = np.divmod(pairs, max(width, 1))
    return first.astype(np.int32), second.astype(np.int32)


def _first_spelling(spelled: pa.Array, author: Ints) -> pa.Array:
    """Each author's name as it is spelled where it is met first."""
    _, first = np.unique(author, return_index=True)
    return spelled.take(pa.array(first))


def _count(numbers: Ints, n: int) -> Ints:
    return np.bincount(numbers, minlength=n).astype(np.int32)


def _ambiguities(keys: pa.Array, names: pa.Array, bearers: tuple[Ints, Ints]) -> dict[str, Flags]:
    """The columns of `AMBIGUITIES`."""
    author, name = bearers
    has_id = as_flags(pc.starts_with(keys, BY_ID))
    is_named = as_flags(pc.not_equal(names, ""))
    ids = np.bincount(name[has_id[author]], minlength=len(names))
    without = np.bincount(name[~has_id[author]], minlength=len(names))
    short = np.array([_is_short(text) for text in names.to_pylist()], dtype=np.bool_)

    def of_authors(flags: Flags) -> Flags:
        """Which authors go by a name that is flagged."""
        flagged = np.bincount(author, weights=(flags & is_named)[name], minlength=len(keys)) > 0
        return np.asarray(flagged, dtype=np.bool_)

    columns = ((ids > 0) & (without > 0), ids > 1, short)
    found = dict(zip(AMBIGUITIES, map(of_authors, columns), strict=True))
    found["initials_only"] &= ~has_id
    return found


def _is_short(name: str) -> bool:
    """Whether a name is a single word, or all before its last word are initials."""
    words = name.replace(".", " ").split()
    return len(words) < 2 or all(len(word.strip("-")) < 2 for word in words[:-1])
