"""Passages ranked by the cosine of TF-IDF vectors.

A term that stands f times in a passage and in n of N passages weighs f (ln((1 + N) / (1 + n)) + 1);
each passage's vector is brought to length 1, and so is the query's, in which terms that the
collection lacks do not count. These are the defaults of scikit-learn's TfidfVectorizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from vivavoce.retrieval.postings import TermRetriever, Tokenizer, count_terms, words


class TfidfRetriever(TermRetriever):
    """Passages ranked by TF-IDF cosine, from 0 to 1.

    Args:
        passages: The collection.
        tokenize: Gives the terms of passages and queries.
    """

    def __init__(self, passages: Iterable[str], tokenize: Tokenizer = words) -> None:
        counts = count_terms(passages, tokenize)
        size = len(counts.lengths)
        self._idf = np.log((1 + size) / (1 + counts.passages_with)) + 1
        weights = counts.frequencies * self._idf[counts.terms]
        norms = np.sqrt(np.bincount(counts.passages, weights=weights**2, minlength=size))
        super().__init__(counts, weights / norms[counts.passages], tokenize)

    def _weigh(self, terms: Counter[int]) -> Mapping[int, float]:
        weights = {number: times * float(self._idf[number]) for number, times in terms.items()}
        norm = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        return {number: weight / norm for number, weight in weights.items()}
