"""Candidates ranked by a network among them, and by the plain rankers it has to beat."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from vivavoce.errors import DamagedError, InputError
from vivavoce.store import parquet_of_rows
from vivavoce.tasks.ranking.build import EDGE, PAPER
from vivavoce.tasks.ranking.graph_ranking import (
    SETTINGS,
    PaperGraph,
    RankOptions,
    list_candidates,
    pagerank_scores,
    rank_papers,
)

PLAIN = RankOptions(weights=False, damping=0.5)
Edges = Mapping[str, Sequence[tuple[int, int]]]


def graph_of(papers: Sequence[Mapping[str, Any]], edges: Edges) -> PaperGraph:
    """Papers in the order of their ids, and edges between their places."""
    known: dict[str, Any] = {"title": "Same", "abstract": None, "published": "2020"}
    known |= {"in_citation": 0, "in_comparison": 0}
    joined = [
        {"network": name, "source": source, "target": target}
        for name, pairs in edges.items()
        for source, target in pairs
    ]
    return PaperGraph(
        parquet_of_rows([known | dict(p) for p in papers], PAPER), parquet_of_rows(joined, EDGE)
    )


def four(edges: Edges, *texts: str) -> PaperGraph:
    titles = texts or ("Same",) * 4
    return graph_of(
        [{"paper_id": name, "title": title} for name, title in zip("abcd", titles, strict=True)],
        edges,
    )


def item_of(*places: int, **more: Any) -> dict[str, Any]:
    names = {"id": "t/d/m", "task": "Parsing", "dataset": "Penn", "metric": "F1"}
    found = {
        f"{kind}_{text}": value
        for text in ("abstracts", "fulltext")
        for kind, value in (("candidates", list(places)), ("strict", None), ("cut", 0))
    }
    return {**names, **found, **more}


def tiers(found: list[str], *sizes: int) -> list[str]:
    """The order in groups of equal papers, each sorted."""
    rest = iter(found)
    return ["".join(sorted(islice(rest, size))) for size in sizes]


ALL = item_of(0, 1, 2, 3)
PLACES = np.arange(4)


def test_pagerank_of_a_paper_that_three_others_cite() -> None:
    graph = four({"citation": [(1, 0), (2, 0), (3, 0)]})
    # With damping 1/2 each of b, c, d has x = 1/8 + a/8, a being the only one that leads nowhere;
    # a + 3x = 1, so x = 1/4 - 3x/8 = 2/11 and a = 5/11.
    scores = pagerank_scores(graph, "citation", PLACES, PLAIN)
    np.testing.assert_allclose(scores, [5 / 11, 2 / 11, 2 / 11, 2 / 11], rtol=0, atol=1e-11)
    assert tiers(rank_papers(graph, ALL, options=PLAIN), 1, 3) == ["a", "bcd"]


def test_the_direction_of_the_walk() -> None:
    # d cites c, c cites b, b cites a; a is the oldest.
    graph = four({"citation": [(3, 2), (2, 1), (1, 0)]})
    assert rank_papers(graph, ALL, options=PLAIN) == ["a", "b", "c", "d"]
    citing = replace(PLAIN, direction="citing")
    assert rank_papers(graph, ALL, options=citing) == ["d", "c", "b", "a"]
    # Both ways b and c have two neighbours, a and d one.
    both = replace(PLAIN, direction="both")
    assert tiers(rank_papers(graph, ALL, options=both), 2, 2) == ["bc", "ad"]


def test_an_edge_weighs_as_much_as_the_two_papers_are_alike() -> None:
    # d cites a, of the same text, and b, of which it shares no word.
    texts = ("graph parsing", "machine translation", "something else", "graph parsing")
    graph = four({"citation": [(3, 0), (3, 1)]}, *texts)
    options = RankOptions(damping=0.5)
    # a, b and c lead nowhere: d = 1/8 + (1 - d)/8 = 2/9, and so has c.
    # a = d + d/2 1/1.0001 and b = d + d/2 0.0001/1.0001, the least that an edge weighs.
    d = 2 / 9
    expected = [d * (1 + 0.5 / 1.0001), d * (1 + 0.5 * 0.0001 / 1.0001), d, d]
    scores = pagerank_scores(graph, "citation", PLACES, options)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-11)
    assert tiers(rank_papers(graph, ALL, options=options), 1, 1, 2) == ["a", "b", "cd"]
    plain = pagerank_scores(graph, "citation", PLACES, PLAIN)
    np.testing.assert_allclose(plain, [5 / 18, 5 / 18, 2 / 9, 2 / 9], rtol=0, atol=1e-11)


WORDS = ("graph", "parsing", "trees", "corpus", "neural")
PAPERS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=8
)
PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20, unique=True)


@settings(deadline=None, max_examples=40)
@given(
    texts=PAPERS,
    pairs=PAIRS,
    direction=st.sampled_from(["cited", "citing", "both"]),
    damping=st.sampled_from([0.0, 0.5, 0.85]),
)
def test_pagerank_is_that_of_networkx_with_cosines_of_scikit_learn(
    texts: list[str], pairs: list[tuple[int, int]], direction: Any, damping: float
) -> None:
    n = len(texts)
    pairs = [(s, t) for s, t in pairs if s != t and max(s, t) < n]
    papers = [{"paper_id": f"p{place}", "title": text} for place, text in enumerate(texts)]
    graph = graph_of(papers, {"citation": pairs})
    vectors = TfidfVectorizer(token_pattern=r"\w+").fit_transform(texts)
    cosines = (vectors @ vectors.T).toarray()
    oracle = networkx.DiGraph()
    oracle.add_nodes_from(range(n))
    for source, target in pairs:
        weight = max(round(cosines[source, target], 4), 1e-4)
        if direction != "citing":
            oracle.add_edge(source, target, weight=weight)
        if direction != "cited":
            oracle.add_edge(target, source, weight=weight)
    expected = networkx.pagerank(oracle, alpha=damping, tol=1e-13, max_iter=2_000)
    options = RankOptions(direction=direction, damping=damping)
    scores = pagerank_scores(graph, "citation", np.arange(n), options)
    np.testing.assert_allclose(scores, [expected[p] for p in range(n)], rtol=0, atol=1e-8)


def test_only_edges_between_candidates_count() -> None:
    # c is cited by d, which is not a candidate here.
    graph = four({"citation": [(3, 2), (0, 1)]})
    assert tiers(rank_papers(graph, item_of(0, 1, 2), options=PLAIN), 1, 2) == ["b", "ac"]
    assert tiers(rank_papers(graph, ALL, options=PLAIN), 2, 2) == ["bc", "ad"]


def test_each_setting_has_its_network_and_its_candidates() -> None:
    graph = four({"citation": [(0, 1)], "comparison": [(1, 0), (2, 0)]})
    item = item_of(candidates_abstracts=[0, 1], candidates_fulltext=[0, 1, 2])
    found = {name: rank_papers(graph, item, setting=name, options=PLAIN) for name in SETTINGS}
    assert (found["base"], found["comparison"]) == (["b", "a"], ["a", "b"])
    assert tiers(found["fulltext"], 1, 2) == ["b", "ac"]
    assert tiers(found["comparison_fulltext"], 1, 2) == ["a", "bc"]


def test_the_newest_come_first_by_recency() -> None:
    dates = ["2020-05", "2020-05-02", None, "2020"]
    papers = [{"paper_id": n, "published": day} for n, day in zip("abcd", dates, strict=True)]
    # They are over with May, with 2 May, never known, and with the year.
    found = rank_papers(graph_of(papers, {}), ALL, ranker="recency")
    assert found == ["d", "a", "b", "c"]


def test_the_most_cited_come_first_by_in_degree_of_the_whole_network() -> None:
    counts = [(1, 3), (5, 0), (0, 3), (5, 9)]
    papers = [
        {"paper_id": name, "in_citation": cited, "in_comparison": compared}
        for name, (cited, compared) in zip("abcd", counts, strict=True)
    ]
    graph = graph_of(papers, {"citation": [(0, 2)]})
    assert tiers(rank_papers(graph, ALL, ranker="in_degree"), 2, 1, 1) == ["bd", "a", "c"]
    found = rank_papers(graph, ALL, ranker="in_degree", setting="comparison")
    assert tiers(found, 1, 2, 1) == ["d", "ac", "b"]


def test_the_most_relevant_come_first_by_bm25() -> None:
    texts = ("Trees", "Penn parsing", "Graphs", "Penn parsing F1 of f1")
    others = [{"paper_id": f"z{n}", "title": "Of other things"} for n in range(9)]
    papers = [{"paper_id": name, "title": text} for name, text in zip("abcd", texts, strict=True)]
    found = rank_papers(graph_of([*papers, *others], {}), ALL, ranker="bm25")
    assert tiers(found, 1, 1, 2) == ["d", "b", "ac"]


def test_between_equal_papers_the_id_does_not_decide() -> None:
    graph = four({})
    first = [rank_papers(graph, ALL | {"id": f"board {n}"})[0] for n in range(200)]
    # 50 each are expected, with a standard deviation of 6.
    assert all(25 <= first.count(name) <= 75 for name in "abcd")


def test_chance_is_the_same_each_time_and_differs_by_seed_and_item() -> None:
    papers = [{"paper_id": f"p{number:03d}"} for number in range(200)]
    graph, item = graph_of(papers, {}), item_of(*range(200))
    first = rank_papers(graph, item, ranker="random")
    assert first == rank_papers(graph_of(papers, {}), item, ranker="random")
    assert first != rank_papers(graph, item, ranker="random", seed=1)
    assert first != rank_papers(graph, {**item, "id": "u/d/m"}, ranker="random")
    # A paper's place does not follow from its id: of 200 fewer than 10 stand where they stood.
    assert sum(one == paper["paper_id"] for one, paper in zip(first, papers, strict=True)) < 10
    # Which other papers are candidates does not matter to the order of two.
    half = rank_papers(graph, item_of(*range(0, 200, 2)), ranker="random")
    assert half == [name for name in first if int(name[1:]) % 2 == 0]


def test_what_a_round_lacks_is_named() -> None:
    papers = [{"paper_id": "a", "in_citation": 0, "in_comparison": None}]
    graph = graph_of(papers, {})
    with pytest.raises(InputError, match="no comparison network"):
        rank_papers(graph, item_of(0), setting="comparison")
    with pytest.raises(InputError, match="no candidates by fulltext"):
        rank_papers(graph, item_of(0, candidates_fulltext=None), setting="fulltext")


@pytest.mark.parametrize(
    ("unknown", "message"), [("ranker", "pagerank, recency"), ("setting", "base, fulltext")]
)
def test_unknown_names_are_refused_with_those_there_are(unknown: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rank_papers(four({}), ALL, **{unknown: "sideways"})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoder", "nosuch", "no preset 'nosuch'"),
        ("encoder", "oag-bert", "cogdl"),
        ("folder", "weights", "tfidf has no weights"),
        ("direction", "sideways", "cited, citing, both"),
        ("damping", 1.0, "damping=1"),
        ("damping", float("nan"), "damping=nan"),
        ("damping", "high", "damping='high'"),
        ("weights", "maybe", "neither true nor false"),
    ],
)
def test_an_impossible_option_is_refused_before_any_item(
    name: str, value: Any, message: str
) -> None:
    # Where no candidates are joined, an encoder would never be opened.
    with pytest.raises(InputError, match=message):
        RankOptions(**{name: value})


def test_files_that_are_no_parquet_are_noticed() -> None:
    with pytest.raises(DamagedError, match=r"papers\.parquet"):
        PaperGraph(b"PAR1", b"")


def test_candidates_are_listed_with_the_lines_of_the_papers_that_they_lead_to() -> None:
    texts = ("Trees", "Penn parsing F1", "Parsing <b>Penn</b> | by F1 and more words", "Stones")
    graph = graph_of(
        [
            {"paper_id": name, "title": title, "published": f"202{place}", "in_citation": place}
            for place, (name, title) in enumerate(zip("abcd", texts, strict=True))
        ],
        {"citation": [(1, 2), (2, 0), (2, 1), (3, 1)], "comparison": [(2, 1)]},
    )
    ids, lines = list_candidates(graph, item_of(0, 1, 2), "base", 10)
    # b says the board's words in the fewest words, a says none of them; d is not a candidate.
    assert ids == ["b", "c", "a"]
    assert lines == [
        "1. b | Penn parsing F1 | 2021 | cited by 1 | cites 2",
        "2. c | Parsing Penn | by F1 and more words | 2022 | cited by 2 | cites 1, 3",
        "3. a | Trees | 2020 | cited by 0",
    ]
    _, compared = list_candidates(graph, item_of(0, 1, 2), "comparison", 2)
    assert compared == [
        "1. b | Penn parsing F1 | 2021 | compared by 0",
        "2. c | Parsing Penn | by F1 and more words | 2022 | compared by 0 | compares with 1",
    ]


def test_without_candidates_the_list_says_so() -> None:
    graph = four({"citation": []})
    ids, lines = list_candidates(graph, item_of(), "base", 10)
    assert (ids, len(lines)) == ([], 1)
