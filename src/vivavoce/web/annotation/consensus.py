"""What labels make of an item, and the decision of a lead where both pairs were split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.handing_out import PLACES
from vivavoce.web.annotation.holding import hold_campaign, touch
from vivavoce.web.annotation.refusals import NotAllowed, NotYours
from vivavoce.web.annotation.storage import Assignment, Decision, Enrolment, Item


def outcome(labels: Mapping[str, Sequence[Row]]) -> tuple[str, Row | None]:
    """State and final label of an item of the main part, out of its labels by stage."""
    if consensus := labels.get("consensus"):
        return "done", consensus[-1]
    for stage, state in (("second", "discussion"), ("first", "conflict")):
        found = labels.get(stage, ())
        if len(found) < PLACES[stage]:
            continue
        return ("done", found[0]) if all(one == found[0] for one in found) else (state, None)
    return "open", None


def labels_of(session: Session, item: Item) -> list[Decision]:
    """What each person decided about an item, last revisions, first pair first."""
    rows = session.scalars(
        select(Assignment)
        .where(Assignment.item_id == item.id, Assignment.decided)
        .order_by(Assignment.id)
    )
    stages = {"qualification": 0, "first": 1, "second": 2, "consensus": 3}
    last = [row.decisions[-1] for row in rows]
    return sorted(last, key=lambda decision: (stages[decision.assignment.stage], decision.id))


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
    hold_campaign(session, enrolment.campaign_id)
    item = discussed_item(session, item_id, enrolment)
    if item.state != "discussion":
        raise NotAllowed("This item is not in discussion.")
    found = session.scalar(
        select(Assignment).where(
            Assignment.item_id == item.id, Assignment.person_id == enrolment.person_id
        )
    )
    if found is None:
        found = Assignment(
            item_id=item.id,
            person_id=enrolment.person_id,
            stage="consensus",
            shown_at=now,
            touched_at=now,
        )
        session.add(found)
        session.flush()
    elif found.stage != "consensus":
        raise NotAllowed("You have judged this item yourself; another lead has to decide it.")
    touch(session, found, now, "shown")
    return found
