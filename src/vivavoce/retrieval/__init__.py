"""Retrieval of the passages, sentences or papers relevant to a query or a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import InputError

Scores = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage."""

    index: int
    """Index in the collection, from 0."""
    score: float


class Retriever(Protocol):
    """A collection of passages that can be searched."""

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the k best passages; `InputError` if k is below 0."""
        ...

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return the k best passages for each query; `InputError` for a single string."""
        ...

    def __len__(self) -> int:
        """Number of passages."""
        ...


def best_hits(scores: Scores, k: int) -> list[Hit]:
    """Return the hits with the k highest scores, highest first; ties by index.

    This takes time linear in the number of scores, plus the time to sort the k best.
    """
    size = len(scores)
    if k >= size:
        chosen = np.arange(size)
    elif k == 0:
        return []
    else:
        least = np.partition(scores, size - k)[size - k]
        above = np.flatnonzero(scores > least)
        equal = np.flatnonzero(scores == least)[: k - len(above)]
        chosen = np.sort(np.concatenate([above, equal]))
    ordered = chosen[np.argsort(-scores[chosen], kind="stable")]
    return [Hit(int(index), float(scores[index])) for index in ordered]


def best_or_first(retriever: Retriever, query: str, k: int) -> list[tuple[int, float | None]]:
    """Indices and scores of the k best passages; if none matches, the first k without scores."""
    hits: list[tuple[int, float | None]]
    hits = [(hit.index, hit.score) for hit in retriever.search(query, k)]
    return hits or [(index, None) for index in range(min(k, len(retriever)))]


def check_limit(k: int) -> None:
    """Raise `InputError` if k is negative."""
    if k < 0:
        raise InputError(f"k={k} is negative: ask for 0 hits or more.")


def check_queries(queries: Sequence[str]) -> None:
    """Raise `InputError` if a single query is given instead of a list."""
    if isinstance(queries, str):
        raise InputError("search_many takes a list of queries; for a single one use search.")
