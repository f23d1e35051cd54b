"""The annotation app: server-rendered pages over one database."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from http import HTTPStatus
from importlib import resources
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from vivavoce.errors import InputError, VivaError
from vivavoce.web.annotation import pages, pages_items
from vivavoce.web.annotation.assignment import AlreadyDecided, NotAllowed, NotYours, Released
from vivavoce.web.annotation.requests import Clock, NotLoggedIn, Refused, Site, go, site_of
from vivavoce.web.annotation.storage import BusyError, Database
from vivavoce.web.annotation.views import make_templates
from vivavoce.web.guard import BROKEN, Guard

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")

_LOG = logging.getLogger(__name__)
_BACK = (("Your campaigns", "/campaigns"),)
_SECRETS = ("password",)
_WAITING = 128
_RETRY_SECONDS = "3"


def make_app(
    database: Database,
    clock: Clock,
    *,
    secure_cookies: bool = False,
    hosts: Sequence[str] = LOCAL_HOSTS,
) -> FastAPI:
    """Make the app.

    Args:
        database: An open one; closing it is the caller's.
        clock: Gives the moment, with its zone.
        secure_cookies: Whether browsers reach the app by https, as behind a proxy.
        hosts: The names under which it may be opened; `*` stands for all.
    """
    app = FastAPI(
        title="Viva Voce annotation",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        exception_handlers=_HANDLERS,
    )
    site = Site(database, clock, make_templates(), secure_cookies)
    app.state.site = site
    for module in (pages, pages_items):
        app.include_router(module.router)
    folder = str(resources.files("vivavoce.web.annotation") / "static")
    app.mount("/static", _Static(directory=folder), name="static")

    def refusal(status: int, heading: str, message: str) -> Response:
        return _page(site, status, heading, message)

    app.add_middleware(Guard, hosts=hosts, needs_https=secure_cookies, refusal=refusal)
    return app


class _Static(StaticFiles):
    """Files that a browser keeps but asks about each time: they change with the program."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def _page(
    site: Site,
    status: int,
    heading: str,
    message: str,
    *,
    remedy: str = "",
    links: Sequence[tuple[str, str]] = _BACK,
    again: dict[str, Any] | None = None,
) -> Response:
    # Without the visitor: who that is may be what could not be found out.
    return site.page(
        "error.html.j2",
        status=status,
        heading=heading,
        message=message,
        remedy=remedy,
        links=links,
        again=again,
    )


def _says(
    status: int, heading: str, *, goes_on: bool = False
) -> Callable[[Request, Exception], Response]:
    """A page with the message of the error."""

    def handle(request: Request, error: Exception) -> Response:
        links = _onward(request) if goes_on else _BACK
        return _page(site_of(request), status, heading, str(error), links=links)

    return handle


def _refused(request: Request, error: Refused) -> Response:
    return _page(site_of(request), error.status, error.heading, error.message)


def _not_logged_in(request: Request, error: Exception) -> Response:
    if request.method == "GET":
        return go("/login")
    return _page(
        site_of(request),
        401,
        "You are logged out",
        "Nothing was changed by this form. Drafts that were saved before are kept.",
        links=[("Log in", "/login")],
    )


def _busy(request: Request, error: BusyError) -> Response:
    """Return the form to the browser, from where it can be sent again as it was."""
    form = getattr(request.state, "form", None)
    again = None
    if form is not None and not any(name in form for name in _SECRETS):
        again = {"path": request.url.path, "fields": list(form.items())}
    response = _page(
        site_of(request),
        503,
        "The database does not answer",
        "It is busy or restarting. Nothing of what you typed is lost: it waits on this page.",
        remedy="Wait a few seconds, then press the button.",
        links=[("Try again", request.url.path if form is None else "/login")],
        again=again,
    )
    response.headers["retry-after"] = _RETRY_SECONDS
    return response


def _already_decided(request: Request, error: AlreadyDecided) -> Response:
    heading = "Your decision is saved" if error.same else "This item is decided already"
    message = "It was sent twice and is kept once." if error.same else str(error)
    return _page(site_of(request), 409, heading, message, links=_onward(request))


def _not_there(request: Request, error: Exception) -> Response:
    return _page(
        site_of(request),
        404,
        "There is no such page",
        "Perhaps the address was cut, or the page is somebody else's.",
    )


def _not_allowed(request: Request, error: NotAllowed) -> Response:
    name = request.path_params.get("campaign")
    if error.state is not None and name:
        # Its page says why, and what to do.
        return go(f"/c/{name}")
    return _page(site_of(request), 403, "This is not possible now", str(error))


def _http(request: Request, error: HTTPException) -> Response:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _not_there(request, error)
    heading = HTTPStatus(error.status_code).phrase
    return _page(site_of(request), error.status_code, heading, "Go back and try another way.")


def _failed(request: Request, error: VivaError) -> Response:
    _LOG.error("%s %s: %s", request.method, request.url.path, error)
    return _page(site_of(request), 500, *BROKEN)


def _onward(request: Request) -> Sequence[tuple[str, str]]:
    name = request.path_params.get("campaign")
    return [("Go on", f"/c/{name}"), *_BACK] if name else _BACK


_HANDLERS: dict[int | type[Exception], Any] = {
    NotLoggedIn: _not_logged_in,
    Refused: _refused,
    BusyError: _busy,
    AlreadyDecided: _already_decided,
    Released: _says(409, "This item went to somebody else", goes_on=True),
    NotYours: _not_there,
    NotAllowed: _not_allowed,
    InputError: _says(422, "This cannot be taken"),
    VivaError: _failed,
    RequestValidationError: _not_there,
    HTTPException: _http,
}
"""The page that each error becomes; it says what to do."""


def serve(
    database: Database,
    clock: Clock,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    secure_cookies: bool = False,
    allowed_hosts: Sequence[str] = (),
    announce: Callable[[str], None] = print,
) -> None:
    """Serve until the process is told to stop.

    Args:
        database: An open one.
        clock: Gives the moment, with its zone.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        secure_cookies: Whether browsers reach the app by https, as behind a proxy.
        allowed_hosts: Names under which browsers reach it, beside those of this machine.
        announce: Called with the address once it listens.

    Raises:
        InputError: The address cannot be listened on.
    """
    app = make_app(
        database,
        clock,
        secure_cookies=secure_cookies,
        hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, host, *allowed_hosts))),
    )
    with closing(_listen(host, port)) as listening:
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


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_WAITING)
    except OSError as error:
        found.close()
        raise InputError(
            f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port."
        ) from error
    return found
