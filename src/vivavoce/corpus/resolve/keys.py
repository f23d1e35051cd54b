"""Every key under which a paper may be found that a reference means.

Keys are texts in 64 bits, the same on every machine. A text hashes to a polynomial in its
characters modulo 2^64, so the hashes of many texts come out of one running sum. Two texts of one
key are rare and harmless: a key only says which papers are worth comparing with.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vivavoce.corpus.identity.matching import title_key
from vivavoce.corpus.resolve.references import identifiers_of, parts_of_title, titles_inside
from vivavoce.records import Reference
from vivavoce.text.shingles import mix

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


class Kind(IntEnum):
    """Kind of a key: its highest bits."""

    ID = 0
    TITLE = 1
    PART = 2


HASH_VERSION = 3
"""Raised when a text gets another key, or a reference is looked up under others."""
_KIND_SHIFT = np.uint64(60)
_BASE = 0x9E3779B97F4A7C15 | 1
_LENGTH = np.uint64(0xD6E8FEB86659FD93)
_TEXTS_AT_ONCE = 1 << 12
_MIN_POWERS = 1 << 20


def hash_texts(texts: Sequence[str], kind: Kind) -> Keys:
    """The key of each text."""
    found = [np.empty(0, np.uint64)]
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        bounds = np.cumsum([0, *map(len, some)], dtype=np.int64)
        codes = np.frombuffer("".join(some).encode("utf-32-le", "surrogatepass"), np.uint32)
        weights, inverses = _powers(max(_MIN_POWERS, 1 << len(codes).bit_length()))
        sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum(_code_table()[codes] * weights[: len(codes)], out=sums[1:])
        hashes = np.diff(sums[bounds]) * inverses[bounds[:-1]]
        hashes += np.diff(bounds).astype(np.uint64) * _LENGTH
        found.append((mix(hashes) >> np.uint64(4)) | (np.uint64(kind) << _KIND_SHIFT))
    return np.concatenate(found)


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


class ReferenceKeys(NamedTuple):
    """Keys of references, with the row of each one's reference."""

    rows: NDArray[np.uint32]
    keys: Keys


COLUMNS = ("raw", "title", "year", "first_author", "arxiv_id", "doi", "given_id")
"""Columns that are read of a reference."""
_ADDRESS = r"(?i)aclweb\.org|aclanthology\.|10\.18653/|10\.3115/"


def reference_keys(references: pa.Table) -> ReferenceKeys:
    """The keys of references, by their row numbers.

    Args:
        references: With the columns `COLUMNS`.
    """
    texts: dict[Kind, list[str]] = {kind: [] for kind in Kind}
    rows: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    keys_of = cache(_keys_of_title)  # a title that occurs again is looked at once
    for number, title in enumerate(references["title"].to_pylist()):
        for kind, keys in keys_of(title or ""):
            texts[kind] += keys
            rows[kind] += [number] * len(keys)
    numbers = _with_identifiers(references)
    for number, row in zip(numbers.tolist(), references.take(numbers).to_pylist(), strict=True):
        for scheme, value in identifiers_of(reference_of(row)):
            texts[Kind.ID].append(identifier_text(scheme, value))
            rows[Kind.ID].append(number)
    return ReferenceKeys(
        np.concatenate([np.array(rows[kind], np.uint32) for kind in Kind]),
        np.concatenate([hash_texts(texts[kind], kind) for kind in Kind]),
    )


def reference_of(row: Mapping[str, Any]) -> Reference:
    """The reference that a row holds, as far as resolving looks at it."""
    return Reference(0, row["raw"] or "", **{name: row[name] for name in COLUMNS[1:]})


def _keys_of_title(title: str) -> list[tuple[Kind, list[str]]]:
    key = title_key(title)
    if not key:
        return []
    others = map(title_key, chain(parts_of_title(title)[0], titles_inside(title)))
    return [(Kind.TITLE, [key, *(other for other in others if other)]), (Kind.PART, [key])]


def _with_identifiers(references: pa.Table) -> Numbers:
    """Rows of the references that bear an identifier, or an address that may hold one."""
    named = pc.match_substring_regex(pc.fill_null(references["raw"], ""), _ADDRESS)
    for name in ("doi", "arxiv_id", "given_id"):
        named = pc.or_(named, references[name].is_valid())
    return np.flatnonzero(named.to_numpy())


def identifier_text(scheme: str, value: str) -> str:
    """Text that the key of an identifier is made of."""
    return f"{scheme}:{value}"
