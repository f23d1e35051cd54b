"""A person's campaigns: where they stand, the guidelines, the trial's solutions, feedback."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Path
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.web.annotation.feedback import mark_read, unread_feedback
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.people import enrolments_of
from vivavoce.web.annotation.process import (
    confirm_guidelines,
    last_decided,
    next_assignment,
    review,
)
from vivavoce.web.annotation.standing import Progress, Standing, progress, standing
from vivavoce.web.annotation.storage import Campaign, Enrolment, Person
from vivavoce.web.annotation.viewing import STATES, bar_of, blocks_of, fields_of
from vivavoce.web.annotation.visits import Posting, Reading, Refused, Visit, go
from vivavoce.web.printing import counted

router = APIRouter()

CampaignName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
"""Of a row; what is larger fits into no database."""

_ROLES = {"annotator": "an annotator", "adjudicator": "an adjudicator", "lead": "the lead"}


@router.get("/campaigns")
def campaigns_page(visit: Reading) -> Response:
    """The campaigns a person has a part in."""
    with visit.database.reading() as session:
        person = session.get_one(Person, visit.person_id)
        cards = [_card(session, enrolment) for enrolment in enrolments_of(session, person)]
    return visit.page("campaigns.html.j2", campaigns=cards)


@router.get("/c/{campaign}")
def campaign_page(visit: Reading, campaign: CampaignName) -> Response:
    """Wherever the person has to go next in a campaign."""
    path = next_path(visit, campaign)
    return go(path) if path else _nothing(visit, campaign)


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
        found = standing(session, enrolment)
        kind = find_kind(enrolment.campaign.kind)
        passed = enrolment.qualification == "passed"
        needed = math.ceil(enrolment.campaign.pass_mark * len(rows) - 1e-9)
        shown = [
            {
                "title": _title(row.item.content),
                "label": row.label,
                "answer": row.answer,
                "is_right": row.right,
                "explanation": row.explanation,
            }
            for row in rows
        ]
        messages = messages_of(session, enrolment)
    return visit.page(
        "review.html.j2",
        campaign=campaign,
        heading="You passed the trial" if passed else "You did not pass the trial",
        right=sum(row["is_right"] for row in shown),
        needed=needed,
        rows=shown,
        fields=fields_of(kind),
        messages=messages,
        message=_after_trial(passed, all(row["is_right"] for row in shown)),
        links=[("Go on", f"/c/{campaign}")] if found == "working" else [],
    )


@router.post("/c/{campaign}/feedback/{feedback}/read")
def feedback_read(visit: Posting, campaign: CampaignName, feedback: Id) -> Response:
    """Put a message of the lead away."""
    with visit.database.writing() as session:
        enrolment = own_part(session, visit, campaign)
        mark_read(session, feedback, enrolment.person, visit.now)
    return go(f"/c/{campaign}")


def next_path(visit: Visit, campaign: str) -> str | None:
    """Where the person has to go next; None where there is nothing for them now."""
    with visit.database.writing() as session:
        enrolment = own_part(session, visit, campaign)
        found = standing(session, enrolment)
        if found == "guidelines":
            return f"/c/{campaign}/guidelines"
        if found == "lead":
            return f"/c/{campaign}/lead"
        if found in ("qualification", "working"):
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


def messages_of(session: Session, enrolment: Enrolment) -> list[dict[str, Any]]:
    """What the lead says that the person has not put away."""
    return [{"id": each.id, "text": each.text} for each in unread_feedback(session, enrolment)]


def _card(session: Session, enrolment: Enrolment) -> dict[str, Any]:
    campaign = enrolment.campaign
    found = standing(session, enrolment)
    return {
        "name": campaign.name,
        "title": find_kind(campaign.kind).title,
        "role": _ROLES[enrolment.role],
        "paused": found in ("paused", "campaign_paused"),
        "state": STATES[found],
        "bar": bar_of(progress(session, enrolment), of_all=found == "lead"),
        "can_work": found in ("guidelines", "qualification", "working"),
        "verb": "Begin" if found == "guidelines" else "Go on",
        "is_lead": found == "lead",
    }


def _guidelines(visit: Visit, campaign: str, error: str = "", status: int = 200) -> Response:
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        text, read_at = enrolment.campaign.guidelines, enrolment.guidelines_read_at
        kind = find_kind(enrolment.campaign.kind)
        is_lead = enrolment.role == "lead"
    return visit.page(
        "guidelines.html.j2",
        status=status,
        campaign=campaign,
        kind=kind,
        blocks=blocks_of(text),
        read_at=read_at or is_lead,
        error=error,
    )


def _nothing(visit: Visit, campaign: str) -> Response:
    """Why there is no item, and what to do."""
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        found = standing(session, enrolment)
        far = progress(session, enrolment)
        last = last_decided(session, enrolment)
        heading, message = _why(found, far, enrolment)
        links = [("Look again", f"/c/{campaign}"), ("Your campaigns", "/campaigns")]
        if enrolment.qualification is not None and far.part == "main":
            links.append(("The trial's solutions", f"/c/{campaign}/review"))
        messages = messages_of(session, enrolment)
        last_id = last.id if last else None
    return visit.page(
        "nothing.html.j2",
        campaign=campaign,
        heading=heading,
        message=message,
        bar=bar_of(far),
        messages=messages,
        links=links,
        last=last_id,
    )


def _why(found: Standing, far: Progress, enrolment: Enrolment) -> tuple[str, str]:
    if found == "paused":
        reason = enrolment.pause_reason or "Ask the lead for the reason."
        return "You are paused", f"No items are handed to you for now. {reason}"
    if found == "campaign_paused":
        return "The campaign is paused", STATES[found]
    if found == "failed":
        return "You did not pass the trial", STATES[found]
    if far.main_items and far.done == far.main_items:
        return "All items are done", f"You decided {far.decided:,} of them. Thank you."
    if enrolment.role == "adjudicator":
        return (
            "Nothing to adjudicate now",
            "Items come to you when the first two people do not agree. Look again later.",
        )
    if far.decided == far.main_items:
        return "You have decided every item", "Others are still at work on some. Thank you."
    return (
        "Nothing is left for you now",
        f"You decided {counted(far.decided, 'item', 'items')}. The others are in the hands of "
        "other people; some may come back, so look again later.",
    )


def _after_trial(passed: bool, all_right: bool) -> str:
    if not passed:
        return STATES["failed"]
    return "All were right." if all_right else "Look at what was not right, then go on."


def _title(content: dict[str, Any]) -> str:
    """What a list of items calls one of them."""
    candidate = content.get("candidate") or {}
    for text in (
        candidate.get("title"),
        *(content.get(k) for k in ("question", "demand", "prompt")),
    ):
        if text:
            return str(text)
    return "Item"
