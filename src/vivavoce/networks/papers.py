"""The papers of a corpus as the first nodes of its networks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import (
    MISSING,
    Flags,
    Ints,
    as_flags,
    as_numbers,
    column,
    flat,
    numbers_in,
    text_scalar,
)
from vivavoce.corpus import Corpus
from vivavoce.networks.shards import read_columns

_NO_PAPER = "not_a_paper"


def read_papers(corpus: Corpus, *more: str) -> pa.Table:
    """`paper_id` and other columns of every paper, sorted by id.

    Documents that are no papers, such as questions and answers, are left out.
    """
    table = read_columns(corpus, "papers", ["paper_id", *more, "gates"])
    barred = is_no_paper(table)
    return table.drop_columns(["gates"]).filter(column(~barred)).combine_chunks()


def is_no_paper(papers: pa.Table) -> Flags:
    """Flags of the rows of `papers` that are of documents that are no papers."""
    gates = flat(papers["gates"])
    is_barred = as_flags(pc.equal(gates.flatten(), text_scalar(_NO_PAPER).cast(pa.string())))
    barred = np.zeros(papers.num_rows, dtype=np.bool_)
    barred[numbers_in(pc.list_parent_indices(gates))[is_barred]] = True
    return barred


def number_papers(paper_ids: Any, known: pa.Array) -> Ints:
    """The place of each paper id among those known; -1 for another."""
    return as_numbers(pc.index_in(paper_ids, value_set=known))


def number_sorted_papers(paper_ids: Any, known: pa.Array) -> Ints:
    """As `number_papers`, one number for each id, where both are sorted.

    Looking up takes as long as there are ids to look in, so only those are looked in that lie
    between the first and the last.
    """
    if not len(paper_ids):
        return np.zeros(0, dtype=np.int32)
    start = bisect_left(known, paper_ids[0].as_py(), key=_text)
    stop = bisect_right(known, paper_ids[-1].as_py(), lo=start, key=_text)
    number = number_papers(paper_ids, known.slice(start, stop - start))
    return np.where(number == MISSING, number, number + np.int32(start))


def years_of(published: pa.Array) -> pa.Array:
    """The year of each date as an integer; null for none."""
    return pc.cast(pc.utf8_slice_codeunits(published, 0, 4), pa.int32())


def first_of_each(groups: Ints) -> Flags:
    """Flags of the places where a new group begins, in sorted numbers."""
    begins = np.ones(len(groups), dtype=np.bool_)
    begins[1:] = groups[1:] != groups[:-1]
    return begins


def _text(value: pa.Scalar) -> str:
    return str(value.as_py())
