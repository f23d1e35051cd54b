"""Where the papers of a corpus are cut into shards.

A shard is a run of papers in the order of their ids. Its first paper is one whose hash hits zero,
so the cuts depend on nothing but the ids: they are the same on every machine, and those between
papers that stay stay where they are when others are added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MEAN_PAPERS = 2_048
"""Papers of a shard on average; a power of two."""
MOST_SHARES = 3
"""A run of so many times the mean is cut again, four times as finely."""
FIRST = "000000000000"
"""The name of the shard that begins with the first paper, whichever that is."""


class Shard(NamedTuple):
    """A run of papers."""

    name: str
    start: int
    """Number of its first paper, of all sorted by id."""
    stop: int


def cut_papers(paper_ids: Sequence[str], mean: int | None = None) -> list[Shard]:
    """Cut papers, given by their sorted ids, into shards of `mean` papers or so."""
    mean = mean or MEAN_PAPERS
    if not paper_ids:
        return []
    hashes = [_hash(paper_id) for paper_id in paper_ids]
    starts = list(_starts(hashes, 0, len(hashes), mean, MOST_SHARES * mean))
    names = [FIRST if start == 0 else f"{hashes[start]:016x}"[:12] for start in starts]
    return [Shard(*shard) for shard in zip(names, starts, [*starts[1:], len(hashes)], strict=True)]


def _starts(hashes: Sequence[int], start: int, stop: int, modulus: int, most: int) -> Iterator[int]:
    """Where the shards of a run start; the run itself starts one."""
    inner = (number for number in range(start + 1, stop) if hashes[number] % modulus == 0)
    starts = [start, *inner]
    for low, high in zip(starts, [*starts[1:], stop], strict=True):
        if high - low > most and modulus > 1:
            yield from _starts(hashes, low, high, max(modulus // 4, 1), most)
        else:
            yield low


def _hash(paper_id: str) -> int:
    digest = hashlib.sha256(paper_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")
