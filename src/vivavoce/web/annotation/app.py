"""The annotation app: server-rendered pages behind one secret link per person.

The secret is the first part of every path. It replaces a login, so there are no cookies that
another site's form could misuse.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import uvicorn
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from vivavoce.errors import InputError, VivaError
from vivavoce.text.printing import visible
from vivavoce.web import environment_of
from vivavoce.web.annotation.campaigns import Person, find_person
from vivavoce.web.annotation.database import (
    BusyError,
    Clock,
    Database,
    StaleLabelError,
    UnknownItemError,
    next_item,
    progress,
    read_task,
    submit,
)
from vivavoce.web.annotation.kinds import columns_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from jinja2 import Environment


LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
MAX_BODY = 256 * 1024
"""Maximum bytes of a form; a note of `MAX_NOTE` characters takes at most 48,000."""
MAX_NOTE = 4_000

_MAX_FIELDS = 40
_MAX_ROW = 2**63 - 1
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request from a person in a campaign."""

    connection: sqlite3.Connection
    person: Person
    link: str

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Fill a template for this person."""
        labelled, items = progress(self.connection, self.person)
        values |= {"link": f"/{self.link}", "person": self.person, "labelled": labelled}
        return _page(template, status, items=items, **values)


def make_app(database: Database, clock: Clock, *, hosts: Sequence[str] = ()) -> Starlette:
    """Make the app; `hosts` are host names to allow besides those of this machine."""
    folder = str(resources.files("vivavoce.web.annotation") / "static")
    app = Starlette(
        routes=[
            Mount("/static", StaticFiles(directory=folder)),
            Route("/{link}", start, methods=["GET"]),
            Route("/{link}/next", next_page, methods=["GET"]),
            Route("/{link}/items/{item:int}", item_page, methods=["GET"]),
            Route("/{link}/items/{item:int}", item_sent, methods=["POST"]),
        ],
        middleware=[
            Middleware(BaseHTTPMiddleware, dispatch=_secured),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL_HOSTS, *hosts]),
        ],
        exception_handlers={HTTPException: _refused, VivaError: _refused},
    )
    app.state.database, app.state.clock = database, clock
    return app


@contextmanager
def _visit(request: Request, *, writes: bool = False) -> Iterator[Visit]:
    """Open a visit by the person that owns the link; 404 if the link is unknown."""
    database: Database = request.app.state.database
    link = request.path_params["link"]
    with database.writing() if writes else database.reading() as connection:
        person = find_person(connection, link)
        if person is None or request.path_params.get("item", 0) > _MAX_ROW:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        yield Visit(connection, person, link)


def start(request: Request) -> Response:
    """Show the guidelines, the first page."""
    with _visit(request) as visit:
        return visit.page("start.html.j2")


def next_page(request: Request) -> Response:
    """Hand out the next item."""
    with _visit(request, writes=True) as visit:
        handed = _hand_out(visit, request)
        return handed or visit.page("nothing.html.j2")


def _hand_out(visit: Visit, request: Request) -> Response | None:
    """Redirect to the next item; None if nothing is left."""
    item = next_item(visit.connection, visit.person, request.app.state.clock())
    path = f"/{visit.link}/items/{item}"
    return None if item is None else RedirectResponse(path, HTTPStatus.SEE_OTHER)


def item_page(request: Request) -> Response:
    """Show an item to label or to correct."""
    with _visit(request) as visit:
        task = read_task(visit.connection, visit.person, request.path_params["item"])
        return visit.page("item.html.j2", task=task, error="")


async def item_sent(request: Request) -> Response:
    """Save a label or skip the item, then show the next one."""
    # The form is kept on the request, for the page that offers to try again.
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        fields = parse_qsl(
            body.decode("utf-8"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            max_num_fields=_MAX_FIELDS,
            errors="strict",
        )
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error
    if len(dict(fields)) != len(fields):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    request.state.form = dict(fields)
    return await run_in_threadpool(_label, request, request.state.form)


def _label(request: Request, form: Mapping[str, str]) -> Response:
    item = request.path_params["item"]
    skips, revision = "skip" in form, form.get("revision", "")
    note = form.get("note", "").replace("\0", "")[:MAX_NOTE]
    if not (revision.isascii() and revision.isdecimal() and len(revision) < 7):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    with _visit(request, writes=True) as visit:
        kind = visit.person.campaign.kind
        chosen = kind.chosen(form)
        missing = [one.question for one in kind.fields if one.name not in chosen]
        if missing and not skips:
            task = read_task(visit.connection, visit.person, item)
            error = f"Nothing was saved yet. Please answer: {' '.join(missing)}"
            task = replace(task, label=chosen, note=note)
            return visit.page("item.html.j2", status=422, task=task, error=error)
        submit(
            visit.connection,
            visit.person,
            item,
            None if skips else chosen,
            int(revision),
            request.app.state.clock(),
            note=note,
        )
        handed = _hand_out(visit, request)
    return handed or RedirectResponse(f"/{visit.link}/next", HTTPStatus.SEE_OTHER)


def _refused(request: Request, error: Exception) -> Response:
    """Error page that tells the person what to do."""
    values: dict[str, Any] = {}
    match error:
        case UnknownItemError() | HTTPException(status_code=404):
            status, heading = 404, "Page not found"
            message = "Open the complete link that you were given, or ask for a new one."
        case HTTPException():
            status, heading = error.status_code, HTTPStatus(error.status_code).phrase
            message = "Nothing was saved. Go back, reload the page and try again."
        case StaleLabelError():
            status, heading, message = 409, "This page was out of date", str(error)
            values = {"link": f"/{request.path_params['link']}"}
        case BusyError():
            status, heading = 503, "The database does not answer"
            message = "It is busy. Nothing you typed is lost: it is kept on this page."
            fields = getattr(request.state, "form", {})
            values = {"again": request.url.path, "fields": fields}
        case _:
            _LOG.error("%s: %s", type(error).__name__, error)
            status, heading = 500, "Something went wrong"
            message = "Nothing was saved. Tell the person who gave you the link, with the time."
    return _page("message.html.j2", status, heading=heading, message=message, **values)


def _page(template: str, status: int, **values: Any) -> Response:
    text = _templates().get_template(template).render(**values)
    return HTMLResponse(text, status_code=status)


def guidelines_html(markdown: str) -> Markup:
    """Render guidelines in Markdown as HTML; raw HTML and images are disabled."""
    reader = MarkdownIt("commonmark", {"html": False}).disable("image")
    return Markup(reader.render(_plain(markdown)))


@cache
def _templates() -> Environment:
    """Environment of the templates; all values are escaped."""
    environment = environment_of("vivavoce.web.annotation")
    environment.filters |= {"plain": _plain, "prose": guidelines_html}
    environment.globals |= {"columns_of": columns_of}
    return environment


def _plain(text: object) -> str:
    """Text with line breaks normalised and invisible characters spelled out."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(visible(line, None) for line in lines)


_WAITING = 128


def serve_app(app: ASGIApp, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve an app; `announce` receives the address once it listens. Port 0 picks a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_WAITING)
    except OSError as error:
        raise InputError(
            f"{host}:{port} is not available: {error.strerror}. Choose another --port."
        ) from error
    with closing(listening):
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}/")
        config = uvicorn.Config(app, log_level="warning", server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
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


async def _secured(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Add the security headers to a response."""
    response = await answer(request)
    response.headers.update(HEADERS)
    response.headers.setdefault("cache-control", "no-store")
    return response
