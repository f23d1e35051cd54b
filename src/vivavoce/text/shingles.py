"""Runs of three words as numbers, which survive changed words and another order of sentences.

Where every eighth word of a text is changed, five of eight runs stay. Words are folded, and a word
that a line break cut (`atten- tions`) is one. A sketch keeps the smallest hashes of a text, so that
two texts are compared without reading them again.

Source: Broder 1997, "On the resemblance and containment of documents": shingles, and the bottom-k
sketch of section 4.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Shingles: TypeAlias = npt.NDArray[np.uint64]
Sketch: TypeAlias = npt.NDArray[np.uint64]

SIZE = 3
"""Words of a shingle."""
KEPT = 128
"""Hashes of a sketch: the standard error of a resemblance of one half is 0.044."""
MAX_WORDS = 250_000
"""Words of a text beyond this are not read."""
RETOLD, RETOLD_BESIDE = 0.4, 0.2
"""Shares of a gold text's shingles close together in an input from which on it is retold there: in
the paper's own text, which says the same things, and in texts of others.

`benchmarks/bench_retold_gold.py` has the curves. The first finds all copies with 20% of their words
changed, at the price of 4% of the papers; the second all with 30%, and no text of another paper.
"""
_WORD = re.compile(r"\w+")
_BROKEN = re.compile(r"(?<=\w)[-‐‑\u00ad]\s+(?=\w)")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def mix(values: Shingles) -> Shingles:
    """Spread 64-bit numbers evenly, the same for the same number.

    Source: the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
    """
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * _MIXERS[0]
        values = (values ^ (values >> np.uint64(27))) * _MIXERS[1]
    return values ^ (values >> np.uint64(31))


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers in ascending order, each once: a sort, which is faster here than `numpy.unique`."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    found: npt.NDArray[Any] = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    return found


def folded_words(text: str) -> list[str]:
    """The words of a text, case folded after NFKC, without breaks at the ends of lines."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _WORD.findall(_BROKEN.sub("", plain).casefold())[:MAX_WORDS]


def shingles_of(text: str) -> Shingles:
    """The hash of the run of words that begins at each place; none for fewer words."""
    return hash_runs(folded_words(text), SIZE)


def hash_runs(words: list[str], size: int) -> Shingles:
    """The hash of each run of so many words, by place; none for fewer words."""
    count = len(words) - size + 1
    if count < 1:
        return np.empty(0, np.uint64)
    numbers = mix(np.fromiter(map(_code, words), np.uint64, len(words)) + _FACTOR)
    runs = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for place in range(size):
            runs = runs * _FACTOR + numbers[place : place + count]
    return mix(runs)


@lru_cache(maxsize=1 << 16)
def _code(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def holders(lists: Sequence[Shingles], most: int) -> Iterator[list[int]]:
    """Places, in order, of each number that two lists hold, or of up to so many of them.

    No list holds a number twice.
    """
    numbers = np.concatenate([np.empty(0, np.uint64), *lists])
    places = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    order = np.argsort(numbers, kind="stable")
    numbers, places = numbers[order], places[order]
    bounds = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1], True])
    sizes = np.diff(bounds)
    for number in np.flatnonzero((sizes > 1) & (sizes <= most)).tolist():
        yield places[bounds[number] : bounds[number + 1]].tolist()


def sketch_of(text: str) -> Sketch:
    """The smallest hashes of a text's shingles, sorted."""
    return distinct(shingles_of(text))[:KEPT]


def resemblance(one: Sketch, other: Sketch) -> float:
    """Share of the shingles of two texts that both have, out of their sketches; 0 without any."""
    if not len(one) or not len(other):
        return 0.0
    both = np.intersect1d(one, other, assume_unique=True)
    smallest = np.union1d(one, other)[:KEPT]
    return int(np.isin(both, smallest, assume_unique=True).sum()) / len(smallest)


def is_retold_beside(gold: Shingles, source: str) -> bool:
    """Check whether a text of others retells a gold text with these shingles."""
    share = retold_share(gold, shingles_of(source))
    return share is not None and share >= RETOLD_BESIDE


def retold_share(gold: Shingles, source: Shingles) -> float | None:
    """Share of a gold text's shingles that stand close together in a source; None without any.

    Only the stretch of the source that holds most of them counts, twice as long as the gold text:
    phrases that both use here and there add up to little.
    """
    if not len(gold):
        return None
    wanted = np.unique(gold)
    found = np.isin(source, wanted)
    if not found.any():
        return 0.0
    length = min(2 * len(gold), len(source))
    counts = np.concatenate([[0], np.cumsum(found)])
    start = int(np.argmax(counts[length:] - counts[:-length]))
    stretch = source[start : start + length]
    return len(np.unique(stretch[found[start : start + length]])) / len(wanted)
