"""TF-IDF: by hand, against scikit-learn, and at its edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from vivavoce.errors import InputError
from vivavoce.retrieval import Retriever
from vivavoce.retrieval.sparse import TfidfRetriever

LETTERS = st.text(alphabet="abcdefg ", max_size=30)
COLLECTIONS = st.lists(LETTERS, min_size=1, max_size=12).filter(lambda ts: "".join(ts).strip())


def test_a_score_by_hand() -> None:
    retriever: Retriever = TfidfRetriever(["graph graph network", "network", "text"])
    # idf: graph in 1 of 3, ln(4/2) + 1; network in 2 of 3, ln(4/3) + 1
    graph, network = math.log(2) + 1, math.log(4 / 3) + 1
    expected = 2 * graph / math.hypot(2 * graph, network)
    hits = retriever.search("graph", 2)
    assert [hit.index for hit in hits] == [0, 1]
    assert [hit.score for hit in hits] == pytest.approx([expected, 0.0])
    # A word that no passage has does not make the query longer.
    assert retriever.search("network unheard", 1)[0].score == pytest.approx(1.0)
    assert len(retriever) == 3


@settings(deadline=None)
@given(COLLECTIONS, LETTERS)
def test_scores_are_those_of_scikit_learn(passages: list[str], query: str) -> None:
    vectorizer = TfidfVectorizer(analyzer=str.split)
    matrix = vectorizer.fit_transform(passages)
    expected = (matrix @ vectorizer.transform([query]).T).toarray().ravel()
    found = TfidfRetriever(passages, str.split).scores(query)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_changing_the_query_changes_the_hits() -> None:
    retriever = TfidfRetriever(["a graph", "a text", "a table"])
    first = [hits[0].index for hits in retriever.search_many(["table", "graph"], 1)]
    assert first == [2, 0]
    with pytest.raises(InputError, match="list of queries"):
        retriever.search_many("graph", 1)


def test_nothing_to_search_for_or_in_gives_no_hit() -> None:
    retriever = TfidfRetriever(["graph", ""])
    assert [retriever.search(query, 2) for query in ("", "unheard")] == [[], []]
    assert [hit.index for hit in retriever.search("graph", 2)] == [0, 1]
    assert TfidfRetriever([]).search("graph", 2) == []
    assert TfidfRetriever(["", "?"]).search("graph", 2) == []
