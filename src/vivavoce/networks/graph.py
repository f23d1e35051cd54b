"""Graphs as arrays of edges between numbered nodes, and measures of graphs.

Nodes are 0 ... n - 1, without names, so that a graph of 18 million nodes and 59 million edges fits
in a few gigabytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError, VivaError

if TYPE_CHECKING:
    from scipy import sparse

Nodes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.number[Any]]

DAMPING = 0.85
_MAX_ITERATIONS = 1_000


@dataclass(frozen=True, slots=True)
class Graph:
    """Directed edges, or undirected edges stored once; all edges are distinct."""

    n: int
    source: Nodes
    target: Nodes
    weight: Numbers | None = None
    """One positive weight per edge; None if all weights are 1."""

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.source)

    def rows(self) -> list[tuple[int, int, int]]:
        """The edges as (node, node, weight)."""
        weight = np.ones(self.edges, np.int32) if self.weight is None else self.weight
        return list(
            zip(*(column.tolist() for column in (self.source, self.target, weight)), strict=True)
        )


def make_graph(
    n: int, source: npt.ArrayLike, target: npt.ArrayLike, weight: npt.ArrayLike | None = None
) -> Graph:
    """Make a graph from unchecked edges; `InputError` for a node outside 0 ... n - 1."""
    ends = [np.asarray(side, dtype=np.int32) for side in (source, target)]
    if len(ends[0]) != len(ends[1]):
        raise InputError(f"{len(ends[0])} sources do not match {len(ends[1])} targets.")
    if len(ends[0]) and not all(side.min() >= 0 and side.max() < n for side in ends):
        raise InputError(f"An edge has an end outside of the {n} nodes.")
    weights = None if weight is None else np.asarray(weight)
    if weights is not None and (len(weights) != len(ends[0]) or not (weights > 0).all()):
        raise InputError("Every edge needs one weight above 0.")
    return Graph(n, ends[0], ends[1], weights)


def pair_keys(left: Numbers, right: Numbers, width: int) -> npt.NDArray[np.int64]:
    """Encode each pair of numbers as one key; right numbers must be below `width`."""
    return np.asarray(left.astype(np.int64) * max(width, 1) + right, dtype=np.int64)


def pairs_of(keys: npt.NDArray[np.int64], width: int) -> tuple[Nodes, Nodes]:
    """Decode keys into pairs of numbers."""
    left, right = np.divmod(keys, max(width, 1))
    return left.astype(np.int32), right.astype(np.int32)


def pagerank(
    graph: Graph,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-12,
    dtype: type[np.floating[Any]] = np.float64,
) -> Floats:
    """PageRank of each node: the share of time that a random walk along the edges spends there.

    The walk restarts anywhere with probability 1 - damping, or from nodes without outgoing edges.

    Source: Page, Brin, Motwani and Winograd 1999, The PageRank Citation Ranking.

    Args:
        graph: Directed edges; the walk picks an edge with probability proportional to its weight.
        damping: Probability that the walk continues along an edge.
        tolerance: Stop when the sum of absolute changes of scores falls below this.
        dtype: Type of weights and scores; single precision halves memory use.

    Raises:
        InputError: The damping is not between 0 and 1.
        VivaError: The scores did not converge.
    """
    if not 0 <= damping < 1:
        raise InputError(f"damping={damping} must be at least 0 and less than 1.")
    if graph.n == 0:
        return np.zeros(0, dtype=dtype)
    fresh = np.full(graph.n, 1 / graph.n, dtype=dtype)
    into, is_end = _transitions(graph, dtype)
    scores: Floats = fresh
    for _ in range(_MAX_ITERATIONS):
        ended = scores[is_end].sum(dtype=np.float64)
        moved = damping * (into @ scores)
        moved += (damping * ended + (1 - damping)) * fresh
        moved = (moved / moved.sum(dtype=np.float64)).astype(dtype, copy=False)
        change = float(np.abs(moved - scores).sum(dtype=np.float64))
        scores = moved
        if change < tolerance:
            return scores
    raise VivaError(
        f"PageRank still changes by {change:.1e} after {_MAX_ITERATIONS} iterations: choose a "
        "tolerance above the rounding of its numbers."
    )


def weak_components(graph: Graph) -> Nodes:
    """Label each node with its component's number; edges count in both directions."""
    return _components(graph, "weak")


def strong_components(graph: Graph) -> Nodes:
    """Label each node with its component's number; edges count in their own direction only."""
    return _components(graph, "strong")


def sizes(components: Nodes) -> npt.NDArray[np.int64]:
    """Number of nodes in each component."""
    return np.bincount(components).astype(np.int64)


def measure(graph: Graph) -> dict[str, int]:
    """Count the edges, the weak components, and the nodes in the largest component."""
    components = sizes(weak_components(graph))
    largest = int(components.max(initial=0))
    return {"edges": graph.edges, "components": len(components), "largest_component": largest}


def largest_component(graph: Graph) -> npt.NDArray[np.bool_]:
    """Flag the nodes of the largest weak component.

    Ties go to the component with more edges, then to the component with the lowest node.
    """
    if graph.n == 0:
        return np.zeros(0, dtype=np.bool_)
    labels = weak_components(graph)
    _, lowest = np.unique(labels, return_index=True)
    inside = np.bincount(labels[graph.source], minlength=len(lowest))
    return np.asarray(labels == np.lexsort((lowest, -inside, -sizes(labels)))[0], dtype=np.bool_)


def in_degrees(graph: Graph) -> npt.NDArray[np.int64]:
    """Number of edges that end at each node."""
    return np.bincount(graph.target, minlength=graph.n).astype(np.int64)


def out_degrees(graph: Graph) -> npt.NDArray[np.int64]:
    """Number of edges that start at each node."""
    return np.bincount(graph.source, minlength=graph.n).astype(np.int64)


def induced(graph: Graph, keep: npt.NDArray[np.bool_]) -> Graph:
    """The subgraph of the nodes to keep, renumbered in order."""
    number = np.cumsum(keep, dtype=np.int32) - 1
    both = keep[graph.source] & keep[graph.target]
    weight = None if graph.weight is None else graph.weight[both]
    return Graph(int(keep.sum()), number[graph.source[both]], number[graph.target[both]], weight)


def _components(graph: Graph, connection: Literal["weak", "strong"]) -> Nodes:
    if graph.n == 0:
        return np.zeros(0, dtype=np.int32)
    from scipy import sparse
    from scipy.sparse import csgraph

    ones = np.ones(graph.edges, dtype=np.int8)
    matrix = sparse.csr_array((ones, (graph.source, graph.target)), shape=(graph.n, graph.n))
    _, labels = csgraph.connected_components(matrix, directed=True, connection=connection)
    return np.asarray(labels, dtype=np.int32)


def _transitions(
    graph: Graph, dtype: type[np.floating[Any]]
) -> tuple[sparse.csr_array, npt.NDArray[np.bool_]]:
    """The transition matrix of the walk, and flags of the nodes without outgoing edges."""
    from scipy import sparse

    strength = np.bincount(graph.source, weights=graph.weight, minlength=graph.n)
    share = np.reciprocal(np.where(strength == 0, 1.0, strength)).astype(dtype)[graph.source]
    if graph.weight is not None:
        share = (share * graph.weight).astype(dtype, copy=False)
    shape = (graph.n, graph.n)
    return sparse.csr_array((share, (graph.target, graph.source)), shape=shape), strength == 0
