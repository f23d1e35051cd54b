"""Relation of a text to another: relative length and shared runs of words.

Words are runs of letters, digits and underscores in any script, case folded after NFKC.

- `length_ratio` = words of the prediction / words of the reference.
- `ngram_overlap` = of the n-grams of the gold text, by place, the share that occurs in the input;
  n is 13 by default, long enough not to be met by chance.
- `longest_common_ngram` = words in the longest run that both texts contain.

A ratio without a denominator (an empty reference, a gold text of fewer than n words) is None.

Source: the length ratio as in BLEU's brevity penalty, Papineni et al. 2002, section 2.2.2; 13-gram
overlap as a sign of leaked text: Brown et al. 2020, "Language Models are Few-Shot Learners",
appendix C.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.metrics import Metric

METRICS = (
    Metric(
        "length_ratio",
        "words of the answer for each word of the reference",
        "writing",
        0.0,
        None,
        "Papineni et al. 2002, section 2.2.2",
    ),
    Metric(
        "ngram_overlap",
        "gold n-grams found in the input",
        "text",
        0.0,
        1.0,
        "Brown et al. 2020, appendix C",
        higher_is_better=False,
    ),
)

MAX_WORDS = 250_000
"""Words of a text beyond this are not read."""

_WORD = re.compile(r"\w+")

Runs: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""For each place in either text, the number of the run of words that starts there."""


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
    runs = _number_words(words_of(gold), words_of(source))
    if len(runs[0]) < n:
        return None
    grams, length, power = runs, n & 1, 1
    while length < n:
        runs, power = _join(runs, runs, power), 2 * power
        if n & power:
            grams = _join(grams, runs, length) if length else runs
            length += power
    return float(np.isin(*grams).mean())


def longest_common_ngram(first: str, second: str) -> int:
    """Number of words in the longest run of words that both texts contain.

    Runs of 1, 2, 4, 8 ... words are numbered until none is common, then the length is refined
    power by power: n log² n time, and no chance of a false match.
    """
    runs = _number_words(words_of(first), words_of(second))
    powers = []
    while _have_common(runs):
        powers.append(runs)
        runs = _join(runs, runs, 1 << (len(powers) - 1))
    if not powers:
        return 0
    longest, length = powers[-1], 1 << (len(powers) - 1)
    for exponent in reversed(range(len(powers) - 1)):
        longer = _join(longest, powers[exponent], length)
        if _have_common(longer):
            longest, length = longer, length + (1 << exponent)
    return length


def _number_words(first: Sequence[str], second: Sequence[str]) -> Runs:
    """A number for every word, the same for the same word."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys((*first, *second)))}
    return (
        np.fromiter(map(numbers.__getitem__, first), np.int32, len(first)),
        np.fromiter(map(numbers.__getitem__, second), np.int32, len(second)),
    )


def _join(left: Runs, right: Runs, gap: int) -> Runs:
    """Numbers of the runs that are a run of `left` and, `gap` words on, one of `right`."""
    base = 1 + max((int(side.max()) for side in right if len(side)), default=0)
    keys = [
        one[: max(len(other) - gap, 0)].astype(np.int64) * base + other[gap:]
        for one, other in zip(left, right, strict=True)
    ]
    _, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    cut = len(keys[0])
    return numbers[:cut].astype(np.int32), numbers[cut:].astype(np.int32)


def _have_common(runs: Runs) -> bool:
    return bool(np.isin(*runs).any())
