"""Web apps on an address of this machine: the server, and the guard around any app.

The guard knows the hosts, refuses forms of others and sets security headers. Starlette's
`TrustedHostMiddleware` answers with a line of plain text; here a page says what to do.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Collection
from contextlib import closing
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import InputError

_WAITING = 128


def serve_app(app: ASGIApp, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve an app; `announce` is told the address once it listens, port 0 takes a free one.

    Raises:
        InputError: The address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_WAITING)
    except OSError as error:
        raise InputError(
            f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port."
        ) from error
    with closing(listening):
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}/")
        config = uvicorn.Config(
            app,
            log_level="warning",
            # What a proxy says of the client is not believed: logins are counted by address.
            proxy_headers=False,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])


CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # `no-referrer` would turn the Origin of our own forms into null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

Refusal = Callable[[int, str, str], ASGIApp]
"""Makes a page of a status, a heading and what to do."""

BROKEN = (
    "Something went wrong",
    "Nothing was changed. Tell the operator when it happened; their log says more.",
)
"""Heading and message of the page for an unexpected error."""

_LOG = logging.getLogger(__name__)
_YEAR = "max-age=31536000"


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str], needs_https: bool, refusal: Refusal
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
        is_started = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_started
            is_started = True
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        refused = self._refuse(scope["method"], Headers(scope=scope))
        if refused is not None:
            await self._refusal(*refused)(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, receive, send_guarded)
        except Exception:  # whatever a page stumbles over, the answer shows no traceback
            _LOG.exception("%s %s", scope["method"], scope["path"])
            if is_started:
                raise
            await self._refusal(500, *BROKEN)(scope, receive, send_guarded)

    def _refuse(self, method: str, headers: Headers) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        if not is_known_host(host, self._hosts):
            return (
                400,
                "This server has another name",
                "Open it by the name that its operator gave you; the operator can allow this "
                "one with --allow-host.",
            )
        is_own = method in ("GET", "HEAD") or is_own_form(
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
        headers.update(HEADERS)
        headers.setdefault("cache-control", "no-store")
        if self._needs_https:
            headers["strict-transport-security"] = _YEAR


def is_own_form(
    *, host: str, origin: str | None, fetch_site: str | None, needs_https: bool
) -> bool:
    """True if a form was sent by one of our own pages, according to the browser.

    Old browsers say nothing; the token in the form is asked for in any case.
    """
    if fetch_site is not None and fetch_site != "same-origin":
        return False
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    schemes = ("https",) if needs_https else ("http", "https")
    return parts.scheme in schemes and parts.netloc.lower() == host.lower()


def is_known_host(host: str | None, known: Collection[str]) -> bool:
    """True if the Host header names this server; a foreign name may be a rebound one.

    `*` among the known admits every name.
    """
    if "*" in known:
        return True
    if not host:
        return False
    bare = host.lower()
    name = bare.rpartition(":")[0] if bare.rpartition(":")[2].isdigit() else bare
    return name in known or bare in known
