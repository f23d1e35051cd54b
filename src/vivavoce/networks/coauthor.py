"""The co-author network: an edge for each pair of authors who share a paper."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.networks.authors import read_authorships
from vivavoce.networks.columns import Flags, Ints, Longs, column, table_of
from vivavoce.networks.graph import Graph, induced, largest_component
from vivavoce.networks.papers import first_of_each

_PAIRS_AT_A_TIME = 4_000_000
"""Pairs in memory at once: a paper of 3,000 authors has 4.5 million."""


def coauthor_tables(corpus: Corpus) -> tuple[pa.Table, pa.Table]:
    """Nodes, sorted by key, and edges from the lower to the higher, weighed in papers shared."""
    authorships = read_authorships(corpus)
    n = authorships.authors.num_rows
    source, target, papers = share_papers(authorships.paper, authorships.author, n)
    numbered = authorships.authors.add_column(0, "node", column(np.arange(n, dtype=np.int32)))
    return numbered, table_of({"source": source, "target": target, "papers": papers})


def share_papers(paper: Ints, author: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """The pairs of authors that share a paper, the lower first, and how many they share.

    Args:
        paper: Of each authorship, sorted; an author stands once in a paper.
        author: The same paper's in ascending order.
        n: How many authors there are.
    """
    later = _followers(paper)
    ends = np.cumsum(later)
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    start = 0
    while start < len(author):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + _PAIRS_AT_A_TIME, side="right"))
        stop = max(stop, start + 1)
        more, each = np.unique(_pairs(author, later, start, stop, n), return_counts=True)
        keys, counts = _add(keys, counts, more, each.astype(np.int32))
        start = stop
    source, target = np.divmod(keys, max(n, 1))
    return source.astype(np.int32), target.astype(np.int32), counts


def first_author_core(graph: Graph, first_author_papers: Ints) -> Graph:
    """The largest component once authors who never are first author are dropped."""
    kept = induced(graph, first_author_papers > 0)
    core: Flags = largest_component(kept)
    return induced(kept, core)


def _followers(paper: Ints) -> Longs:
    """How many authors of the same paper come after each one."""
    begins = np.flatnonzero(first_of_each(paper))
    ends = np.append(begins[1:], len(paper))[: len(begins)]
    after: Longs = np.repeat(ends, ends - begins) - 1
    return after - np.arange(len(paper))


def _pairs(author: Ints, later: Longs, start: int, stop: int, n: int) -> Longs:
    """Every pair whose first member is in a span, as one number: first * n + second."""
    count = later[start:stop]
    first = np.repeat(np.arange(start, stop), count)
    step = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    return np.asarray(author[first].astype(np.int64) * n + author[first + step + 1])


def _add(keys: Longs, counts: Ints, more: Longs, each: Ints) -> tuple[Longs, Ints]:
    """Counts by key, added up; keys stay sorted."""
    if not len(keys):
        return more, each
    joined, place = np.unique(np.concatenate([keys, more]), return_inverse=True)
    weights = np.concatenate([counts, each])
    return joined, np.bincount(place, weights=weights).astype(np.int32)
