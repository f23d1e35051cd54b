"""Okapi BM25 over passages, with the scores of the package rank_bm25 (its BM25Okapi).

With f the number of times a passage of length l has a term, a the mean length, N the number of
passages and n that of those with the term, a passage's score is the sum over the query's terms,
a repeated one counted each time, of

    idf f (k1 + 1) / (f + k1 (1 - b + b l / a))      idf = ln(N - n + 0.5) - ln(n + 0.5)

A term in more than half of the passages has a negative idf; it gets `epsilon` times the mean idf
of all terms instead. That mean can itself be negative in a very small collection, where such a
term then counts against a passage.

Source: Robertson and Zaragoza 2009; the floor is that of rank_bm25.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from vivavoce.retrieval.postings import (
    Floats,
    Integers,
    TermRetriever,
    Tokenizer,
    count_terms,
    words,
)


class Bm25Retriever(TermRetriever):
    """Passages ranked by BM25.

    Args:
        passages: The collection.
        tokenize: Gives the terms of passages and queries.
        k1: How slowly repetitions of a term lose weight.
        b: How much the length of a passage matters, from 0 to 1.
        epsilon: Share of the mean idf that a term in most passages gets.
    """

    def __init__(
        self,
        passages: Iterable[str],
        tokenize: Tokenizer = words,
        *,
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
    ) -> None:
        counts = count_terms(passages, tokenize)
        mean = counts.lengths.mean() if counts.lengths.any() else 1.0
        idf = _idf(counts.passages_with, len(counts.lengths), epsilon)
        room = k1 * (1 - b + b * counts.lengths[counts.passages] / mean)
        saturated = counts.frequencies * (k1 + 1) / (counts.frequencies + room)
        super().__init__(counts, idf[counts.terms] * saturated, tokenize)

    def _weigh(self, terms: Counter[int]) -> Mapping[int, int]:
        """A term counts as often as it is asked for."""
        return terms


def _idf(passages_with: Integers, size: int, epsilon: float) -> Floats:
    idf = np.log(size - passages_with + 0.5) - np.log(passages_with + 0.5)
    if len(idf):
        idf[idf < 0] = epsilon * idf.mean()
    return np.asarray(idf, dtype=np.float64)
