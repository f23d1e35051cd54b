from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.models.offline import MAX_SENTENCES, central_sentences, score_sentences

STAR = [
    "apples pears and plums grow",
    "apples are red",
    "pears were green",
    "plums taste sweet",
    "completely unrelated words",
]


def similarity_graph(sentences: list[str]) -> nx.Graph:
    """Cosine of TF-IDF vectors written out word by word."""
    bags = [sentence.casefold().split() for sentence in sentences]
    words = sorted({word for bag in bags for word in bag})
    n = len(bags)
    idf = [np.log((1 + n) / (1 + sum(word in bag for bag in bags))) + 1 for word in words]
    vectors = [
        np.array([bag.count(word) * weight for word, weight in zip(words, idf, strict=True)])
        for bag in bags
    ]
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for i in range(n):
        for j in range(i):
            cosine = vectors[i] @ vectors[j]
            cosine /= np.linalg.norm(vectors[i]) * np.linalg.norm(vectors[j])
            if cosine > 0:
                graph.add_edge(i, j, weight=cosine)
    return graph


@given(st.lists(st.text(alphabet="abcd ", min_size=1).filter(str.strip), min_size=2, max_size=12))
def test_scores_equal_pagerank_on_any_text(sentences: list[str]) -> None:
    oracle = nx.pagerank(similarity_graph(sentences), alpha=0.85, tol=1e-14, max_iter=2000)
    expected = [oracle[i] for i in range(len(sentences))]
    assert score_sentences(sentences) == pytest.approx(expected, abs=1e-7)


def test_sentences_come_in_the_order_of_the_text_and_fit_the_limit() -> None:
    # The hub has 5 words; of the 6 left, two sentences of 3 words fit.
    assert central_sentences(STAR, 11) == [0, 1, 2]
    assert central_sentences(STAR, 100) == [0, 1, 2, 3, 4]


def test_the_best_sentence_is_taken_even_when_it_is_too_long() -> None:
    assert central_sentences(STAR, 1) == [0]


def test_ties_go_to_the_earlier_sentence() -> None:
    assert central_sentences(["same words", "same words", "same words"], 4) == [0, 1]
    assert central_sentences(["one", "two", "three"], 2) == [0, 1]


def test_nothing_is_taken_from_nothing_or_for_nothing() -> None:
    assert central_sentences([], 10) == []
    assert central_sentences(STAR, 0) == []


def test_sentences_without_words_are_borne() -> None:
    assert central_sentences(["...", "—", "!"], 2) == [0, 1]


@pytest.mark.timeout(60)
def test_only_the_first_thousand_sentences_are_considered() -> None:
    sentences = [f"word{i} common" for i in range(MAX_SENTENCES)] + ["common common"] * 9_000
    chosen = central_sentences(sentences, 10)
    assert len(chosen) == 5
    assert max(chosen) < MAX_SENTENCES
