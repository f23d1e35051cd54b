"""What every request passes first: a known host, a body of bounded size, a form of our own.

And what every answer carries: headers that keep a page to itself.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

from vivavoce.web.annotation.security import HEADERS, is_known_host, is_own_form

LARGEST_BODY = 256 * 1024
"""Bytes of a form; a note of 4,000 characters takes up to 48,000 of them."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = Callable[[int, str, str], App]
"""Makes a page out of a status, a heading and what to do."""

BROKEN = (
    "Something went wrong",
    "Nothing was changed. Tell the operator when it happened; their log says more.",
)
"""Heading and message of the page for what nobody foresaw."""

_LOG = logging.getLogger(__name__)
_READING = ("GET", "HEAD")
_YEAR = "max-age=31536000"


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(
        self, app: App, *, hosts: Collection[str], needs_https: bool, refusal: Refusal
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._needs_https = needs_https
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        refused = self._refuse(scope["method"], headers)
        if refused is not None:
            await self._refusal(*refused)(scope, receive, send_guarded)
            return
        try:
            body = await _read(receive)
        except _TooLarge:
            page = self._refusal(413, "Too much", "Shorten what you typed, then send it again.")
            await page(scope, receive, send_guarded)
            return
        await self._answer(scope, _replay(body, receive), send_guarded)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_started = False

        async def send_and_tell(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_tell)
        except Exception:
            # Whatever a page stumbles over, the answer keeps its headers and shows no traceback.
            _LOG.exception("%s %s", scope["method"], scope["path"])
            if is_started:
                raise
            await self._refusal(500, *BROKEN)(scope, receive, send)

    def _refuse(self, method: str, headers: Headers) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        if not is_known_host(host, self._hosts):
            return (
                400,
                "This server has another name",
                "Open it by the name that its operator gave you; the operator can allow this "
                "one with --allow-host.",
            )
        if method in _READING:
            return None
        is_own = is_own_form(
            host=host,
            origin=headers.get("origin"),
            fetch_site=headers.get("sec-fetch-site"),
            needs_https=self._needs_https,
        )
        if not is_own:
            return (
                403,
                "This form came from elsewhere",
                "Nothing was changed. Go back to the page of this server and use the form there.",
            )
        return None

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers[name] = value
        headers.setdefault("cache-control", "no-store")
        if self._needs_https:
            headers["strict-transport-security"] = _YEAR


class _TooLarge(Exception):
    """A body beyond the cap."""


async def _read(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            break
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > LARGEST_BODY:
            raise _TooLarge
        if not message.get("more_body", False):
            break
    return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Hand a body that was read already to the app, once."""
    is_handed = False

    async def replay() -> Message:
        nonlocal is_handed
        if is_handed:
            return await receive()
        is_handed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
