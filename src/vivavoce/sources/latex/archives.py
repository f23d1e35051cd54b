"""E-prints unpacked in memory: tar, zip and gzip, of which only the LaTeX files are kept.

Nothing is written to disk, so no name inside leads anywhere; links and devices are passed over.
What unpacks to more than a paper can hold is refused before it fills the memory.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from vivavoce.errors import InputError
from vivavoce.sources.latex.files import LARGEST_FILE, TEXT_SUFFIXES

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip", ".gz")
_LARGEST_ARCHIVE = 256 << 20
_MOST_UNPACKED = 512 << 20
_MOST_TEXT = 64 << 20
_MOST_MEMBERS = 20_000
_LARGEST_HEADER = 1 << 20
_BLOCK = 512

_Bytes = IO[bytes] | gzip.GzipFile


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than a number of bytes."""

    def __init__(self, stream: _Bytes, start: bytes) -> None:
        self._stream = stream
        self._start = start
        self._left = _MOST_UNPACKED

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._start:
            content, self._start = self._start[:size], self._start[size:]
        else:
            content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise InputError(f"it unpacks to more than {_MOST_UNPACKED >> 20} MiB")
        return content


def unpack(path: Path) -> dict[str, bytes]:
    """The LaTeX files in an archive by name; `InputError` says why there are none.

    The content tells the kind, not the name. A gzip that holds one file gives `main.tex`.
    """
    if path.stat().st_size > _LARGEST_ARCHIVE:
        raise InputError(f"larger than {_LARGEST_ARCHIVE >> 20} MiB, which no e-print is")
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
            stream.seek(0)
            if start.startswith(b"PK"):
                files = _collect(_zip_members(stream))
            elif start.startswith(b"\x1f\x8b"):
                with gzip.open(stream) as unpacked:
                    files = _tar_or_text(unpacked)
            else:
                files = _tar_or_text(stream)
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        # What the modules raise for encrypted members, odd methods and odd numbers.
        RuntimeError,
        NotImplementedError,
        ValueError,
        OverflowError,
    ) as error:
        raise InputError(f"the archive is damaged: {error}") from error
    if not files:
        raise InputError("the archive holds no LaTeX file")
    return files


def _tar_or_text(stream: _Bytes) -> dict[str, bytes]:
    start = stream.read(_BLOCK)
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return _one_text(start, stream)
    return _collect(_tar_members(_Bounded(stream, start)))


def _one_text(start: bytes, stream: _Bytes) -> dict[str, bytes]:
    content = start + stream.read(LARGEST_FILE + 1 - len(start))
    if len(content) > LARGEST_FILE:
        raise InputError(f"it unpacks to more than {LARGEST_FILE >> 20} MiB of text")
    if b"\\" not in content or b"\0" in content:
        raise InputError("it holds neither a tar archive nor LaTeX")
    return {"main.tex": content}


def _tar_members(stream: _Bounded) -> Iterator[tuple[str, int, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarInfo) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isreg() else None
            yield member.name, member.size, content or io.BytesIO()


class _TarInfo(tarfile.TarInfo):
    """A member of which a header that would fill the memory is refused."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _TarInfo:
        found = super().frombuf(buf, encoding, errors)
        if not found.isreg() and found.size > _LARGEST_HEADER:
            raise InputError(f"the archive has a header of more than {_LARGEST_HEADER >> 20} MiB")
        return found


def _zip_members(stream: IO[bytes]) -> Iterator[tuple[str, int, IO[bytes]]]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.is_dir() or not member.filename.lower().endswith(TEXT_SUFFIXES):
                yield member.filename, 0, io.BytesIO()
                continue
            with archive.open(member) as content:
                yield member.filename, member.file_size, content


def _collect(members: Iterator[tuple[str, int, IO[bytes]]]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for count, (name, _, stream) in enumerate(members):
        if count >= _MOST_MEMBERS:
            raise InputError(f"the archive has more than {_MOST_MEMBERS} files")
        plain = posixpath.normpath(name.replace("\\", "/"))
        is_inside = not plain.startswith(("/", "../")) and plain != ".."
        if not is_inside or not plain.lower().endswith(TEXT_SUFFIXES):
            continue
        content = stream.read(LARGEST_FILE + 1)
        total += len(content)
        if len(content) > LARGEST_FILE or total > _MOST_TEXT:
            raise InputError(
                f"{plain[:80]} is larger than a paper can be: {LARGEST_FILE >> 20} MiB"
            )
        if content:
            files.setdefault(plain, content)
    return files
