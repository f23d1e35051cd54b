"""Sorted columns merged: what comes in finds its place, and nothing is sorted anew."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    Longs,
    as_flags,
    as_numbers,
    column,
    numbers_in,
)

_STEP = 8
"""Every so many texts one is a mark; between two marks all are compared at once."""


class MismatchError(Exception):
    """What was written down of a network does not fit the corpus it was made of."""


@dataclass(frozen=True, slots=True)
class Union:
    """Two sorted sets of texts in one."""

    texts: pa.Array
    of_known: Ints
    """The place in it of each text of the first."""
    of_more: Ints
    """And of the second."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of numbers, sorted and distinct, with a count each."""

    left: Ints
    right: Ints
    count: Ints

    def where(self, keep: Flags) -> Pairs:
        """Some of them."""
        return Pairs(self.left[keep], self.right[keep], self.count[keep])

    def renumbered(self, left: Ints, right: Ints) -> Pairs:
        """With other numbers; both maps ascend, so the pairs stay sorted."""
        return Pairs(left[self.left], right[self.right], self.count)


def unite(known: pa.Array, more: pa.Array) -> Union:
    """Merge distinct texts, in any order, into a sorted column of distinct texts."""
    n = len(known)
    of_more = np.empty(len(more), dtype=np.int32)
    met = as_numbers(pc.index_in(known, value_set=more))
    rows = np.flatnonzero(met != MISSING)
    is_fresh = np.ones(len(more), dtype=np.bool_)
    is_fresh[met[rows]] = False
    fresh = np.flatnonzero(is_fresh)
    fresh = fresh[numbers_in(pc.sort_indices(more.take(column(fresh))))]
    before = _before(known, more.take(column(fresh)))
    of_known = np.arange(n, dtype=np.int32)
    of_known += np.cumsum(np.bincount(before, minlength=n + 1)[:n], dtype=np.int32)
    of_more[fresh] = before + np.arange(len(fresh))
    of_more[met[rows]] = of_known[rows]
    texts = known
    if len(fresh):
        order = np.empty(n + len(fresh), dtype=np.int32)
        order[of_known] = np.arange(n)
        order[of_more[fresh]] = n + np.arange(len(fresh))
        texts = pa.concat_arrays([known, more.take(column(fresh))]).take(column(order))
    return Union(texts, of_known, of_more)


def add_pairs(known: Pairs, more: Pairs) -> Pairs:
    """Counts added up by pair; a pair that comes to 0 is gone.

    Args:
        known: Counts above 0.
        more: What is added to them, less than 0 for what is taken away.

    Raises:
        MismatchError: More is taken away than there is.
    """
    at, found = _search(known, more)
    count = known.count.copy()
    count[at[found]] += more.count[found]
    if (count < 0).any() or (more.count[~found] < 0).any():
        raise MismatchError
    fresh, at = more.where(~found), at[~found]
    is_old = np.ones(len(count) + len(at), dtype=np.bool_)
    is_old[at + np.arange(len(at))] = False

    def insert(values: Ints, others: Ints) -> Ints:
        joined = np.empty(len(is_old), dtype=np.int32)
        joined[is_old], joined[~is_old] = values, others
        return joined

    merged = Pairs(
        insert(known.left, fresh.left),
        insert(known.right, fresh.right),
        insert(count, fresh.count),
    )
    keep = merged.count != 0
    return merged if keep.all() else merged.where(keep)


def difference(more: Pairs, less: Pairs, width: int) -> Pairs:
    """The counts of some pairs without those of others; each pair once, none with 0."""
    joined = [pairs.left.astype(np.int64) * max(width, 1) + pairs.right for pairs in (more, less)]
    keys, place = np.unique(np.concatenate(joined), return_inverse=True)
    weights = np.concatenate([more.count, -less.count])
    count = np.bincount(place, weights=weights, minlength=len(keys)).astype(np.int32)
    left, right = np.divmod(keys[count != 0], max(width, 1))
    return Pairs(left.astype(np.int32), right.astype(np.int32), count[count != 0])


def _search(known: Pairs, wanted: Pairs) -> tuple[Longs, Flags]:
    """Where each pair is or would be among sorted ones, and whether it is there.

    Found by halving, for want of room for a key of 64 bits for each pair that is known.
    """
    low = np.searchsorted(known.left, wanted.left, side="left")
    high = np.searchsorted(known.left, wanted.left, side="right")
    end = high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        is_before = known.right[middle] < wanted.right[open_]
        low[open_[is_before]] = middle[is_before] + 1
        high[open_[~is_before]] = middle[~is_before]
    found = low < end
    found[found] = known.right[low[found]] == wanted.right[found]
    return low, np.asarray(found, dtype=np.bool_)


def _before(known: pa.Array, texts: pa.Array) -> Longs:
    """For each text, how many known ones come before it."""
    n = len(known)
    if not n or not len(texts):
        return np.zeros(len(texts), dtype=np.int64)
    marks = known.take(column(np.arange(0, n, _STEP))).cast(pa.large_binary()).to_pylist()
    wanted = texts.cast(pa.large_binary()).to_pylist()
    block = np.array([max(bisect_right(marks, text) - 1, 0) for text in wanted], dtype=np.int64)
    rows = block[:, None] * _STEP + np.arange(_STEP)
    near = known.take(column(np.minimum(rows, n - 1).ravel()))
    repeated = texts.take(column(np.repeat(np.arange(len(texts)), _STEP)))
    less = as_flags(pc.less(near, repeated)).reshape(rows.shape) & (rows < n)
    before: Longs = block * _STEP + less.sum(axis=1)
    return before
