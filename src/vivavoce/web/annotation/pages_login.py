"""Logging in and out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.web.annotation.security import new_token, same
from vivavoce.web.annotation.sessions import (
    TooManyAttempts,
    WrongPassword,
    find_visitor,
    log_in,
    log_out,
)
from vivavoce.web.annotation.visits import Form, Posting, Refused, Site, go, site_of

router = APIRouter()


@router.get("/")
def front() -> Response:
    """The first page."""
    return go("/campaigns")


@router.get("/login")
def login_page(request: Request) -> Response:
    """The form to log in with."""
    site = site_of(request)
    token = request.cookies.get(site.session_cookie)
    if find_visitor(site.database, token, site.clock()) is not None:
        return go("/campaigns")
    return _form(site, request.cookies.get(site.login_cookie))


@router.post("/login")
def login(request: Request, form: Form) -> Response:
    """Check a name and a password."""
    site = site_of(request)
    mark = request.cookies.get(site.login_cookie, "")
    if not mark or not same(form.get("csrf", ""), mark):
        raise Refused(
            403,
            "This form is out of date",
            "Open the page to log in again. If this comes back, allow cookies for this server.",
        )
    name = form.get("name", "").strip().lower()
    try:
        token = log_in(
            site.database,
            name,
            form.get("password", ""),
            address=request.client.host if request.client else "",
            old=request.cookies.get(site.session_cookie),
            now=site.clock(),
        )
    except WrongPassword as error:
        return _form(site, mark, name=name, error=str(error), status=401)
    except TooManyAttempts as error:
        response = _form(site, mark, name=name, error=str(error), status=429)
        response.headers["retry-after"] = str(error.seconds)
        return response
    response = go("/campaigns")
    site.set_cookie(response, site.session_cookie, token)
    site.drop_cookie(response, site.login_cookie)
    return response


@router.post("/logout")
def logout(request: Request, visit: Posting) -> Response:
    """End the session."""
    site = visit.site
    log_out(site.database, request.cookies.get(site.session_cookie))
    response = go("/login")
    site.drop_cookie(response, site.session_cookie)
    return response


def _form(
    site: Site, mark: str | None, *, name: str = "", error: str = "", status: int = 200
) -> Response:
    mark = mark or new_token()
    response = site.page("login.html.j2", status=status, csrf=mark, name=name, error=error)
    site.set_cookie(response, site.login_cookie, mark)
    return response
