"""Terms of captions, headers and boards: one for all words that mean the same.

The words around a number fit a board by the terms of its dataset, its metric and the split.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from vivavoce.readers.board_names import METRICS
from vivavoce.text.data import read_data
from vivavoce.text.normalise import normalise

MAX_LETTERS = 10
"""Letters of an abbreviation, at most."""
MAX_TEXT = 4_000
"""Characters of a text whose terms are read."""

_WORDS = read_data(__file__, "terms.toml")
_TEMPLATES = tuple((re.compile(form), term) for form, term in _WORDS["templates"])
_NUMBERED = re.compile(r"\b([a-z]{2,})[ -](\d{1,4})\b")
_WORD = re.compile(r"[a-z0-9]+(?:[@#][a-z0-9]+)?|[%#]")
_SAME = _WORDS["same"] | {
    word: metric.term for metric in METRICS for word in metric.single_words if metric.in_texts
}
SPLITS = frozenset({"dev", "test", "train"})
MEASURES = frozenset(metric.term for metric in METRICS if metric.in_texts and not metric.cost)
"""Words that name how a result is measured."""
RESOURCES = frozenset({*(metric.term for metric in METRICS if metric.cost), *_WORDS["resources"]})
"""Words of columns that hold no result."""
STUBS = frozenset(_WORDS["stubs"])
"""Words above the column that names the methods."""
GENERAL = frozenset(_WORDS["general"])


def terms_in(text: str) -> tuple[str, ...]:
    """The terms of a text in order, repetitions included."""
    return _terms_in(text[:MAX_TEXT])


@lru_cache(maxsize=4096)
def _terms_in(text: str) -> tuple[str, ...]:
    plain = text.casefold() if text.isascii() else _plain(text)
    plain = _PHRASE.sub(lambda found: f" {_PHRASES[found[0].replace('-', ' ')]} ", plain)
    for pattern, replacement in _TEMPLATES:
        plain = pattern.sub(replacement, plain)
    plain = _NUMBERED.sub(r"\1\2", plain)
    return tuple(_SAME.get(word, word) for word in _WORD.findall(plain))


def _plain(text: str) -> str:
    """Letters without case, accents and typographic variants."""
    folded = normalise("NFKC", text).casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


_PHRASES = {
    _plain(phrase): metric.term
    for metric in METRICS
    if metric.in_texts
    for phrase in metric.phrases
}
_MAX_FIRST = sorted(_PHRASES, key=lambda phrase: (-len(phrase), phrase))
_PHRASE = re.compile(rf"\b(?:{'|'.join(phrase.replace(' ', '[ -]') for phrase in _MAX_FIRST)})\b")


_SPELLED_OUT = {
    spelling.replace(" ", "[ -]")
    for metric in METRICS
    if metric.term in MEASURES and not metric.vague
    for spelling in (metric.term, *metric.single_words, *metric.phrases)
}
_IN_SENTENCES = sorted(
    {*_WORDS["numbered_forms"], *_SPELLED_OUT}, key=lambda form: (-len(form), form)
)
MEASURE_IN_SENTENCE = re.compile(rf"\b(?:{'|'.join(_IN_SENTENCES)})\b", re.IGNORECASE)
"""A spelling of a metric in a sentence."""


def telling_terms(text: str) -> list[str]:
    """The distinct terms of a text without those that are in every name."""
    return [term for term in dict.fromkeys(terms_in(text)) if term not in GENERAL]


def is_head_word(word: str) -> bool:
    """Check whether a word belongs to a header: a measure, a split, a resource or `Model`."""
    terms = terms_in(word)
    known = MEASURES | SPLITS | RESOURCES | STUBS
    return bool(terms) and all(term in known for term in terms)


def stands_for(short: str, words: tuple[str, ...]) -> bool:
    """Check whether an abbreviation can mean some words: `SQuAD`, `PTB`, `WT2`, `CBT`.

    Its letters are in the words in order, and each word gives at least its first; a single word
    has an abbreviation of three letters or more.
    """
    letters = [c for c in short.casefold() if c.isalnum()]
    least = 3 if len(words) == 1 else len(words)
    if not words or not least <= len(letters) <= MAX_LETTERS:
        return False
    ends = {0}
    for word in words:
        after: set[int] = set()
        for end in ends:
            if end < len(letters) and word.startswith(letters[end]):
                place, at = 1, end + 1
                after.add(at)
                while at < len(letters) and (place := word.find(letters[at], place) + 1):
                    at += 1
                    after.add(at)
        ends = after
    return len(letters) in ends


_MAX_AROUND = 2_000
"""Characters of a text whose terms are read."""
# What a number is worth by where a word stands; chosen by hand, then left alone.
_IN_CAPTION, _IN_PAPER = 0.8, 0.4
_NO_MEASURE, _OTHER_IN_CAPTION = 0.6, 0.4
_OTHER_SPLIT = 0.8


def terms_of_text(text: str) -> tuple[str, ...]:
    """The distinct terms of a text, in order."""
    return tuple(dict.fromkeys(terms_in(text[:_MAX_AROUND])))


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
        """The terms of a board; `weights` gives the rarity of each term."""
        told = terms_of_text(metric)
        named = terms_of_text(dataset)
        measures = frozenset(told) & MEASURES or frozenset(named) & MEASURES
        splits = frozenset((*told, *named)) & SPLITS
        rest = [term for term in told if term not in measures | splits]
        names = [t for t in (*named, *rest) if t not in GENERAL | SPLITS | measures]
        return cls(tuple(dict.fromkeys(names)), measures, splits, weights)

    def fit(self, near: Iterable[str], far: Iterable[str], around: Iterable[str] = ()) -> float:
        """The fit, from 0 to 1, of a number below these terms.

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
