"""The most central sentences of a text.

Source: Erkan and Radev 2004, LexRank, its continuous form; the weights are those of `sparse`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from vivavoce.retrieval.sparse import count_terms, tfidf_weights

MAX_SENTENCES = 1_000
"""Sentences after these are not considered: time and memory grow with their square."""

_WORD = re.compile(r"\w+")
_DAMPING = 0.85
_TOLERANCE = 1e-10
_MAX_STEPS = 200
_DECIMALS = 9

Vector = NDArray[np.float64]


def central_sentences(sentences: Sequence[str], limit_words: int) -> list[int]:
    """Indexes of the most central sentences, in the order of the text.

    Goes from the most central sentence down and takes each that still fits into the limit. The
    most central one is taken even when it is longer. Only the first `MAX_SENTENCES` count; none
    is taken for a limit below 1.
    """
    considered = sentences[:MAX_SENTENCES]
    if limit_words < 1 or not considered:
        return []
    scores = score_sentences(considered)
    ranking = sorted(range(len(considered)), key=lambda index: (-scores[index], index))
    chosen: list[int] = []
    left = limit_words
    for index in ranking:
        length = len(considered[index].split())
        if length <= left or not chosen:
            chosen.append(index)
            left -= length
        if left <= 0:
            break
    return sorted(chosen)


def score_sentences(sentences: Sequence[str]) -> list[float]:
    """Centrality of each sentence: its PageRank in the graph of TF-IDF cosine similarities.

    The scores sum to 1. They are rounded to nine decimals, so that the last bits of another
    machine's arithmetic cannot turn a tie into a difference.
    """
    if not sentences:
        return []
    counts = count_terms(sentences, _words)
    _, weights = tfidf_weights(counts)
    shape = (len(sentences), len(counts.numbers))
    vectors = csr_array((weights, (counts.passages, counts.terms)), shape=shape)
    similarity: Vector = (vectors @ vectors.T).toarray()
    np.fill_diagonal(similarity, 0.0)
    return [float(score) for score in _page_rank(similarity).round(_DECIMALS)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _page_rank(similarity: Vector) -> Vector:
    """Power iteration; the rank of a sentence like no other is spread over all."""
    size = len(similarity)
    totals = similarity.sum(axis=1)
    is_alone = totals == 0
    transition = similarity / np.where(is_alone, 1.0, totals)[:, np.newaxis]
    rank = np.full(size, 1 / size)
    for _ in range(_MAX_STEPS):
        spread = rank[is_alone].sum() / size
        following = (1 - _DAMPING) / size + _DAMPING * (rank @ transition + spread)
        change = np.abs(following - rank).sum()
        rank = following
        if change < _TOLERANCE:
            break
    return rank
