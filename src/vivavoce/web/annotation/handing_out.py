"""Which item goes to whom: a person's own order, places in a stage, what goes back to others."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import Select, exists, func, select
from sqlalchemy.orm import Session

from vivavoce.web.annotation.storage import Assignment, Campaign, Enrolment, Event, Item, Person

PLACES = {"first": 2, "second": 2}
"""People who judge an item in a stage."""

_STATES = {"first": "open", "second": "conflict"}


def own_order(campaign: Campaign, person: Person, key: str) -> bytes:
    """Where an item stands in a person's own order."""
    return _hash(campaign, person, key, "order")


def is_swapped(campaign: Campaign, person: Person, item: Item) -> bool:
    """Whether a person sees the two sides of an item the other way round."""
    return bool(_hash(campaign, person, item.key, "sides")[0] & 1)


def pick_item(session: Session, enrolment: Enrolment, standing: str) -> tuple[int, str] | None:
    """The next item that has a place for the person, and the stage; None without any."""
    places = [
        (own_order(enrolment.campaign, enrolment.person, key), item_id, stage)
        for stage in stages_of(enrolment, standing)
        for item_id, key in session.execute(_with_place(enrolment, stage))
    ]
    if not places:
        return None
    _, item_id, stage = min(places)
    return item_id, stage


def stages_of(enrolment: Enrolment, standing: str) -> list[str]:
    """The stages that a person is handed items of."""
    if standing == "qualification":
        return ["qualification"]
    if enrolment.role == "adjudicator":
        return ["second"]
    return ["first", "second"] if enrolment.campaign.adjudication == "anyone" else ["first"]


def free_place(session: Session, assignment: Assignment) -> bool:
    """Whether an assignment that was put aside can be taken up again."""
    if assignment.stage not in PLACES:
        return True
    if assignment.item.state != _STATES[assignment.stage]:
        return False
    held = session.scalar(
        select(func.count()).where(
            Assignment.item_id == assignment.item_id,
            Assignment.stage == assignment.stage,
            Assignment.id != assignment.id,
            Assignment.skipped_at.is_(None),
            Assignment.released_at.is_(None),
        )
    )
    return (held or 0) < PLACES[assignment.stage]


def release_untouched(session: Session, campaign: Campaign, now: datetime, since: datetime) -> None:
    """Give places back whose people have not touched their item since a moment."""
    rows = session.scalars(
        select(Assignment)
        .join(Item)
        .where(
            Item.campaign_id == campaign.id,
            Assignment.stage.in_(list(PLACES)),
            ~Assignment.decided,
            Assignment.skipped_at.is_(None),
            Assignment.released_at.is_(None),
            Assignment.touched_at < since,
        )
    )
    for row in rows:
        row.released_at = now
    session.flush()


def revive_skipped(session: Session, enrolment: Enrolment, standing: str) -> Assignment | None:
    """What the person put aside longest ago and nobody else took, in hand again."""
    rows = session.scalars(
        select(Assignment)
        .join(Item)
        .where(
            Item.campaign_id == enrolment.campaign_id,
            Assignment.person_id == enrolment.person_id,
            Assignment.stage.in_(stages_of(enrolment, standing)),
            ~Assignment.decided,
            Assignment.skipped_at.is_not(None) | Assignment.released_at.is_not(None),
        )
        .order_by(func.coalesce(Assignment.skipped_at, Assignment.released_at), Assignment.id)
    )
    for row in rows:
        if free_place(session, row):
            row.skipped_at = row.released_at = None
            return row
    return None


def note_event(
    session: Session, enrolment: Enrolment, kind: str, at: datetime, **detail: object
) -> None:
    """Keep that something happened."""
    session.add(
        Event(
            at=at,
            person_id=enrolment.person_id,
            campaign_id=enrolment.campaign_id,
            kind=kind,
            detail=detail,
        )
    )


def _with_place(enrolment: Enrolment, stage: str) -> Select[int, str]:
    """Items with a place in a stage that the person has never had in hand."""
    mine = exists().where(
        Assignment.item_id == Item.id, Assignment.person_id == enrolment.person_id
    )
    query = select(Item.id, Item.key).where(Item.campaign_id == enrolment.campaign_id, ~mine)
    if stage == "qualification":
        return query.where(Item.part == "qualification")
    held = (
        select(func.count())
        .where(
            Assignment.item_id == Item.id,
            Assignment.stage == stage,
            Assignment.skipped_at.is_(None),
            Assignment.released_at.is_(None),
        )
        .correlate(Item)
        .scalar_subquery()
    )
    return query.where(Item.part == "main", Item.state == _STATES[stage], held < PLACES[stage])


def _hash(campaign: Campaign, person: Person, key: str, use: str) -> bytes:
    parts = "\0".join((str(campaign.seed), person.code, key, use))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).digest()
