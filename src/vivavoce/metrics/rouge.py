"""ROUGE-1, ROUGE-2 and ROUGE-L: word overlap of a text with a reference.

With `m` the matches, P = m / (units of the prediction), R = m / (units of the reference) and F =
2PR / (P + R). The units are words (ROUGE-1) or pairs of adjacent words (ROUGE-2), each matched at
most as often as it occurs on the other side. For ROUGE-L, `m` is the length of the longest common
subsequence of words. A side without units gives 0.

Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, sections 2 and 3.
Words are cut, and F rounded, as the rouge-score 0.1.2 package does it, so the floats are equal.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from vivavoce.text.stems import porter_stem

_WORD = re.compile("[a-z0-9]+")
_GAPS = {code: " " for code in range(128) if not chr(code).isalnum()}
_SHORTEST_STEMMED = 4
_LONGEST_KEPT, _MOST_KEPT = 64, 1 << 17


class Overlap(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


class Rouge(NamedTuple):
    """The three ROUGE scores of one text; a metric of the name is the F-measure."""

    rouge1: Overlap
    """Score of single words."""
    rouge2: Overlap
    """Score of pairs of adjacent words."""
    rougeL: Overlap
    """Score of the longest common subsequence."""


def rouge(prediction: str, reference: str, *, stem: bool = False) -> Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L of a text; `stem` compares words by their Porter stems."""
    predicted, expected = rouge_tokens(prediction, stem), rouge_tokens(reference, stem)
    return Rouge(
        rouge1=rouge_n(predicted, expected, 1),
        rouge2=rouge_n(predicted, expected, 2),
        rougeL=rouge_l(predicted, expected),
    )


def rouge_tokens(text: str, stem: bool = False) -> list[str]:
    """Cut a text into lower-case runs of ASCII letters and digits.

    Other letters part words: `naïve` is `na` and `ve`. With `stem`, words of more than three
    characters are reduced to their Porter stem (NLTK's variant).
    """
    lower = text.lower()
    # The pattern cuts ASCII as well, and takes several times as long.
    words = lower.translate(_GAPS).split() if lower.isascii() else _WORD.findall(lower)
    return list(map(_STEMS.__getitem__, words)) if stem else words


def rouge_n(prediction: Sequence[str], reference: Sequence[str], n: int) -> Overlap:
    """ROUGE-N of two lists of words."""
    found, expected = Counter(_ngrams(prediction, n)), Counter(_ngrams(reference, n))
    shared = found.keys() & expected.keys()
    matches = sum(map(min, map(found.__getitem__, shared), map(expected.__getitem__, shared)))
    return _overlap(matches, len(prediction) - n + 1, len(reference) - n + 1)


def rouge_l(prediction: Sequence[str], reference: Sequence[str]) -> Overlap:
    """ROUGE-L of two lists of words."""
    matches = _longest_common_subsequence(prediction, reference)
    return _overlap(matches, len(prediction), len(reference))


def _ngrams(words: Sequence[str], n: int) -> Iterable[Hashable]:
    if n == 1:
        return words
    return zip(*(words[start:] for start in range(n)), strict=False)


def _longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence; words that only `first` has are dropped."""
    different = dict.fromkeys(second)
    if len(different) > sys.maxunicode:
        return LCSseq.similarity(first, second)
    # One character a word: the library compares strings several times faster than lists.
    letters = dict(zip(different, map(chr, range(len(different))), strict=True))
    kept = "".join([letters[word] for word in first if word in letters])
    return LCSseq.similarity(kept, "".join(map(letters.__getitem__, second)))


def _overlap(matches: int, predicted: int, expected: int) -> Overlap:
    if matches == 0:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = matches / predicted, matches / expected
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


class _Stems(dict[str, str]):
    """Stems of words, those met before at the price of a look-up."""

    def __missing__(self, word: str) -> str:
        stem = word if len(word) < _SHORTEST_STEMMED else porter_stem(word)
        # Longer "words" are noise: kept, they would fill the memory.
        if len(word) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[word] = stem
        return stem


_STEMS = _Stems()
