"""Where a person stands in a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from vivavoce.web.annotation.storage import Assignment, Decision, Enrolment, Item

Standing = Literal[
    "lead", "campaign_paused", "paused", "guidelines", "failed", "qualification", "working"
]
"""What stops a person, or what they are to do."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a person and the campaign are."""

    part: Literal["qualification", "main"]
    decided: int
    """By the person, in that part."""
    items: int
    """Of that part."""
    done: int
    """Items of the main part with a final label."""
    main_items: int


def standing(session: Session, enrolment: Enrolment) -> Standing:
    """Where a person stands; `qualification` and `working` are handed items."""
    if enrolment.role == "lead":
        return "lead"
    if enrolment.campaign.paused_at is not None:
        return "campaign_paused"
    if enrolment.paused_at is not None:
        return "paused"
    if enrolment.guidelines_read_at is None:
        return "guidelines"
    if enrolment.qualification == "failed":
        return "failed"
    if enrolment.qualification is None and _count(session, enrolment, "qualification"):
        return "qualification"
    return "working"


def progress(session: Session, enrolment: Enrolment) -> Progress:
    """How far a person and the campaign are."""
    is_qualifying = standing(session, enrolment) == "qualification"
    decided, _, items = count_qualification(session, enrolment)
    main_items = _count(session, enrolment, "main")
    done = _count(session, enrolment, "main", state="done")
    if is_qualifying:
        return Progress("qualification", decided, items, done, main_items)
    mine = session.scalar(
        select(func.count())
        .select_from(Assignment)
        .join(Item)
        .where(
            Item.campaign_id == enrolment.campaign_id,
            Item.part == "main",
            Assignment.person_id == enrolment.person_id,
            Assignment.decided,
        )
    )
    return Progress("main", mine or 0, main_items, done, main_items)


def count_qualification(session: Session, enrolment: Enrolment) -> tuple[int, int, int]:
    """Qualification items that the person has decided, has right, and that there are."""
    rows = session.execute(
        select(Assignment.id, Item.answer, Decision.label)
        .join(Item, Assignment.item_id == Item.id)
        .join(Decision, Decision.assignment_id == Assignment.id)
        .where(
            Item.campaign_id == enrolment.campaign_id,
            Assignment.person_id == enrolment.person_id,
            Assignment.stage == "qualification",
        )
        .order_by(Decision.revision)
    )
    last = {assignment: label == answer for assignment, answer, label in rows}
    return len(last), sum(last.values()), _count(session, enrolment, "qualification")


def _count(session: Session, enrolment: Enrolment, part: str, state: str | None = None) -> int:
    query = select(func.count()).where(Item.campaign_id == enrolment.campaign_id, Item.part == part)
    if state is not None:
        query = query.where(Item.state == state)
    return session.scalar(query) or 0
