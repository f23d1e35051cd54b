"""Decisions that were made elsewhere, put into a campaign as they were made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.process import outcome
from vivavoce.web.annotation.records import DecisionRecord
from vivavoce.web.annotation.storage import (
    Assignment,
    Campaign,
    Decision,
    Enrolment,
    Event,
    Item,
    Person,
)


def replay(session: Session, campaign: Campaign, records: Sequence[DecisionRecord]) -> None:
    """Write decisions of people who are enrolled, and what they make of the items.

    The records of one person and item stand together, by revision.

    Raises:
        InputError: A record names an item or a person that the campaign lacks.
    """
    items = {
        item.key: item
        for item in session.scalars(select(Item).where(Item.campaign_id == campaign.id))
    }
    people = {
        enrolment.person.code: enrolment.person
        for enrolment in session.scalars(
            select(Enrolment).where(Enrolment.campaign_id == campaign.id)
        )
    }
    written: list[tuple[Assignment, Sequence[DecisionRecord]]] = []
    for item_key, of_item in _grouped(records, attrgetter("item")).items():
        if item_key not in items:
            raise InputError(f"There is a decision on {item_key!r}, which is no item.")
        item = items[item_key]
        labels: dict[str, list[Row]] = {}
        for code, of_person in _grouped(of_item, attrgetter("person")).items():
            if code not in people:
                raise InputError(f"There is a decision by {code!r}, who is not in the campaign.")
            written.append((_assignment(item, people[code], of_person), of_person))
            labels.setdefault(of_person[-1].stage, []).append(dict(of_person[-1].label))
        if item.part == "main":
            item.state, item.final = outcome(labels)
    session.add_all(assignment for assignment, _ in written)
    session.flush()
    # What they were shown can be told only when assignments have ids.
    session.add_all(
        event for assignment, made in written for event in _signs(campaign, assignment, made)
    )
    session.flush()


def enrol_imported(
    session: Session,
    campaign: Campaign,
    code: str,
    role: str,
    *,
    qualification: str | None = None,
    guidelines_read_at: datetime | None = None,
) -> None:
    """Put somebody into a campaign who is known by a pseudonym only and cannot log in."""
    person = session.scalar(select(Person).where(Person.code == code))
    if person is None:
        person = Person(name=f"imported-{code.lower()}", password_hash="", code=code)
        session.add(person)
        session.flush()
    session.add(
        Enrolment(
            campaign=campaign,
            person=person,
            role=role,
            qualification=qualification,
            guidelines_read_at=guidelines_read_at,
        )
    )
    session.flush()


def _assignment(item: Item, person: Person, records: Sequence[DecisionRecord]) -> Assignment:
    last = records[-1]
    return Assignment(
        item_id=item.id,
        person_id=person.id,
        stage=last.stage,
        shown_at=last.signs[0],
        touched_at=last.decided_at,
        decided=True,
        decisions=[
            Decision(
                revision=record.revision,
                label=dict(record.label),
                note=record.note,
                flag=record.flag,
                decided_at=record.decided_at,
            )
            for record in records
        ],
    )


def _signs(
    campaign: Campaign, assignment: Assignment, records: Sequence[DecisionRecord]
) -> Iterable[Event]:
    for at in sorted({at for record in records for at in record.signs}):
        yield Event(
            at=at,
            person_id=assignment.person_id,
            campaign_id=campaign.id,
            kind="shown",
            detail={"assignment": assignment.id},
        )


def _grouped(
    records: Iterable[DecisionRecord], key: Callable[[DecisionRecord], str]
) -> Mapping[str, list[DecisionRecord]]:
    found: dict[str, list[DecisionRecord]] = defaultdict(list)
    for record in records:
        found[key(record)].append(record)
    return found
