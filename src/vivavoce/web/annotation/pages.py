"""Pages to log in, and of a person's campaigns: progress, guidelines, solutions, feedback."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.web.annotation.assignment import (
    NotAllowed,
    member_state,
    own_assignments,
    progress,
)
from vivavoce.web.annotation.campaigns import mark_read, unread_feedback
from vivavoce.web.annotation.decisions import confirm_guidelines, last_decided, next_assignment
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.people import enrolments_of
from vivavoce.web.annotation.requests import (
    TOKEN_BYTES,
    Form,
    LoginRefused,
    Posting,
    Reading,
    Refused,
    Site,
    Visit,
    find_visitor,
    go,
    log_in,
    log_out,
    same,
    site_of,
)
from vivavoce.web.annotation.tables import Assignment, Campaign, Decision, Enrolment, Person

router = APIRouter()

CampaignName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
_ITEM = re.compile(r"/c/[a-z0-9][a-z0-9._-]{0,63}/a/[0-9]{1,10}")
_KEPT = "kept."
"""Before the names of fields that go through a login; alone, the name of their page's path."""
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
"""Of a row; what is larger fits into no database."""


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
    except LoginRefused as error:
        status = 429 if error.wait else 401
        response = _form(site, mark, name=name, error=str(error), status=status, kept=_kept(form))
        if error.wait:
            response.headers["retry-after"] = str(error.wait)
        return response
    response = _send_kept(site, token, form) if _kept(form) else go("/campaigns")
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


def login_first(request: Request) -> Response | None:
    """The form to log in with, holding what was typed on an item's page; None for other pages."""
    path, form = request.url.path, getattr(request.state, "form", {})
    if not _ITEM.fullmatch(path):
        return None
    site = site_of(request)
    kept = {_KEPT: path, **{_KEPT + name: form[name] for name in form if name != "csrf"}}
    error = "You are logged out. Log in: what you typed is kept, and you can send it then."
    mark = request.cookies.get(site.login_cookie)
    return _form(site, mark, error=error, status=401, kept=kept)


def _kept(form: Mapping[str, str]) -> dict[str, str]:
    """Fields of a login that hold what was typed before it."""
    is_of_item = _ITEM.fullmatch(form.get(_KEPT, ""))
    return {name: form[name] for name in form if name.startswith(_KEPT)} if is_of_item else {}


def _send_kept(site: Site, token: str, form: Mapping[str, str]) -> Response:
    visitor = find_visitor(site.database, token, site.clock())
    kept = _kept(form)
    path = kept.pop(_KEPT)
    fields = [(name.removeprefix(_KEPT), value) for name, value in kept.items()]
    fields.append(("csrf", visitor.csrf if visitor else ""))
    return site.page(
        "error.html.j2",
        visitor=visitor,
        heading="You are logged in",
        message="What you typed is here. Send it now.",
        again={"path": path, "fields": fields, "button": "Send it"},
    )


def _form(
    site: Site,
    mark: str | None,
    *,
    name: str = "",
    error: str = "",
    status: int = 200,
    kept: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    mark = mark or secrets.token_urlsafe(TOKEN_BYTES)
    response = site.page(
        "login.html.j2", status=status, csrf=mark, name=name, error=error, kept=kept
    )
    site.set_cookie(response, site.login_cookie, mark)
    return response


@router.get("/campaigns")
def campaigns_page(visit: Reading) -> Response:
    """The campaigns a person has a part in."""
    with visit.database.reading() as session:
        person = session.get_one(Person, visit.person_id)
        cards = [
            (enrolment, member_state(session, enrolment), progress(session, enrolment))
            for enrolment in enrolments_of(session, person)
        ]
        return visit.page("campaigns.html.j2", cards=cards)


@router.get("/c/{campaign}")
def campaign_page(visit: Reading, campaign: CampaignName) -> Response:
    """Redirect to the next page of the person in a campaign."""
    path = next_path(visit, campaign)
    if path:
        return go(path)
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        return nothing(
            visit,
            session,
            enrolment,
            state=member_state(session, enrolment),
            messages=unread_feedback(session, enrolment),
        )


@router.get("/c/{campaign}/guidelines")
def guidelines_page(visit: Reading, campaign: CampaignName) -> Response:
    """The guidelines, and the box that says they were read."""
    return _guidelines(visit, campaign)


@router.post("/c/{campaign}/guidelines")
def guidelines_read(visit: Posting, campaign: CampaignName) -> Response:
    """Confirm that the guidelines were read."""
    if visit.form.get("read") != "yes":
        return _guidelines(visit, campaign, "Tick the box when you have read the guidelines.", 422)
    with visit.database.writing() as session:
        confirm_guidelines(session, own_part(session, visit, campaign), visit.now)
    return go(f"/c/{campaign}")


@router.get("/c/{campaign}/review")
def review_page(visit: Reading, campaign: CampaignName) -> Response:
    """The solutions of the trial, when it is over."""
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        rows = review(session, enrolment)
        return visit.page(
            "review.html.j2",
            campaign=campaign,
            enrolment=enrolment,
            state=member_state(session, enrolment),
            rows=rows,
            right=sum(row.label == row.assignment.item.answer for row in rows),
            needed=math.ceil(enrolment.campaign.pass_mark * len(rows) - 1e-9),
            messages=unread_feedback(session, enrolment),
        )


@router.post("/c/{campaign}/feedback/{feedback}/read")
def feedback_read(visit: Posting, campaign: CampaignName, feedback: Id) -> Response:
    """Put a message of the lead away."""
    with visit.database.writing() as session:
        enrolment = own_part(session, visit, campaign)
        mark_read(session, feedback, enrolment.person, visit.now)
    return go(f"/c/{campaign}")


def review(session: Session, enrolment: Enrolment) -> list[Decision]:
    """The person's decisions in the qualification, in their own order.

    Raises:
        NotAllowed: It is not over.
    """
    if enrolment.qualification is None:
        raise NotAllowed("The solutions are shown when every item is decided.", "qualification")
    rows = own_assignments(enrolment).where(Assignment.stage == "qualification", Assignment.decided)
    return [row.decisions[-1] for row in session.scalars(rows.order_by(Assignment.id))]


def next_path(visit: Visit, campaign: str) -> str | None:
    """Path of the next page of the person; None if there is nothing for them now."""
    with visit.database.writing() as session:
        enrolment = own_part(session, visit, campaign)
        state = member_state(session, enrolment)
        if state == "guidelines":
            return f"/c/{campaign}/guidelines"
        if state == "lead":
            return f"/c/{campaign}/lead"
        if state in ("qualification", "working"):
            assignment = next_assignment(session, enrolment, visit.now)
            if assignment is not None:
                return f"/c/{campaign}/a/{assignment.id}"
    return None


def own_part(session: Session, visit: Visit, campaign: str, *, role: str = "") -> Enrolment:
    """The visitor's part in a campaign; `Refused`, as a page that is not there, without one."""
    found = session.scalar(
        select(Enrolment)
        .join(Campaign)
        .where(Campaign.name == campaign, Enrolment.person_id == visit.person_id)
    )
    if found is None or (role and found.role != role):
        raise Refused(404, "There is no such page", "Go back to your campaigns.")
    return found


def _guidelines(visit: Visit, campaign: str, error: str = "", status: int = 200) -> Response:
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        return visit.page(
            "guidelines.html.j2",
            status=status,
            campaign=campaign,
            kind=find_kind(enrolment.campaign.kind),
            text=enrolment.campaign.guidelines,
            read_at=enrolment.guidelines_read_at or enrolment.role == "lead",
            error=error,
        )


def nothing(visit: Visit, session: Session, enrolment: Enrolment, **values: Any) -> Response:
    """Page with the reason why there is no item, and what to do."""
    return visit.page(
        "nothing.html.j2",
        campaign=enrolment.campaign.name,
        enrolment=enrolment,
        far=progress(session, enrolment),
        last=last_decided(session, enrolment),
        **values,
    )
