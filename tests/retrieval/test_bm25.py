"""BM25: by hand, against rank_bm25, and at its edges; and how hits are ranked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.retrieval import Hit, Retriever, best_hits
from vivavoce.retrieval.sparse import Bm25Retriever, words

PASSAGES = [
    "graph networks learn graph structure",
    "transformers translate text",
    "text summaries of long papers",
    "citation networks",
]
LETTERS = st.text(alphabet="abcdefg ", max_size=30)
COLLECTIONS = st.lists(LETTERS, min_size=1, max_size=12).filter(lambda ts: "".join(ts).strip())


def test_a_score_by_hand() -> None:
    retriever: Retriever = Bm25Retriever(PASSAGES)
    # Lengths 5, 3, 5, 2: mean 3.75. "graph" twice in one of four: idf = ln 3.5 - ln 1.5.
    # 2 x 2.5 / (2 + 1.5 (0.25 + 0.75 x 5 / 3.75)) = 5 / 3.875
    expected = (math.log(3.5) - math.log(1.5)) * 5 / 3.875
    hits = retriever.search("Graph?", 2)
    assert hits == [Hit(0, pytest.approx(expected)), Hit(1, 0.0)]
    assert len(retriever) == 4
    assert retriever.search("graph graph", 1)[0].score == pytest.approx(2 * expected)


@settings(deadline=None)
@given(COLLECTIONS, LETTERS)
def test_scores_are_those_of_rank_bm25(passages: list[str], query: str) -> None:
    rank_bm25 = pytest.importorskip("rank_bm25", reason="needs pip install rank-bm25")
    expected = rank_bm25.BM25Okapi([text.split() for text in passages]).get_scores(query.split())
    retriever = Bm25Retriever(passages, str.split)
    found = retriever.scores(query)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    hits = retriever.search(query, len(passages))
    known = set(" ".join(passages).split())
    assert bool(hits) == any(term in known for term in query.split())
    if hits:
        assert [hit.score for hit in hits] == pytest.approx(sorted(expected, reverse=True))


def test_a_term_in_most_passages_gets_a_share_of_the_mean_idf() -> None:
    # N = 3; "a" in 3: ln 0.5 - ln 3.5; "b", "c", "d" in 1 each: ln 2.5 - ln 1.5
    mean = (math.log(0.5 / 3.5) + 3 * math.log(2.5 / 1.5)) / 4
    # All lengths are 2, so a term that stands once weighs 2.5 / 2.5.
    assert Bm25Retriever(["a b", "a c", "a d"]).scores("a") == pytest.approx([0.25 * mean] * 3)


def test_one_query_is_not_taken_for_many() -> None:
    with pytest.raises(InputError, match="list of queries"):
        Bm25Retriever(PASSAGES).search_many("graph", 2)
    with pytest.raises(InputError, match="k=-1"):
        Bm25Retriever(PASSAGES).search("graph", -1)


def test_nothing_to_search_for_or_in_gives_no_hit() -> None:
    retriever = Bm25Retriever(PASSAGES)
    assert [retriever.search(query, 3) for query in ("", " ?", "unheard")] == [[], [], []]
    assert retriever.search("graph", 0) == []
    assert Bm25Retriever([]).search("graph", 3) == []
    assert Bm25Retriever(["", " "]).search("graph", 3) == []
    with_empty = Bm25Retriever(["", "graph", "text", ""])
    assert [hit.index for hit in with_empty.search("graph", 9)] == [1, 0, 2, 3]


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 1.5, -2.0]), max_size=30), st.integers(0, 35))
def test_equal_scores_are_ordered_by_index(scores: list[float], k: int) -> None:
    ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    assert best_hits(np.array(scores), k) == [Hit(index, scores[index]) for index in ranked[:k]]


def test_words_keep_their_repetitions() -> None:
    assert words("The graph, the GRAPH: C++!") == ["the", "graph", "the", "graph", "c"]
    assert words("Écoles d’été — ﬁne") == ["écoles", "d", "été", "fine"]
    assert len(words("a" + "\u0301\u0316" * 500_000)) > 0
