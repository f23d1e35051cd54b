"""Authors told apart, and edges between those who share a paper: by hand and as networkx does."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import networkx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import Corpus
from vivavoce.networks import build_networks, network_stats
from vivavoce.networks.authors import coauthor_tables, first_author_core
from vivavoce.networks.graph import Graph

Write = Callable[..., Corpus]
Author = str | tuple[str, str | None]

# A-B twice, A-C and B-C once; D alone; E-F, and F-G with F first.
SMALL = {"p1": ["A", "B", "C"], "p2": ["B", "A"], "p3": ["D"], "p4": ["E", "F"], "p5": ["F", "G"]}


def edges_of(corpus: Corpus) -> dict[tuple[str, str], int]:
    nodes, edges = coauthor_tables(corpus)
    keys = [key.partition(":")[2] for key in nodes["key"].to_pylist()]
    return {(keys[e["source"]], keys[e["target"]]): e["papers"] for e in edges.to_pylist()}


def flags_of(corpus: Corpus, flag: str) -> list[str]:
    nodes, _ = coauthor_tables(corpus)
    return [row["key"] for row in nodes.to_pylist() if row[flag]]


def in_networkx(papers: Mapping[str, Sequence[Author]]) -> tuple[networkx.Graph, set[str]]:
    """The network and the first authors, as CONTRACTS defines them, in plain Python."""
    graph, first = networkx.Graph(), set()
    for authors in papers.values():
        keys = []
        for author in authors:
            name, author_id = (author, None) if isinstance(author, str) else author
            plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
            keys.append(f"id:{author_id}" if author_id else f"name:{plain}")
        first.update(keys[:1])
        graph.add_nodes_from(keys)
        for pair in combinations(sorted(set(keys)), 2):
            weight = graph.edges[pair]["papers"] + 1 if graph.has_edge(*pair) else 1
            graph.add_edge(*pair, papers=weight)
    return graph, first


def test_a_small_network_by_hand(write_authors: Write) -> None:
    corpus = write_authors(SMALL)

    assert edges_of(corpus) == {
        ("a", "b"): 2,
        ("a", "c"): 1,
        ("b", "c"): 1,
        ("e", "f"): 1,
        ("f", "g"): 1,
    }
    build_networks(corpus)
    # Seven authors in three components: A-B-C, E-F-G and D alone. First authors are A, B, D, E
    # and F: without C and G the components are A-B, E-F and D, of 2, 2 and 1.
    assert network_stats(corpus)["coauthor"] == {
        "authors": 7,
        "edges": 5,
        "components": 3,
        "largest_component": 3,
        "pruned_authors": 2,
        "pruned_edges": 1,
    }


def test_an_author_is_the_id_else_the_name(write_authors: Write) -> None:
    papers = {
        "p1": ["ＪＡＮＥ  Doe", ("Jo Straße", "a-7")],
        "p2": ["jane doe", ("J. Strasse", "a-7"), "JO STRASSE"],
    }

    nodes, _ = coauthor_tables(write_authors(papers))

    keys = nodes["key"].to_pylist()
    assert keys == ["id:a-7", "name:jane doe", "name:jo strasse"]
    assert nodes["papers"].to_pylist() == [2, 2, 1]


def test_a_name_with_and_without_an_id_is_two_flagged_authors(write_authors: Write) -> None:
    corpus = write_authors({"p1": [("Ann Lee", "7"), "Bo"], "p2": ["Ann Lee", ("Cy Ray", "9")]})

    both = ["id:7", "name:ann lee"]
    assert flags_of(corpus, "with_and_without_id") == both
    assert flags_of(corpus, "name_of_several_ids") == []


def test_other_ambiguities_are_flagged(write_authors: Write) -> None:
    corpus = write_authors(
        {"p1": [("Ann Lee", "7"), ("Ann Lee", "8"), "A. B. Lee", "Lee", ("Q. Lee", "9"), "Al Lee"]}
    )

    assert flags_of(corpus, "name_of_several_ids") == ["id:7", "id:8"]
    assert flags_of(corpus, "initials_only") == ["name:a. b. lee", "name:lee"]


def test_authors_without_id_and_name_are_left_out(write_authors: Write) -> None:
    corpus = write_authors({"p1": ["  ", ("", "7"), ("B", " ")]})

    nodes, _ = coauthor_tables(corpus)
    # The first author has no name, so nobody else becomes the first one.
    assert nodes["key"].to_pylist() == ["id:7", "name:b"]
    assert nodes["first_author_papers"].to_pylist() == [0, 0]


people = st.one_of(
    st.sampled_from(["Ann", "Bo", "CY", "cy", "Dee"]),
    st.tuples(st.sampled_from(["Ann", "Bo"]), st.sampled_from(["1", "2", "3"])),
)
libraries = st.dictionaries(
    st.sampled_from([f"p{n}" for n in range(8)]), st.lists(people, min_size=1, max_size=5)
)


@given(papers=libraries)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_network_is_networkx_s(write_authors: Write, papers: dict[str, list[Author]]) -> None:
    oracle, first = in_networkx(papers)

    nodes, edges = coauthor_tables(write_authors(papers))

    keys = nodes["key"].to_pylist()
    assert keys == sorted(oracle)
    found = {(keys[e["source"]], keys[e["target"]]): e["papers"] for e in edges.to_pylist()}
    assert found == {(*sorted(pair[:2]),): pair[2] for pair in oracle.edges(data="papers")}
    kept = oracle.subgraph(first)
    parts = list(networkx.connected_components(kept))
    core = first_author_core(
        Graph(len(keys), edges["source"].to_numpy(), edges["target"].to_numpy()),
        nodes["first_author_papers"].to_numpy(),
    )
    largest = max(map(len, parts), default=0)
    assert core.n == largest
    assert core.edges == max(
        (kept.subgraph(p).number_of_edges() for p in parts if len(p) == largest), default=0
    )
