"""Relation of a text to another: relative length and shared runs of words.

Words are runs of letters, digits and underscores in any script, case folded after NFKC.

- `length_ratio` = words of the prediction / words of the reference.
- `ngram_overlap` = of the n-grams of the gold text, by place, the share that occurs in the input;
  n is 13 by default, long enough not to be met by chance.

A ratio without a denominator (an empty reference, a gold text of fewer than n words) is None.

Source: the length ratio as in BLEU's brevity penalty, Papineni et al. 2002, section 2.2.2; 13-gram
overlap as a sign of leaked text: Brown et al. 2020, "Language Models are Few-Shot Learners",
appendix C.

From a place in a text on, a model is asked for the words that follow. `completion_match` is 1 when
the next five are exactly those of the text; `completion_run` is the share of the words asked for
that come before the first other one. Words are compared without case and punctuation. An answer
that repeats the end of the given text is also read from behind it, and the better reading counts.

Source: the n-gram accuracy of Xu et al. 2024, "Benchmarking Benchmark Leakage in Large Language
Models", section 3.2, with the places spread evenly over the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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


NGRAM = 5
"""Words that have to follow exactly."""
ASKED = 20
"""Words asked for at a place."""
PLACES = 3
"""Places in a text, spread evenly."""
_SHORTEST_START = 10
"""Words that have to stand before a place."""
_REPEATED = 4
"""Words of the given end by which an answer that repeats it is told."""
_TOKEN = re.compile(r"\S+")


def cut_at_places(text: str, places: int = PLACES) -> list[tuple[str, str]]:
    """A text up to each place, and the words asked for there; shorter texts have fewer places."""
    tokens = list(_TOKEN.finditer(text))
    cuts = []
    for number in range(1, places + 1):
        place = len(tokens) * number // (places + 1)
        following = tokens[place : place + ASKED]
        if place < _SHORTEST_START or not following:
            continue
        continuation = text[following[0].start() : following[-1].end()]
        if len(words_of(continuation)) >= NGRAM:
            cuts.append((text[: tokens[place - 1].end()], continuation))
    return cuts


def score_completion(given: str, continuation: str, answer: str) -> dict[str, float]:
    """The metrics of one answer."""
    true, said = words_of(continuation), words_of(answer)
    behind = _behind(words_of(given)[-_REPEATED:], said)
    reproduced = max(_reproduced(true, said), _reproduced(true, behind))
    return {
        "completion_match": float(reproduced >= NGRAM),
        "completion_run": reproduced / len(true) if true else 0.0,
    }


def _reproduced(true: Sequence[str], said: Sequence[str]) -> int:
    """Words that are the true ones before the first other one."""
    other = (i for i, (a, b) in enumerate(zip(true, said, strict=False)) if a != b)
    return next(other, min(len(true), len(said)))


def _behind(end: Sequence[str], said: list[str]) -> list[str]:
    """Words of an answer behind the end of the given text, where it repeats that."""
    size = len(end)
    for place in range(len(said) - size + 1):
        if said[place : place + size] == list(end):
            return said[place + size :]
    return said
