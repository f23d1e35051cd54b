"""Assignment of items to people: member states, own orders, places, locks, outcomes.

Everything that changes something locks the campaign first, so two requests never take the same
place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.orm import Session

from vivavoce.errors import VivaError
from vivavoce.store import Row
from vivavoce.web.annotation.people import find_enrolment
from vivavoce.web.annotation.tables import Assignment, Campaign, Decision, Enrolment, Item

MemberState = Literal[
    "lead", "campaign_paused", "paused", "guidelines", "failed", "qualification", "working"
]
"""The reason why a person is handed nothing, or what they are to do."""

STAGES = ("qualification", "first", "second", "consensus")
PLACES = {"first": 2, "second": 2}
"""People who judge an item in a stage."""
IN_HAND = Assignment.skipped_at.is_(None) & Assignment.released_at.is_(None)
"""Condition of an assignment that keeps its place: neither put aside nor given back."""

OPEN_IN = {"first": "open", "second": "conflict"}
"""State of the items that a stage judges."""


class NotYours(VivaError):
    """The assignment does not exist or is somebody else's."""


class AlreadyDecided(VivaError):
    """There is a decision already, or the page it was sent from is out of date."""

    def __init__(self, message: str, *, same: bool) -> None:
        super().__init__(message)
        self.same = same
        """True if the valid label is the one that was sent again."""


class Released(VivaError):
    """The item went to somebody else, because it lay untouched or was skipped."""


class NotAllowed(VivaError):
    """The person may not do this now; `state` is the member state that forbids it, if one does."""

    def __init__(self, message: str, state: MemberState | None = None) -> None:
        super().__init__(message)
        self.state = state


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a person and of the campaign."""

    part: Literal["qualification", "main"]
    decided: int
    """By the person, in that part."""
    items: int
    """Of that part."""
    done: int
    """Items of the main part with a final label."""
    main_items: int


def member_state(session: Session, enrolment: Enrolment) -> MemberState:
    """State of a person in a campaign; `qualification` and `working` are handed items."""
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
    """Count the items that a person has decided, and those that are done."""
    main_items = _count(session, enrolment, "main")
    done = _count(session, enrolment, "main", Item.state == "done")
    if member_state(session, enrolment) == "qualification":
        tried, _, items = count_qualification(session, enrolment)
        return Progress("qualification", tried, items, done, main_items)
    mine = own_assignments(enrolment).where(Item.part == "main", Assignment.decided)
    decided = session.scalar(select(func.count()).select_from(mine.subquery()))
    return Progress("main", decided or 0, main_items, done, main_items)


def cluster_progress(session: Session, assignment: Assignment) -> tuple[int, int]:
    """Items of the same table that the person of an assignment has decided, and that there are."""
    item = assignment.item
    alike = select(func.count()).where(
        Item.campaign_id == item.campaign_id, Item.part == item.part, Item.cluster == item.cluster
    )
    mine = alike.join(Assignment).where(
        Assignment.person_id == assignment.person_id, Assignment.decided
    )
    return session.scalar(mine.select_from(Item)) or 0, session.scalar(alike) or 0


def count_qualification(session: Session, enrolment: Enrolment) -> tuple[int, int, int]:
    """Qualification items that the person has decided, has right, and that there are."""
    rows = session.execute(
        own_assignments(enrolment)
        .join(Decision, Decision.assignment_id == Assignment.id)
        .where(Assignment.stage == "qualification")
        .order_by(Decision.revision)
        .with_only_columns(Assignment.id, Item.answer, Decision.label)
    )
    last = {assignment: label == answer for assignment, answer, label in rows}
    return len(last), sum(last.values()), _count(session, enrolment, "qualification")


def own_assignments(enrolment: Enrolment) -> Select[Assignment]:
    """Query of a person's assignments in a campaign."""
    return (
        select(Assignment)
        .join(Item)
        .where(
            Item.campaign_id == enrolment.campaign_id,
            Assignment.person_id == enrolment.person_id,
        )
    )


def lock_campaign(session: Session, campaign_id: int) -> None:
    """Keep every other writer of the campaign out until the session ends."""
    lock = select(Campaign.id).where(Campaign.id == campaign_id).with_for_update(key_share=True)
    session.execute(lock)
    # What was read before the wait may have changed.
    session.flush()
    session.expire_all()


def enrolment_of(session: Session, assignment: Assignment) -> Enrolment:
    """Enrolment of the person of an assignment; `NotAllowed` without one."""
    found = find_enrolment(session, assignment.item.campaign, assignment.person)
    if found is None:
        raise NotAllowed("You have no part in this campaign any more.")
    return found


def touch(
    session: Session, assignment: Assignment, now: datetime, kind: str, **detail: object
) -> None:
    """Record that a person was at an assignment, for the seconds and for who lies idle."""
    assignment.touched_at = now
    enrolment = enrolment_of(session, assignment)
    session.add(enrolment.event(kind, now, assignment=assignment.id, **detail))


def own_order(campaign: Campaign, code: str, item: tuple[str, str]) -> tuple[bytes, bytes]:
    """Sort key of an item (cluster, key) in a person's own order: clusters stay together."""
    return _hash(campaign, code, item[0], "clusters"), _hash(campaign, code, item[1], "order")


def is_swapped(campaign: Campaign, code: str, key: str) -> bool:
    """True if a person sees the two sides of an item the other way round."""
    return bool(_hash(campaign, code, key, "sides")[0] & 1)


def stages_of(enrolment: Enrolment, state: str) -> list[str]:
    """Stages from which a person is handed items."""
    if state == "qualification":
        return ["qualification"]
    if enrolment.role == "adjudicator":
        return ["second"]
    return ["first", "second"] if enrolment.campaign.adjudication == "anyone" else ["first"]


def pick_item(session: Session, enrolment: Enrolment, state: str) -> tuple[int, str] | None:
    """The next item that has a place for the person, and the stage; None without any."""
    places = [
        (own_order(enrolment.campaign, enrolment.person.code, (cluster, key)), item_id, stage)
        for stage in stages_of(enrolment, state)
        for item_id, cluster, key in session.execute(_with_place(enrolment, stage))
    ]
    if not places:
        return None
    _, item_id, stage = min(places)
    return item_id, stage


def has_place(session: Session, assignment: Assignment) -> bool:
    """True if an assignment that was put aside can be taken up again."""
    if assignment.stage not in PLACES:
        return True
    if assignment.item.state != OPEN_IN[assignment.stage]:
        return False
    others = select(func.count()).where(
        Assignment.item_id == assignment.item_id,
        Assignment.stage == assignment.stage,
        Assignment.id != assignment.id,
        IN_HAND,
    )
    return (session.scalar(others) or 0) < PLACES[assignment.stage]


def release_untouched(session: Session, campaign: Campaign, now: datetime, since: datetime) -> None:
    """Give places back whose people have not touched their item since a moment."""
    rows = session.scalars(
        select(Assignment)
        .join(Item)
        .where(
            Item.campaign_id == campaign.id,
            Assignment.stage.in_(list(PLACES)),
            ~Assignment.decided,
            IN_HAND,
            Assignment.touched_at < since,
        )
    )
    for row in rows:
        row.released_at = now
    session.flush()


def revive_skipped(session: Session, enrolment: Enrolment, state: str) -> Assignment | None:
    """Take up what the person put aside longest ago and nobody else took."""
    aside = own_assignments(enrolment).where(
        Assignment.stage.in_(stages_of(enrolment, state)), ~Assignment.decided, ~IN_HAND
    )
    since = func.coalesce(Assignment.skipped_at, Assignment.released_at)
    for row in session.scalars(aside.order_by(since, Assignment.id)):
        if has_place(session, row):
            row.skipped_at = row.released_at = None
            return row
    return None


def outcome(labels: Mapping[str, Sequence[Row]]) -> tuple[str, Row | None]:
    """State and final label of an item of the main part, given its labels by stage."""
    if consensus := labels.get("consensus"):
        return "done", consensus[-1]
    for stage, state in (("second", "discussion"), ("first", "conflict")):
        found = labels.get(stage, ())
        if len(found) < PLACES[stage]:
            continue
        return ("done", found[0]) if all(one == found[0] for one in found) else (state, None)
    return "open", None


def labels_of(session: Session, item: Item) -> list[Decision]:
    """Last decision of each person on an item, first pair first."""
    rows = session.scalars(
        select(Assignment)
        .where(Assignment.item_id == item.id, Assignment.decided)
        .order_by(Assignment.id)
    )
    last = [row.decisions[-1] for row in rows]
    return sorted(last, key=lambda one: (STAGES.index(one.assignment.stage), one.id))


def discussed_item(session: Session, item_id: int, enrolment: Enrolment) -> Item:
    """An item whose labels a lead may see: one that is past both pairs.

    Raises:
        NotYours: The campaign has no such item.
        NotAllowed: The person is no lead, or somebody is still to judge the item blind.
    """
    if enrolment.role != "lead":
        raise NotAllowed("Only a lead may do this.")
    item = session.get(Item, item_id)
    if item is None or item.campaign_id != enrolment.campaign_id:
        raise NotYours("The campaign has no such item.")
    if item.state not in ("discussion", "done"):
        raise NotAllowed("The labels of an item are shown when both pairs have judged it.")
    return item


def open_consensus(
    session: Session, item_id: int, enrolment: Enrolment, now: datetime
) -> Assignment:
    """Take an item in discussion for a decision by a lead; `submit` decides it.

    Raises:
        NotYours: The campaign has no such item.
        NotAllowed: The person is no lead, has judged the item before, or it is not in discussion.
    """
    lock_campaign(session, enrolment.campaign_id)
    item = discussed_item(session, item_id, enrolment)
    if item.state != "discussion":
        raise NotAllowed("This item is not in discussion.")
    found = session.scalar(
        select(Assignment).where(
            Assignment.item_id == item.id, Assignment.person_id == enrolment.person_id
        )
    )
    if found is None:
        found = assign(session, item.id, enrolment, "consensus", now)
    elif found.stage != "consensus":
        raise NotAllowed("You have judged this item yourself; another lead has to decide it.")
    touch(session, found, now, "shown")
    return found


def assign(
    session: Session, item_id: int, enrolment: Enrolment, stage: str, now: datetime
) -> Assignment:
    """Give an item to a person in a stage."""
    made = Assignment(
        item_id=item_id, person_id=enrolment.person_id, stage=stage, shown_at=now, touched_at=now
    )
    session.add(made)
    session.flush()
    return made


def _with_place(enrolment: Enrolment, stage: str) -> Select[int, str, str]:
    """Items with a place in a stage that the person has never had in hand."""
    mine = exists().where(
        Assignment.item_id == Item.id, Assignment.person_id == enrolment.person_id
    )
    query = select(Item.id, Item.cluster, Item.key).where(
        Item.campaign_id == enrolment.campaign_id, ~mine
    )
    if stage == "qualification":
        return query.where(Item.part == "qualification")
    held = (
        select(func.count())
        .where(Assignment.item_id == Item.id, Assignment.stage == stage, IN_HAND)
        .correlate(Item)
        .scalar_subquery()
    )
    return query.where(Item.part == "main", Item.state == OPEN_IN[stage], held < PLACES[stage])


def _count(session: Session, enrolment: Enrolment, part: str, *only: ColumnElement[bool]) -> int:
    of_part = (Item.campaign_id == enrolment.campaign_id, Item.part == part)
    return session.scalar(select(func.count()).where(*of_part, *only)) or 0


def _hash(campaign: Campaign, code: str, key: str, use: str) -> bytes:
    parts = "\0".join((str(campaign.seed), code, key, use))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).digest()
