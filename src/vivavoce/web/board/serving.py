"""The site served on this machine: pages made when they are opened, again when logs change."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from pathlib import Path, PurePosixPath

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vivavoce.errors import VivaError
from vivavoce.store import hash_of
from vivavoce.text.printing import visible
from vivavoce.web.board.blocks import Words, html_of
from vivavoce.web.board.page import Page
from vivavoce.web.serving import SecurityHeaders

REST = 1.0
"""Seconds in which the logs are looked at once."""

_KEPT = 64 * 1024 * 1024
"""Bytes of pages that are kept."""
_LOGS = (".eval", ".json", ".jsonl")


class LiveSite:
    """A site that follows its logs."""

    def __init__(
        self,
        read: Callable[[], Iterable[Page]],
        mark: Callable[[], str],
        clock: Callable[[], float],
    ) -> None:
        """Read it for the first time.

        `mark` changes whenever the logs do that `read` reads.
        """
        self._read, self._mark, self._clock = read, mark, clock
        self._lock = threading.Lock()
        self._made: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._seen = mark()
        self._looked = clock()
        self._pages = {page.path: page for page in read()}

    def find(self, path: str) -> Page | None:
        """The page at a path, once the logs are up to date.

        Raises:
            VivaError: The logs make no board any more; they are read again the next time.
        """
        with self._lock:
            if self._clock() - self._looked >= REST:
                self._follow()
            return self._pages.get(path)

    def content(self, page: Page) -> bytes:
        """Content of a page; made once, as long as there is room to keep it."""
        with self._lock:  # one at a time: charts and logs are not made for several threads
            found = self._made.get(page.key)
            if found is None:
                found = self._made[page.key] = page.make()
                self._size += len(found)
            self._made.move_to_end(page.key)
            while self._size > _KEPT and len(self._made) > 1:
                _, dropped = self._made.popitem(last=False)
                self._size -= len(dropped)
            return found

    def _follow(self) -> None:
        self._looked = self._clock()
        mark = self._mark()
        if mark != self._seen:
            # Noted before it is read: what comes in meanwhile is seen the next time.
            self._pages = {page.path: page for page in self._read()}
            self._seen = mark


def mark_of(folders: Sequence[Path]) -> str:
    """Changes whenever a file of logs below the folders comes, goes or is written to."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _LOGS:
                try:
                    facts = path.stat()
                except FileNotFoundError:  # gone since it was listed
                    continue
                found.append([str(path), facts.st_size, facts.st_mtime_ns])
    return hash_of(found)


HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Under which the site may be opened: another name may be a rebound one."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".tex": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}
_OTHER = "application/octet-stream"
_LOG = logging.getLogger(__name__)


def make_app(site: LiveSite) -> Starlette:
    """The app that answers with the pages of a site; it reads only."""

    def answer(request: Request) -> Response:  # no coroutine: it is run beside the event loop
        path = request.path_params["path"]
        if not path or path.endswith("/"):
            path += "index.html"
        try:
            page = site.find(path)
            if page is None:
                return _message(404, "There is no such page", "Perhaps the address was cut.")
            tag = f'"{page.key}"'
            known = request.headers.get("if-none-match", "").replace("W/", "").split(", ")
            if tag in known:
                return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=_headers(tag))
            content = site.content(page)
        except VivaError as error:
            _LOG.error("%s: %s", request.url.path, error)
            return _message(503, "The logs make no board at the moment", str(error))
        kind = _TYPES.get(PurePosixPath(path).suffix, _OTHER)
        return Response(content, media_type=kind, headers=_headers(tag))

    return Starlette(
        routes=[Route("/{path:path}", answer, methods=["GET"])],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=NAMES),
        ],
    )


def _headers(tag: str) -> dict[str, str]:
    return {"etag": tag, "cache-control": "no-cache"}


def _message(status: int, heading: str, message: str) -> Response:
    lead = Markup("<br>").join(visible(line, 600) for line in message.splitlines()[:40])
    html = html_of(Words(title=heading, lead=lead), "/")
    return Response(html, status_code=status, media_type=_TYPES[".html"])
