"""Passages ranked by the cosine of TF-IDF vectors.

A term that stands f times in a passage and in n of N passages weighs f (ln((1 + N) / (1 + n)) + 1);
each passage's vector is brought to length 1, and so is the query's, in which terms that the
collection lacks do not count. These are the defaults of scikit-learn's TfidfVectorizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from vivavoce.retrieval.bm25 import Floats, Tokenizer, add_postings, count_terms, words
from vivavoce.retrieval.protocol import Hit, best_hits, check_limit, check_queries


class TfidfRetriever:
    """Passages ranked by TF-IDF cosine, from 0 to 1.

    Args:
        passages: The collection.
        tokenize: Gives the terms of passages and queries.
    """

    def __init__(self, passages: Iterable[str], tokenize: Tokenizer = words) -> None:
        counts = count_terms(passages, tokenize)
        self._tokenize = tokenize
        self._counts = counts
        size = len(counts.lengths)
        self._idf = np.log((1 + size) / (1 + counts.passages_with)) + 1
        weights = counts.frequencies * self._idf[counts.terms]
        norms = np.sqrt(np.bincount(counts.passages, weights=weights**2, minlength=size))
        self._weights = weights / norms[counts.passages]

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best passages; none for a query without a term of the collection."""
        check_limit(k)
        vector = self._vector(query)
        return best_hits(self._score(vector), k) if vector else []

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The k best passages for each query."""
        check_queries(queries)
        return [self.search(query, k) for query in queries]

    def scores(self, query: str) -> Floats:
        """The score of every passage."""
        return self._score(self._vector(query))

    def __len__(self) -> int:
        return len(self._counts.lengths)

    def _vector(self, query: str) -> dict[int, float]:
        found = (self._counts.numbers.get(term) for term in self._tokenize(query))
        known = Counter(number for number in found if number is not None)
        weights = {number: times * float(self._idf[number]) for number, times in known.items()}
        norm = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        return {number: weight / norm for number, weight in weights.items()}

    def _score(self, vector: dict[int, float]) -> Floats:
        return add_postings(self._counts, self._weights, vector)
