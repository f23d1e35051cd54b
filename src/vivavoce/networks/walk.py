"""AcademicEval's co-author graph: a breadth-first walk from seed authors over a corpus.

An author is a node when some paper lists them first; those papers, newest first, are what the node
carries. From a node the walk goes on to the co-authors of those papers, most frequent first. It
differs from the released code. The limit counts nodes and not those who wait. Every node has its
edges, also the last ones. An author without first-author papers is reported and not silently lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np

from vivavoce.columns import flat
from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.networks.authors import BY_ID, BY_NAME, name_of, read_authorships
from vivavoce.networks.graph import Graph, induced, largest_component
from vivavoce.networks.tables import read_papers

Author = TypeVar("Author", bound=Hashable)
Component = Literal["seeds", "largest"]
COMPONENTS: tuple[Component, ...] = ("seeds", "largest")
MAX_NODES = 1_000
MAX_NEIGHBOURS = 20
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class WalkedAuthor:
    """A node: an author with the papers that list them first."""

    key: str
    name: str
    papers: tuple[str, ...]
    """Newest first, undated ones last."""
    neighbours: tuple[int, ...]
    """Places of the authors that an edge leads to, in the order of the walk."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A co-author graph around seed authors."""

    authors: tuple[WalkedAuthor, ...]
    """In the order in which the walk met them."""
    edges: tuple[tuple[int, int, int], ...]
    """(author, author, papers they share that list either first), by place; the lower first."""
    without_papers: tuple[str, ...]
    """Authors the walk met that no paper lists first."""
    outside: int
    """Nodes left out because they are not in the component that was asked for."""


def walk_coauthors(
    corpus: Corpus,
    seeds: Sequence[str],
    *,
    nodes: int = MAX_NODES,
    neighbours: int = MAX_NEIGHBOURS,
    component: Component = "seeds",
) -> Walk:
    """Walk from seed authors to their co-authors, theirs, and so on.

    Args:
        corpus: Whose papers count.
        seeds: Author ids, or names that only one author bears.
        nodes: Stop at so many.
        neighbours: Go on to so many co-authors of each, most frequent first, ties by name.
        component: `seeds` keeps the components that hold a seed, `largest` the largest one.

    Raises:
        InputError: A seed is unknown or several authors, or an option is out of range.
    """
    if nodes < 1 or neighbours < 1:
        raise InputError("A walk needs at least 1 node and 1 neighbour.")
    if component not in COMPONENTS:
        raise InputError(f"component={component!r} is not one of {', '.join(COMPONENTS)}.")
    authors = _Authors(corpus)
    start = [authors.find(seed) for seed in dict.fromkeys(seeds)]
    if not start:
        raise InputError("A walk needs a seed: the id or the name of an author.")
    met = breadth_first(authors, start, nodes, neighbours)
    graph = link(met, neighbours, authors)
    keep = largest_component(graph) if component == "largest" else np.ones(graph.n, dtype=np.bool_)
    return _describe(authors, met, induced(graph, keep), keep)


class _Authors:
    """Authorship, looked up one author at a time."""

    def __init__(self, corpus: Corpus) -> None:
        self.all = read_authorships(corpus)
        self.keys: list[str] = flat(self.all.authors["key"]).to_pylist()
        self.names: list[str] = [name or "" for name in self.all.authors["name"].to_pylist()]
        dates = flat(read_papers(corpus, "first_public")["first_public"]).to_pylist()
        self._dates: list[str] = [date or "" for date in dates]
        self._first, self._written_by = self.all.led(), self.all.written_by()

    def find(self, seed: str) -> int:
        """The author of an id, or of a name that only one author bears."""
        by_id = BY_ID + seed.strip()
        if by_id in self.keys:
            return self.keys.index(by_id)
        name = name_of(seed.removeprefix(BY_NAME))
        number = self.all.names.index(name).as_py() if name else -1
        author, borne = self.all.bearers
        bearers: list[int] = author[borne == number].tolist() if number >= 0 else []
        if len(bearers) == 1:
            return bearers[0]
        if not bearers:
            raise InputError(f"No author of the corpus has the id or the name {seed!r}.")
        shown = ", ".join(self.keys[author] for author in bearers[:_MAX_NAMED])
        raise InputError(f"{len(bearers)} authors are called {seed!r}; give an id: {shown}.")

    def papers(self, author: int) -> list[int]:
        """The papers that list an author first, newest first, then by id; undated ones last."""
        first = sorted(self._first.of(author).tolist())
        return sorted(first, key=lambda paper: self._dates[paper], reverse=True)

    def coauthors(self, author: int) -> dict[int, int]:
        """Authors of the papers that list an author first, and how many of these each wrote."""
        together = [self._written_by.of(paper) for paper in self._first.of(author).tolist()]
        found, count = np.unique(np.concatenate(together), return_counts=True)
        shared = dict(zip(found.tolist(), count.tolist(), strict=True))
        del shared[author]
        return shared

    def closest(self, shared: dict[int, int], limit: int) -> list[int]:
        """The most frequent co-authors, ties by name, then by key."""
        order = sorted(shared, key=lambda a: (-shared[a], name_of(self.names[a]), self.keys[a]))
        return order[:limit]


class CoauthorLookup(Protocol[Author]):
    """Authors with the papers that list them first, looked up one at a time."""

    def papers(self, author: Author) -> Sequence[object]:
        """The papers that list an author first."""
        ...

    def coauthors(self, author: Author) -> dict[Author, int]:
        """Authors of those papers, and how many of these each wrote."""
        ...

    def closest(self, shared: dict[Author, int], limit: int) -> list[Author]:
        """The most frequent co-authors."""
        ...


@dataclass(frozen=True, slots=True)
class Met(Generic[Author]):
    """Authors in the order in which a walk met them."""

    nodes: list[Author]
    counts: list[dict[Author, int]]
    """The co-authors of each node."""
    without: list[Author]
    """Authors without first-author papers, who are no nodes."""


def breadth_first(
    authors: CoauthorLookup[Author], start: Sequence[Author], limit: int, neighbours: int
) -> Met[Author]:
    """Go from some authors to their co-authors, theirs, and so on, to so many nodes."""
    queue = deque(dict.fromkeys(start))
    seen = set(queue)
    met: Met[Author] = Met([], [], [])
    while queue and len(met.nodes) < limit:
        author = queue.popleft()
        if not authors.papers(author):
            met.without.append(author)
            continue
        met.nodes.append(author)
        met.counts.append(authors.coauthors(author))
        fresh = [a for a in authors.closest(met.counts[-1], neighbours) if a not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return met


def link(met: Met[Author], neighbours: int, authors: CoauthorLookup[Author]) -> Graph:
    """An edge where one node is among the closest co-authors of the other."""
    place = {author: number for number, author in enumerate(met.nodes)}
    weights: dict[tuple[int, int], int] = {}
    for number, shared in enumerate(met.counts):
        for author in authors.closest(shared, neighbours):
            other = place.get(author)
            if other is not None:
                both = shared[author] + met.counts[other].get(met.nodes[number], 0)
                weights[min(number, other), max(number, other)] = both
    pairs = sorted(weights)
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    weight = np.array([weights[pair] for pair in pairs], dtype=np.int32)
    return Graph(len(met.nodes), ends[:, 0], ends[:, 1], weight)


def _describe(authors: _Authors, met: Met[int], graph: Graph, keep: np.ndarray) -> Walk:
    edges = graph.rows()
    around: list[list[int]] = [[] for _ in range(graph.n)]
    for low, high, _ in edges:
        around[low].append(high)
        around[high].append(low)
    ids = authors.all.paper_ids
    kept = [author for author, is_kept in zip(met.nodes, keep.tolist(), strict=True) if is_kept]
    nodes = [
        WalkedAuthor(
            key=authors.keys[author],
            name=authors.names[author],
            papers=tuple(ids[paper].as_py() for paper in authors.papers(author)),
            neighbours=tuple(sorted(around[number])),
        )
        for number, author in enumerate(kept)
    ]
    return Walk(
        authors=tuple(nodes),
        edges=tuple(edges),
        without_papers=tuple(sorted(authors.keys[author] for author in met.without)),
        outside=len(met.nodes) - len(kept),
    )
