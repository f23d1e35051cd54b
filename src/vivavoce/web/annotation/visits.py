"""A request as the pages see it: who asks, what was typed, and what time it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment
from starlette.responses import Response

from vivavoce.web.annotation.security import same
from vivavoce.web.annotation.sessions import LIFETIME, Visitor, find_visitor
from vivavoce.web.annotation.storage import Database

Clock = Callable[[], datetime]

FORM_TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 40


class NotLoggedIn(Exception):
    """Nobody is logged in."""


class Refused(Exception):
    """A request that is answered by a page which says why, and what to do."""

    def __init__(self, status: int, heading: str, message: str) -> None:
        self.status, self.heading, self.message = status, heading, message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages share."""

    database: Database
    clock: Clock
    templates: Environment
    secure_cookies: bool

    @property
    def session_cookie(self) -> str:
        """With TLS the browser itself holds the cookie to this host and path."""
        return "__Host-viva-session" if self.secure_cookies else "viva-session"

    @property
    def login_cookie(self) -> str:
        """Ties a login form to the browser that asked for it."""
        return "__Host-viva-login" if self.secure_cookies else "viva-login"

    def set_cookie(self, response: Response, name: str, value: str) -> None:
        """Set a cookie no script reads and no other site sends."""
        response.set_cookie(
            name,
            value,
            max_age=int(LIFETIME.total_seconds()),
            path="/",
            secure=self.secure_cookies,
            httponly=True,
            samesite="strict",
        )

    def drop_cookie(self, response: Response, name: str) -> None:
        """Make the browser forget a cookie."""
        response.delete_cookie(
            name, path="/", secure=self.secure_cookies, httponly=True, samesite="strict"
        )

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        visitor: Visitor | None = None,
        csrf: str = "",
        **values: Any,
    ) -> HTMLResponse:
        """Fill a template; every form in it carries the token."""
        text = self.templates.get_template(template).render(
            visitor=visitor, csrf=visitor.csrf if visitor else csrf, **values
        )
        # A lone surrogate is no UTF-8; it can only come from an item's text.
        return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who is logged in."""

    site: Site
    visitor: Visitor
    now: datetime
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def database(self) -> Database:
        """The database of the site."""
        return self.site.database

    @property
    def person_id(self) -> int:
        """Who asks."""
        return self.visitor.person_id

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Fill a template for this visitor."""
        return self.site.page(template, status=status, visitor=self.visitor, **values)


def go(path: str) -> RedirectResponse:
    """Send the browser to a page after a form, so that reloading does not send it again."""
    return RedirectResponse(path, status_code=303)


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a form, each of which may stand in it once.

    They are kept with the request: a page that asks to try again sends them back. `Refused` for
    what is no form, cannot be read, or has a field twice.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM_TYPE:
        raise Refused(415, "This is not a form", f"A form is sent as {FORM_TYPE}.")
    body = await request.body()
    try:
        pairs = parse_qsl(
            body.decode("utf-8"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            max_num_fields=MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        raise Refused(400, "This form cannot be read", "Go back and send it again.") from None
    form = dict(pairs)
    if len(form) != len(pairs):
        raise Refused(400, "This form cannot be read", "A field stands in it twice.")
    request.state.form = form
    return form


Form = Annotated[Mapping[str, str], Depends(read_form)]


def _visit(request: Request) -> Visit:
    site = site_of(request)
    now = site.clock()
    visitor = find_visitor(site.database, request.cookies.get(site.session_cookie), now)
    if visitor is None:
        raise NotLoggedIn
    return Visit(site, visitor, now)


def _posted(request: Request, form: Form) -> Visit:
    visit = _visit(request)
    if not same(form.get("csrf", ""), visit.visitor.csrf):
        raise Refused(
            403,
            "This form is out of date",
            "Nothing was changed. Perhaps you logged in again in another tab: reload the page "
            "that you came from and send it again.",
        )
    return Visit(visit.site, visit.visitor, visit.now, form)


Reading = Annotated[Visit, Depends(_visit)]
"""A page that is asked for."""
Posting = Annotated[Visit, Depends(_posted)]
"""A form of our own that was sent."""
