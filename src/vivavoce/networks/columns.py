"""Tables in columns: read from a corpus, hashed, and written with the same bytes each time.

Arrow imports pandas, which takes longer than reading a small corpus, as soon as it turns Python
values or numpy arrays into its own or its own into numpy. So here columns are made of, and seen
through, their buffers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import DamagedError
from vivavoce.store import write_bytes

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MISSING = -1
"""The number of what is not there."""
_ROWS_A_GROUP = 1 << 24


def column_batches(corpus: Corpus, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a table of the corpus, one of its files after the other.

    Raises:
        DamagedError: A file is not as it was written.
    """
    for name in corpus.files(table):
        if problem := corpus.damage(name):
            raise DamagedError(problem)
        yield read_file(corpus.folder / "tables" / name, names)


def read_file(path: Path, names: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file, or some of its columns.

    Raises:
        DamagedError: It cannot be read.
    """
    try:
        with pq.ParquetFile(path) as file:
            return file.read(columns=None if names is None else list(names), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read as Parquet: {error}") from error


def read_columns(corpus: Corpus, table: str, names: Sequence[str]) -> pa.Table:
    """Some columns of a whole table; text has 64-bit offsets, so it may pass 2 GB.

    Raises:
        DamagedError: A file is not as it was written.
    """
    return whole_table(table, names, column_batches(corpus, table, names))


def whole_table(table: str, names: Sequence[str], pieces: Iterable[pa.Table]) -> pa.Table:
    """Pieces of some columns of a table of the corpus in one; text has 64-bit offsets."""
    schema = pa.schema([TABLES[table].field(name) for name in names])
    empty = pa.Table.from_batches([], schema=schema)
    return pa.concat_tables([widen(piece) for piece in [empty, *pieces]]).combine_chunks()


def widen(table: pa.Table) -> pa.Table:
    """A table whose columns of text have 64-bit offsets."""
    fields = [
        pa.field(field.name, pa.large_string() if pa.types.is_string(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def numbers_in(values: Any) -> Any:
    """The numbers of a column without null, not copied."""
    kind = np.dtype(str(values.type).replace("double", "float64"))
    content = values.buffers()[1]
    if content is None or not len(values):
        return np.zeros(0, dtype=kind)
    return np.frombuffer(content, dtype=kind)[values.offset : values.offset + len(values)]


def as_numbers(values: Any, *, missing: int = MISSING) -> Ints:
    """A column of integers, with `missing` for null."""
    whole = flat(values)
    found: Ints = numbers_in(whole if whole.type == pa.int32() else whole.cast(pa.int32()))
    return np.where(_is_valid(whole), found, np.int32(missing)) if whole.null_count else found


def as_flags(values: Any) -> Flags:
    """A column of true and false, null as false."""
    whole = flat(values)
    flags = _bits(whole.buffers()[1], whole)
    return flags & _is_valid(whole) if whole.null_count else flags


def column(values: npt.NDArray[Any], missing: Flags | None = None) -> pa.Array:
    """Numbers or flags as a column, null where they are missing."""
    kind = pa.bool_() if values.dtype == np.bool_ else pa.from_numpy_dtype(values.dtype)
    content = _packed(values) if values.dtype == np.bool_ else np.ascontiguousarray(values)
    valid = None if missing is None else pa.py_buffer(_packed(~missing))
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(content)])


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """Texts as a column with 64-bit offsets."""
    encoded = [(text or "").encode() for text in texts]
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(texts)), out=ends[1:])
    missing = np.fromiter((text is None for text in texts), dtype=np.bool_, count=len(texts))
    valid = pa.py_buffer(_packed(~missing)) if missing.any() else None
    buffers = [valid, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def text_scalar(text: str | None) -> pa.Scalar:
    """One text as Arrow's functions take it."""
    return text_column([text])[0]


def table_of(columns: Mapping[str, Any]) -> pa.Table:
    """A table of columns; numbers and flags may be numpy's."""
    made = [column(each) if isinstance(each, np.ndarray) else each for each in columns.values()]
    return pa.Table.from_arrays(made, names=list(columns))


def without_null(texts: pa.Array) -> pa.Array:
    """A column of texts with the empty one in place of null."""
    return pc.fill_null(texts, text_scalar("")) if texts.null_count else texts


def flat(values: Any) -> Any:
    """A column in one piece."""
    if isinstance(values, pa.Array):
        return values
    if not values.num_chunks:
        return pa.nulls(0, values.type)
    joined = values.combine_chunks()
    return joined if isinstance(joined, pa.Array) else joined.chunk(0)


def prefixed(prefix: str, texts: pa.Array) -> pa.Array:
    """Texts with something before them; null for what is null or empty."""
    full = pc.binary_join_element_wise(text_scalar(prefix), texts, text_scalar(""))
    return pc.if_else(pc.equal(texts, text_scalar("")), text_scalar(None), full)


def sorted_keys(keys: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct keys in order, and the number of each value among them; null has none."""
    encoded = pc.dictionary_encode(keys)
    order = numbers_in(pc.sort_indices(encoded.dictionary))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = as_numbers(encoded.indices)
    found = codes != MISSING
    numbers = np.full(len(codes), MISSING, dtype=np.int32)
    numbers[found] = rank[codes[found]]
    return encoded.dictionary.take(column(order)), numbers


def hash_columns(table: pa.Table) -> str:
    """Sha256 of a table's content, whatever writes or reads it.

    Of each column its name and type, then which values are null, then the values: numbers as
    little-endian bytes, of texts the lengths and the bytes.
    """
    digest = hashlib.sha256()
    for name in table.column_names:
        values = flat(table[name])
        digest.update(f"{name}\0{values.type}\0{len(values)}\0".encode())
        digest.update(np.packbits(~_is_valid(values)).tobytes())
        if pa.types.is_large_string(values.type):
            whole = without_null(values)
            lengths = numbers_in(pc.binary_length(whole))
            digest.update(np.ascontiguousarray(lengths, dtype="<i8").data)
            digest.update(_bytes_of(whole))
        elif pa.types.is_boolean(values.type):
            digest.update(as_flags(values).data)
        else:
            numbers = numbers_in(values)
            if values.null_count:
                numbers = np.where(_is_valid(values), numbers, numbers.dtype.type(0))
            little = np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<"))
            digest.update(little.data)
    return digest.hexdigest()


def write_columns(path: Path, table: pa.Table) -> str:
    """Write a table to one Parquet file, whole or not at all; return its sha256."""
    content = to_parquet(table)
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def to_parquet(table: pa.Table) -> pa.Buffer:
    """The Parquet file of a table."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        compression="lz4",
        # Numbers and keys hardly repeat: a dictionary of them takes time and room.
        use_dictionary=False,
        write_statistics=False,
        row_group_size=_ROWS_A_GROUP,
    )
    return sink.getvalue()


def _bytes_of(texts: pa.Array) -> memoryview:
    """The bytes of all texts, one after the other; null is not among them."""
    _, offsets, content = texts.buffers()
    if content is None or not len(texts):
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(content)[ends[0] : ends[-1]]


def _is_valid(values: pa.Array) -> Flags:
    return _bits(values.buffers()[0], values)


def _bits(buffer: pa.Buffer | None, values: pa.Array) -> Flags:
    """One flag a value; without a buffer all are true."""
    if buffer is None:
        return np.ones(len(values), dtype=np.bool_)
    packed = np.frombuffer(buffer, dtype=np.uint8)
    end = values.offset + len(values)
    return np.unpackbits(packed, count=end, bitorder="little")[values.offset :].astype(np.bool_)


def _packed(flags: Flags) -> npt.NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


class Groups:
    """The members of each of `count` groups, in the order given.

    Args:
        group: The group of each member.
        member: The members.
        count: How many groups there are.
    """

    def __init__(self, group: Ints, member: Ints, count: int) -> None:
        order = np.argsort(group, kind="stable")
        self._members = member[order]
        self._starts = np.searchsorted(group[order], np.arange(count + 1))

    def of(self, group: int) -> Ints:
        """The members of a group."""
        return self._members[self._starts[group] : self._starts[group + 1]]
