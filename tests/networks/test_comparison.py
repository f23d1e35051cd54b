"""The works that tables cite, and the choices among them."""

from collections.abc import Callable

import pytest

from vivavoce.corpus import Corpus
from vivavoce.networks import build_networks, load_network, network_stats

Write = Callable[..., Corpus]
Edges = list[tuple[str, str]]


@pytest.fixture
def corpus(write_citations: Write) -> Corpus:
    """p cites a, b, c and an outside work; a has a table that cites p, b none."""
    entries = ["a", "b", {"title": "Out", "year": 2001, "first_author": "Lee"}, "c", "p"]

    def table(paper: str, ordinal: int, *cited: int) -> dict[str, object]:
        return {"paper_id": paper, "ordinal": ordinal, "cited": list(cited)}

    return write_citations(
        {"p": entries, "a": ["p"], "b": ["p"], "c": []},
        tables=[table("p", 0, 0, 2), table("p", 1, 0, 1, 4, 99), table("a", 0, 0), table("b", 0)],
    )


def edges_of(corpus: Corpus, external: bool = True) -> Edges:
    network = load_network(corpus, "comparison", external=external)
    keys = network.nodes["key"].to_pylist()
    ends = zip(network.graph.source.tolist(), network.graph.target.tolist(), strict=True)
    return [(keys[a], keys[b]) for a, b in ends]


def test_tables_compare_with_what_they_cite(corpus: Corpus) -> None:
    build_networks(corpus)

    # The paper itself (entry 4) and an entry that is not there (99) make no edge.
    assert edges_of(corpus) == [("a", "p"), ("p", "a"), ("p", "b"), ("p", "title:out|2001")]
    assert edges_of(corpus, external=False) == [("a", "p"), ("p", "a"), ("p", "b")]
    # Every paper is a node: {a, b, p} and c; strong: {a, p}, b and c.
    assert network_stats(corpus)["comparison"] == {
        "papers": 4,
        "edges": 3,
        "components": 2,
        "strong_components": 3,
    }
