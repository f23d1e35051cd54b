"""The works that tables cite, and the choices among them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vivavoce.corpus import Corpus
from vivavoce.errors import StaleError
from vivavoce.networks import build_networks, load_network, network_stats

Write = Callable[..., Corpus]
Edges = list[tuple[str, str]]

SCORES = [["Model", "F1", "EM"], ["Old", "71.2", "80.1"], ["New", "65.0", "70.2"]]
WORDS = [["Work", "Task"], ["Old", "parsing"], ["New", "tagging"]]


@pytest.fixture
def corpus(write_citations: Write) -> Corpus:
    """p cites a, b, c and an outside work; a has a table that cites p, b none."""
    entries = ["a", "b", {"title": "Out", "year": 2001, "first_author": "Lee"}, "c", "p"]

    def table(paper: str, ordinal: int, cells: list[list[str]], *cited: int) -> dict[str, object]:
        return {"paper_id": paper, "ordinal": ordinal, "cells": cells, "cited": list(cited)}

    def result(paper: str, table: int, row: int, *cited: int) -> dict[str, object]:
        cell = {"table": table, "row": row, "column": 1, "cited": list(cited)}
        return {"paper_id": paper, **cell}

    return write_citations(
        {"p": entries, "a": ["p"], "b": ["p"], "c": []},
        tables=[
            table("p", 0, SCORES, 0, 2),
            table("p", 1, WORDS, 0, 1, 4, 99),
            table("a", 0, WORDS, 0),
            table("b", 0, SCORES),
        ],
        sections=[
            {"paper_id": "p", "ordinal": 0, "role": "results", "text": "We beat Lee (2001)."},
            {"paper_id": "p", "ordinal": 1, "role": "results", "text": "We beat Lee (2001)."},
        ],
        tuples=[
            result("p", 0, 1, 2),
            result("p", 0, 2, 2),
            result("p", 1, 1, 0),
            result("a", 0, 1),
        ],
    )


def edges_of(corpus: Corpus, **options: bool) -> Edges:
    network = load_network(corpus, "comparison", **options)
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


def test_only_tables_that_look_like_results(corpus: Corpus) -> None:
    build_networks(corpus)

    assert edges_of(corpus, result_like=True) == [("p", "a"), ("p", "title:out|2001")]
    stats = network_stats(corpus, result_like=True)["comparison"]
    assert (stats["papers"], stats["edges"], stats["components"]) == (4, 1, 3)


def test_comparisons_in_prose_are_added_where_they_were_read(corpus: Corpus) -> None:
    build_networks(corpus)
    with pytest.raises(StaleError, match=r"viva network build --corpus \S+ --prose"):
        load_network(corpus, "comparison", prose=True)

    build_networks(corpus, prose=True)

    assert edges_of(corpus, prose=True) == edges_of(corpus)  # the outside work is in a table too
    entry = load_network(corpus, "comparison", prose=True)
    assert entry.nodes["key"].to_pylist() == ["a", "b", "c", "p", "title:out|2001"]


def test_an_edge_in_prose_alone_is_there_only_when_asked_for(write_citations: Write) -> None:
    corpus = write_citations(
        {"p": [{"title": "Out", "year": 2001, "first_author": "Lee"}, "q"], "q": []},
        sections=[
            {"paper_id": "p", "ordinal": 0, "role": "results", "text": "We beat Lee (2001)."}
        ],
    )

    build_networks(corpus, prose=True)

    assert edges_of(corpus) == []
    assert edges_of(corpus, prose=True) == [("p", "title:out|2001")]
    assert edges_of(corpus, prose=True, result_like=True) == [("p", "title:out|2001")]


def test_edges_count_what_they_rest_on(corpus: Corpus) -> None:
    import pyarrow.parquet as pq

    build_networks(corpus, prose=True)

    edges = pq.read_table(corpus.folder / "networks" / "comparison" / "edges.parquet")
    keys = load_network(corpus, "comparison").nodes["key"].to_pylist()
    found = {
        (keys[e["source"]], keys[e["target"]]): (
            *(e["tables"], e["result_tables"], e["result_rows"], e["sentences"]),
        )
        for e in edges.to_pylist()
    }
    assert found == {
        ("a", "p"): (1, 0, 0, 0),
        ("p", "a"): (2, 1, 1, 0),
        ("p", "b"): (1, 0, 0, 0),
        ("p", "title:out|2001"): (1, 1, 1, 2),
    }
