"""Networks beside networkx, and a corpus brought up to date beside one made anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import networkx
import numpy as np
from benchmarks.network_corpora import write_made_up
from benchmarks.peers.comparison import Comparison

from vivavoce.corpus import load_corpus
from vivavoce.networks import build_networks
from vivavoce.networks.graph import (
    distinct,
    make_graph,
    pagerank,
    sizes,
    strong_components,
    weak_components,
)
from vivavoce.store import hash_tree

TOLERANCE, CLOSE = 1e-12, 1e-9


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """PageRank with the building of the graph, components, and 5% more papers."""
    yield from graph_comparisons(*((5_000, 25_000) if smoke else (100_000, 500_000)))
    yield _update(scratch / "authors", 4_000 if smoke else 200_000)


def graph_comparisons(n: int, m: int) -> Iterator[Comparison]:
    """PageRank with the building of the graph, and components, on one random graph."""
    drawn = np.random.default_rng(0).integers(0, n, (2, m)).astype(np.int32)
    graph = distinct(make_graph(n, *drawn))
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

    size = f"{n:,} nodes, {graph.edges:,} edges"
    yield Comparison(
        job=f"PageRank, {size}",
        peer="networkx",
        ours=lambda: (
            pagerank(make_graph(n, graph.source, graph.target), tolerance=TOLERANCE).scores
        ),
        theirs=rank,
        agree=lambda mine, other: bool(np.abs(mine - other).max() <= CLOSE),
        target=20.0,
        smoke_target=2.0,
    )
    peer = build()
    for name, ours, theirs in (
        ("weak", weak_components, networkx.number_weakly_connected_components),
        ("strong", strong_components, networkx.number_strongly_connected_components),
    ):
        yield Comparison(
            job=f"{name} components, graph built",
            peer="networkx",
            ours=lambda ours=ours: len(sizes(ours(graph))),
            theirs=lambda theirs=theirs: theirs(peer),
            agree=lambda mine, other: mine == other,
        )


def _update(folder: Path, papers: int) -> Comparison:
    """The co-author network of 95% of the papers, followed by the newest 5%."""
    write_made_up(papers, "newest", folder)
    work = folder / "work"
    build_networks(load_corpus(folder / "before"), only=["coauthor"])

    def restore() -> None:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(folder / "before", work)
        for part in ("tables", "imports"):
            shutil.rmtree(work / part)
            shutil.copytree(folder / "after" / part, work / part)

    def build(*, fresh: bool) -> dict[str, str]:
        build_networks(load_corpus(work), only=["coauthor"], fresh=fresh)
        return hash_tree(work / "networks" / "coauthor")

    return Comparison(
        job=f"co-authors, 5% more of {papers:,} papers",
        peer="built anew",
        ours=lambda: build(fresh=False),
        theirs=lambda: build(fresh=True),
        agree=lambda mine, other: mine == other,
        target=2.5,
        before=restore,
        smoke_target=0.5,
    )
