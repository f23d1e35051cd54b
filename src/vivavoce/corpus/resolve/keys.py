"""Every key under which a paper may be found that a reference means.

Keys are texts and stretches of texts in 64 bits, the same on every machine. A text hashes to a
polynomial in its characters modulo 2^64, so the hashes of all stretches of a text come out of one
running sum. Two texts of one key are rare and harmless: a key only says which papers are worth
comparing with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vivavoce.columns import flat
from vivavoce.corpus.identity.matching import fold, title_key, title_words
from vivavoce.corpus.resolve.references import identifiers_of
from vivavoce.corpus.resolve.titles import (
    BLOCK,
    MARKS,
    MAX_RAW,
    MAX_TITLE,
    MIN_LETTERS,
    Kind,
    edges,
    parts_of_title,
    titles_inside,
)
from vivavoce.records import Reference
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


MAX_STRETCHES = 256
"""A text of more stretches is looked up by first letters."""
_AT_ONCE = 1 << 20
"""Characters that are looked at together."""


class ReferenceKeys(NamedTuple):
    """Keys of references, sorted by reference."""

    rows: NDArray[np.uint32]
    keys: Keys


class _Letters(NamedTuple):
    """The letters and digits of texts, and where titles may start and end among them."""

    codes: NDArray[np.uint32]
    bounds: Numbers
    """Offsets at which the letters of each text begin, and the end of the last."""
    starts: Numbers
    ends: Numbers


def raw_keys(raws: pa.Array) -> ReferenceKeys:
    """The keys of the titles that each text may hold."""
    found = []
    for start in range(0, max(len(raws), 1), _AT_ONCE // MAX_RAW):
        some = raws.slice(start, _AT_ONCE // MAX_RAW).to_pylist()
        folded = [fold(text[:MAX_RAW]) for text in some]
        offsets = np.cumsum([0, *map(len, folded)], dtype=np.int64)
        numbers = np.arange(start, start + len(some), dtype=np.uint32)
        found.append(_keys_of(codes_of(folded), offsets, numbers))
    return sort_keys(found)


def sort_keys(found: list[ReferenceKeys]) -> ReferenceKeys:
    """Keys of references in the order of the references."""
    rows = np.concatenate([some.rows for some in found])
    keys = np.concatenate([some.keys for some in found])
    order = np.argsort(rows, kind="stable")
    return ReferenceKeys(rows[order], keys[order])


def _keys_of(
    codes: NDArray[np.uint32], offsets: Numbers, numbers: NDArray[np.uint32]
) -> ReferenceKeys:
    letters = _letters(codes, offsets)
    texts = np.searchsorted(letters.bounds, letters.starts, side="right") - 1
    first = np.searchsorted(letters.ends, letters.starts + MIN_LETTERS)
    last = np.searchsorted(letters.ends, letters.bounds[texts + 1], side="right")
    counts = np.maximum(last - first, 0)
    is_dense = np.bincount(texts, counts, minlength=len(numbers)) > MAX_STRETCHES
    counts[is_dense[texts]] = 0
    which = np.repeat(np.arange(len(counts)), counts)
    inside = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    keys = hash_spans(
        letters.codes, letters.starts[which], letters.ends[first[which] + inside], Kind.RAW
    )
    rows = numbers[texts[which]]
    dense = np.flatnonzero(is_dense[texts])
    if not len(dense):
        return ReferenceKeys(rows, keys)
    return sort_keys(
        [ReferenceKeys(rows, keys), _first_letters(letters, dense, numbers[texts[dense]], texts)]
    )


def _first_letters(
    letters: _Letters, which: Numbers, rows: NDArray[np.uint32], texts: Numbers
) -> ReferenceKeys:
    """The blocks of the titles that start at some places."""
    starts = letters.starts[which]
    room = letters.bounds[texts[which] + 1] - starts
    found = []
    for length in range(BLOCK, MIN_LETTERS - 1, -1):
        fits = room >= length
        begin = starts[fits]
        keys = hash_spans(letters.codes, begin, begin + length, Kind.RAW_BLOCK)
        found.append(ReferenceKeys(rows[fits], keys))
    return sort_keys(found)


def _letters(codes: NDArray[np.uint32], offsets: Numbers) -> _Letters:
    """Clear edges in the sense of `RawTitles`, for texts one after the other."""
    is_letter, is_word_start, is_word_end = _words(codes, offsets)
    # Spaces aside, a title may start after a mark and end before one.
    kept = ~blank()[codes]
    marks = np.zeros(0x110000, np.bool_)
    marks[[ord(mark) for mark in MARKS]] = True
    is_mark = marks[codes[kept]]
    after_mark = np.concatenate([[True], is_mark[:-1]]) if len(is_mark) else is_mark
    before_mark = np.concatenate([is_mark[1:], [True]]) if len(is_mark) else is_mark
    among = is_letter[kept]
    may_start = (is_word_start[kept] & after_mark)[among]
    may_end = (is_word_end[kept] & before_mark)[among]
    counted = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_letter)])
    bounds = counted[offsets]
    # The first word of a text starts a title, and its last word ends one.
    has_letters = bounds[1:] > bounds[:-1]
    may_start[bounds[:-1][has_letters]] = True
    may_end[bounds[1:][has_letters] - 1] = True
    return _Letters(
        codes[is_letter].astype(np.uint32),
        bounds,
        np.flatnonzero(may_start),
        np.flatnonzero(may_end) + 1,
    )


def _words(codes: NDArray[np.uint32], offsets: Numbers) -> tuple[Flags, Flags, Flags]:
    """Flags of characters: letters or digits, and those of them that begin and end a word."""
    is_letter = alphanumeric()[codes]
    follows, precedes = np.zeros_like(is_letter), np.zeros_like(is_letter)
    follows[1:] = is_letter[:-1]
    precedes[:-1] = is_letter[1:]
    inner = offsets[(offsets > 0) & (offsets < len(codes))]
    follows[inner] = False
    precedes[inner - 1] = False
    return is_letter, is_letter & ~follows, is_letter & ~precedes


COLUMNS = ("raw", "title", "year", "first_author", "arxiv_id", "doi", "given_id")
"""Columns that are read of a reference."""
_ADDRESS = r"(?i)aclweb\.org|aclanthology\.|10\.18653/|10\.3115/"


def reference_keys(references: pa.Table) -> ReferenceKeys:
    """The keys of references, by their row numbers.

    Args:
        references: With the columns `COLUMNS`.
    """
    raw = flat(references["raw"]).fill_null("")
    titles = flat(references["title"])
    return sort_keys([raw_keys(raw), _title_keys(titles), _identifier_keys(references, raw)])


def reference_of(row: Mapping[str, Any]) -> Reference:
    """The reference that a row holds, as far as resolving looks at it."""
    return Reference(0, row["raw"] or "", **{name: row[name] for name in COLUMNS[1:]})


def _title_keys(titles: pa.Array) -> ReferenceKeys:
    texts: dict[Kind, list[str]] = {Kind.TITLE: [], Kind.PART: [], Kind.NEAR: []}
    rows: dict[Kind, list[int]] = {kind: [] for kind in texts}
    keys_of = cache(_keys_of_title)  # a title that occurs again is looked at once
    for number, title in enumerate(titles.to_pylist()):
        for kind, keys in keys_of(title or ""):
            texts[kind] += keys
            rows[kind] += [number] * len(keys)
    return sort_keys(
        [
            ReferenceKeys(np.array(rows[kind], np.uint32), hash_texts(texts[kind], kind))
            for kind in texts
        ]
    )


def _keys_of_title(title: str) -> list[tuple[Kind, list[str]]]:
    key = title_key(title)
    if not key:
        return []
    others = map(title_key, chain(parts_of_title(title)[0], titles_inside(title)))
    found = [(Kind.TITLE, [key, *(other for other in others if other)]), (Kind.PART, [key])]
    # Light words are in no block; with them a word that is new to the corpus is noticed.
    words = title_words(title[:MAX_TITLE])
    return [*found, (Kind.NEAR, [*dict.fromkeys(words), *edges(words)])] if words else found


def _identifier_keys(references: pa.Table, raw: pa.Array) -> ReferenceKeys:
    named = pc.match_substring_regex(raw, _ADDRESS)
    for name in ("doi", "arxiv_id", "given_id"):
        named = pc.or_(named, flat(references[name].is_valid()))
    numbers = np.flatnonzero(flat(named).to_numpy(zero_copy_only=False))
    rows, texts = [], []
    for number, row in zip(
        numbers.tolist(), references.select(COLUMNS).take(numbers).to_pylist(), strict=True
    ):
        for scheme, value in identifiers_of(reference_of(row)):
            rows.append(number)
            texts.append(identifier_text(scheme, value))
    return ReferenceKeys(np.array(rows, np.uint32), hash_texts(texts, Kind.ID))


def identifier_text(scheme: str, value: str) -> str:
    """Text that the key of an identifier is made of."""
    return f"{scheme}:{value}"
