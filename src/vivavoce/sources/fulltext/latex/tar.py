"""Tar archives member by member, out of a stream that nobody vouches for.

Only regular files are given out. The time and memory a header can cost are bounded, which those
that the standard library follows on its own, sparse maps and chains of extended headers, are not.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO, Protocol

from vivavoce.errors import InputError

BLOCK = 512
_LARGEST_HEADER = 64 << 10
_CHUNK = 1 << 16
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_PAX = frozenset({tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE})
_HEADERS = frozenset({_LONG_NAME, _LONG_LINK, tarfile.XGLTYPE}) | _PAX
_FILES = frozenset({tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE})
_WITHOUT_DATA = frozenset(
    {tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE}
)
# Where an old sparse header, and each block that continues it, says that another one follows.
_IS_EXTENDED, _GOES_ON = 482, 504


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes; none at the end."""


class Part:
    """The content of a member, which can be read until the next member is asked for."""

    def __init__(self, stream: Readable, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes of it, all that is left for a negative number."""
        wanted = self._left if size < 0 else min(size, self._left)
        content = _read(self._stream, wanted)
        self._left -= len(content)
        return content

    def skip(self) -> None:
        """Pass what was not read."""
        while self._left > 0:
            self.read(_CHUNK)


def is_tar(start: bytes) -> bool:
    """Whether bytes start as a tar archive does."""
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def tar_members(stream: Readable | IO[bytes]) -> Iterator[tuple[str, Part]]:
    """Name and content of every member; what is no regular file has no content.

    A name that is not UTF-8 comes with replacement characters. `InputError` when the archive is
    damaged.
    """
    name = ""
    is_sparse = False
    while any(block := stream.read(BLOCK)):
        found = _header(block)
        if found.type in _HEADERS:
            content = _extension(stream, found.size)
            if found.type == _LONG_NAME:
                name = content.partition(b"\0")[0].decode("utf-8", "replace")
            elif found.type in _PAX:
                records = _records(content)
                name = records.get(b"path", b"").decode("utf-8", "replace") or name
                is_sparse = any(key.startswith(b"GNU.sparse.") for key in records)
            yield "", Part(stream, 0)  # counted like a member, so that there are not too many
            continue
        if found.type == tarfile.GNUTYPE_SPARSE:
            is_sparse = True
            _pass_map(stream, block)
        part = Part(stream, 0 if found.type in _WITHOUT_DATA else found.size)
        is_file = found.type in _FILES and not is_sparse
        yield name or found.name, part if is_file else Part(stream, 0)
        part.skip()
        _read(stream, -found.size % BLOCK if found.type not in _WITHOUT_DATA else 0)
        name, is_sparse = "", False


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        found = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    except (tarfile.HeaderError, ValueError, IndexError) as error:
        raise InputError(f"the archive is damaged: {error}") from error
    if found.size < 0:
        raise InputError("the archive is damaged: a file in it has a negative size")
    return found


def _extension(stream: Readable, size: int) -> bytes:
    """The content of a header that says more of the member behind it."""
    if size > _LARGEST_HEADER:
        raise InputError(f"the archive has a header of more than {_LARGEST_HEADER >> 10} KiB")
    return _read(stream, size + -size % BLOCK)[:size]


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


def _pass_map(stream: Readable, block: bytes) -> None:
    """Pass the blocks that tell where the holes of a sparse file are."""
    goes_on = block[_IS_EXTENDED]
    while goes_on:
        goes_on = _read(stream, BLOCK)[_GOES_ON]


def _read(stream: Readable, size: int) -> bytes:
    """Exactly so many bytes."""
    content = stream.read(size) if size > 0 else b""
    if len(content) < size:
        raise InputError("the archive is damaged: it ends too early")
    return content
