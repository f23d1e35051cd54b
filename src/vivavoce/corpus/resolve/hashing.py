"""Texts and stretches of texts as keys of 64 bits, the same on every machine.

A text hashes to a polynomial in its characters modulo 2^64, so the hashes of all stretches of a
text come out of one running sum. Two texts of one key are rare and harmless: a key only says which
papers are worth comparing with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vivavoce.text.shingles import mix

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

HASH_VERSION = 1
"""Raised when a text gets another key, or a reference is looked up under others."""
_KIND_SHIFT = np.uint64(60)
_TEXT_BITS = np.uint64((1 << 60) - 1)
_BASE = 0x9E3779B97F4A7C15 | 1
_LENGTH = np.uint64(0xD6E8FEB86659FD93)
_TEXTS_AT_ONCE = 1 << 12
_MIN_POWERS = 1 << 20


class Kind(IntEnum):
    """Kind of a key: its highest bits."""

    ID = 0
    TITLE = 1
    PART = 2
    RAW = 3
    """A whole title, by its letters and digits."""
    RAW_BLOCK = 4
    """The first letters of a title."""
    NEAR = 5
    """A block of near titles."""


def hash_texts(texts: Sequence[str], kind: Kind) -> Keys:
    """The key of each text."""
    found = [np.empty(0, np.uint64)]
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        bounds = np.cumsum([0, *map(len, some)], dtype=np.int64)
        found.append(hash_spans(codes_of(some), bounds[:-1], bounds[1:], kind))
    return np.concatenate(found)


def hash_spans(codes: NDArray[np.uint32], starts: Numbers, ends: Numbers, kind: Kind) -> Keys:
    """The key of each stretch of a run of characters: that of `hash_texts` for the same letters."""
    weights, inverses = _powers(max(_MIN_POWERS, 1 << len(codes).bit_length()))
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(_code_table()[codes] * weights[: len(codes)], out=sums[1:])
    hashes = (sums[ends] - sums[starts]) * inverses[starts]
    hashes += (ends - starts).astype(np.uint64) * _LENGTH
    return as_kind(mix(hashes) >> np.uint64(4), kind)


def kinds_of(keys: Keys) -> NDArray[np.uint8]:
    """The kind of each key."""
    return (keys >> _KIND_SHIFT).astype(np.uint8)


def as_kind(keys: Keys, kind: Kind) -> Keys:
    """The keys of the same texts for another kind."""
    return (keys & _TEXT_BITS) | (np.uint64(kind) << _KIND_SHIFT)


def codes_of(texts: Sequence[str]) -> NDArray[np.uint32]:
    """The characters of texts one after the other."""
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, np.uint32)


@lru_cache(maxsize=1)
def alphanumeric() -> Flags:
    """Flag for each character of Unicode: a letter or a digit, as `str.isalnum` says."""
    return _table(r"[^\W_]+")


@lru_cache(maxsize=1)
def blank() -> Flags:
    """Flag for each character of Unicode: a space, as `str.isspace` says."""
    return _table(r"\s+")


def _table(pattern: str) -> Flags:
    codes = np.arange(sys.maxunicode + 1, dtype="<u4")
    every = codes.tobytes().decode("utf-32-le", "surrogatepass")
    flags = np.zeros(sys.maxunicode + 1, np.bool_)
    for found in re.finditer(pattern, every):
        flags[found.start() : found.end()] = True
    return flags


@lru_cache(maxsize=1)
def _code_table() -> Keys:
    """A number for each character, so that no two characters are near each other."""
    codes = np.arange(sys.maxunicode + 1, dtype=np.uint64)
    return mix((codes + np.uint64(1)) * np.uint64(_BASE))


@lru_cache(maxsize=1)
def _powers(count: int) -> tuple[Keys, Keys]:
    """The powers of the base and of its inverse modulo 2^64."""
    return _powers_of(_BASE, count), _powers_of(pow(_BASE, -1, 1 << 64), count)


def _powers_of(base: int, count: int) -> Keys:
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors)
