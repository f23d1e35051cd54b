"""One request and its answer, bounded in bytes and in time from the first look-up to the end."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from vivavoce import __version__

_HEADERS = {"User-Agent": f"vivavoce/{__version__}", "Accept-Encoding": "gzip"}
_GZIP = 16 + zlib.MAX_WBITS


class Broken(Exception):
    """An answer that did not arrive whole; the message completes a sentence about it."""


class Oversize(Exception):
    """An answer beyond its byte limit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a server, decompressed."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


def transfer(url: str, *, seconds: float, largest: int, trust_env: bool = True) -> Answer:
    """Ask for an address without following redirects; not to be called inside an event loop.

    Raises:
        TimeoutError: Not all of it was there after so many seconds.
        Broken: It could not be reached, or the answer ended early.
        Oversize: More bytes than `largest`, before or after decompression.
    """
    try:
        return asyncio.run(_transfer(url, seconds, largest, trust_env))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Broken(f"{type(error).__name__}: {error}") from error


async def _transfer(url: str, seconds: float, largest: int, trust_env: bool) -> Answer:
    # Timeouts of httpx are for each read, so a server that drips would never meet one.
    async with (
        asyncio.timeout(seconds),
        httpx.AsyncClient(timeout=None, headers=_HEADERS, trust_env=trust_env) as client,
        client.stream("GET", url) as response,
    ):
        body = _Body(response.headers.get("content-encoding", ""), largest)
        async for chunk in response.aiter_raw():
            body.add(chunk)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, body.finish())


class _Body:
    """The bytes of an answer as they come, never more than the limit in memory."""

    def __init__(self, encoding: str, largest: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            raise Broken(f"it is compressed as {encoding[:40]!r}, which was not asked for")
        self._inflate = zlib.decompressobj(_GZIP) if encoding.endswith("gzip") else None
        self._largest = largest
        self._received = 0
        self._content = bytearray()

    def add(self, chunk: bytes) -> None:
        self._received += len(chunk)
        if self._received > self._largest:
            raise Oversize
        if self._inflate is not None:
            room = self._largest + 1 - len(self._content)
            try:
                chunk = self._inflate.decompress(chunk, room)
            except zlib.error as error:
                raise Broken(f"its gzip data are damaged: {error}") from error
        self._content += chunk
        if len(self._content) > self._largest:
            raise Oversize

    def finish(self) -> bytes:
        if self._inflate is not None and self._received and not self._inflate.eof:
            raise Broken("its gzip data end early")
        return bytes(self._content)
