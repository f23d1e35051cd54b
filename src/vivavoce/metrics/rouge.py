"""ROUGE-1, ROUGE-2 and ROUGE-L: word overlap of a text with a reference.

With `m` the matches, P = m / (units of the prediction), R = m / (units of the reference) and F =
2PR / (P + R). The units are words (ROUGE-1) or pairs of adjacent words (ROUGE-2), each matched at
most as often as it occurs on the other side. For ROUGE-L, `m` is the length of the longest common
subsequence of words. A side without units gives 0.

Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, sections 2 and 3.
Words are split and F is rounded as in the rouge-score 0.1.2 package, so the floats are equal. That
package reads only ASCII. If most letters of a reference are not ASCII, words are runs of any
letters and digits; in scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each
character is a word.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence, Sized
from functools import lru_cache
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import LCSseq

from vivavoce.text.shingles import hash_runs
from vivavoce.text.terms import porter_stem

_ASCII_WORDS = re.compile("[a-z0-9]+")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_OTHER_WORDS = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_MIN_STEMMED = 4
_stem = lru_cache(maxsize=1 << 15)(porter_stem)


def rouge(prediction: str, reference: str, *, stem: bool = False) -> dict[str, float]:
    """Compute F1 of ROUGE-1, ROUGE-2 and ROUGE-L; `stem` compares words by their Porter stems."""
    predicted, expected = rouge_words(prediction, reference, stem)
    pairs, wanted = list(pairwise(predicted)), list(pairwise(expected))
    return {
        "rouge1": _f1(_shared(predicted, expected), predicted, expected),
        "rouge2": _f1(_shared(pairs, wanted), pairs, wanted),
        "rougeL": _f1(LCSseq.similarity(predicted, expected), predicted, expected),
    }


def rouge_words(prediction: str, reference: str, stem: bool = False) -> tuple[list[str], list[str]]:
    """Cut two texts into lower-case runs of ASCII letters and digits.

    Other letters separate words, so that `naïve` is `na` and `ve`, unless most letters of the
    reference are not ASCII. With `stem`, words of more than three characters become their Porter
    stem (NLTK's variant).
    """
    is_ascii = reference.isascii()
    letters = [letter.isascii() for letter in ("" if is_ascii else reference) if letter.isalpha()]
    if 2 * sum(letters) < len(letters):
        folded = (
            unicodedata.normalize("NFKC", text).casefold() for text in (prediction, reference)
        )
        predicted, expected = map(_OTHER_WORDS.findall, folded)
    else:  # the Kelvin sign becomes an ASCII letter
        predicted, expected = (_ASCII_WORDS.findall(t.lower()) for t in (prediction, reference))
    return (_stems(predicted), _stems(expected)) if stem else (predicted, expected)


def _stems(words: Sequence[str]) -> list[str]:
    return [_stem(word) if len(word) >= _MIN_STEMMED and word.isascii() else word for word in words]


def _shared(predicted: Sequence[Hashable], expected: Sequence[Hashable]) -> int:
    return (Counter(predicted) & Counter(expected)).total()


def _f1(matches: int, predicted: Sized, expected: Sized) -> float:
    if matches == 0:
        return 0.0
    precision, recall = matches / len(predicted), matches / len(expected)
    return 2 * precision * recall / (precision + recall)


MAX_WORDS = 250_000
"""Maximum number of words read from a text."""

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of a text, at most `MAX_WORDS`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = _WORD.findall(folded)
    return words[:MAX_WORDS]


def length_ratio(prediction: str, reference: str) -> float | None:
    """Words of the prediction per word of the reference."""
    expected = len(words_of(reference))
    return len(words_of(prediction)) / expected if expected else None


def ngram_overlap(gold: str, source: str, n: int = 13) -> float | None:
    """Share of the gold text's n-grams that the source contains."""
    grams = hash_runs(words_of(gold), n)
    return float(np.isin(grams, hash_runs(words_of(source), n)).mean()) if len(grams) else None
