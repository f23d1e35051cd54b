"""The works outside the corpus that reference lists mean, told apart without holding their texts.

Of each entry hashes of its identities are kept, as numbers. The texts of the distinct works, a
few for many entries, are fetched at the end from one shard after the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    Longs,
    as_flags,
    as_numbers,
    column,
    flat,
    numbers_in,
    table_of,
    text_column,
)
from vivavoce.networks.works import COLUMNS, identify

SHOWN_TITLE = "shown_title"
"""The title as an entry has it, beside its identities."""
DESCRIBED = pa.schema({"key": pa.large_string(), "title": pa.large_string(), "year": pa.int32()})
"""What is told of a work."""
Read = Callable[[int], pa.Table]
"""The identities of the references of the shard at a place, and `SHOWN_TITLE`."""
_HASH_BYTES = 16
"""So many that no two of all works there are have the same."""


def keep_numbers(references: pa.Table, identities: pa.Table, row: Ints) -> pa.Table:
    """What is kept in memory of the references in some rows of a shard."""
    at = column(row)
    titled = as_flags(pc.is_valid(flat(references["title"])))[row]
    shown = {"row": row, "year": flat(references["year"]).take(at), "titled": titled}
    return table_of(shown | {name: _hashed(flat(identities[name]).take(at)) for name in COLUMNS})


def describe_works(kept: Sequence[pa.Table], read: Read) -> tuple[pa.Table, Ints]:
    """The works that entries mean, sorted by key, with the title and year first met with each.

    Args:
        kept: What was kept of each shard, at least of one.
        read: Reads such a shard again.

    Returns:
        The works, and of each entry the number of its work; -1 for none.
    """
    starts = np.cumsum([0, *(piece.num_rows for piece in kept)], dtype=np.int64)
    whole = pa.concat_tables(kept)
    found, number, first, shown_in = _tell_apart(whole.select(COLUMNS))
    row, titled, year = as_numbers(whole["row"]), as_flags(whole["titled"]), flat(whole["year"])
    del whole
    first_titled = _first_of_each(number, titled, found)
    first_dated = _first_of_each(number, as_flags(pc.is_valid(year)), found)
    wanted = [_wanted(name, first, shown_in == place) for place, name in enumerate(COLUMNS)]
    wanted.append(_wanted(SHOWN_TITLE, first_titled, first_titled != MISSING))
    *keys, titles = _fetch(wanted, starts, row, read)
    key = pa.concat_arrays([text_column([]), *chain.from_iterable(keys)])
    title = pa.concat_arrays([text_column([]), *titles])
    del keys, titles
    order = numbers_in(pc.sort_indices(key))
    sorted_works = np.concatenate([works for _, works, _ in wanted[:-1]])[order]
    key = key.take(column(order))
    at = np.full(found, MISSING, dtype=np.int32)
    at[wanted[-1][1]] = np.arange(len(title), dtype=np.int32)
    described = [key, _take(title, at[sorted_works]), _take(year, first_dated[sorted_works])]
    rank = np.full(found + 1, MISSING, dtype=np.int32)
    rank[sorted_works] = np.arange(found, dtype=np.int32)
    return pa.Table.from_arrays(described, schema=DESCRIBED), rank[number]


def _hashed(texts: pa.Array) -> pa.Array:
    """Texts as hashes, distinct ones numbered."""
    encoded = pc.dictionary_encode(texts)
    distinct = encoded.dictionary.cast(pa.large_binary()).to_pylist()
    content = b"".join(hashlib.blake2b(t, digest_size=_HASH_BYTES).digest() for t in distinct)
    buffers = [None, pa.py_buffer(content)]
    hashes = pa.Array.from_buffers(pa.binary(_HASH_BYTES), len(distinct), buffers)
    return pa.DictionaryArray.from_arrays(encoded.indices, hashes)


def _tell_apart(hashes: pa.Table) -> tuple[int, Ints, Ints, Ints]:
    """How many works there are, and the number of each entry's work, in no certain order.

    Then of each work the first entry that shows its key, and the place in `COLUMNS` of the
    identity that is the key.
    """
    codes, ends = [], [0]
    for name in hashes.column_names:
        encoded = flat(hashes[name].unify_dictionaries())
        code = as_numbers(encoded.indices)
        codes.append(np.where(code == MISSING, code, code + np.int32(ends[-1])))
        ends.append(ends[-1] + len(encoded.dictionary))
    work = identify(*codes)
    first = np.full(ends[-1], MISSING, dtype=np.int32)
    for code in codes:
        _note_first(first, code, code != MISSING)
    is_work = np.zeros(ends[-1], dtype=np.bool_)
    is_work[work[work != MISSING]] = True
    identity = np.flatnonzero(is_work)
    dense = np.full(ends[-1] + 1, MISSING, dtype=np.int32)
    dense[identity] = np.arange(len(identity), dtype=np.int32)
    shown_in = (np.searchsorted(ends, identity, side="right") - 1).astype(np.int32)
    return len(identity), dense[work], first[identity], shown_in


def _first_of_each(number: Ints, tells: Flags, count: int) -> Ints:
    """For each number below a count, its first row that tells; -1 for none."""
    first = np.full(count, MISSING, dtype=np.int32)
    _note_first(first, number, tells & (number != MISSING))
    return first


def _note_first(first: Ints, number: Ints, tells: Flags) -> None:
    """Note the first row of each number that is there among those that tell."""
    rows = np.flatnonzero(tells).astype(np.int32)[::-1]
    first[number[rows]] = rows  # of several the last is written, and that is the first row


def _wanted(name: str, first: Ints, is_wanted: Flags) -> tuple[str, Ints, Ints]:
    """A column, the works of which it is wanted, and their entries in ascending order."""
    works = np.flatnonzero(is_wanted).astype(np.int32)
    works = works[np.argsort(first[works], kind="stable")]
    return name, works, first[works]


def _fetch(
    wanted: Sequence[tuple[str, Ints, Ints]], starts: Longs, row: Ints, read: Read
) -> list[list[pa.Array]]:
    """The texts that are wanted, shard by shard."""
    texts: list[list[pa.Array]] = [[] for _ in wanted]
    for place in range(len(starts) - 1):
        bounds = starts[place : place + 2]
        spans = [slice(*np.searchsorted(entries, bounds)) for _, _, entries in wanted]
        if all(span.start == span.stop for span in spans):
            continue
        shard = read(place)
        for (name, _, entries), span, found in zip(wanted, spans, texts, strict=True):
            found.append(flat(shard[name]).take(column(row[entries[span]])))
    return texts


def _take(values: pa.Array, rows: Ints) -> pa.Array:
    return values.take(column(rows, rows == MISSING))
