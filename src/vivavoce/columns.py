"""Conversion between Arrow columns and numpy arrays, and a stable hash of a table's rows."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.records import Section
from vivavoce.store import Row, canonical_json, parquet_of, write_bytes

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MISSING = -1
"""Number that stands for a missing value."""
ROWS_PER_GROUP = 1 << 16
"""Rows per row group of a Parquet file, and rows hashed at a time."""


ORDER: dict[Any, tuple[str, ...]] = {
    Section: ("ordinal", "level", "number", "heading", "role", "text")
}
"""Order of columns for records where it differs from the order of the fields."""
_PLAIN = {str: pa.string(), int: pa.int32(), float: pa.float64(), bool: pa.bool_()}


def columns_of(record: Any, *order: str) -> list[pa.Field]:
    """Columns for the fields of a dataclass, in the order given or else in their own."""
    types = get_type_hints(record)
    return [pa.field(name, type_of(types[name])) for name in order or types]


def type_of(hint: Any) -> pa.DataType:
    """The column type for a field's annotation."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint):
        return pa.struct(columns_of(hint, *ORDER.get(hint, ())))
    inner = type_of(get_args(hint)[0])  # of `X | None` and of `tuple[X, ...]`
    return pa.list_(inner) if get_origin(hint) is tuple else inner


def texts(*names: str) -> list[pa.Field]:
    """Columns that hold texts."""
    return [pa.field(name, pa.string()) for name in names]


def lists(*names: str) -> list[pa.Field]:
    """Columns that hold lists of texts."""
    return [pa.field(name, pa.list_(pa.string())) for name in names]


def numbers_in(values: Any) -> Any:
    """The numbers of a column that has no nulls, without copying."""
    return values.to_numpy(zero_copy_only=True)


def as_numbers(values: Any, *, missing: int = MISSING) -> Ints:
    """A column of integers, with `missing` for null."""
    numbers: Ints = numbers_in(pc.fill_null(flat(values).cast(pa.int32()), missing))
    return numbers


def as_flags(values: Any) -> Flags:
    """A column of booleans, with null as false."""
    flags: Flags = pc.fill_null(flat(values), False).to_numpy(zero_copy_only=False)
    return flags


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """Texts as a column with 64-bit offsets."""
    return pa.array(texts, pa.large_string())


def text_scalar(text: str | None) -> pa.Scalar:
    """One text in the form that Arrow's functions take."""
    return pa.scalar(text, pa.large_string())


def without_null(texts: pa.Array) -> pa.Array:
    """A column of texts, with an empty text in place of null."""
    return pc.fill_null(texts, text_scalar("")) if texts.null_count else texts


def flat(values: Any) -> Any:
    """A column as one contiguous array."""
    if isinstance(values, pa.Array):
        return values
    if not values.num_chunks:
        return pa.nulls(0, values.type)
    joined = values.combine_chunks()
    return joined if isinstance(joined, pa.Array) else joined.chunk(0)


def prefixed(prefix: str, texts: pa.Array) -> pa.Array:
    """Texts with a prefix before each; null for a null or empty text."""
    full = pc.binary_join_element_wise(text_scalar(prefix), texts, text_scalar(""))
    return pc.if_else(pc.equal(texts, text_scalar("")), text_scalar(None), full)


def with_columns(table: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """A table with other values in some of its columns."""
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        field = table.schema.field(place)
        column = values if isinstance(values, pa.ChunkedArray) else pa.array(values, field.type)
        table = table.set_column(place, field, column)
    return table


def sorted_keys(keys: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct keys, sorted, and each value's index among them; `MISSING` for null."""
    encoded = pc.dictionary_encode(keys)
    order = numbers_in(pc.sort_indices(encoded.dictionary))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = as_numbers(encoded.indices)
    mask = codes != MISSING
    numbers = np.full(len(codes), MISSING, dtype=np.int32)
    numbers[mask] = rank[codes[mask]]
    return encoded.dictionary.take(pa.array(order)), numbers


def write_parquet_table(path: Path, table: pa.Table, **options: Any) -> Row:
    """Write a table to one Parquet file, whole or not at all; return its entry for a manifest.

    `options` are those of `store.parquet_of`.
    """
    content = parquet_of(table.combine_chunks(), **{"row_group_size": ROWS_PER_GROUP, **options})
    write_bytes(path, content)
    sha256 = hashlib.sha256(content).hexdigest()
    return {"sha256": sha256, "rows": table.num_rows, "row_hash": hash_table(table)}


def hash_table(table: pa.Table) -> str:
    """Sha256 of a table's rows, independent of the library that writes or reads them.

    Each run of rows is hashed column by column: first which values are null, then the values.
    Numbers are little-endian bytes; texts and lists give their lengths, then their contents.
    """
    digest = hashlib.sha256()
    digest.update("\0".join([str(table.num_rows), *table.column_names]).encode())
    for start in range(0, table.num_rows, ROWS_PER_GROUP):
        rows = table.slice(start, ROWS_PER_GROUP)
        for values in rows.columns:
            _feed(digest.update, flat(values))
    return digest.hexdigest()


def _feed(update: Callable[[Any], None], values: pa.Array) -> None:
    update(np.packbits(as_flags(values.is_valid())).data)
    kind = values.type
    if pa.types.is_list(kind):
        update(_little(as_numbers(pc.list_value_length(values), missing=0), "<i8"))
        _feed(update, values.flatten())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        update(_little(as_numbers(pc.binary_length(values), missing=0), "<i8"))
        update(_bytes_of(values.drop_null() if values.null_count else values))
    elif pa.types.is_boolean(kind):
        update(np.packbits(as_flags(values)).data)
    else:
        numbers = numbers_in(pc.fill_null(values, 0))
        update(_little(numbers, "<f8" if pa.types.is_floating(kind) else "<i8"))


def _little(numbers: npt.NDArray[Any], kind: str) -> memoryview:
    return np.ascontiguousarray(numbers.astype(kind)).data


def _bytes_of(texts: pa.Array) -> memoryview:
    """The bytes of all texts, joined."""
    _, offsets, content = texts.buffers()
    if content is None or not len(texts):
        return memoryview(b"")
    kind = np.int32 if pa.types.is_string(texts.type) else np.int64
    ends = np.frombuffer(offsets, dtype=kind)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(content)[int(ends[0]) : int(ends[-1])]


class Groups:
    """The members of each of `count` groups, in the order given; `group` has one per member."""

    def __init__(self, group: Ints, member: Ints, count: int) -> None:
        order = np.argsort(group, kind="stable")
        self._members = member[order]
        self._starts = np.searchsorted(group[order], np.arange(count + 1))

    def of(self, group: int) -> Ints:
        """The members of a group."""
        return self._members[self._starts[group] : self._starts[group + 1]]


def hash_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """Sha256 over the canonical JSON of each row, in order.

    Unlike a file's hash, it does not depend on the version of the Parquet writer.
    """
    digest = hashlib.sha256()
    for row in rows:
        digest.update(canonical_json(row).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()
