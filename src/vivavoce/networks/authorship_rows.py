"""What changed in the lists of authors: the rows that went and came, and those that stayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    text_column,
    whole_table,
    without_null,
)
from vivavoce.networks.merging import MismatchError
from vivavoce.networks.papers import is_no_paper
from vivavoce.networks.shards import Change, read_kept, read_shard, starts_of

READ = ("paper_id", "name", "author_id")
_GATED = ("paper_id", "gates")


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of `authorships`, a paper's together."""

    paper_ids: pa.Array
    """The papers they are of."""
    begins: Longs
    """Where each paper begins among these rows, and their number at the end."""
    spelled: pa.Array
    ids: pa.Array
    """Empty for none."""
    at: Longs
    """Where each row stands in the whole table."""

    @property
    def paper(self) -> Ints:
        """The number of each row's paper."""
        sizes = np.diff(self.begins)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @property
    def is_first(self) -> Flags:
        """Which rows begin a paper."""
        flags = np.zeros(len(self.at), dtype=np.bool_)
        flags[self.begins[:-1]] = True
        return flags


@dataclass(frozen=True, slots=True)
class RowChange:
    """How the rows of `authorships` changed."""

    old: Rows
    """Those of shards that went."""
    new: Rows
    """Those of shards that came."""
    stayed: Ints
    """For each of the new rows, the old one that it is; -1 where the paper counts anew."""
    is_barred: Flags
    """Of the new rows, which are of documents that are no papers."""
    was_barred: Flags
    """Of the old rows, which were of documents that were no papers."""
    no_papers: pa.Array
    """The documents that are no papers now, sorted."""


def change_of_rows(
    corpus: Corpus, networks: Path, papers: Change, authorships: Change, no_papers: pa.Array
) -> RowChange:
    """How the rows changed since a network was built; then some documents were no papers.

    Raises:
        MismatchError: Something is unusual; the network has to be built anew.
    """
    starts = starts_of(authorships.old), starts_of(authorships.new)
    old = rows_of(
        [read_kept(networks, authorships.old[place], READ) for place in authorships.gone],
        starts[0][authorships.gone],
    )
    new = rows_of(
        [read_shard(corpus, authorships.new[place], READ) for place in authorships.come],
        starts[1][authorships.come],
    )
    same = as_numbers(pc.index_in(new.paper_ids, value_set=old.paper_ids))
    come = _read_gated(read_shard(corpus, papers.new[place], _GATED) for place in papers.come)
    _check_all_there(new.paper_ids.filter(column(same == MISSING)), flat(come["paper_id"]))
    were_barred = set(no_papers.to_pylist())
    barred = _no_papers(networks, papers, come, were_barred, (old, new))
    is_barred = _are_among(new.paper_ids, barred)
    stayed = _stayed(old, new, same, is_barred | _are_among(new.paper_ids, were_barred))
    were = _are_among(old.paper_ids, were_barred)
    return RowChange(
        old,
        new,
        stayed,
        is_barred=is_barred[new.paper],
        was_barred=were[old.paper],
        no_papers=text_column(sorted(barred)),
    )


def place_rows(rows: Ints, authorships: Change, change: RowChange) -> Ints:
    """Where rows of the whole table are now; -1 for those of papers that went or changed."""
    starts = starts_of(authorships.old), starts_of(authorships.new)
    shift = np.zeros(len(authorships.old), dtype=np.int64)
    is_there = np.zeros(len(authorships.old), dtype=np.bool_)
    for was, now in authorships.stayed:
        shift[was] = starts[1][now] - starts[0][was]
        is_there[was] = True
    shard = np.searchsorted(starts[0], rows, side="right") - 1
    placed = np.where(is_there[shard], rows + shift[shard], MISSING).astype(np.int32)
    moved = np.full(len(change.old.at), MISSING, dtype=np.int64)
    found = change.stayed != MISSING
    moved[change.stayed[found]] = change.new.at[found]
    gone = np.flatnonzero(~is_there[shard])
    # The rows that went are those of one shard after the other.
    sizes = np.where(is_there, 0, np.diff(starts[0]))
    begins = np.cumsum(sizes) - sizes - starts[0][:-1]
    placed[gone] = moved[begins[shard[gone]] + rows[gone]]
    return placed


def _read_gated(pieces: Iterable[pa.Table]) -> pa.Table:
    return whole_table("papers", _GATED, pieces)


def _no_papers(
    networks: Path, papers: Change, come: pa.Table, were: set[str], rows: tuple[Rows, Rows]
) -> set[str]:
    """The documents that are no papers now, given those that came anew and those that were none.

    What became a paper or ceased to be one is told by the rows that changed; should it have rows
    that did not, the network has to be built anew.
    """
    now = set(flat(come["paper_id"]).filter(column(is_no_paper(come))).to_pylist())
    if not were and not now:
        return set()
    gone = _read_gated(read_kept(networks, papers.old[place], _GATED) for place in papers.gone)
    left = set(flat(gone["paper_id"]).to_pylist())
    turned = {p for p in now - were if p in left} | ((were & left) - now)
    if turned - {p for each in rows for p in each.paper_ids.to_pylist()}:
        raise MismatchError
    return (were - left) | now


def _check_all_there(fresh: pa.Array, come: pa.Array) -> None:
    """Every paper whose authors came anew has to have come itself."""
    if as_flags(pc.is_in(come, value_set=fresh)).sum() != len(fresh):
        raise MismatchError


def _are_among(texts: pa.Array, few: set[str]) -> Flags:
    if not few:
        return np.zeros(len(texts), dtype=np.bool_)
    return as_flags(pc.is_in(texts, value_set=text_column(sorted(few))))


def rows_of(tables: Sequence[pa.Table], starts: Longs) -> Rows:
    """The rows of shards that start at these rows of the whole table."""
    whole = whole_table("authorships", READ, tables)
    spans = zip(starts.tolist(), tables, strict=True)
    at = [np.arange(start, start + table.num_rows) for start, table in spans]
    paper_ids = flat(whole["paper_id"])
    begins = np.flatnonzero(_begins(paper_ids))
    return Rows(
        paper_ids=paper_ids.take(column(begins)),
        begins=np.append(begins, whole.num_rows),
        spelled=flat(whole["name"]),
        ids=without_null(flat(whole["author_id"])),
        at=np.concatenate([np.zeros(0, dtype=np.int64), *at]),
    )


def _begins(texts: pa.Array) -> Flags:
    """Where a text differs from the one before."""
    begins = np.ones(len(texts), dtype=np.bool_)
    if len(texts) > 1:
        begins[1:] = as_flags(pc.not_equal(texts.slice(1), texts.slice(0, len(texts) - 1)))
    return begins


def _stayed(old: Rows, new: Rows, same: Ints, unlike: Flags) -> Ints:
    """For each new row the old one that it is, where a paper's whole list is as it was.

    Args:
        old: The rows that went.
        new: The rows that came.
        same: Of each new paper its place among the old ones; -1 for none.
        unlike: The new papers that are passed over.
    """
    sizes, were = np.diff(new.begins), np.diff(old.begins)
    fits = (same != MISSING) & ~unlike
    fits[fits] = sizes[fits] == were[same[fits]]
    paper = new.paper
    rows = np.flatnonzero(fits[paper])
    was = old.begins[:-1][same[paper[rows]]] + rows - new.begins[:-1][paper[rows]]
    was = was.astype(np.int32)
    equal = np.ones(len(rows), dtype=np.bool_)
    for ours, theirs in ((new.spelled, old.spelled), (new.ids, old.ids)):
        equal &= as_flags(pc.equal(ours.take(column(rows)), theirs.take(column(was))))
    changed = np.zeros(len(sizes), dtype=np.bool_)
    changed[paper[rows[~equal]]] = True
    stayed = np.full(len(paper), MISSING, dtype=np.int32)
    stayed[rows] = np.where(changed[paper[rows]], MISSING, was)
    return stayed
