"""JSON records of papers out of files that nobody vouches for: `.json`, `.jsonl`, gzip or plain.

Every record comes with where it stands; in place of one that cannot be read stands text that
says why. Memory is bounded by the longest record allowed, time by how much a file may unpack to.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from vivavoce.errors import InputError
from vivavoce.sources import Piece
from vivavoce.store import parse_object

Record = dict[str, Any]

_LONGEST_RECORD = 16 << 20
_HEAD_BYTES = 1 << 18
_RECORDS_PER_PIECE = 200
# Text in JSON packs to a fifth or a tenth; far beyond that a file is made to swell.
_MOST_UNPACKED_TIMES = 100
_ALWAYS_UNPACKED = 64 << 20
_DAMAGE = (OSError, EOFError, zlib.error)
_BLANK = b"\xef\xbb\xbf \t\r\n"


def is_lines(path: Path) -> bool:
    """Whether a file's name says that each of its lines is a record."""
    return path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def read_head(path: Path) -> bytes:
    """The start of a file, unpacked; empty where it cannot be read."""
    parts: list[bytes] = []
    try:
        with _open(path) as stream:
            left = _HEAD_BYTES
            while left > 0 and (part := stream.read(min(left, 4096))):
                parts.append(part)
                left -= len(part)
    except _DAMAGE:
        pass  # what came before the damage may tell the kind; reading it names the damage
    return b"".join(parts)


def cut(path: Path) -> Iterator[Piece]:
    """Runs of 200 lines; gzip and files of one record stay whole."""
    try:
        bounds = [(0, 1)] if not is_lines(path) or _is_gzip(path) else list(_bounds(path))
    except OSError:
        bounds = [(0, 1)]  # reading it says what is wrong
    for place, (start, row) in enumerate(bounds):
        is_last = place + 1 == len(bounds)
        yield Piece(path, start, None if is_last else bounds[place + 1][0], row)


def read_records(piece: Piece) -> Iterator[tuple[str, Record | str]]:
    """(Where it stands, the record or why there is none) of every record of a piece."""
    name = piece.path.name
    last = piece.first_row - 1
    try:
        if not is_lines(piece.path):
            yield name, _read_whole(piece.path)
            return
        for number, line in _lines(piece):
            last = number
            if line.strip(_BLANK):
                yield f"{name}:{number}", _parse(line, "the line")
            elif not line:
                yield f"{name}:{number}", f"the line is longer than {_LONGEST_RECORD >> 20} MiB"
    except InputError as error:
        yield name, str(error)
    except _DAMAGE as error:
        beyond = f" beyond line {last}" if is_lines(piece.path) else ""
        yield name, f"the file cannot be read{beyond}: {error}"


def _bounds(path: Path) -> Iterator[tuple[int, int]]:
    """(Byte, line) where each run of lines starts."""
    yield 0, 1
    offset, lines = 0, 0
    with path.open("rb") as stream:
        while part := stream.readline(_LONGEST_RECORD):
            offset += len(part)
            if not part.endswith(b"\n"):
                continue
            lines += 1
            if lines % _RECORDS_PER_PIECE == 0 and offset < path.stat().st_size:
                yield offset, lines + 1


def _read_whole(path: Path) -> Record | str:
    with _open(path) as stream:
        content = stream.read(_LONGEST_RECORD + 1)
    if len(content) > _LONGEST_RECORD:
        return f"larger than {_LONGEST_RECORD >> 20} MiB, which no paper is"
    return _parse(content, "the file")


def _lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines by number; empty for one that is too long."""
    most = max(_ALWAYS_UNPACKED, piece.path.stat().st_size * _MOST_UNPACKED_TIMES)
    with _open(piece.path) as stream:
        stream.seek(piece.start)
        offset, number = piece.start, piece.first_row
        while piece.stop is None or offset < piece.stop:
            line = part = stream.readline(_LONGEST_RECORD)
            offset += len(part)
            while len(part) == _LONGEST_RECORD and not part.endswith(b"\n"):
                line = b""
                part = stream.readline(_LONGEST_RECORD)
                offset += len(part)
                _check(offset, most, number)
            if not part:
                return
            _check(offset, most, number)
            yield number, line
            number += 1


def _check(offset: int, most: int, number: int) -> None:
    if offset > most:
        raise InputError(
            f"the file unpacks to over {_MOST_UNPACKED_TIMES} times its size: "
            f"it is not read beyond line {number}"
        )


def _parse(content: bytes, what: str) -> Record | str:
    try:
        return parse_object(content.removeprefix(b"\xef\xbb\xbf"), what)
    except InputError as error:
        return str(error)


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _open(path: Path) -> IO[bytes]:
    # Both are binary streams; gzip's is not declared as one.
    return gzip.open(path, "rb") if _is_gzip(path) else path.open("rb")  # type: ignore[return-value]
