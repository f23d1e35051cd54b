"""Shingles: hashed runs of three words, robust to changed words and reordered sentences.

If every eighth word of a text changes, five of eight runs stay the same. Words are case-folded, and
words hyphenated at a line break (`atten- tions`) are joined. A sketch keeps the smallest hashes of
a text, so that texts can be compared without reading them again.

Source: Broder 1997, "On the resemblance and containment of documents": shingles, and the bottom-k
sketch of section 4.
"""

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
"""Number of words per shingle."""
KEPT = 128
"""Number of hashes per sketch; the standard error of a resemblance of 0.5 is 0.044."""
MAX_WORDS = 250_000
"""Maximum number of words read from a text."""
RETOLD, RETOLD_BESIDE = 0.4, 0.2
"""Minimum shares of a gold text's shingles, close together in an input, for the input to retell it.
The first is for the paper's own text, which says the same things; the second for other texts.

`benchmarks/bench_retold_gold.py` has the curves. The first detects all copies with 20% of words
changed and flags 4% of papers. The second detects all with 30% and flags no other paper's text.
"""
_WORD = re.compile(r"\w+")
_BROKEN = re.compile(r"(?<=\w)[-‐‑\u00ad]\s+(?=\w)")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def mix(values: Shingles) -> Shingles:
    """Hash 64-bit numbers so that they spread evenly (SplitMix64: Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * _MIXERS[0]
        values = (values ^ (values >> np.uint64(27))) * _MIXERS[1]
    return values ^ (values >> np.uint64(31))


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return distinct numbers in ascending order; sorting is faster here than `numpy.unique`."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    unique: npt.NDArray[Any] = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    return unique


def folded_words(text: str) -> list[str]:
    """The words of a text, case-folded after NFKC; words hyphenated at line breaks are joined."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _WORD.findall(_BROKEN.sub("", plain).casefold())[:MAX_WORDS]


def shingles_of(text: str) -> Shingles:
    """Hash the shingle at each position; empty if there are fewer words than `SIZE`."""
    return hash_runs(folded_words(text), SIZE)


def hash_runs(words: list[str], size: int) -> Shingles:
    """Hash each run of `size` words, by position; empty if there are fewer words."""
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
    """For each number in two to `most` lists of distinct numbers, the indices of these lists."""
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
    """Estimate, from sketches, the share of two texts' shingles that both have; 0 without any."""
    if not len(one) or not len(other):
        return 0.0
    both = np.intersect1d(one, other, assume_unique=True)
    smallest = np.union1d(one, other)[:KEPT]
    return int(np.isin(both, smallest, assume_unique=True).sum()) / len(smallest)


def is_retold_beside(gold: Shingles, source: str) -> bool:
    """Check whether `source`, not the paper's own text, retells the gold with these shingles."""
    share = retold_share(gold, shingles_of(source))
    return share is not None and share >= RETOLD_BESIDE


def retold_share(gold: Shingles, source: Shingles) -> float | None:
    """Share of the gold's shingles that are close together in a source; None for an empty gold."""
    if not len(gold):
        return None
    wanted = np.unique(gold)
    is_shared = np.isin(source, wanted)
    if not is_shared.any():
        return 0.0
    length = min(2 * len(gold), len(source))
    counts = np.concatenate([[0], np.cumsum(is_shared)])
    start = int(np.argmax(counts[length:] - counts[:-length]))
    stretch = source[start : start + length]
    return len(np.unique(stretch[is_shared[start : start + length]])) / len(wanted)
