"""Where each author is met first after a change, and how the name is spelled there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.networks.authors import identify_authors
from vivavoce.networks.authorship_rows import READ, RowChange, Rows, place_rows, rows_of
from vivavoce.networks.columns import MISSING, Flags, Ints, Longs, as_flags, as_numbers, column
from vivavoce.networks.merging import MismatchError
from vivavoce.networks.shards import Change, read_shard, starts_of

_NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class Met:
    """Where the authors were met before."""

    row: Ints
    """The first row of each author of now in the table of before; -1 for who is new."""
    spelled: pa.Array
    """The name in that row, of the authors of before."""
    known: Ints
    """The number now of each of these."""


def meet_authors(
    corpus: Corpus,
    authorships: Change,
    change: RowChange,
    met: Met,
    keys: pa.Array,
    new: tuple[Ints, Longs],
    is_alive: Flags,
) -> tuple[pa.Array, Ints]:
    """The spelling and the place of the first row of each author.

    Args:
        corpus: Read again where the row in which an author was met first is gone.
        authorships: The shards of the table.
        change: How its rows changed.
        met: Where authors were met before.
        keys: The authors of now, among them some of whom nothing is left.
        new: (author, place among the rows that came) of what has to be counted anew.
        is_alive: Of whom something is left.

    Raises:
        MismatchError: An author has no row at all; the network has to be built anew.
    """
    n = len(keys)
    first = np.full(n, _NEVER, dtype=np.int32)
    was = np.flatnonzero(met.row != MISSING)
    placed = place_rows(met.row[was], authorships, change)
    first[was] = np.where(placed == MISSING, _NEVER, placed)
    # Of which of the spellings, put one after the other, each author's is.
    at = np.zeros(n, dtype=np.int64)
    at[met.known] = np.arange(len(met.known))
    pool = [met.spelled, change.new.spelled]
    row = np.full(n, MISSING, dtype=np.int64)
    row[new[0][::-1]] = new[1][::-1]  # of several the last is kept: the first of the table
    came = np.flatnonzero(row != MISSING)
    came = came[change.new.at[row[came]] < first[came]]
    first[came] = change.new.at[row[came]]
    at[came] = len(met.spelled) + row[came]
    lost = was[(placed == MISSING) & is_alive[was]]
    lost = lost[~_is_no_later(change, row[lost], met.row[lost])]
    for authors, rows, spelled in _search(corpus, authorships, change, keys, lost, first):
        sooner = rows < first[authors]
        first[authors[sooner]] = rows[sooner]
        at[authors[sooner]] = sum(map(len, pool)) + np.flatnonzero(sooner)
        pool.append(spelled)
    if (first[is_alive] == _NEVER).any():
        raise MismatchError
    return pa.concat_arrays(pool).take(column(at)), first


def _is_no_later(change: RowChange, now: Longs, before: Ints) -> Flags:
    """Whether a row that came is of a paper no later than that of a row that went."""
    found = np.flatnonzero(now != MISSING)
    went = np.searchsorted(change.old.at, before[found])
    papers = change.new.paper[now[found]], change.old.paper[went]
    ids = [
        each.paper_ids.take(column(paper))
        for each, paper in zip((change.new, change.old), papers, strict=True)
    ]
    flags = np.zeros(len(now), dtype=np.bool_)
    flags[found] = as_flags(pc.less_equal(*ids))
    return flags


def _search(
    corpus: Corpus,
    authorships: Change,
    change: RowChange,
    keys: pa.Array,
    wanted: Longs,
    first: Ints,
) -> Iterator[tuple[Longs, Ints, pa.Array]]:
    """(authors, row in the whole table, spelling) of rows that stayed, by authors wanted."""
    if not len(wanted):
        return
    stayed = np.flatnonzero(change.stayed != MISSING)
    yield _first_of(change.new, stayed, keys, wanted)
    starts = starts_of(authorships.new)
    for _, place in authorships.stayed:
        wanted = wanted[first[wanted] > starts[place]]
        if not len(wanted):
            return
        pieces = [read_shard(corpus, authorships.new[place], READ)]
        rows = rows_of(pieces, starts[place : place + 1])
        barred = as_flags(pc.is_in(rows.paper_ids, value_set=change.no_papers))
        yield _first_of(rows, np.flatnonzero(~barred[rows.paper]), keys, wanted)


def _first_of(
    rows: Rows, few: Longs, keys: pa.Array, wanted: Longs
) -> tuple[Longs, Ints, pa.Array]:
    """The first of a few rows by each of the authors wanted, for those who have one."""
    met, _, _ = identify_authors(rows.spelled.take(column(few)), rows.ids.take(column(few)))
    author = as_numbers(pc.index_in(met, value_set=keys.take(column(wanted))))
    here = np.flatnonzero(author != MISSING)
    found, index = np.unique(author[here], return_index=True)
    row = few[here[index]]
    return wanted[found], rows.at[row].astype(np.int32), rows.spelled.take(column(row))
