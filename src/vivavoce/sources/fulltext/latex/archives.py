"""E-prints unpacked in memory: tar, zip and gzip, of which only the LaTeX files are kept.

Nothing is written to disk, so no name inside leads anywhere; links and devices are passed over.
What unpacks to more than a paper can hold is refused before it fills the memory.
"""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex.files import LARGEST_FILE, TEXT_SUFFIXES
from vivavoce.sources.fulltext.latex.tar import BLOCK, Readable, is_tar, tar_members
from vivavoce.text.normalise import clean_text

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip", ".gz")
_LARGEST_ARCHIVE = 256 << 20
_MOST_UNPACKED = 512 << 20
_MOST_TEXT = 64 << 20
_MOST_MEMBERS = 20_000
_LARGEST_DIRECTORY = 4 << 20
_MOST_STREAMS = 1_000
_CHUNK = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS
_DRIVE = re.compile(r"[A-Za-z]:")

Member = tuple[str, Readable]


class _Gunzip:
    """What a gzip file unpacks to; a file of very many short streams is refused."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._inflate = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._streams = 1

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes, fewer only at the end."""
        pieces: list[bytes] = []
        while size > 0 and (piece := self._piece(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        while True:
            self._packed = self._packed or self._stream.read(_CHUNK)
            if self._inflate.eof:
                self._packed = self._packed.lstrip(b"\0")  # what fills the last block of a tape
                if not self._packed:
                    return b""
                self._start_stream()
            elif not self._packed:
                raise InputError("the archive is damaged: its gzip data end early")
            piece = self._inflate.decompress(self._packed, size)
            self._packed = self._inflate.unconsumed_tail or self._inflate.unused_data
            if piece:
                return piece

    def _start_stream(self) -> None:
        self._streams += 1
        if self._streams > _MOST_STREAMS:
            raise InputError(f"it has more than {_MOST_STREAMS:,} gzip streams")
        self._inflate = zlib.decompressobj(_GZIP)


class _Bounded:
    """A stream that refuses to give more than a number of bytes."""

    def __init__(self, stream: Readable, start: bytes) -> None:
        self._stream = stream
        self._start = start
        self._left = _MOST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes."""
        if self._start:
            content, self._start = self._start[:size], self._start[size:]
        else:
            content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise InputError(f"it unpacks to more than {_MOST_UNPACKED >> 20} MiB")
        return content


class _SmallReads(io.BufferedReader):
    """A file of which no great part is read at once, as the list of a zip of a million files."""

    most = _LARGEST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to so many bytes; `InputError` where they are too many."""
        wanted = self.most + 1 if size is None or not 0 <= size <= self.most else size
        content = super().read(wanted)
        if len(content) > self.most:
            raise InputError(f"the archive has more than {_MOST_MEMBERS} files")
        return content


def unpack(path: Path) -> dict[str, bytes]:
    """The LaTeX files in an archive by name; `InputError` says why there are none.

    The content tells the kind, not the name. A gzip that holds one file gives `main.tex`.
    """
    if path.stat().st_size > _LARGEST_ARCHIVE:
        raise InputError(f"larger than {_LARGEST_ARCHIVE >> 20} MiB, which no e-print is")
    try:
        with _SmallReads(io.FileIO(path)) as stream:
            start = stream.read(4)
            stream.seek(0)
            if start.startswith(b"PK"):
                files = _collect(_zip_members(stream))
            elif start.startswith(b"\x1f\x8b"):
                files = _tar_or_text(_Gunzip(stream))
            else:
                stream.most = LARGEST_FILE + 1
                files = _tar_or_text(stream)
    except (
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


def _tar_or_text(stream: Readable) -> dict[str, bytes]:
    start = stream.read(BLOCK)
    if is_tar(start):
        return _collect(tar_members(_Bounded(stream, start)))
    return _one_text(start, stream)


def _one_text(start: bytes, stream: Readable) -> dict[str, bytes]:
    content = start + stream.read(LARGEST_FILE + 1 - len(start))
    if len(content) > LARGEST_FILE:
        raise InputError(f"it unpacks to more than {LARGEST_FILE >> 20} MiB of text")
    if b"\\" not in content or b"\0" in content:
        raise InputError("it holds neither a tar archive nor LaTeX")
    return {"main.tex": content}


def _zip_members(stream: _SmallReads) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        stream.most = LARGEST_FILE + 1
        for member in archive.infolist():
            is_text = member.filename.lower().endswith(TEXT_SUFFIXES)
            if is_text and _is_file(member):
                with archive.open(member) as content:
                    yield member.filename, content
            else:
                yield "", io.BytesIO()


def _is_file(member: zipfile.ZipInfo) -> bool:
    """Whether a member is no folder, link or device, by the mode that Unix programs store."""
    mode = stat.S_IFMT(member.external_attr >> 16)
    return not member.is_dir() and mode in {0, stat.S_IFREG}


def _collect(members: Iterator[Member]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for count, (name, stream) in enumerate(members):
        if count >= _MOST_MEMBERS:
            raise InputError(f"the archive has more than {_MOST_MEMBERS} files")
        plain = _inner_name(name)
        if not plain.lower().endswith(TEXT_SUFFIXES):
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


def _inner_name(name: str) -> str:
    """The name of a file below the paper's folder; empty for one that leads out of it."""
    plain = posixpath.normpath(clean_text(name).replace("\\", "/").replace("\n", " "))
    is_outside = plain.startswith(("/", "../")) or plain == ".." or _DRIVE.match(plain) is not None
    return "" if is_outside else plain
