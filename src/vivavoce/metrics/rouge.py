"""ROUGE-1, ROUGE-2 and ROUGE-L: word overlap of a text with a reference.

With `m` the matches, P = m / (units of the prediction), R = m / (units of the reference) and F =
2PR / (P + R). The units are words (ROUGE-1) or pairs of adjacent words (ROUGE-2), each matched at
most as often as it occurs on the other side. For ROUGE-L, `m` is the length of the longest common
subsequence of words. A side without units gives 0.

Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, sections 2 and 3.
Words are cut, and F rounded, as the rouge-score 0.1.2 package does it, so the floats are equal.
That package sees ASCII alone. Where most letters of a reference are others, words are runs of any
letters and digits; in scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each
character is one.
"""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from vivavoce.errors import InputError
from vivavoce.text.shingles import hash_runs
from vivavoce.text.terms import porter_stem

Words = npt.NDArray[np.int64]
"""A text as numbers of its words, or of their stems."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_SPELLED = bytes(code if code in _LETTERS else ord(" ") for code in bytes(range(256)).lower())
"""Each byte in lower case; a space for those that are not letters."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_OTHER_WORDS = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_SHORTEST_STEMMED = 4
_MOST_KEPT = 1 << 21
"""Characters of the words whose numbers are kept."""
_BITS = 31


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
    predicted, expected = rouge_words(prediction, reference, stem)
    return Rouge(
        rouge1=rouge_n(predicted, expected, 1),
        rouge2=rouge_n(predicted, expected, 2),
        rougeL=rouge_l(predicted, expected),
    )


def rouge_words(prediction: str, reference: str, stem: bool = False) -> tuple[Words, Words]:
    """Cut two texts into lower-case runs of ASCII letters and digits, and number these.

    Other letters part words: `naïve` is `na` and `ve`, but where most letters of the reference are
    others. With `stem`, words of more than three characters count by their Porter stem (NLTK's
    variant). Numbers hold for the two texts only.
    """
    cut = _ascii_words
    if not reference.isascii():
        letters = [letter.isascii() for letter in reference if letter.isalpha()]
        cut = _other_words if 2 * sum(letters) < len(letters) else cut
    if _KEPT[stem].characters > _MOST_KEPT:
        _KEPT[stem] = _Numbers(stem)
    numbers = _KEPT[stem]
    predicted, expected = (
        np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))
        for words in (cut(prediction), cut(reference))
    )
    return predicted, expected


def rouge_n(prediction: Words, reference: Words, n: int) -> Overlap:
    """ROUGE-1 or ROUGE-2 of two texts."""
    predicted, expected = _units(prediction, n), _units(reference, n)
    return _overlap(_matches(predicted, expected), len(predicted), len(expected))


def rouge_l(prediction: Words, reference: Words) -> Overlap:
    """ROUGE-L of two texts."""
    matches = _longest_common_subsequence(prediction, reference)
    return _overlap(matches, len(prediction), len(reference))


def _ascii_words(text: str) -> list[bytes]:
    if not text.isascii():
        text = text.lower()  # the Kelvin sign becomes an ASCII letter
    return text.encode("ascii", "replace").translate(_SPELLED).split()


def _other_words(text: str) -> list[bytes]:
    same = unicodedata.normalize("NFKC", text).casefold()
    return [word.encode() for word in _OTHER_WORDS.findall(same)]


def _units(words: Words, n: int) -> Words:
    return words if n == 1 else words[:-1] << _BITS | words[1:]


def _matches(first: Words, second: Words) -> int:
    """Units that two texts share, each as often as both have it."""
    if not (len(first) and len(second)):
        return 0
    both = np.concatenate((first << 1, second << 1 | 1))
    both.sort()
    is_bound = np.ones(len(both) + 1, dtype=bool)
    np.greater(both[1:] ^ both[:-1], 1, out=is_bound[1:-1])
    bounds = np.flatnonzero(is_bound)
    of_second = np.add.reduceat(both & 1, bounds[:-1])
    return int(np.minimum(bounds[1:] - bounds[:-1] - of_second, of_second).sum())


def _longest_common_subsequence(first: Words, second: Words) -> int:
    """Length of the longest common subsequence; words that only `first` has are dropped."""
    different, wanted = np.unique(second, return_inverse=True)
    given = np.searchsorted(different, first)
    given = given[different.take(given, mode="clip") == first] if len(different) else given[:0]
    if len(different) > sys.maxunicode:
        return LCSseq.similarity(given.tolist(), wanted.tolist())
    # One character a word: the library compares strings several times faster than lists.
    return LCSseq.similarity(_string(given), _string(wanted))


def _string(numbers: Words) -> str:
    return numbers.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _overlap(matches: int, predicted: int, expected: int) -> Overlap:
    if matches == 0:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = matches / predicted, matches / expected
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


class _Numbers(dict[bytes, int]):
    """Numbers of words, those met before at the price of a look-up."""

    def __init__(self, stem: bool) -> None:
        self._stem = stem
        self._of_stems: dict[str, int] = {}
        self._next = itertools.count().__next__
        self.characters = 0

    def __missing__(self, word: bytes) -> int:
        is_stemmed = self._stem and len(word) >= _SHORTEST_STEMMED and word.isascii()
        stem = porter_stem(word.decode()) if is_stemmed else word.decode()
        self[word] = number = self._of_stems.setdefault(stem, self._next())
        self.characters += len(word)
        return number


_KEPT = {stem: _Numbers(stem) for stem in (False, True)}


MAX_WORDS = 250_000
"""Words of a text beyond this are not read."""

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of a text, at most `MAX_WORDS`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = _WORD.findall(folded)
    return words[:MAX_WORDS]


def length_ratio(prediction: str, reference: str) -> float | None:
    """Words of the prediction for each word of the reference."""
    expected = len(words_of(reference))
    return len(words_of(prediction)) / expected if expected else None


def ngram_overlap(gold: str, source: str, n: int = 13) -> float | None:
    """Share of the gold text's n-grams that the source contains; `InputError` unless n >= 1."""
    if n < 1:
        raise InputError(f"The length n of an n-gram is {n}. It must be at least 1.")
    grams = hash_runs(words_of(gold), n)
    return float(np.isin(grams, hash_runs(words_of(source), n)).mean()) if len(grams) else None
