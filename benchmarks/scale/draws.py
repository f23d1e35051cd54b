"""Words, names and numbers that depend on a seed and a place alone.

Each draw is a hash of (seed, what it is for, which record, which draw of it). A record is the same
whatever was made before it, so any part of a set can be written alone and in bounded memory.
"""

import hashlib
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]

VOCABULARY = 60_000
_FORENAMES, _SURNAMES = 499, 40_009
_VENUES = 400
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwxyz", "aeiou"
_ENDINGS = ("", "n", "ction", "l", "ng", "rs", "st")
_STEP = 0x9E3779B97F4A7C15


class Draws:
    """Evenly spread numbers for one purpose."""

    def __init__(self, seed: int, purpose: str) -> None:
        digest = hashlib.sha256(f"{seed}:{purpose}".encode()).digest()
        self._key = np.uint64(int.from_bytes(digest[:8], "little"))

    def shares(self, records: Numbers, count: int) -> Shares:
        """`count` numbers in [0, 1) for each record, one row a record."""
        places = np.arange(1, count + 1, dtype=np.uint64)
        rows = _mix(records.astype(np.uint64) * np.uint64(_STEP) + self._key)
        bits = _mix(rows[:, None] + places[None, :] * np.uint64(_STEP))
        return (bits >> np.uint64(11)).astype(np.float64) / float(1 << 53)

    def below(self, limit: int, records: Numbers, count: int) -> Numbers:
        """`count` whole numbers below a limit for each record."""
        return (self.shares(records, count) * limit).astype(np.int64)


def skewed(shares: Shares, limit: int, power: float) -> Numbers:
    """Ranks below a limit after Zipf with the exponent 1 - 1/power: small ranks are frequent."""
    return np.minimum((shares**power * limit).astype(np.int64), limit - 1)


def word_ranks(shares: Shares, evenness: float = 1.0) -> Numbers:
    """Words after Zipf with the exponent 1; `evenness` below 1 gives more rare ones."""
    sizes: Shares = np.exp(shares**evenness * np.log(VOCABULARY + 1))
    return np.minimum(sizes.astype(np.int64) - 1, VOCABULARY - 1)


@cache
def venues() -> list[str]:
    """The names of venues, none of which is a word of the vocabulary."""
    return [spell(VOCABULARY + number).capitalize() for number in range(_VENUES)]


@cache
def words() -> list[str]:
    """The vocabulary, the most frequent words first and short; no word twice."""
    return [spell(rank) for rank in range(VOCABULARY)]


def spell(number: int) -> str:
    """A word for a number: syllables, and an ending on the longer ones."""
    syllables, left = [], number
    while left >= 0:
        left, place = divmod(left, len(_CONSONANTS) * len(_VOWELS))
        vowel, consonant = divmod(place, len(_CONSONANTS))
        syllables.append(_CONSONANTS[consonant] + _VOWELS[vowel])
        left -= 1
    ending = _ENDINGS[number % len(_ENDINGS)] if len(syllables) > 1 else ""
    return "".join(syllables) + ending


@lru_cache(1 << 16)
def name_of(author: int) -> tuple[str, str]:
    """(forename, surname) of an author by number; no two of twenty million share both."""
    turn, surname = divmod(author, _SURNAMES)
    forename = (turn + surname) % _FORENAMES
    return spell(100 + forename).capitalize(), spell(1_000 + surname).capitalize()


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatter the bits of 64-bit numbers (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
