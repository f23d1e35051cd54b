"""PageRank, components and degrees: by hand, and equal to networkx."""

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError, VivaError
from vivavoce.networks.graph import (
    Graph,
    in_degrees,
    largest_component,
    make_graph,
    out_degrees,
    pagerank,
    sizes,
    strong_components,
    weak_components,
)


def simple_graph(n: int, source: npt.ArrayLike, target: npt.ArrayLike) -> Graph:
    """Each edge once and without loops."""
    pairs = np.array([source, target], dtype=np.int64)
    return make_graph(n, *np.unique(pairs[:, pairs[0] != pairs[1]], axis=1))


graphs = st.integers(1, 12).flatmap(
    lambda n: st.builds(
        lambda pairs: simple_graph(n, [a for a, _ in pairs], [b for _, b in pairs]),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40),
    )
)


def in_networkx(graph: Graph) -> networkx.DiGraph:
    oracle = networkx.DiGraph()
    oracle.add_nodes_from(range(graph.n))
    weights = np.ones(graph.edges) if graph.weight is None else graph.weight
    for source, target, weight in zip(graph.source, graph.target, weights, strict=True):
        oracle.add_edge(int(source), int(target), weight=float(weight))
    return oracle


@given(graphs, st.floats(0.0, 0.95))
@settings(max_examples=60, deadline=None)
def test_pagerank_is_that_of_networkx(graph: Graph, damping: float) -> None:
    oracle = networkx.pagerank(in_networkx(graph), alpha=damping, tol=1e-14, max_iter=2000)

    scores = pagerank(graph, damping=damping, tolerance=1e-13)

    assert scores == pytest.approx([oracle[node] for node in range(graph.n)], abs=1e-9)
    assert scores.sum() == pytest.approx(1)


def test_weights_share_out_the_walk_as_in_networkx() -> None:
    graph = make_graph(4, [0, 0, 1, 2], [1, 2, 3, 3], [3.0, 1.0, 2.0, 0.5])

    oracle = networkx.pagerank(in_networkx(graph), tol=1e-14, max_iter=1000)

    assert pagerank(graph) == pytest.approx([oracle[node] for node in range(4)], abs=1e-9)


@given(graphs)
@settings(max_examples=60, deadline=None)
def test_components_are_those_of_networkx(graph: Graph) -> None:
    oracle = in_networkx(graph)
    for ours, expected in (
        (weak_components(graph), networkx.weakly_connected_components(oracle)),
        (strong_components(graph), networkx.strongly_connected_components(oracle)),
    ):
        found: dict[int, set[int]] = {}
        for node, label in enumerate(ours.tolist()):
            found.setdefault(label, set()).add(node)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected))
        assert sorted(sizes(ours).tolist()) == sorted(len(nodes) for nodes in found.values())


@given(graphs)
@settings(max_examples=30, deadline=None)
def test_degrees_are_those_of_networkx(graph: Graph) -> None:
    oracle = in_networkx(graph)

    assert in_degrees(graph).tolist() == [oracle.in_degree(node) for node in range(graph.n)]
    assert out_degrees(graph).tolist() == [oracle.out_degree(node) for node in range(graph.n)]


@given(graphs)
@settings(max_examples=60, deadline=None)
def test_the_largest_component_is_that_of_networkx(graph: Graph) -> None:
    oracle = in_networkx(graph)
    found = set(np.flatnonzero(largest_component(graph)).tolist())

    parts = list(networkx.weakly_connected_components(oracle))
    largest = [part for part in parts if len(part) == max(map(len, parts))]
    assert found in largest
    edges = [oracle.subgraph(part).number_of_edges() for part in largest]
    assert oracle.subgraph(found).number_of_edges() == max(edges)


def test_an_empty_graph_has_nothing() -> None:
    graph = make_graph(0, [], [])

    assert pagerank(graph).tolist() == []
    assert weak_components(graph).tolist() == []
    assert in_degrees(make_graph(2, [], [])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("n", "source", "target", "weight"),
    [(2, [0], [2], None), (2, [-1], [0], None), (2, [0], [], None), (2, [0], [1], [0.0])],
)
def test_edges_that_cannot_be_are_refused(
    n: int, source: list[int], target: list[int], weight: list[float] | None
) -> None:
    with pytest.raises(InputError):
        make_graph(n, source, target, weight)


def test_a_damping_of_one_is_refused() -> None:
    with pytest.raises(InputError, match="damping"):
        pagerank(make_graph(1, [], []), damping=1.0)


def test_a_tolerance_below_rounding_is_said_to_be_out_of_reach() -> None:
    generator = np.random.default_rng(1)
    graph = make_graph(50, *generator.integers(0, 50, (2, 200)))

    with pytest.raises(VivaError, match="tolerance"):
        pagerank(graph, tolerance=0.0)
