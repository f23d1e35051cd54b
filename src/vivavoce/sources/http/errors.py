"""Errors of a fetch; each carries the address and, for pages, the offset."""

from __future__ import annotations

from vivavoce.errors import VivaError


class HttpError(VivaError):
    """A fetch that failed; `url` is what was asked for, `offset` the first result of its page."""

    def __init__(self, what: str, url: str, todo: str, offset: int | None = None) -> None:
        place = url if offset is None else f"{url} (results from offset {offset})"
        super().__init__(f"{what}: {place}. {todo}")
        self.url = url
        self.offset = offset


class RefusedAddressError(HttpError):
    """An address, or one that it redirects to, which the client does not fetch."""


class OverdueError(HttpError):
    """The total time for a fetch is over."""


class TooLargeError(HttpError):
    """A body beyond the byte limit, on the wire or after decompression."""


class UnreachableError(HttpError):
    """No whole answer arrived, however often it was asked for."""


class BadStatusError(HttpError):
    """The server answered with an error; `status` is its code and `body` what came with it."""

    def __init__(
        self,
        what: str,
        url: str,
        todo: str,
        offset: int | None = None,
        *,
        status: int,
        body: bytes = b"",
    ) -> None:
        super().__init__(what, url, todo, offset)
        self.status = status
        self.body = body


class BadReplyError(HttpError):
    """The answer arrived with a good status but is not what was asked for."""


class ChangedError(HttpError):
    """Pages of one search do not fit together."""
