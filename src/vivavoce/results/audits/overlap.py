"""Runs of words as numbers, so that one gold text meets many inputs, and many texts each other.

Words are those of `vivavoce.metrics.text_statistics`. A run's number is a polynomial over the
64-bit hashes of its words: the same on every machine, and met by chance once in 2^64.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from vivavoce.metrics.text_statistics import words_of

Runs = npt.NDArray[np.uint64]
Found = npt.NDArray[np.bool_]

LENGTH = 13
"""Words of a run that is not met by chance."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
MAX_HOLDERS = 50
"""Texts that may hold a run before it counts as a phrase that many papers use."""


def runs_of(text: str, length: int = LENGTH) -> Runs:
    """The runs of so many words of a text, by place; empty when it has fewer words."""
    words = np.array([_word(word) for word in words_of(text)], dtype=np.uint64)
    if len(words) < length:
        return np.zeros(0, np.uint64)
    places = len(words) - length + 1
    runs = np.zeros(places, np.uint64)
    for offset in range(length):
        runs = runs * _FACTOR + words[offset : offset + places]
    return runs


def found_in(gold: Runs, source: Runs) -> Found:
    """Whether each run of the gold, by place, stands in the source."""
    if not len(gold):
        return np.zeros(0, bool)
    # The gold is short and the source long: only the gold is put in order.
    known = np.unique(gold)
    places = np.minimum(np.searchsorted(known, source), len(known) - 1)
    met = np.zeros(len(known), bool)
    met[places[known[places] == source]] = True
    return met[np.searchsorted(known, gold)]


def share_of(*found: Found) -> float | None:
    """Share of the gold's runs found in one source or another; None without runs."""
    together = np.logical_or.reduce(found)
    return float(together.mean()) if together.size else None


def share_found(gold: Runs, source: Runs) -> float | None:
    """Share of the gold's runs, by place, that stand in the source; None without runs."""
    return share_of(found_in(gold, source))


def alike(texts: Mapping[str, Runs], least: float) -> Iterator[tuple[str, str, float]]:
    """Pairs of texts of which one holds at least that share of the other's runs, in order."""
    names = sorted(name for name, runs in texts.items() if len(runs))
    if not names:
        return
    numbers = [np.unique(texts[name]) for name in names]
    runs = np.concatenate(numbers)
    holders = np.repeat(np.arange(len(names)), [len(each) for each in numbers])
    order = np.argsort(runs, kind="stable")
    runs, holders = runs[order], holders[order]
    starts = np.flatnonzero(np.concatenate([[True], runs[1:] != runs[:-1]]))
    sizes = np.diff([*starts.tolist(), len(runs)])
    met: Counter[tuple[int, int]] = Counter()
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        if 1 < size <= MAX_HOLDERS:
            met.update(combinations(holders[start : start + size].tolist(), 2))
    for a, b in sorted(met):
        first, second = texts[names[a]], texts[names[b]]
        share = max(share_found(first, second) or 0.0, share_found(second, first) or 0.0)
        if share >= least:
            yield names[a], names[b], share


@lru_cache(maxsize=200_000)
def _word(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")
