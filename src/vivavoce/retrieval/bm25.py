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

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from vivavoce.retrieval.protocol import Hit, best_hits, check_limit, check_queries
from vivavoce.text.normalise import normalise_title

Tokenizer = Callable[[str], Sequence[str]]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LONGEST_PIECE = 200


def words(text: str) -> list[str]:
    """The words of a text with their repetitions: case folded, cut at punctuation and symbols."""
    if text.isascii():
        return normalise_title(text).split()
    found: list[str] = []
    for piece in text.split():
        # The time to normalise a run of combining marks grows with the square of its length.
        for start in range(0, len(piece), _LONGEST_PIECE):
            found.extend(normalise_title(piece[start : start + _LONGEST_PIECE]).split())
    return found


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term stands in each passage, the terms one after the other."""

    numbers: Mapping[str, int]
    """The number of each term."""
    starts: Integers
    """Where each term begins in the three arrays that follow; one more entry at the end."""
    terms: Integers
    passages: Integers
    frequencies: Floats
    lengths: Floats
    """Terms of each passage, repetitions included."""

    @property
    def passages_with(self) -> Integers:
        """In how many passages each term is."""
        return np.diff(self.starts)


def count_terms(passages: Iterable[str], tokenize: Tokenizer) -> TermCounts:
    """Count the terms of a collection."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    terms, lengths = array("i"), array("i")
    for passage in passages:
        found = tokenize(passage)
        lengths.append(len(found))
        terms.extend(map(numbers.__getitem__, found))
    places = np.repeat(np.arange(len(lengths)), np.asarray(lengths, dtype=np.int64))
    ones = np.ones(len(places))
    shape = (len(numbers), len(lengths))
    counts = coo_array((ones, (np.asarray(terms, dtype=np.int64), places)), shape=shape).tocsr()
    starts = counts.indptr.astype(np.int64)
    return TermCounts(
        numbers=dict(numbers),
        starts=starts,
        terms=np.repeat(np.arange(len(numbers)), np.diff(starts)),
        passages=counts.indices.astype(np.int64),
        frequencies=counts.data.astype(np.float64),
        lengths=np.asarray(lengths, dtype=np.float64),
    )


class Bm25Retriever:
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
        self._tokenize = tokenize
        self._counts = counts
        mean = counts.lengths.mean() if counts.lengths.any() else 1.0
        idf = _idf(counts.passages_with, len(counts.lengths), epsilon)
        room = k1 * (1 - b + b * counts.lengths[counts.passages] / mean)
        saturated = counts.frequencies * (k1 + 1) / (counts.frequencies + room)
        self._weights = idf[counts.terms] * saturated

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best passages; none for a query without a term of the collection."""
        check_limit(k)
        terms = self._known(query)
        return best_hits(self._score(terms), k) if terms else []

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best passages for each query."""
        check_queries(queries)
        return [self.search(query, k) for query in queries]

    def scores(self, query: str) -> Floats:
        """The score of every passage."""
        return self._score(self._known(query))

    def __len__(self) -> int:
        return len(self._counts.lengths)

    def _known(self, query: str) -> Counter[int]:
        found = (self._counts.numbers.get(term) for term in self._tokenize(query))
        return Counter(number for number in found if number is not None)

    def _score(self, terms: Mapping[int, int]) -> Floats:
        return add_postings(self._counts, self._weights, terms)


def add_postings(
    counts: TermCounts, weights: Floats, query: Mapping[int, float] | Mapping[int, int]
) -> Floats:
    """For every passage the sum of its terms' weights times those of the query."""
    scores = np.zeros(len(counts.lengths))
    for number, weight in query.items():
        part = slice(int(counts.starts[number]), int(counts.starts[number + 1]))
        scores[counts.passages[part]] += weight * weights[part]
    return scores


def _idf(passages_with: Integers, size: int, epsilon: float) -> Floats:
    idf = np.log(size - passages_with + 0.5) - np.log(passages_with + 0.5)
    if len(idf):
        idf[idf < 0] = epsilon * idf.mean()
    return np.asarray(idf, dtype=np.float64)
