"""What a lead watches: how far items are, how people do, what waits, what was flagged.

No label of an item that somebody still has to judge blind is in anything here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from vivavoce.web.annotation.agreement import PersonFigures, Report, measure
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.records import (
    IDLE,
    DecisionRecord,
    ItemRecord,
    read_decisions,
    read_items,
)
from vivavoce.web.annotation.standing import Standing, standing
from vivavoce.web.annotation.storage import (
    Assignment,
    Campaign,
    Decision,
    Enrolment,
    Event,
    Item,
    Person,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Items by state."""

    open: int
    conflict: int
    discussion: int
    done: int
    qualification: int
    """Items of the qualification, which have no state of their own."""
    flagged: int
    """Items of either part with a flag on a decision that stands."""

    @property
    def main(self) -> int:
        """Items of the main part."""
        return self.open + self.conflict + self.discussion + self.done


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person of a campaign."""

    enrolment: Enrolment
    standing: Standing
    figures: PersonFigures | None
    """None until the person has decided an item of the main part."""
    qualification: tuple[int, int]
    """Right and decided."""
    skips: int
    last_at: datetime | None
    """Of the last decision."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An item that the first pair was split on."""

    item_id: int
    key: str
    state: str
    """`conflict`: the second pair is to judge it; `discussion`: a lead is to decide it."""
    judged: int
    """Decisions in the stage that is under way."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """A flag on a decision; what was decided is not told."""

    item_id: int
    key: str
    state: str
    person: str
    note: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """What is measured on a campaign as it stands."""

    people: tuple[PersonRow, ...]
    """Everybody, by name."""
    report: Report


def counts(session: Session, campaign: Campaign) -> Counts:
    """Items by state."""
    rows = session.execute(
        select(Item.part, Item.state, func.count())
        .where(Item.campaign_id == campaign.id)
        .group_by(Item.part, Item.state)
    )
    by_state = {(part, state): number for part, state, number in rows}
    return Counts(
        open=by_state.get(("main", "open"), 0),
        conflict=by_state.get(("main", "conflict"), 0),
        discussion=by_state.get(("main", "discussion"), 0),
        done=by_state.get(("main", "done"), 0),
        qualification=by_state.get(("qualification", "open"), 0),
        flagged=len({one.item_id for one in flagged(session, campaign)}),
    )


def overview(session: Session, campaign: Campaign, *, idle: timedelta = IDLE) -> Overview:
    """People and agreement, without intervals; everything is read once."""
    items, decisions = read_items(session, campaign), read_decisions(session, campaign)
    report = measure(find_kind(campaign.kind), items, decisions, idle=idle)
    return Overview(tuple(_people(session, campaign, items, decisions, report)), report)


def people_rows(
    session: Session, campaign: Campaign, *, idle: timedelta = IDLE
) -> Sequence[PersonRow]:
    """Everybody in a campaign, by name."""
    return overview(session, campaign, idle=idle).people


def waiting(session: Session, campaign: Campaign) -> list[Waiting]:
    """Items in conflict or discussion, those for a lead first."""
    judged = (
        select(func.count())
        .where(Assignment.item_id == Item.id, Assignment.stage == "second", Assignment.decided)
        .correlate(Item)
        .scalar_subquery()
    )
    rows = session.execute(
        select(Item.id, Item.key, Item.state, judged)
        .where(Item.campaign_id == campaign.id, Item.state.in_(("conflict", "discussion")))
        .order_by(Item.state.desc(), Item.ordinal)
    )
    return [
        Waiting(item_id, key, state, number if state == "conflict" else 0)
        for item_id, key, state, number in rows
    ]


def flagged(session: Session, campaign: Campaign) -> list[Flagged]:
    """Flags on decisions that stand, the newest first."""
    rows = session.scalars(
        select(Decision)
        .join(Decision.assignment)
        .join(Assignment.item)
        .where(Item.campaign_id == campaign.id, Decision.flag)
        .order_by(Decision.id.desc())
        .options(
            joinedload(Decision.assignment).joinedload(Assignment.item),
            joinedload(Decision.assignment).joinedload(Assignment.person),
        )
    )
    return [
        Flagged(
            item_id=row.assignment.item_id,
            key=row.assignment.item.key,
            state=row.assignment.item.state,
            person=row.assignment.person.code,
            note=row.note,
            at=row.decided_at,
        )
        for row in rows
        if row is row.assignment.decisions[-1]
    ]


def _people(
    session: Session,
    campaign: Campaign,
    items: Sequence[ItemRecord],
    records: Sequence[DecisionRecord],
    report: Report,
) -> list[PersonRow]:
    figures = {row.person: row for row in report.people}
    answers = {item.key: item.answer for item in items}
    skips = _skips(session, campaign)
    found = []
    enrolments = session.scalars(
        select(Enrolment)
        .join(Person)
        .where(Enrolment.campaign_id == campaign.id)
        .order_by(Person.name)
    )
    for enrolment in enrolments:
        code = enrolment.person.code
        mine = [record for record in records if record.person == code]
        tests = [r for r in mine if r.last and r.part == "qualification"]
        right = sum(record.label == answers[record.item] for record in tests)
        found.append(
            PersonRow(
                enrolment=enrolment,
                standing=standing(session, enrolment),
                figures=figures.get(code),
                qualification=(right, len(tests)),
                skips=skips.get(enrolment.person_id, 0),
                last_at=max((record.decided_at for record in mine), default=None),
            )
        )
    return found


def _skips(session: Session, campaign: Campaign) -> dict[int | None, int]:
    rows = session.execute(
        select(Event.person_id, func.count())
        .where(Event.campaign_id == campaign.id, Event.kind == "skipped")
        .group_by(Event.person_id)
    )
    return {row[0]: row[1] for row in rows}
