"""JSON records of papers out of files that nobody vouches for: `.json`, `.jsonl`, gzip or plain.

Every record comes with where it stands; in place of one that cannot be read stands text that
says why. Memory is bounded by the longest record allowed, time by how much a file may unpack to.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.sources import Piece
from vivavoce.sources.raw import parse_strictly
from vivavoce.store import is_gzip, open_bytes

Record = dict[str, Any]

_LONGEST_RECORD = 16 << 20
_HEAD_BYTES = 1 << 18
_LINES_PER_PIECE = 200
_LINES_PER_GZIP_PIECE = 500
# Text in JSON packs to a fifth or a tenth; far beyond that a file is made to swell.
_MOST_UNPACKED_TIMES = 100
_LONGEST_MARGIN = 64
"""Bytes by which the first line of a value that is spread over lines is told."""
_ALWAYS_UNPACKED = 64 << 20
_DAMAGE = (OSError, EOFError, zlib.error)
_BLANK = b"\xef\xbb\xbf \t\r\n"


def is_lines(path: Path) -> bool:
    """Whether each line of a file is a record: its name says so, and its start no other."""
    if not path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return False
    try:
        with open_bytes(path) as stream:
            first = stream.readline(_LONGEST_MARGIN).strip(_BLANK)
            following = stream.read(1)
    except _DAMAGE:
        return True  # reading it says what is wrong
    is_spread = first == b"[" or (first == b"{" and following in (b" ", b"\t", b'"'))
    return not is_spread


def read_head(path: Path) -> bytes:
    """The start of a file, unpacked; empty where it cannot be read."""
    parts: list[bytes] = []
    try:
        with open_bytes(path) as stream:
            left = _HEAD_BYTES
            while left > 0 and (part := stream.read(min(left, 4096))):
                parts.append(part)
                left -= len(part)
    except _DAMAGE:
        pass  # what came before the damage may tell the kind; reading it names the damage
    return b"".join(parts)


def cut(path: Path) -> Iterator[Piece]:
    """Runs of 200 lines, of gzip 500, where each run is sought from the start; records whole."""
    bounds = [(0, 1)]
    try:
        for bound in _bounds(path) if is_lines(path) else ():
            bounds.append(bound)
    except _DAMAGE:
        pass  # reading it says what is wrong
    for place, (start, row) in enumerate(bounds):
        is_last = place + 1 == len(bounds)
        yield Piece(path, start, None if is_last else bounds[place + 1][0], row)


def read_records(piece: Piece) -> Iterator[tuple[str, Record | str]]:
    """(Where it stands, the record or why there is none) of every record of a piece."""
    for where, value in read_values(piece):
        if isinstance(value, list):
            yield where, f"the {_unit(piece.path)} is not a JSON object."
        else:
            yield where, value


def read_values(
    piece: Piece, largest: int = _LONGEST_RECORD
) -> Iterator[tuple[str, Record | list[Any] | str]]:
    """(Where it stands, an object or array, or why there is none) of every value of a piece.

    `largest` bounds the bytes of a file that is one value.
    """
    name = piece.path.name
    last = piece.first_row - 1
    has_lines = is_lines(piece.path)
    try:
        if not has_lines:
            yield name, _read_whole(piece.path, largest)
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
        beyond = f" beyond line {last}" if has_lines else ""
        yield name, f"the file cannot be read{beyond}: {error}"


def _bounds(path: Path) -> Iterator[tuple[int, int]]:
    """(Byte, line) where each run of lines but the first starts."""
    run = _LINES_PER_GZIP_PIECE if is_gzip(path) else _LINES_PER_PIECE
    most = _most_unpacked(path)
    offset, lines, is_start = 0, 0, False
    with open_bytes(path) as stream:
        while offset <= most and (part := stream.readline(_LONGEST_RECORD)):
            if is_start and lines % run == 0:
                yield offset, lines + 1
            offset += len(part)
            is_start = part.endswith(b"\n")
            lines += is_start


def _read_whole(path: Path, largest: int) -> Record | list[Any] | str:
    with open_bytes(path) as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        return f"larger than {largest >> 20} MiB: too large to be read as one"
    return _parse(content, "the file")


def _lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines by number; empty for one that is too long."""
    most = _most_unpacked(piece.path)
    with open_bytes(piece.path) as stream:
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


def _most_unpacked(path: Path) -> int:
    return max(_ALWAYS_UNPACKED, path.stat().st_size * _MOST_UNPACKED_TIMES)


def _check(offset: int, most: int, number: int) -> None:
    if offset > most:
        raise InputError(
            f"the file unpacks to over {_MOST_UNPACKED_TIMES} times its size: "
            f"it is not read beyond line {number}"
        )


def _unit(path: Path) -> str:
    return "line" if is_lines(path) else "file"


def _parse(content: bytes, what: str) -> Record | list[Any] | str:
    try:
        value: Record | list[Any] = parse_strictly(content, what)
    except InputError as error:
        return str(error)
    return value
