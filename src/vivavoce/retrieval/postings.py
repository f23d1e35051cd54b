"""Terms counted over passages, and the search that sums their weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
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


def add_postings(
    counts: TermCounts, weights: Floats, query: Mapping[int, float] | Mapping[int, int]
) -> Floats:
    """For every passage the sum of its terms' weights times those of the query."""
    scores = np.zeros(len(counts.lengths))
    for number, weight in query.items():
        part = slice(int(counts.starts[number]), int(counts.starts[number + 1]))
        scores[counts.passages[part]] += weight * weights[part]
    return scores


class TermRetriever(ABC):
    """Passages ranked by the weights of the terms that they share with a query."""

    def __init__(self, counts: TermCounts, weights: Floats, tokenize: Tokenizer) -> None:
        self._counts = counts
        self._weights = weights
        self._tokenize = tokenize

    @abstractmethod
    def _weigh(self, terms: Counter[int]) -> Mapping[int, float] | Mapping[int, int]:
        """What each term of a query weighs; `terms` says how often it stands there."""

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

    def _score(self, terms: Counter[int]) -> Floats:
        return add_postings(self._counts, self._weights, self._weigh(terms))
