"""Unpack e-prints in memory: tar, zip and gzip files, of which only the LaTeX files are kept.

Nothing is written to disk, so a name inside cannot lead anywhere; links and devices are skipped.
Content that unpacks to more than a paper can hold is refused before it fills the memory. This
module reads tar files member by member, which bounds the time and memory that a header can cost.
The standard library follows sparse maps and chains of extended headers without bounds.
"""

import io
import posixpath
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex.files import LARGEST_FILE, TEXT_SUFFIXES
from vivavoce.text.normalise import clean_text

BLOCK = 512
_LARGEST_HEADER = 64 << 10
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_PAX = frozenset({tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE})
_HEADERS = frozenset({_LONG_NAME, _LONG_LINK, tarfile.XGLTYPE}) | _PAX
_FILES = frozenset({tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE})
_WITHOUT_DATA = frozenset(
    {tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE}
)
# Offsets at which an old sparse header, or a block that continues it, says that another follows.
_IS_EXTENDED, _GOES_ON = 482, 504
ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip", ".gz")
_LARGEST_ARCHIVE = 256 << 20
_MAX_UNPACKED = 512 << 20
_MAX_TEXT = 64 << 20
_MAX_MEMBERS = 20_000
_LARGEST_DIRECTORY = 4 << 20
_MAX_STREAMS = 1_000
_CHUNK = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS
_DRIVE = re.compile(r"[A-Za-z]:")


class ByteStream(Protocol):
    """A stream of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes; none at the end."""


class Part:
    """The content of a member, readable until the next member is asked for."""

    def __init__(self, stream: ByteStream, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes, or all that is left if `size` is negative."""
        wanted = self._left if size < 0 else min(size, self._left)
        content = _read(self._stream, wanted)
        self._left -= len(content)
        return content

    def skip(self) -> None:
        """Skip what was not read."""
        while self._left > 0:
            self.read(_CHUNK)


def is_tar(start: bytes) -> bool:
    """Check whether bytes start like a tar archive."""
    try:
        tarfile.TarInfo.frombuf(start[:BLOCK], "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def tar_members(stream: ByteStream) -> Iterator[tuple[str, Part]]:
    """Name and content of every member; only regular files have content.

    Raises `InputError` if the archive is damaged.
    """
    name = ""
    is_sparse = False
    while any(block := stream.read(BLOCK)):
        header = _header(block)
        if header.type in _HEADERS:
            if header.size > _LARGEST_HEADER:
                most = _LARGEST_HEADER >> 10
                raise InputError(f"the archive has a header of more than {most} KiB")
            content = _read(stream, header.size + -header.size % BLOCK)[: header.size]
            if header.type == _LONG_NAME:
                name = content.partition(b"\0")[0].decode("utf-8", "replace")
            elif header.type in _PAX:
                records = _records(content)
                name = records.get(b"path", b"").decode("utf-8", "replace") or name
                is_sparse = any(key.startswith(b"GNU.sparse.") for key in records)
            yield "", Part(stream, 0)  # counted as a member, to limit their number
            continue
        if header.type == tarfile.GNUTYPE_SPARSE:
            is_sparse = True
            goes_on = block[_IS_EXTENDED]
            while goes_on:  # blocks that list the holes of the file
                goes_on = _read(stream, BLOCK)[_GOES_ON]
        part = Part(stream, 0 if header.type in _WITHOUT_DATA else header.size)
        is_file = header.type in _FILES and not is_sparse
        yield name or header.name, part if is_file else Part(stream, 0)
        part.skip()
        _read(stream, -header.size % BLOCK if header.type not in _WITHOUT_DATA else 0)
        name, is_sparse = "", False


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    except (tarfile.HeaderError, ValueError, IndexError) as error:
        raise InputError(f"the archive is damaged: {error}") from error
    if header.size < 0:
        raise InputError("the archive is damaged: a file in it has a negative size")
    return header


def _records(content: bytes) -> dict[bytes, bytes]:
    """The records of an extended header: `18 path=some/name` and a line end, 18 bytes in all."""
    records: dict[bytes, bytes] = {}
    place = 0
    while place < len(content):
        space = content.find(b" ", place, place + 8)
        length = content[place:space] if space > place else b""
        if not length.isdigit() or int(length) <= space - place:
            break
        key, _, value = content[space + 1 : place + int(length) - 1].partition(b"=")
        records[key] = value
        place += int(length)
    return records


def _read(stream: ByteStream, size: int) -> bytes:
    """Read exactly `size` bytes."""
    content = stream.read(size) if size > 0 else b""
    if len(content) < size:
        raise InputError("the archive is damaged: it ends too early")
    return content


Member = tuple[str, ByteStream]


class _Gunzip:
    """Unpacks a gzip file; refuses a file of very many short streams."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._inflate = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._streams = 1

    def read(self, size: int = -1, /) -> bytes:
        """Read `size` bytes, fewer only at the end."""
        pieces: list[bytes] = []
        while size > 0 and (piece := self._piece(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        while True:
            self._packed = self._packed or self._stream.read(_CHUNK)
            if self._inflate.eof:
                self._packed = self._packed.lstrip(b"\0")  # padding of the last block of a tape
                if not self._packed:
                    return b""
                self._streams += 1
                if self._streams > _MAX_STREAMS:
                    raise InputError(f"it has more than {_MAX_STREAMS:,} gzip streams")
                self._inflate = zlib.decompressobj(_GZIP)
            elif not self._packed:
                raise InputError("the archive is damaged: its gzip data end early")
            piece = self._inflate.decompress(self._packed, size)
            self._packed = self._inflate.unconsumed_tail or self._inflate.unused_data
            if piece:
                return piece


class _BoundedStream:
    """A stream that refuses to give more than `_MAX_UNPACKED` bytes."""

    def __init__(self, stream: ByteStream, start: bytes) -> None:
        self._stream = stream
        self._start = start
        self._left = _MAX_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes."""
        if self._start:
            content, self._start = self._start[:size], self._start[size:]
        else:
            content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise InputError(f"it unpacks to more than {_MAX_UNPACKED >> 20} MiB")
        return content


class _SmallReads(io.BufferedReader):
    """A file that refuses large reads, such as the directory of a zip with a million files."""

    most = _LARGEST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        """Read up to `size` bytes; raise `InputError` if they are too many."""
        wanted = self.most + 1 if size is None or not 0 <= size <= self.most else size
        content = super().read(wanted)
        if len(content) > self.most:
            raise InputError(f"the archive has more than {_MAX_MEMBERS} files")
        return content


def unpack(path: Path) -> dict[str, bytes]:
    """The LaTeX files in an archive, by name, whatever its suffix; a lone file is `main.tex`."""
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
        # Raised by the modules for encrypted members, odd methods and odd numbers.
        RuntimeError,
        NotImplementedError,
        ValueError,
        OverflowError,
    ) as error:
        raise InputError(f"the archive is damaged: {error}") from error
    if not files:
        raise InputError("the archive holds no LaTeX file")
    return files


def _tar_or_text(stream: ByteStream) -> dict[str, bytes]:
    start = stream.read(BLOCK)
    if is_tar(start):
        return _collect(tar_members(_BoundedStream(stream, start)))
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
            # The mode stored by Unix programs distinguishes files from links and devices.
            mode = stat.S_IFMT(member.external_attr >> 16)
            if is_text and not member.is_dir() and mode in {0, stat.S_IFREG}:
                with archive.open(member) as content:
                    yield member.filename, content
            else:
                yield "", io.BytesIO()


def _collect(members: Iterator[Member]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for count, (name, stream) in enumerate(members):
        if count >= _MAX_MEMBERS:
            raise InputError(f"the archive has more than {_MAX_MEMBERS} files")
        plain = posixpath.normpath(clean_text(name).replace("\\", "/").replace("\n", " "))
        is_outside = plain.startswith(("/", "../")) or _DRIVE.match(plain) is not None
        if is_outside or not plain.lower().endswith(TEXT_SUFFIXES):
            continue
        content = stream.read(LARGEST_FILE + 1)
        total += len(content)
        if len(content) > LARGEST_FILE or total > _MAX_TEXT:
            raise InputError(
                f"{plain[:80]} is larger than a paper can be: {LARGEST_FILE >> 20} MiB"
            )
        if content:
            files.setdefault(plain, content)
    return files
