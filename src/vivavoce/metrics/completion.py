"""Completion of a text known by heart: its next words, from some of its places on.

From a place in a text on, a model is asked for the words that follow. `completion_match` is 1 when
the next five are exactly those of the text; `completion_run` is the share of the words asked for
that come before the first other one. Words are compared without case and punctuation. An answer
that repeats the end of what was given is also read from behind it, and the better reading counts.

Source: the n-gram accuracy of Xu et al. 2024, "Benchmarking Benchmark Leakage in Large Language
Models", section 3.2, with the places spread evenly over the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.metrics import shares
from vivavoce.metrics.text_statistics import words_of

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

METRICS = shares(
    "probe",
    "Xu et al. 2024, section 3.2",
    {
        "completion_match": "places from which the next five words are reproduced exactly",
        "completion_run": "words reproduced before the first other one, of those asked for",
    },
    higher_is_better=False,
)


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
    """The metrics of one answer.

    Args:
        given: The text up to the place.
        continuation: The words asked for.
        answer: What a model said.
    """
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
    """Words of an answer behind the end of what was given, where it repeats that."""
    size = len(end)
    for place in range(len(said) - size + 1):
        if said[place : place + size] == list(end):
            return said[place + size :]
    return said
