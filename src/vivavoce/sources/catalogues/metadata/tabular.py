"""Rows of untrusted Parquet, JSON Lines and CSV files, counted from 1; content decides the format.

A row that cannot be read is replaced by text that says why.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.sources import Piece
from vivavoce.sources.json_records import cut_lines, numbered_lines
from vivavoce.store import open_bytes, parse_object

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

Row = Mapping[str, Any]
Rows = Iterator[tuple[int, Row | str]]

ROWS_PER_PIECE = 10_000
ROWS_SEARCHED_FOR_COLUMNS = 10_000
DAMAGE = (OSError, EOFError, zlib.error)
"""Errors raised by a truncated or corrupt file, besides `BadFile`."""

_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}
_BLANK = b"\xef\xbb\xbf \t\r\n"
_BLOCK_BYTES = 1 << 20
_MAX_LINE = 1 << 26
_ROWS_PER_BATCH = 4096
# A row group can only be read from its start: more parts would read it too many times over.
_PIECES_PER_ROW_GROUP = 16


class BadFile(Exception):
    """A file from which no further row can be read; the message says why."""


def cut(path: Path) -> Iterator[Piece]:
    """Cut a file into pieces of about 10,000 rows; gzip, CSV and damaged files stay whole."""
    if not path.is_file():
        raise InputError(f"{path} is not a file.")
    pieces: list[Piece] = []
    with suppress(BadFile, *DAMAGE):
        kind = _format(path)
        if kind == "parquet":
            pieces = list(_parquet_pieces(path))
        elif kind == "jsonl":
            pieces = list(cut_lines(path, ROWS_PER_PIECE))
    yield from pieces if len(pieces) > 1 else [Piece(path)]


def column_names(path: Path, looked_for: Collection[str] = ()) -> list[str]:
    """Columns of a file; after 10,000 rows of JSON Lines, only those in `looked_for`."""
    kind = _format(path)
    if kind == "parquet":
        with _open_parquet(path) as file:
            return list(dict.fromkeys(file.schema_arrow.names))
    if kind == "csv":
        return list(dict.fromkeys(_csv_header(_csv_records(path))))
    keys: dict[str, None] = {}
    for count, (_, row) in enumerate(_json_rows(Piece(path))):
        is_sample = count < ROWS_SEARCHED_FOR_COLUMNS
        if not is_sample and all(key in keys for key in looked_for):
            break
        if not isinstance(row, str):
            keys.update((key, None) for key in row if is_sample or key in looked_for)
    return list(keys)


def read_rows(piece: Piece, wanted: Collection[str]) -> Iterator[tuple[str, Row | str]]:
    """(Place, row by column name or the reason why there is none) for every row of a piece.

    Rows have at least the wanted columns. Damage to the file is the last reason.
    """
    readers: Mapping[str, Callable[[Piece, Collection[str]], Rows]] = {
        "parquet": _parquet_rows,
        "csv": _csv_rows,
        "jsonl": _json_rows,
    }
    name = piece.path.name
    last = piece.first_row - 1
    try:
        for last, row in readers[_format(piece.path)](piece, wanted):
            yield f"{name}:{last}", row
    except BadFile as error:
        yield name, str(error)
    except DAMAGE as error:
        yield name, f"the file cannot be read beyond row {last}: {error}"


def _format(path: Path) -> str:
    with path.open("rb") as stream:
        if stream.read(4) == b"PAR1":
            return "parquet"
    stem = path.name.lower().removesuffix(".gz")
    try:
        with open_bytes(path) as stream:
            head = stream.read(_BLOCK_BYTES)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return "csv" if stem.endswith(".csv") else "jsonl"
    is_jsonl = head.lstrip(_BLANK).startswith(b"{")
    if not is_jsonl and Path(stem).suffix in _JSON_SUFFIXES:
        # A broken first line does not outweigh the suffix of the file.
        is_jsonl = any(line.lstrip(_BLANK)[:1] in (b"{", b"[") for line in head.splitlines())
    return "jsonl" if is_jsonl else "csv"


def _check_header(names: Sequence[str], wanted: Collection[str]) -> None:
    for name in wanted:
        if names.count(name) > 1:
            raise BadFile(f"the file has more than one column {name!r}")
    if not any(name in wanted for name in names):
        raise BadFile(f"the file has none of the columns {', '.join(wanted)}")


# Parquet


def _open_parquet(path: Path) -> pq.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise BadFile(f"the file is not readable Parquet: {error}") from error


def _group_sizes(path: Path) -> list[int]:
    with _open_parquet(path) as file:
        return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]


def _parquet_pieces(path: Path) -> Iterator[Piece]:
    """Join small row groups and split large ones into pieces of enough rows."""
    bounds = [0]
    row = 0
    for size in _group_sizes(path):
        step = max(ROWS_PER_PIECE, -(-size // _PIECES_PER_ROW_GROUP))
        if size > step and bounds[-1] < row:
            bounds.append(row)
        bounds += range(row + step, row + size, step)
        row += size
        if row - bounds[-1] >= ROWS_PER_PIECE or size > step:
            bounds.append(row)
    if bounds[-1] < row:
        bounds.append(row)
    for start, stop in pairwise(bounds):
        yield Piece(path, start, stop, start + 1)


def _parquet_rows(piece: Piece, wanted: Collection[str]) -> Rows:
    import pyarrow as pa

    sizes = _group_sizes(piece.path)
    stop = sum(sizes) if piece.stop is None else piece.stop
    groups: list[int] = []
    row = before = 0
    for index, size in enumerate(sizes):
        if before < stop and before + size > piece.start:
            row = row if groups else before
            groups.append(index)
        before += size
    with _open_parquet(piece.path) as file:
        names = file.schema_arrow.names
        _check_header(names, wanted)
        columns = [name for name in names if name in wanted]
        try:
            for batch in file.iter_batches(_ROWS_PER_BATCH, groups, columns, use_threads=False):
                skip = max(piece.start - row, 0)
                rows = batch.slice(skip, max(stop - row - skip, 0))
                cells = zip(*map(_cells, rows.columns), strict=True)
                for number, values in enumerate(cells, start=row + skip + 1):
                    yield number, dict(zip(rows.schema.names, values, strict=True))
                row += batch.num_rows
                if row >= stop:
                    return
        except pa.ArrowException as error:
            raise BadFile(f"the file cannot be read beyond row {row}: {error}") from error


def _cells(column: pa.Array) -> list[Any]:
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return [_cell(cell) for cell in column]


def _cell(cell: pa.Scalar) -> Any:
    """A cell as a Python value; empty bytes if it cannot be converted."""
    try:
        return cell.as_py()
    except (ValueError, OverflowError):
        return b""


# JSON Lines


def _json_rows(piece: Piece, _wanted: Collection[str] = ()) -> Rows:
    with open_bytes(piece.path) as stream:
        for number, line in numbered_lines(stream, piece, _MAX_LINE):
            if line is None:
                yield number, f"the line is longer than {_MAX_LINE:,} bytes"
            elif not line.isspace():
                try:
                    yield number, parse_object(line, "the line")
                except InputError as error:
                    yield number, str(error)


# CSV


class _CsvLines:
    """Lines of a file, which can be given back after a CSV error."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.again: deque[str] = deque()
        self.taken: list[str] = []
        """Lines since the last record."""

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        line = self.again.popleft() if self.again else self._stream.readline(_MAX_LINE)
        if not line:
            raise StopIteration
        self.taken.append(line)
        return line


def _csv_records(path: Path) -> Iterator[tuple[int, list[str] | str]]:
    """(Line where it starts, fields) of each record; blank lines are skipped."""
    with (
        open_bytes(path) as stream,
        io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text,
    ):
        lines = _CsvLines(text)
        reader = csv.reader(lines, strict=True)
        number = 1
        while True:
            record: list[str] | str
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                # An open quote swallows the next lines: give them back to lose only the first.
                lines.again.extendleft(reversed(lines.taken[1:]))
                del lines.taken[1:]
                record = f"the line is not readable CSV: {error}"
            if record:
                line = record if isinstance(record, str) else "".join(record)
                is_utf8 = line.isascii() or not any("\udc80" <= c <= "\udcff" for c in line)
                yield number, record if is_utf8 else "the line is not UTF-8"
            number += len(lines.taken)
            lines.taken.clear()


def _csv_header(records: Iterator[tuple[int, list[str] | str]]) -> list[str]:
    first = next(records, None)
    if first is None:
        raise BadFile("the file is empty")
    line, header = first
    if isinstance(header, str):
        raise BadFile(f"the file is not Parquet, JSON Lines or CSV: {header} (line {line})")
    return [name.strip() for name in header]


def _csv_rows(piece: Piece, wanted: Collection[str]) -> Rows:
    """Line and fields of each record; raises `BadFile` if no wanted column exists."""
    records = _csv_records(piece.path)
    header = _csv_header(records)
    try:
        _check_header(header, wanted)
    except BadFile as error:
        raise BadFile(f"read as CSV, as it is neither Parquet nor JSON Lines: {error}") from error
    for line, record in records:
        if isinstance(record, str):
            yield line, record
        elif len(record) != len(header):
            yield line, f"the row has {len(record)} fields, the first line {len(header)}"
        else:
            yield line, dict(zip(header, record, strict=True))
