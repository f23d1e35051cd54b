"""The nodes of a network that stand out: by PageRank, with their degrees."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from vivavoce.errors import InputError
from vivavoce.networks.columns import flat
from vivavoce.networks.graph import Graph, in_degrees, out_degrees, pagerank
from vivavoce.networks.reading import Network

Measure = Literal["pagerank", "in_degree"]
MEASURES: tuple[Measure, ...] = ("pagerank", "in_degree")
_DIGITS = 12
"""Scores that agree in so many places are a tie, whatever the machine's rounding."""


def rank_nodes(network: Network, *, top: int, by: Measure = "pagerank") -> list[dict[str, Any]]:
    """The first nodes by a measure, ties by key.

    The walk of the co-author network takes an edge in proportion to the papers shared, in either
    direction; there `in_degree` is the number of co-authors.

    Raises:
        InputError: No such measure, or `top` is below 1.
    """
    if by not in MEASURES:
        raise InputError(f"No measure is called {by!r}. There are: {', '.join(MEASURES)}.")
    if top < 1:
        raise InputError(f"top={top} must be at least 1.")
    graph = _both_ways(network.graph) if network.name == "coauthor" else network.graph
    scores = np.round(pagerank(graph).scores, _DIGITS)
    cited = in_degrees(graph)
    # Nodes are sorted by key, external works after papers, so their order breaks ties.
    first = np.argsort(-(scores if by == "pagerank" else cited), kind="stable")[:top]
    shown = "name" if network.name == "coauthor" else "title"
    nodes = network.nodes.take(first)
    inside = network.is_inside[first]
    out = out_degrees(graph)[first]
    return [
        {
            "rank": place + 1,
            "key": key,
            shown: title,
            "in_corpus": bool(inside[place]),
            "pagerank": float(scores[first[place]]),
            "in_degree": int(cited[first[place]]),
            "out_degree": int(out[place]),
        }
        for place, (key, title) in enumerate(
            zip(flat(nodes["key"]).to_pylist(), flat(nodes[shown]).to_pylist(), strict=True)
        )
    ]


def _both_ways(graph: Graph) -> Graph:
    """An undirected graph, each edge in both directions."""
    source = np.concatenate([graph.source, graph.target])
    target = np.concatenate([graph.target, graph.source])
    weight = None if graph.weight is None else np.concatenate([graph.weight, graph.weight])
    return Graph(graph.n, source, target, weight)
