"""JSON records of papers from untrusted files: `.json`, `.jsonl`, gzip or plain.

Every record comes with its place; a record that cannot be read is replaced by the reason. Memory is
bounded by the longest record allowed, time by how much a file may unpack to. JSON is read strictly,
so that it can be written again without loss. Fields are read with the expected type.
"""

import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece
from vivavoce.store import canonical_json, is_gzip, load_json, open_bytes
from vivavoce.text.normalise import clean_text

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NAN = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*")|(?<![\w-])NaN(?!\w)', re.DOTALL)
"""A string, or NaN outside a string."""
_BOM = b"\xef\xbb\xbf"
Record = dict[str, Any]
_MAX_RECORD = 16 << 20
_HEAD_BYTES = 1 << 18
_LINES_PER_PIECE = 200
_LINES_PER_GZIP_PIECE = 500
# JSON text packs to a fifth or a tenth; a file that packs far better is made to swell.
_MAX_UNPACKED_TIMES = 100
_MAX_MARGIN = 64
"""Bytes of the first line that tell whether a value is spread over several lines."""
_ALWAYS_UNPACKED = 64 << 20
_DAMAGE = (OSError, EOFError, zlib.error)
_BLANK = b"\xef\xbb\xbf \t\r\n"
Fields = Mapping[str, Any]


def parse_strictly(content: bytes, what: str, *, nan_is_null: bool = False) -> Any:
    """The JSON object or array in some bytes; `InputError` starts with `what` and gives the reason.

    Duplicate keys, NaN and infinity are refused; with `nan_is_null` NaN is null.
    """
    try:
        plain = _NAN.sub(lambda match: match[1] or b"null", content) if nan_is_null else content
        value = load_json(plain.removeprefix(_BOM), _object)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{what} is not readable JSON: {error}") from error
    if not isinstance(value, dict | list):
        raise InputError(f"{what} is neither a JSON object nor an array.")
    return value


def raw_json(value: Any) -> str:
    """The canonical JSON of a value, lone surrogates escaped; `InputError` if it is too deep."""
    try:
        text = canonical_json(value)
    except RecursionError as error:
        raise InputError("the record is nested too deeply") from error
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, own in pairs:
        if key in value:
            raise ValueError(f"the key {key[:60]!r} appears twice in one object")
        value[key] = own
    return value


def is_lines(path: Path) -> bool:
    """Check by the name and the start of a file whether each of its lines is a record."""
    if not path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return False
    try:
        with open_bytes(path) as stream:
            first = stream.readline(_MAX_MARGIN).strip(_BLANK)
            following = stream.read(1)
    except _DAMAGE:
        return True  # reading it says what is wrong
    is_spread = first == b"[" or (first == b"{" and following in (b" ", b"\t", b'"'))
    return not is_spread


def read_head(path: Path) -> bytes:
    """The start of a file, unpacked; empty if it cannot be read."""
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
    """Runs of 200 lines (500 in gzip, where each run is sought from the start), or a whole file."""
    if is_lines(path):
        yield from cut_lines(path, _LINES_PER_PIECE, _LINES_PER_GZIP_PIECE)
    else:
        yield Piece(path)


def cut_lines(path: Path, run: int, gzip_run: int | None = None) -> Iterator[Piece]:
    """Runs of lines, longer ones in gzip; a gzip file is whole without `gzip_run`."""
    bounds = [(0, 1)]
    with suppress(*_DAMAGE):  # reading it says what is wrong
        if (lines := gzip_run if is_gzip(path) else run) is not None:
            bounds.extend(_bounds(path, lines))
    stops = [*(start for start, _ in bounds[1:]), None]
    for (start, row), stop in zip(bounds, stops, strict=True):
        yield Piece(path, start, stop, row)


def read_records(piece: Piece) -> Iterator[tuple[str, Record | str]]:
    """(Place, the record or the reason why there is none) for every record in a piece."""
    for where, value in read_values(piece):
        if isinstance(value, list):
            unit = "line" if is_lines(piece.path) else "file"
            yield where, f"the {unit} is not a JSON object."
        else:
            yield where, value


def read_documents(
    records: Iterable[tuple[str, Fields | str]], document_from: Callable[[Fields, str], Document]
) -> Iterator[Document | Fault]:
    """The documents of records; `document_from` takes a record and its place."""
    for where, record in records:
        try:
            if isinstance(record, str):
                raise InputError(record)
            yield document_from(record, where)
        except InputError as error:
            yield Fault(where, str(error))


def read_values(
    piece: Piece, largest: int = _MAX_RECORD, *, nan_is_null: bool = False
) -> Iterator[tuple[str, Record | list[Any] | str]]:
    """(Place, an object or array, or the reason why there is none) for every value in a piece.

    `largest` bounds the bytes of a file that is one value; `nan_is_null` reads NaN as null.
    """
    name = piece.path.name
    last = piece.first_row - 1
    has_lines = is_lines(piece.path)
    try:
        if not has_lines:
            with open_bytes(piece.path) as stream:
                content = stream.read(largest + 1)
            if len(content) > largest:
                raise InputError(f"larger than {largest >> 20} MiB: too large to be read as one")
            yield name, _parse(content, "the file", nan_is_null)
            return
        with open_bytes(piece.path) as stream:
            most = _most_unpacked(piece.path)
            for number, line in numbered_lines(stream, piece, _MAX_RECORD, most):
                last = number
                if line is None:
                    yield f"{name}:{number}", f"the line is longer than {_MAX_RECORD >> 20} MiB"
                elif line.strip(_BLANK):
                    yield f"{name}:{number}", _parse(line, "the line", nan_is_null)
    except InputError as error:
        yield name, str(error)
    except _DAMAGE as error:
        beyond = f" beyond line {last}" if has_lines else ""
        yield name, f"the file cannot be read{beyond}: {error}"


def _bounds(path: Path, run: int) -> Iterator[tuple[int, int]]:
    """(Byte, line) at which each run of lines except the first starts."""
    most = _most_unpacked(path)
    offset, lines, is_start = 0, 0, False
    with open_bytes(path) as stream:
        while offset <= most and (part := stream.readline(_MAX_RECORD)):
            if is_start and lines % run == 0:
                yield offset, lines + 1
            offset += len(part)
            is_start = part.endswith(b"\n")
            lines += is_start


def numbered_lines(
    stream: IO[bytes], piece: Piece, longest: int, most: float = math.inf
) -> Iterator[tuple[int, bytes | None]]:
    """(Number, line) for each line of a piece; None for a line of more than `longest` bytes.

    Raises `InputError` if the file has more than `most` bytes.
    """
    stream.seek(piece.start)
    offset, number = piece.start, piece.first_row
    while piece.stop is None or offset < piece.stop:
        line = part = stream.readline(longest)
        if not line:
            return
        offset += len(part)
        while offset <= most and len(part) == longest and not part.endswith(b"\n"):
            part = stream.readline(longest)
            offset += len(part)
        if offset > most:
            raise InputError(
                f"the file unpacks to over {_MAX_UNPACKED_TIMES} times its size: "
                f"it is not read beyond line {number}"
            )
        yield number, line if part is line else None
        number += 1


def _most_unpacked(path: Path) -> int:
    return max(_ALWAYS_UNPACKED, path.stat().st_size * _MAX_UNPACKED_TIMES)


def _parse(content: bytes, what: str, nan_is_null: bool) -> Record | list[Any] | str:
    try:
        return cast("Record | list[Any]", parse_strictly(content, what, nan_is_null=nan_is_null))
    except InputError as error:
        return str(error)


def text_at(row: Fields, key: str) -> str:
    """The text of a field without blanks around it; empty if absent. A number is its digits."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise InputError(f"{key!r} is a {type(value).__name__}, not a text")
    return clean_text(value).strip()


def line_at(row: Fields, key: str) -> str:
    """The text of a field on one line, with single spaces."""
    return " ".join(text_at(row, key).split())


def list_at(row: Fields, key: str) -> list[Any]:
    """The list in a field; empty if absent."""
    value = row.get(key)
    if value is not None and not isinstance(value, list):
        raise InputError(f"{key!r} is a {type(value).__name__}, not a list")
    return value or []


def rows_at(row: Fields, key: str) -> list[Fields]:
    """The list of objects in a field; empty if absent."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{key!r} is not a list of objects")
    return value


def object_at(row: Fields, key: str) -> Fields:
    """The object in a field; empty if absent."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{key!r} is a {type(value).__name__}, not an object")
    return value


def objects_at(row: Fields, key: str) -> dict[str, Fields]:
    """The object of objects in a field, in the order of the file; empty if absent."""
    value = object_at(row, key)
    if not all(isinstance(item, dict) for item in value.values()):
        raise InputError(f"{key!r} holds something else than objects")
    return dict(value)


def texts_at(row: Fields, key: str) -> list[str]:
    """The list of texts in a field, or one text as a list; empty if absent."""
    value = row.get(key)
    values = value if isinstance(value, list) else [value]
    return [text for item in values if (text := line_at({key: item}, key))]
