"""How well the words around a number fit a board: its dataset, its metric, and the split."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_LONGEST_TEXT = 2_000
_TOGETHER = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bexact[ -]match\b", " em "),
        (r"\bbits?(?: per |-per-|/)(?:characters?|chars?|bytes?)\b", " bpc "),
        (r"\bf[ -]?(?:1|measure|score)(?:[ -](?:score|measure))?\b", " f1 "),
        (r"\b(?:rouge|rg|r)[ -]?(1|2|l)\b", r" rouge\1 "),
        (r"\bbleu[ -]([1-4])\b", r" bleu\1 "),
        (r"\b(?:hits?|h) ?@ ?([0-9]{1,3})\b", r" hits\1 "),
        (r"\bmean reciprocal rank\b", " mrr "),
        (r"\bword error rate\b", " wer "),
        (r"\bunlabell?ed attachment(?: score)?\b", " uas "),
        (r"\blabell?ed attachment(?: score)?\b", " las "),
        (r"\bpercentage correct\b", " accuracy "),
        (r"\bpart[ -]of[ -]speech\b", " pos "),
        (r"\b([a-z]{2,})[ -]([0-9]{1,4})\b", r"\1\2"),
    )
)
_WORD = re.compile(r"[a-z0-9]+")
_ALIKE = {
    **dict.fromkeys(("val", "valid", "validation", "dev", "development"), "dev"),
    **dict.fromkeys(("ppl", "perplexities"), "perplexity"),
    **dict.fromkeys(("acc", "accuracies"), "accuracy"),
    **dict.fromkeys(("err", "errors"), "error"),
    **dict.fromkeys(("params", "param", "parameter"), "parameters"),
    "bpb": "bpc",
}
_SPLITS = frozenset({"dev", "test", "train"})
_MEASURES = frozenset(
    "accuracy auc bleu bleu1 bleu2 bleu3 bleu4 bpc cer em error f1 hits1 hits3 hits10 las loss map "
    "meteor miou mr mrr pearson perplexity precision recall rouge1 rouge2 rougel spearman ter uas "
    "wer".split()
)
_RESOURCES = frozenset(
    "parameters size time speed epoch epochs steps hours flops memory rank year layers dim depth "
    "hidden seconds gpu length".split()
)
_GENERAL = frozenset(
    "a an and at by corpus data dataset datasets benchmark english evaluation experimental for "
    "from in level model models of on only or per results result set table task tasks the to using "
    "we with word our is are score".split()
)
_LETTERS = 10
# What a number is worth by where a word stands; chosen by hand, then left alone.
_IN_CAPTION, _IN_PAPER = 0.8, 0.4
_NO_MEASURE, _OTHER_IN_CAPTION = 0.6, 0.4
_OTHER_SPLIT = 0.8


def terms_of_text(text: str) -> tuple[str, ...]:
    """The distinct terms of a text, in order."""
    if not text:
        return ()
    plain = unicodedata.normalize("NFKD", text[:_LONGEST_TEXT]).casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    for pattern, replacement in _TOGETHER:
        plain = pattern.sub(replacement, plain)
    return tuple(dict.fromkeys(_ALIKE.get(word, word) for word in _WORD.findall(plain)))


@dataclass(slots=True)
class BoardTerms:
    """What the words around a number are compared with."""

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
        measures = frozenset(told) & _MEASURES or frozenset(named) & _MEASURES
        splits = frozenset((*told, *named)) & _SPLITS
        rest = [term for term in told if term not in measures | splits]
        names = [t for t in (*named, *rest) if t not in _GENERAL | _SPLITS | measures]
        return cls(tuple(dict.fromkeys(names)), measures, splits, weights)

    def fit(self, near: Iterable[str], far: Iterable[str], around: Iterable[str] = ()) -> float:
        """From 0 to 1: how well a number fits that stands below these terms.

        Args:
            near: Terms of the column's header and of the line's group.
            far: Terms of the caption.
            around: Terms of the paper's title and abstract.
        """
        near, far = frozenset(near), frozenset(far)
        if near & _RESOURCES:
            return 0.0
        factor = self._measure(near, far)
        told = near & _SPLITS
        wanted = self.splits or frozenset({"test"})
        if told and not told & wanted:
            factor *= _OTHER_SPLIT
        return factor and factor * self._coverage(near, far, frozenset(around))

    def _measure(self, near: frozenset[str], far: frozenset[str]) -> float:
        """1 where the header names the board's measure, 0 where it names others only."""
        told = near & _MEASURES
        if told and self.measures:
            return 1.0 if told & self.measures else 0.0
        if self.measures and far & _MEASURES:
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
            if not found and 2 <= len(term) <= _LETTERS:
                for start in range(len(self.names)):
                    for end in range(start + 1, min(start + 6, len(self.names)) + 1):
                        if stands_for(term, self.names[start:end]):
                            found |= set(range(start, end))
            known = self._covered[term] = frozenset(found)
        return known


def stands_for(short: str, words: tuple[str, ...]) -> bool:
    """Whether an abbreviation gives each word's first letter, and others of it in order.

    `squad` stands for `stanford question answering dataset`, `ptb` for `penn treebank`.
    """
    if len(words) > len(short) or (len(words) == 1 and len(short) < 3):
        return False
    ends = {0}
    for word in words:
        after: set[int] = set()
        for end in ends:
            if end < len(short) and word.startswith(short[end]):
                place, at = 1, end + 1
                after.add(at)
                while at < len(short) and (place := word.find(short[at], place) + 1):
                    at += 1
                    after.add(at)
        ends = after
    return len(short) in ends
