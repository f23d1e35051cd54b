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
    Longs,
    as_flags,
    as_numbers,
    column,
    flat,
    prefixed,
    read_columns,
    sorted_keys,
    table_of,
    text_column,
    text_scalar,
    without_null,
)
from vivavoce.networks.papers import first_of_each, is_no_paper, number_papers

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
    bearings: Ints
    """In how many rows each of these pairs stands."""
    no_papers: pa.Array
    """The documents that are no papers."""
    first_row: Ints
    """Of each author, the first row of the table."""


def name_of(name: str) -> str:
    """A name for comparison: NFKC, case folded, spaces single."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def read_authorships(corpus: Corpus) -> Authorships:
    """The authors of a corpus and what they wrote; rows without id and name are left out."""
    papers = read_columns(corpus, "papers", ["paper_id", "gates"])
    barred = is_no_paper(papers)
    paper_ids = flat(papers["paper_id"]).filter(column(~barred))
    table = read_columns(corpus, "authorships", ["paper_id", "name", "author_id"])
    paper = number_papers(flat(table["paper_id"]), paper_ids)
    # The table is sorted by paper and place, so a paper's first row is its first author.
    is_first = first_of_each(paper)
    spelled = flat(table["name"])
    keys, names, name = identify_authors(spelled, flat(table["author_id"]))
    keep = (paper != MISSING) & as_flags(pc.is_valid(keys))
    keyed, author = sorted_keys(keys.filter(column(keep)))
    _, first = np.unique(author, return_index=True)
    first_row = np.flatnonzero(keep)[first].astype(np.int32)
    paper, name, is_first = paper[keep], name[keep], is_first[keep]
    index = first_places(paper, author, len(keyed))
    bearer, borne, bearings = distinct_pairs(author, name, len(names))
    described = {
        "key": keyed,
        "name": spelled.take(column(first_row)),
        "papers": count_of_each(author[index], len(keyed)),
        "first_author_papers": count_of_each(author[index][is_first[index]], len(keyed)),
        **_ambiguities(keyed, names, (bearer, borne)),
    }
    return Authorships(
        paper_ids=paper_ids,
        authors=table_of(described),
        paper=paper[index],
        author=author[index],
        is_first=is_first[index],
        names=names,
        bearers=(bearer, borne),
        bearings=bearings,
        no_papers=flat(papers["paper_id"]).filter(column(barred)),
        first_row=first_row,
    )


def identify_authors(spelled: pa.Array, ids: pa.Array) -> tuple[pa.Array, pa.Array, Ints]:
    """The key of each row's author, null for none; the names as compared, and each row's."""
    names, name = compare_names(spelled)
    trimmed = pc.utf8_trim_whitespace(ids)
    plain = prefixed(BY_NAME, names).take(column(name))
    return pc.coalesce(prefixed(BY_ID, trimmed), plain), names, name


def first_places(paper: Ints, author: Ints, authors: int) -> Longs:
    """The rows that count, sorted by paper and author: one listed twice is so at the first."""
    joined = paper.astype(np.int64) * max(authors, 1) + author
    index: Longs = np.unique(joined, return_index=True)[1]
    return index


def distinct_pairs(left: Ints, right: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """The distinct pairs, sorted, and how often each is there; right numbers are below width."""
    joined = left.astype(np.int64) * max(width, 1) + right
    pairs, rows = np.unique(joined, return_counts=True)
    first, second = np.divmod(pairs, max(width, 1))
    return first.astype(np.int32), second.astype(np.int32), rows.astype(np.int32)


def count_of_each(numbers: Ints, n: int) -> Ints:
    """How often each of the numbers below n is there."""
    return np.bincount(numbers, minlength=n).astype(np.int32)


def has_only_initials(name: str) -> bool:
    """Whether a name is a single word, or all before its last word are initials."""
    words = name.replace(".", " ").split()
    return len(words) < 2 or all(len(word.strip("-")) < 2 for word in words[:-1])


def compare_names(spelled: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct names as they are compared, and the number of each row's."""
    encoded = pc.dictionary_encode(without_null(spelled))
    # Words of ASCII with single spaces, as most names are, differ in their case alone.
    is_plain = _are_plain(encoded.dictionary)
    others = encoded.dictionary.filter(column(~is_plain)).to_pylist()
    names = [
        pc.ascii_lower(encoded.dictionary.filter(column(is_plain))),
        text_column([name_of(name) for name in others]),
    ]
    distinct = pc.dictionary_encode(pa.concat_arrays(names))
    number = np.empty(len(is_plain), dtype=np.int32)
    number[np.argsort(~is_plain, kind="stable")] = as_numbers(distinct.indices)
    return distinct.dictionary, number[as_numbers(encoded.indices)]


def _are_plain(names: pa.Array) -> Flags:
    uneven = (pc.match_substring(names, "  "), pc.starts_with(names, " "), pc.ends_with(names, " "))
    plain = as_flags(pc.ascii_is_printable(names))
    for each in uneven:
        plain &= ~as_flags(each)
    return plain


def _ambiguities(keys: pa.Array, names: pa.Array, bearers: tuple[Ints, Ints]) -> dict[str, Flags]:
    """The columns of `AMBIGUITIES`."""
    author, name = bearers
    has_id = as_flags(pc.starts_with(keys, BY_ID))
    is_named = as_flags(pc.not_equal(names, text_scalar("")))
    ids = np.bincount(name[has_id[author]], minlength=len(names))
    without = np.bincount(name[~has_id[author]], minlength=len(names))
    short = np.array([has_only_initials(text) for text in names.to_pylist()], dtype=np.bool_)

    def of_authors(flags: Flags) -> Flags:
        """Which authors go by a name that is flagged."""
        flagged = np.bincount(author, weights=(flags & is_named)[name], minlength=len(keys)) > 0
        return np.asarray(flagged, dtype=np.bool_)

    columns = ((ids > 0) & (without > 0), ids > 1, short)
    found = dict(zip(AMBIGUITIES, map(of_authors, columns), strict=True))
    found["initials_only"] &= ~has_id
    return found
