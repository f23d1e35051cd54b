"""What a person may see of items: their own, without answers, and solutions afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.handing_out import is_swapped
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.refusals import NotAllowed, NotYours
from vivavoce.web.annotation.storage import (
    Assignment,
    Decision,
    Draft,
    Enrolment,
    Item,
    Person,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An assignment as its person may see it: no answer, no explanation, nobody's label."""

    assignment: Assignment
    kind: Kind
    content: Row
    label: Mapping[str, str]
    """Of the draft, or the decision that may be corrected; empty or partial where there is none."""
    note: str
    flag: bool
    revision: int
    """What `submit` wants."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A qualification item with its solution."""

    item: Item
    label: Mapping[str, str]
    answer: Mapping[str, str]
    right: bool
    explanation: str


def find_assignment(session: Session, assignment_id: int, person: Person) -> Assignment:
    """One of a person's assignments; `NotYours` where it is none of theirs."""
    found = session.get(Assignment, assignment_id)
    if found is None or found.person_id != person.id:
        raise NotYours("You have no such item. Go back to the campaign for the next one.")
    return found


def show(session: Session, assignment: Assignment) -> Shown:
    """What the person may see of an assignment of theirs."""
    campaign = assignment.item.campaign
    kind = find_kind(campaign.kind)
    swapped = is_swapped(campaign, assignment.person, assignment.item)
    last: Draft | Decision | None = assignment.draft
    label: Mapping[str, str] = last.label if last is not None else {}
    if last is None and assignment.decisions:
        last = assignment.decisions[-1]
        label = kind.restore(last.label, swapped)
    return Shown(
        assignment=assignment,
        kind=kind,
        content=kind.present(assignment.item.content, swapped),
        label=label,
        note=last.note if last else "",
        flag=last.flag if last else False,
        revision=len(assignment.decisions) + 1,
    )


def review(session: Session, enrolment: Enrolment) -> list[Reviewed]:
    """The person's qualification with its solutions, in their own order.

    Raises:
        NotAllowed: It is not over.
    """
    if enrolment.qualification is None:
        raise NotAllowed("The solutions are shown when every item is decided.", "qualification")
    rows = session.scalars(
        select(Assignment)
        .join(Item)
        .where(
            Assignment.person_id == enrolment.person_id,
            Item.campaign_id == enrolment.campaign_id,
            Assignment.stage == "qualification",
            Assignment.decided,
        )
        .order_by(Assignment.id)
    )
    found = []
    for row in rows:
        label, answer = row.decisions[-1].label, row.item.answer or {}
        right = label == answer
        found.append(Reviewed(row.item, label, answer, right, row.item.explanation))
    return found
