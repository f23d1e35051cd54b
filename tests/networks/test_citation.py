"""Who cites whom, also in tables, and which entries mean the same work outside the corpus."""

from collections.abc import Callable
from typing import Any

import networkx
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import Corpus
from vivavoce.networks import build_networks, load_network, network_stats
from vivavoce.networks.citation import citation_tables, read_entries
from vivavoce.networks.tables import number_papers, number_sorted_papers

Write = Callable[..., Corpus]
Entry = dict[str, Any]
PAPERS = [f"p{number}" for number in range(9)]


def citation_tables_of(corpus: Corpus) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges."""
    return citation_tables(read_entries(corpus))


def edges_of(corpus: Corpus) -> list[tuple[str, str]]:
    nodes, edges = citation_tables_of(corpus)
    keys = nodes["key"].to_pylist()
    return [(keys[e["source"]], keys[e["target"]]) for e in edges.to_pylist()]


def works_of(write: Write, *entries: Entry) -> list[str]:
    """The external works that one paper's entries mean."""
    nodes, _ = citation_tables_of(write({"p": entries}))
    return nodes["key"].to_pylist()[1:]


def test_a_small_network_by_hand(write_citations: Write) -> None:
    # p1 cites p2 twice and itself; p2 and p3 cite each other; p4 is not cited and cites no paper.
    corpus = write_citations(
        {
            "p1": ["p2", "p2", "p1", {"title": "Outside", "year": 1999}],
            "p2": ["p3"],
            "p3": ["p2", {"title": "OUTSIDE.", "year": 1999}, {"doi": "10.1/x"}],
            "p4": [{"doi": "10.1/X"}],
        }
    )

    outside = "title:outside|1999"
    assert edges_of(corpus) == [
        ("p1", "p2"),
        ("p1", outside),
        ("p2", "p3"),
        ("p3", "p2"),
        ("p3", "doi:10.1/x"),
        ("p3", outside),
        ("p4", "doi:10.1/x"),
    ]
    build_networks(corpus)
    # Inside: p1 -> p2 <-> p3, and p4 alone. Strong: {p2, p3}, {p1}, {p4}.
    assert network_stats(corpus)["citation"] == {
        "papers": 4,
        "edges": 3,
        "components": 2,
        "strong_components": 3,
        "external": 2,
    }


def test_a_work_is_its_arxiv_id_else_its_doi_else_its_title(write_citations: Write) -> None:
    both = {"arxiv_id": "1706.03762", "doi": "10.1/a", "title": "T", "year": 2017}
    assert works_of(write_citations, both) == ["arxiv:1706.03762"]
    assert works_of(write_citations, {**both, "arxiv_id": None}) == ["doi:10.1/a"]
    assert works_of(write_citations, {"title": "A ti-tle!", "year": 1}) == ["title:a ti tle|1"]


def test_the_doi_of_a_preprint_is_its_arxiv_id(write_citations: Write) -> None:
    assert works_of(
        write_citations, {"doi": "10.48550/arXiv.1706.03762"}, {"arxiv_id": "1706.03762"}
    ) == ["arxiv:1706.03762"]


def test_a_title_seen_beside_one_identifier_is_that_work(write_citations: Write) -> None:
    titled = {"title": "On nets", "year": 2016}
    with_doi = {**titled, "doi": "10.1/n"}
    assert works_of(write_citations, titled, with_doi) == ["doi:10.1/n"]
    # The DOI is itself seen beside an arXiv id.
    preprint = {"doi": "10.1/n", "arxiv_id": "1601.00001"}
    assert works_of(write_citations, titled, with_doi, preprint) == ["arxiv:1601.00001"]
    # The same title in another year, or with two identifiers, stays by itself.
    other = {**titled, "year": 2017}
    assert works_of(write_citations, other, with_doi) == ["doi:10.1/n", "title:on nets|2017"]
    two = {**titled, "doi": "10.1/m"}
    assert len(works_of(write_citations, titled, with_doi, two)) == 3


def test_a_paper_of_the_corpus_lends_its_ids_to_no_other_work(write_citations: Write) -> None:
    inside = {"title": "Dropout", "year": 2014, "arxiv_id": "1611.01603", "cited_paper_id": "q"}
    corpus = write_citations({"p": [inside, {"title": "Dropout", "year": 2014}], "q": []})

    assert edges_of(corpus) == [("p", "q"), ("p", "title:dropout|2014")]


lists = st.dictionaries(
    st.sampled_from("abcdef"),
    st.lists(
        st.one_of(
            st.sampled_from("abcdef"),
            st.sampled_from("UVW").map(lambda title: {"title": title, "year": 2000}),
        ),
        max_size=6,
    ),
)


@given(papers=lists)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_network_is_that_of_networkx(
    write_citations: Write, papers: dict[str, list[str | Entry]]
) -> None:
    oracle = networkx.DiGraph()
    oracle.add_nodes_from("abcdef")
    outside = set()
    for paper, entries in papers.items():
        for entry in entries:
            if isinstance(entry, dict):
                outside.add(entry["title"])
            elif entry != paper:
                oracle.add_edge(paper, entry)

    nodes, edges = citation_tables_of(
        write_citations({paper: papers.get(paper, ()) for paper in "abcdef"})
    )

    keys = nodes["key"].to_pylist()
    assert keys == [*"abcdef", *sorted(f"title:{title.lower()}|2000" for title in outside)]
    found = [(keys[e["source"]], keys[e["target"]]) for e in edges.to_pylist()]
    assert sorted(edge for edge in found if len(edge[1]) == 1) == sorted(oracle.edges)
    assert len(set(found)) == len(found)


# Works outside the corpus are the same wherever shards begin.

entries = st.fixed_dictionaries(
    {
        "title": st.sampled_from([None, "Nets", "NETS", "On nets"]),
        "year": st.sampled_from([None, 2000, 2001]),
        "doi": st.sampled_from([None, None, "10.1/a"]),
        "arxiv_id": st.sampled_from([None, None, "1706.03762"]),
        "raw": st.sampled_from(["", "Smith, 2000", "SMITH 2000", "Jones"]),
    }
)


def rows_of(cited: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {"paper_id": paper, "ordinal": place, **entry}
        for paper, listed in sorted(cited.items())
        for place, entry in enumerate(listed)
    ]


@given(cited=st.dictionaries(st.sampled_from(PAPERS), st.lists(entries, max_size=5)))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_where_shards_begin_makes_no_difference(
    write_corpus: Write, cited: dict[str, list[dict[str, Any]]]
) -> None:
    rows = rows_of(cited)
    whole = citation_tables_of(write_corpus(references=rows))
    in_shards = citation_tables_of(write_corpus(in_shards=True, references=rows))

    assert [table.to_pylist() for table in in_shards] == [table.to_pylist() for table in whole]


ids = st.text(st.sampled_from("ab\u00e9\U0001f600"), max_size=3)


def as_column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


@settings(deadline=None)
@given(st.sets(ids), st.lists(ids))
def test_both_ways_of_numbering_papers_find_the_same(known: set[str], wanted: list[str]) -> None:
    every, some = as_column(sorted(known)), as_column(sorted(wanted))
    assert number_sorted_papers(some, every).tolist() == number_papers(some, every).tolist()


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


def compared(corpus: Corpus, external: bool = True) -> list[tuple[str, str]]:
    network = load_network(corpus, "comparison", external=external)
    keys = network.nodes["key"].to_pylist()
    ends = zip(network.graph.source.tolist(), network.graph.target.tolist(), strict=True)
    return [(keys[a], keys[b]) for a, b in ends]


def test_tables_compare_with_what_they_cite(corpus: Corpus) -> None:
    build_networks(corpus)

    # The paper itself (entry 4) and an entry that is not there (99) make no edge.
    assert compared(corpus) == [("a", "p"), ("p", "a"), ("p", "b"), ("p", "title:out|2001")]
    assert compared(corpus, external=False) == [("a", "p"), ("p", "a"), ("p", "b")]
    # Every paper is a node: {a, b, p} and c; strong: {a, p}, b and c.
    assert network_stats(corpus)["comparison"] == {
        "papers": 4,
        "edges": 3,
        "components": 2,
        "strong_components": 3,
    }
