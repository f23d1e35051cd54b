"""Access to files: atomic writes, Parquet and JSON, completion markers, hashes and locks.

Every file is written beside its final name, flushed to disk and renamed, so a reader sees either
the old file or the whole new one. No time stamp is ever written: the same rows give the same bytes.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import math
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from vivavoce.errors import DamagedError, InputError, LockedError, VivaError

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

LOCK_NAME = ".lock"
DONE_SUFFIX = ".done.json"
SEAL = "seal"
_OWNER_TRIES, _OWNER_PAUSE = 20, 0.05
_CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
)
_ASCII = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> str:
    """Write a value as canonical JSON: sorted keys, no spaces; `ValueError` for NaN."""
    return _CANONICAL.encode(value)


def dumps_fast(value: Any) -> bytes:
    """Write a value without NaN as ASCII JSON with sorted keys and no spaces.

    For files, not for hashes: the way floats are written may change with the library's version.
    """
    import orjson

    try:
        encoded = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # half a surrogate pair, or too large an integer
        return _ASCII.encode(value).encode("ascii")
    return encoded if encoded.isascii() else _ASCII.encode(value).encode("ascii")


def loads_fast(content: bytes) -> Any:
    """Parse JSON, including halves of surrogate pairs; `ValueError` if it is not valid.

    Integers of more than 64 bits become floats.
    """
    import orjson

    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return json.loads(content.decode("utf-8", "surrogatepass"))


SHORT_HASH = 8
"""Number of characters of a hash that people are shown."""


def hash_of(value: Any) -> str:
    """Sha256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def hash_file(path: Path) -> str:
    """Sha256 of a file's bytes, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_intact(path: Path, sha256: str) -> bool:
    """Check whether a file is there and has a hash."""
    return path.is_file() and hash_file(path) == sha256


def write_bytes(path: Path, content: bytes, *, fsync: bool = True) -> None:
    """Write a file whole or not at all, surviving a kill and a power cut.

    Without `fsync` a power cut may damage the file: use it for many files, and call `fsync_files`
    at the end. Raises `VivaError`, which names the file, if it cannot be written, for instance
    because the disk is full.
    """
    write_chunks(path, [content], fsync=fsync)


def write_chunks(path: Path, pieces: Iterable[bytes], *, fsync: bool = True) -> None:
    """Write a file piece by piece, whole or not at all.

    `fsync` and `VivaError` are as for `write_bytes`.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            if fsync:
                os.fsync(stream.fileno())
        temporary.replace(path)
        if fsync:
            _sync(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise VivaError(
            f"{path} could not be written: {error.strerror}. Make room for it or choose another "
            "place, then run the same command again."
        ) from error


def fsync_files(paths: Iterable[Path]) -> None:
    """Flush files and their folders to the disk."""
    files = list(paths)
    for path in dict.fromkeys((*files, *(path.parent for path in files))):
        _sync(path)


def write_text(path: Path, content: str) -> None:
    """Write UTF-8 text whole or not at all."""
    write_bytes(path, content.encode("utf-8"))


def readable_json(value: Any) -> str:
    """A value as JSON for people: sorted keys, two-space indent, final newline, no NaN."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n"


def write_json(path: Path, value: Any) -> None:
    """Write a value in the form of `readable_json`."""
    write_text(path, readable_json(value))


def read_text(path: Path, hint: str = "") -> str:
    """Read a text file; `InputError` names a file that cannot be read, with the hint if missing."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.{hint}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: {error}") from error


def read_json(path: Path) -> Any:
    """Read a JSON file; `InputError` names the file when it is missing or malformed."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not readable JSON: {error}") from error


def write_sealed(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object together with its own hash, so that any later change is noticed."""
    write_json(path, {**value, SEAL: hash_of(value)})


def read_sealed(path: Path, remedy: str = "") -> Row:
    """Read a file that `write_sealed` wrote.

    Raises `DamagedError` if the file is missing or was changed; its message ends with the remedy.
    """
    try:
        value = read_json(path)
    except InputError as error:
        raise DamagedError(f"{error} {remedy}".rstrip()) from error
    content = {k: v for k, v in value.items() if k != SEAL} if isinstance(value, dict) else {}
    if not content or value.get(SEAL) != hash_of(content):
        raise DamagedError(f"{path} differs from what was written. {remedy}".rstrip())
    return content


def is_gzip(path: Path) -> bool:
    """Check by its first two bytes whether a file is gzip."""
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing gzip."""
    # Both are binary streams, but gzip's is not declared as one.
    return gzip.open(path, "rb") if is_gzip(path) else path.open("rb")  # type: ignore[return-value]


def open_text(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line without its newline) of a plain or gzip file.

    Gzip is recognised by its first two bytes, not by the file's name. Raises `InputError`, which
    names the file, if it cannot be read or is truncated or corrupt gzip.
    """
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.rstrip(b"\r\n")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file: {error}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def read_jsonl(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield (line number, object) of a JSON Lines file; blank lines are skipped.

    `InputError` names the file and the line of anything that is not a JSON object.
    """
    for number, line in open_text(path):
        if not line.strip():
            continue
        yield number, parse_object(line, f"{path}:{number}")


def parse_object(line: bytes, where: str) -> Row:
    """Parse one JSON object; `InputError` starts with `where`. NaN and Infinity are refused."""
    try:
        value = load_json(line)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{where} is not readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError(f"{where} is not a JSON object.")
    return value


def load_json(
    content: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Any:
    """Parse JSON; NaN, infinity and numbers too large for a float are a `ValueError` too.

    `pairs` makes an object from its (key, value) pairs; by default this is a dictionary.
    """
    return json.loads(
        content, object_pairs_hook=pairs, parse_constant=refuse_constant, parse_float=finite
    )


def refuse_constant(name: str) -> float:
    """Raise `ValueError` for NaN and infinity, which are no JSON."""
    raise ValueError(f"{name} is not a JSON number")


def finite(text: str) -> float:
    """Read a number; `ValueError` if it is too large for a float."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON Lines, whole or not at all."""
    write_text(path, "".join(canonical_json(row) + "\n" for row in rows))


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows, in the order given, to one Parquet file, whole or not at all."""
    write_bytes(path, parquet_of_rows(rows, schema))


def parquet_of_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> bytes:
    """A Parquet file of rows, in the order given."""
    import pyarrow as pa

    return parquet_of(pa.Table.from_pylist(list(rows), schema=schema))


def parquet_of(table: pa.Table, **options: Any) -> bytes:
    """Encode a table as a Parquet file: the same bytes for the same table.

    `options` are those of pyarrow; by default the file is compressed with zstd.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **{"compression": "zstd", "write_statistics": False, **options})
    return bytes(sink.getvalue().to_pybytes())


def table_of_parquet(content: bytes, columns: list[str] | None = None) -> pa.Table:
    """Read a table, or some of its columns, from Parquet bytes; raises pyarrow's errors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(pa.BufferReader(content)).read(columns=columns)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file, or some of its columns; `DamagedError` if it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.read(columns=None if columns is None else list(columns), use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read as Parquet: {error}") from error


def read_parquet(path: Path) -> list[Row]:
    """Read a Parquet file as rows; `DamagedError` names a file that cannot be read."""
    rows: list[Row] = read_table(path).to_pylist()
    return rows


def mark_done(path: Path, *, config: str, inputs: str, extra: Mapping[str, Any]) -> None:
    """Record that a shard is complete, together with hashes of its content, config and inputs."""
    marker = {**extra, "sha256": hash_file(path), "config": config, "inputs": inputs}
    write_sealed(path.with_name(path.name + DONE_SUFFIX), marker)


def read_done(path: Path, *, config: str, inputs: str) -> Row | None:
    """Return a shard's marker if the shard is as recorded, else None.

    A shard counts as undone if its marker is missing or was written for another config or other
    inputs, or if its bytes have changed since.
    """
    try:
        marker = read_sealed(path.with_name(path.name + DONE_SUFFIX))
    except DamagedError:
        return None
    is_same = (marker.get("config"), marker.get("inputs")) == (config, inputs)
    return marker if is_same and is_intact(path, str(marker.get("sha256"))) else None


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Lock a folder for this process; `LockedError` names the process that has locked it.

    The kernel releases the lock of a killed process. Raises `InputError` for an unusable folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / LOCK_NAME).open("a+b")
    except OSError as error:
        raise InputError(f"{folder} cannot be used as a folder: {error.strerror}.") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LockedError(str(folder), _owner(stream)) from error
        stream.truncate(0)
        stream.write(str(os.getpid()).encode())
        stream.flush()
        try:
            yield
        finally:
            stream.truncate(0)


def _owner(stream: IO[bytes]) -> int | None:
    """Read the process id in a lock; retries, as its owner may be about to write it."""
    for _ in range(_OWNER_TRIES):
        stream.seek(0)
        owner = stream.read().strip()
        if owner.isdigit():
            return int(owner)
        time.sleep(_OWNER_PAUSE)
    return None


def hash_tree(folder: Path) -> dict[str, str]:
    """Sha256 of every file below a folder, by relative path; locks and temporaries excluded."""
    return {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK_NAME and not path.name.endswith(".tmp")
    }


def _sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
