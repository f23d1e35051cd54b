"""Retrieval: precision and recall at k, and average precision.

With hits(k) the relevant items among the first k retrieved:

- P@k = hits(k) / k, also where fewer than k were retrieved;
- R@k = hits(k) / (relevant items);
- AP = sum over the ranks k of relevant items of P@k, / (relevant items).

An item retrieved again takes up a place and is no hit. With nothing relevant, R@k and AP are
undefined, None; P@k is 0.

Source: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence


def average_precision(
    retrieved: Sequence[Hashable], relevant: Collection[Hashable]
) -> float | None:
    """Mean of the precision at each relevant item; one that is not retrieved adds 0."""
    wanted = len(set(relevant))
    ranks = _hit_ranks(retrieved, relevant)
    total = sum(hits / rank for hits, rank in enumerate(ranks, start=1))
    return total / wanted if wanted else None


def _hit_ranks(retrieved: Sequence[Hashable], relevant: Collection[Hashable]) -> Iterator[int]:
    """Ranks, from 1, at which a relevant item appears for the first time."""
    unseen = set(relevant)
    for rank, item in enumerate(retrieved, start=1):
        if item in unseen:
            unseen.remove(item)
            yield rank
