"""A request as the pages see it: who asks, what was typed, and what time it is."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment
from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.errors import VivaError
from vivavoce.web.annotation.people import check_password, find_person
from vivavoce.web.annotation.storage import Database
from vivavoce.web.annotation.tables import LoginAttempt, LoginSession
from vivavoce.web.printing import counted

LIFETIME = timedelta(days=7)
"""After this a person logs in again, however busy."""
IDLE = timedelta(hours=12)
"""After this long without a page a person logs in again."""
WINDOW = timedelta(minutes=15)
"""For how long a wrong password counts."""
WRONG_HERE = 5
"""Wrong passwords for one name from one address, before both must wait."""
WRONG_ANYWHERE = 20
"""Wrong passwords for one name, or from one address, before it must wait."""

TOKEN_BYTES = 32
"""Random bytes of a secret nobody can guess."""
_SEEN_AFTER = timedelta(minutes=1)
_MAX_NAME = 200
# A check takes 32 MiB: however many ask at once, two are worked on.
_CHECKING = threading.BoundedSemaphore(2)


class LoginRefused(VivaError):
    """A wrong name or password, of which the message does not say which; or too many before.

    `wait` says how many seconds to wait in that case; else it is 0.
    """

    def __init__(self, message: str, wait: int = 0) -> None:
        super().__init__(message)
        self.wait = wait


class NotLoggedIn(Exception):
    """Nobody is logged in."""


class Refused(Exception):
    """A request that is answered by a page which says why, and what to do."""

    def __init__(self, status: int, heading: str, message: str) -> None:
        self.status, self.heading, self.message = status, heading, message
        super().__init__(message)


def hash_token(token: str) -> str:
    """Hash of a token for storage: a reader of the database cannot use it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compare two secrets in a time that discloses nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8"))


def find_visitor(database: Database, token: str | None, now: datetime) -> LoginSession | None:
    """Session of a cookie, or None when it is unknown, too old or was logged out."""
    if not token:
        return None
    key = hash_token(token)
    with database.reading() as session:
        found = session.get(LoginSession, key)
        if found is None or now >= found.expires_at or now - found.last_seen >= IDLE:
            return None
    if now - found.last_seen >= _SEEN_AFTER:
        with database.writing() as session:
            seen = session.get(LoginSession, key)
            if seen is not None:
                seen.last_seen = max(seen.last_seen, now)
    return found


def log_in(
    database: Database, name: str, password: str, *, address: str, old: str | None, now: datetime
) -> str:
    """Check a password and return the token of a new session; the old session ends.

    Raises:
        LoginRefused: The name or the password is wrong, or too many were wrong before; then this
            one was not even looked at.
    """
    name = name[:_MAX_NAME]
    _begin_attempt(database, name, address, now)
    with database.reading() as session:
        person = find_person(session, name)
        known = None if person is None else (person.id, person.password_hash)
    with _CHECKING:
        is_right = check_password(password, known[1] if known else None)
    if known is None or not is_right:
        raise LoginRefused("This name and this password do not belong together. Try again.")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with database.writing() as session:
        here = (LoginAttempt.name == name) & (LoginAttempt.address == address)
        session.execute(delete(LoginAttempt).where(here))
        session.execute(delete(LoginSession).where(LoginSession.expires_at <= now))
        _end(session, old)
        session.add(
            LoginSession(
                token_hash=hash_token(token),
                person_id=known[0],
                csrf=secrets.token_urlsafe(TOKEN_BYTES),
                created_at=now,
                expires_at=now + LIFETIME,
                last_seen=now,
            )
        )
    return token


def log_out(database: Database, token: str | None) -> None:
    """End a session; its cookie opens nothing any more."""
    with database.writing() as session:
        _end(session, token)


def _end(session: Session, token: str | None) -> None:
    if token:
        key = hash_token(token)
        session.execute(delete(LoginSession).where(LoginSession.token_hash == key))


def _begin_attempt(database: Database, name: str, address: str, now: datetime) -> None:
    """Count an attempt as wrong before its password is looked at, so that none slips by at once."""
    with database.writing() as session:
        session.execute(delete(LoginAttempt).where(LoginAttempt.at <= now - WINDOW))
        wait = _seconds_to_wait(session, name, address, now)
        if not wait:
            session.add(LoginAttempt(name=name, address=address, at=now, ok=False))
            return
    minutes = counted(math.ceil(wait / 60), "minute", "minutes")
    raise LoginRefused(f"There were too many wrong passwords. Try again in {minutes}.", wait)


def _seconds_to_wait(session: Session, name: str, address: str, now: datetime) -> int:
    """Until the oldest of the wrong ones in force no longer counts; 0 when there are few."""
    of_name, of_address = LoginAttempt.name == name, LoginAttempt.address == address
    limits = (
        (of_name & of_address, WRONG_HERE),
        (of_name, WRONG_ANYWHERE),
        (of_address, WRONG_ANYWHERE),
    )
    waits = [0]
    for which, limit in limits:
        times = session.scalars(
            select(LoginAttempt.at)
            .where(which, LoginAttempt.ok.is_(False))
            .order_by(LoginAttempt.at.desc())
            .limit(limit)
        ).all()
        if len(times) == limit:
            left = times[-1] + WINDOW - now
            waits.append(max(1, math.ceil(left.total_seconds())))
    return max(waits)


Clock = Callable[[], datetime]

MAX_BODY = 256 * 1024
"""Bytes of a form; a note of 4,000 characters takes up to 48,000 of them."""

_FORM_TYPE = "application/x-www-form-urlencoded"
_MAX_FIELDS = 40


@dataclass(frozen=True, slots=True)
class Site:
    """Database, clock and templates that all pages share."""

    database: Database
    clock: Clock
    templates: Environment
    secure_cookies: bool
    api_token: str = ""
    """Token of programs; without one none is let in."""

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
        max_age = int(LIFETIME.total_seconds())
        response.set_cookie(name, value, max_age=max_age, **self._cookie_options())

    def drop_cookie(self, response: Response, name: str) -> None:
        """Make the browser forget a cookie."""
        response.delete_cookie(name, **self._cookie_options())

    def _cookie_options(self) -> dict[str, Any]:
        return {"secure": self.secure_cookies, "httponly": True, "samesite": "strict"}

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        visitor: LoginSession | None = None,
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
    visitor: LoginSession
    person_id: int
    now: datetime
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def database(self) -> Database:
        """The database of the site."""
        return self.site.database

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
    """Read the fields of a form, each of which may occur once.

    They are kept with the request: a page that asks to try again sends them back. `Refused` for a
    form that is too large, cannot be read, or has a field twice.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise Refused(413, "Too much", "Shorten what you typed, then send it again.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM_TYPE:
        raise Refused(415, "This is not a form", f"A form is sent as {_FORM_TYPE}.")
    try:
        pairs = parse_qsl(
            body.decode("utf-8"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            max_num_fields=_MAX_FIELDS,
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
    if visitor is None or visitor.person_id is None:
        raise NotLoggedIn
    return Visit(site, visitor, visitor.person_id, now)


def _posted(request: Request, form: Form) -> Visit:
    visit = _visit(request)
    if not same(form.get("csrf", ""), visit.visitor.csrf):
        raise Refused(
            403,
            "This form is out of date",
            "Nothing was changed. Perhaps you logged in again in another tab: reload the page "
            "that you came from and send it again.",
        )
    return replace(visit, form=form)


Reading = Annotated[Visit, Depends(_visit)]
"""A page that is asked for."""
Posting = Annotated[Visit, Depends(_posted)]
"""A form of our own that was sent."""
