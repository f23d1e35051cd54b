"""The annotation app: server-rendered pages over one database, and campaigns for programs.

Programs put items in and take exports out over HTTP. The commands' own functions do the work. Every
request carries the token that the server was started with, as `Authorization: Bearer TOKEN`;
answers and errors are JSON, an export is a ZIP file.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from vivavoce.errors import InputError, VivaError
from vivavoce.store import read_sealed
from vivavoce.web.annotation import pages, pages_items
from vivavoce.web.annotation.assignment import AlreadyDecided, NotAllowed, NotYours, Released
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.exporting import export_campaign
from vivavoce.web.annotation.importing import Sources, Wanted, take_in
from vivavoce.web.annotation.kinds import columns_of, find_kind
from vivavoce.web.annotation.monitoring import overview, people_rows
from vivavoce.web.annotation.pages import CampaignName
from vivavoce.web.annotation.requests import Clock, NotLoggedIn, Refused, Site, go, same, site_of
from vivavoce.web.annotation.storage import BusyError, Database
from vivavoce.web.printing import environment_of, figure, visible
from vivavoce.web.serving import BROKEN, Guard

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")

_LOG = logging.getLogger(__name__)
_ANSWERED = (NotLoggedIn, Refused, VivaError, RequestValidationError, HTTPException)
_NOT_THERE = (
    "There is no such page",
    "Perhaps the address was cut, or the page is somebody else's.",
)
_RETRY_SECONDS = "3"


def make_app(
    database: Database,
    clock: Clock,
    *,
    secure_cookies: bool = False,
    hosts: Sequence[str] = (),
    api_token: str = "",
) -> FastAPI:
    """Make the app over a database that its caller closes.

    `secure_cookies` says that browsers reach it by https, as behind a proxy; `hosts` are the names
    under which it may be opened beside those of this machine, `*` for all. Programs send
    `api_token`; without one none is let in.
    """
    handlers: dict[int | type[Exception], Any] = dict.fromkeys(_ANSWERED, _answer)
    app = FastAPI(
        title="Viva Voce annotation",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        exception_handlers=handlers,
    )
    site = Site(database, clock, _templates(), secure_cookies, api_token)
    app.state.site = site
    for routes in (pages.router, pages_items.router, router):
        app.include_router(routes)
    folder = str(resources.files("vivavoce.web.annotation") / "static")
    app.mount("/static", _Static(directory=folder), name="static")

    def refusal(status: int, heading: str, message: str) -> Response:
        return _page(site, status, heading, message)

    app.add_middleware(
        Guard, hosts=(*LOCAL_HOSTS, *hosts), needs_https=secure_cookies, refusal=refusal
    )
    return app


class _Static(StaticFiles):
    """Files that a browser keeps but asks about each time: they change with the program."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def _page(site: Site, status: int, heading: str, message: str, **values: Any) -> Response:
    # Without the visitor: who that is may be what could not be found out.
    return site.page("error.html.j2", status=status, heading=heading, message=message, **values)


def _answer(request: Request, error: Exception) -> Response:
    """Page that an error becomes, or JSON for a program; it says what to do."""
    campaign = request.path_params.get("campaign")
    if isinstance(error, NotLoggedIn) and request.method == "GET":
        return go("/login")
    if isinstance(error, NotLoggedIn) and (form := pages.login_first(request)) is not None:
        return form
    if isinstance(error, NotAllowed) and error.state is not None and campaign:
        # Its page says why, and what to do.
        return go(f"/c/{campaign}")
    values: dict[str, Any] = {}
    is_api = request.url.path.startswith("/api/")
    match error:
        case Refused():
            status, heading, message = error.status, error.heading, error.message
        case NotYours() | RequestValidationError() | HTTPException(status_code=404):
            status, heading, message = 404, *_NOT_THERE
        case HTTPException():
            status, heading = error.status_code, HTTPStatus(error.status_code).phrase
            message = "Go back and try another way."
        case NotLoggedIn():
            status, heading = 401, "You are logged out"
            message = "Nothing was changed by this form. Drafts that were saved before are kept."
            values = {"links": [("Log in", "/login")]}
        case BusyError() if not is_api:
            return _busy(request)
        case BusyError():
            status, heading, message = 503, "The database does not answer", "Send it again."
        case AlreadyDecided(same=True):
            status, heading = 409, "Your decision is saved"
            message = "It was sent twice and is kept once."
        case AlreadyDecided():
            status, heading, message = 409, "This item is decided already", str(error)
        case Released():
            status, heading, message = 409, "This item went to somebody else", str(error)
        case NotAllowed():
            status, heading, message = 403, "This is not possible now", str(error)
        case InputError():
            status, heading, message = 422, "This cannot be taken", str(error)
        case _:
            _LOG.error("%s %s: %s", request.method, request.url.path, error)
            status, heading, message = 500, *BROKEN
    if is_api:
        return JSONResponse({"error": f"{heading}. {message}"}, status_code=status)
    if isinstance(error, AlreadyDecided | Released) and campaign:
        values = {"links": [("Go on", f"/c/{campaign}"), ("Your campaigns", "/campaigns")]}
    return _page(site_of(request), status, heading, message, **values)


def _busy(request: Request) -> Response:
    """Return the form to the browser, from where it can be sent again as it was."""
    form = getattr(request.state, "form", None)
    values: dict[str, Any] = {}
    if form is None:
        values = {"links": [("Try again", request.url.path)]}
    elif "password" in form:
        values = {"links": [("Try again", "/login")]}
    else:
        values = {"again": {"path": request.url.path, "fields": list(form.items())}}
    response = _page(
        site_of(request),
        503,
        "The database does not answer",
        "It is busy or restarting. Nothing of what you typed is lost: it waits on this page.",
        remedy="Wait a few seconds, then press the button.",
        **values,
    )
    response.headers["retry-after"] = _RETRY_SECONDS
    return response


class _Prose(RendererHTML):
    """Headings below the page's own, and text with what draws nothing spelled out."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(visible(tokens[idx].content, None))

    def heading_open(self, *_: object) -> str:
        return "<h2>"

    def heading_close(self, *_: object) -> str:
        return "</h2>\n"


@lru_cache(maxsize=32)
def guidelines_html(markdown: str) -> Markup:
    """Guidelines as HTML: headings, lists, paragraphs and emphasis; all else stays text."""
    reader = MarkdownIt("zero", renderer_cls=_Prose).enable(["heading", "list", "emphasis"])
    return Markup(reader.render(markdown))


@cache
def _templates() -> Environment:
    """The templates, in which everything is escaped and an unknown name is an error."""
    environment = environment_of("vivavoce.web.annotation")
    filters = {
        "plain": _plain,
        "spoken": _spoken,
        "moment": _moment,
        "percent": _percent,
        "score": figure,
        "prose": guidelines_html,
    }
    environment.filters.update(filters)
    environment.globals |= {"token": _token, "find_kind": find_kind, "columns_of": columns_of}
    return environment


def _plain(text: object) -> str:
    """Text of several lines, with what draws nothing spelled out."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(visible(line, None) for line in lines)


def _spoken(name: str) -> str:
    """The name of a field as words."""
    words = visible(name).replace("_", " ")
    return words[:1].upper() + words[1:]


def _moment(value: datetime | None) -> str:
    """A moment in UTC, to the minute."""
    return "–" if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def _percent(value: float | None) -> str:
    """A share in percent, or a dash where there is none."""
    return "–" if value is None else f"{100 * value:.0f}%"


@pass_context
def _token(context: Context) -> Markup:
    """The field that proves a form to be ours."""
    value = escape(context["csrf"])
    return Markup('<input type="hidden" name="csrf" value="{}">').format(value)


MAX_UPLOAD = 1 << 25
"""Bytes of a file of items."""

router = APIRouter(prefix="/api/campaigns/{campaign}")


def _allowed(request: Request) -> Site:
    site = site_of(request)
    if not site.api_token:
        raise Refused(404, "There is no such page", "Start the server with --api-token-file.")
    if not same(request.headers.get("authorization", ""), f"Bearer {site.api_token}"):
        raise Refused(401, "The token is wrong", "Send Authorization: Bearer TOKEN.")
    return site


Allowed = Annotated[Site, Depends(_allowed)]


async def _upload(request: Request, site: Allowed) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_UPLOAD:
            raise Refused(413, "Too much", f"Send at most {MAX_UPLOAD >> 20} MB at once.")
    return bytes(body)


@router.get("")
def progress(site: Allowed, campaign: CampaignName) -> Response:
    """Items by what became of them, and the people as `viva annotate people list --json`."""
    with site.database.reading() as session:
        found = find_campaign(session, campaign)
        watched = overview(session, found)
        return JSONResponse(
            {
                "campaign": found.name,
                "kind": found.kind,
                "paused": found.paused_at is not None,
                "items": dict(watched.report.outcomes),
                "people": people_rows(watched),
            }
        )


@router.post("/items")
def import_items(
    site: Allowed,
    campaign: CampaignName,
    body: Annotated[bytes, Depends(_upload)],
    kind: str | None = None,
) -> Response:
    """Add items of JSON Lines, as `viva annotate import FILE`; a new campaign needs its kind."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "items.jsonl"
        file.write_bytes(body)
        wanted = Wanted(campaign, kind)
        try:
            return JSONResponse(take_in(site.database, Sources(file), wanted, site.clock()))
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from error


@router.get("/export")
def export(site: Allowed, campaign: CampaignName) -> Response:
    """The files of `viva annotate export`, people under pseudonyms."""
    made = io.BytesIO()
    with TemporaryDirectory() as folder, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        with site.database.reading() as session:
            sealed = export_campaign(session, find_campaign(session, campaign), Path(folder))
        for name in (sealed.name, *sorted(read_sealed(sealed)["files"])):
            # Without a date: the same campaign gives the same bytes.
            packed.writestr(zipfile.ZipInfo(name), (Path(folder) / name).read_bytes())
    return Response(made.getvalue(), media_type="application/zip")
