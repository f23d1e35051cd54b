"""Fit of the words around a number to a board: its dataset, its metric, and the split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vivavoce.readers.terms import (
    GENERAL,
    MAX_LETTERS,
    MEASURES,
    RESOURCES,
    SPLITS,
    stands_for,
    terms_in,
)

MAX_TEXT = 2_000
"""Characters of a text whose terms are read."""
# What a number is worth by where a word stands; chosen by hand, then left alone.
_IN_CAPTION, _IN_PAPER = 0.8, 0.4
_NO_MEASURE, _OTHER_IN_CAPTION = 0.6, 0.4
_OTHER_SPLIT = 0.8


def terms_of_text(text: str) -> tuple[str, ...]:
    """The distinct terms of a text, in order."""
    return tuple(dict.fromkeys(terms_in(text[:MAX_TEXT])))


@dataclass(slots=True)
class BoardTerms:
    """The terms of a board, compared with the words around a number."""

    names: tuple[str, ...]
    """Terms of the dataset, and of the metric where it names more than a measure."""
    measures: frozenset[str]
    splits: frozenset[str]
    weights: Mapping[str, float]
    _covered: dict[str, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: str, metric: str, weights: Mapping[str, float]) -> BoardTerms:
        """The terms of a board; `weights` tells how rare each term is."""
        told = terms_of_text(metric)
        named = terms_of_text(dataset)
        measures = frozenset(told) & MEASURES or frozenset(named) & MEASURES
        splits = frozenset((*told, *named)) & SPLITS
        rest = [term for term in told if term not in measures | splits]
        names = [t for t in (*named, *rest) if t not in GENERAL | SPLITS | measures]
        return cls(tuple(dict.fromkeys(names)), measures, splits, weights)

    def fit(self, near: Iterable[str], far: Iterable[str], around: Iterable[str] = ()) -> float:
        """From 0 to 1: how well a number fits that stands below these terms.

        Args:
            near: Terms of the column's header and of the line's group.
            far: Terms of the caption.
            around: Terms of the paper's title and abstract.
        """
        near, far = frozenset(near), frozenset(far)
        if near & RESOURCES:
            return 0.0
        factor = self._measure(near, far)
        told = near & SPLITS
        wanted = self.splits or frozenset({"test"})
        if told and not told & wanted:
            factor *= _OTHER_SPLIT
        return factor and factor * self._coverage(near, far, frozenset(around))

    def _measure(self, near: frozenset[str], far: frozenset[str]) -> float:
        """1 where the header names the board's measure, 0 where it names others only."""
        told = near & MEASURES
        if told and self.measures:
            return 1.0 if told & self.measures else 0.0
        if self.measures and far & MEASURES:
            return _IN_CAPTION if far & self.measures else _OTHER_IN_CAPTION
        return _NO_MEASURE

    def _coverage(self, near: frozenset[str], far: frozenset[str], around: frozenset[str]) -> float:
        total = sum(self._weight(name) for name in self.names)
        if not total:
            return 1.0
        best = [0.0] * len(self.names)
        for terms, worth in ((around, _IN_PAPER), (far, _IN_CAPTION), (near, 1.0)):
            for term in terms:
                for at in self._covers(term):
                    best[at] = max(best[at], worth)
        found = sum(w * self._weight(n) for w, n in zip(best, self.names, strict=True))
        return found / total

    def _weight(self, name: str) -> float:
        return self.weights.get(name, 1.0)

    def _covers(self, term: str) -> frozenset[int]:
        """Places of the names that a term is, or abbreviates."""
        known = self._covered.get(term)
        if known is None:
            found = {at for at, name in enumerate(self.names) if name == term}
            if not found and 2 <= len(term) <= MAX_LETTERS:
                for start in range(len(self.names)):
                    for end in range(start + 1, min(start + 6, len(self.names)) + 1):
                        if stands_for(term, self.names[start:end]):
                            found |= set(range(start, end))
            known = self._covered[term] = frozenset(found)
        return known
