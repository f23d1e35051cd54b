"""A witness over HTTP: statements of runs are kept and signed as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vivavoce.errors import InputError
from vivavoce.running.witness import MAX_STATEMENT, STATEMENTS, keep_statement, sign_statements
from vivavoce.store import parse_object, read_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


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
