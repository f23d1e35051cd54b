"""Relation of a text to another: relative length and shared runs of words.

Words are runs of letters, digits and underscores in any script, case folded after NFKC.

- `length_ratio` = words of the prediction / words of the reference.
- `ngram_overlap` = of the n-grams of the gold text, by place, the share that occurs in the input;
  n is 13 by default, long enough not to be met by chance.

A ratio without a denominator (an empty reference, a gold text of fewer than n words) is None.

Source: the length ratio as in BLEU's brevity penalty, Papineni et al. 2002, section 2.2.2; 13-gram
overlap as a sign of leaked text: Brown et al. 2020, "Language Models are Few-Shot Learners",
appendix C.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from vivavoce.errors import InputError
from vivavoce.text.shingles import hash_runs

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
