"""Web apps on an address of this machine: the server, security headers, and a witness.

A witness keeps statements of runs and signs them as they arrive.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import InputError
from vivavoce.running.witness import MAX_STATEMENT, STATEMENTS, keep_statement, sign_statements
from vivavoce.store import parse_object, read_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


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
        config = uvicorn.Config(app, log_level="warning", server_header=False)
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
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """ASGI middleware that adds the headers to every response of an app."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, send_secured)


def witness_app(folder: Path, key: Ed25519PrivateKey, now: Callable[[], str]) -> Starlette:
    """The application: POST a statement to have it signed, GET all of them by their hashes."""

    async def take(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_STATEMENT:
                return JSONResponse({"error": "too long"}, status_code=413)
        try:
            kept = keep_statement(folder, parse_object(body, "the request"))
        except InputError as error:
            return JSONResponse({"error": str(error)}, status_code=422)
        sign_statements(folder, key, now())
        return JSONResponse(read_json(kept))

    async def show(request: Request) -> Response:
        return JSONResponse({p.stem: read_json(p) for p in sorted(folder.glob("*.json"))})

    place = f"/{STATEMENTS}"
    return Starlette(
        routes=[Route(place, take, methods=["POST"]), Route(place, show, methods=["GET"])]
    )
