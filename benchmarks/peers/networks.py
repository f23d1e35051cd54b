"""Networks beside networkx and rustworkx."""

from collections.abc import Iterator
from pathlib import Path

import networkx
import numpy as np
import rustworkx
from benchmarks.peers.comparison import Comparison

from vivavoce.networks.graph import (
    make_graph,
    pagerank,
    sizes,
    strong_components,
    weak_components,
)

TOLERANCE, CLOSE = 1e-12, 1e-9


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """PageRank with the building of the graph, and components."""
    del scratch
    return graph_comparisons(*((5_000, 25_000) if smoke else (100_000, 500_000)))


def graph_comparisons(n: int, m: int) -> Iterator[Comparison]:
    """PageRank with the building of the graph, and components, on one random graph."""
    drawn = np.random.default_rng(0).integers(0, n, (2, m)).astype(np.int32)
    graph = make_graph(n, *np.unique(drawn[:, drawn[0] != drawn[1]], axis=1))
    pairs = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))

    def build() -> networkx.DiGraph:
        peer = networkx.DiGraph()
        peer.add_nodes_from(range(n))
        peer.add_edges_from(pairs)
        return peer

    def rank() -> np.ndarray:
        # networkx stops when the change in sum is below n times its tolerance.
        scores = networkx.pagerank(build(), tol=TOLERANCE / n, max_iter=1000)
        return np.array([scores[node] for node in range(n)])

    def build_in_rust() -> rustworkx.PyDiGraph:
        fast = rustworkx.PyDiGraph()
        fast.add_nodes_from(range(n))
        fast.add_edges_from_no_data(pairs)
        return fast

    def rank_in_rust() -> np.ndarray:
        scores = rustworkx.pagerank(build_in_rust(), tol=TOLERANCE / n, max_iter=1000)
        return np.array([scores[node] for node in range(n)])

    for name, theirs, target in (("networkx", rank, 20.0), ("rustworkx", rank_in_rust, None)):
        yield Comparison(
            job=f"PageRank, {n:,} nodes, {graph.edges:,} edges",
            peer=name,
            ours=lambda: pagerank(make_graph(n, graph.source, graph.target), tolerance=TOLERANCE),
            theirs=theirs,
            agree=lambda mine, other: bool(np.abs(mine - other).max() <= CLOSE),
            target=target,
            smoke_target=2.0 if target else None,
        )
    plain, fast = build(), build_in_rust()
    for name, ours, slow, quick in (
        (
            "weak",
            weak_components,
            lambda: networkx.number_weakly_connected_components(plain),
            lambda: len(rustworkx.weakly_connected_components(fast)),
        ),
        (
            "strong",
            strong_components,
            lambda: networkx.number_strongly_connected_components(plain),
            lambda: len(rustworkx.strongly_connected_components(fast)),
        ),
    ):
        for peer, theirs in (("networkx", slow), ("rustworkx", quick)):
            yield Comparison(
                job=f"{name} components, graph built",
                peer=peer,
                ours=lambda ours=ours: len(sizes(ours(graph))),
                theirs=theirs,
                agree=lambda mine, other: mine == other,
            )
