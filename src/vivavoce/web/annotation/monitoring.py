"""Reports on a campaign: agreement, seconds, outcomes, people, and what a lead has to watch.

Seconds are of first revisions, by the server's clock. No label of an item that somebody still has
to judge blind is in what a lead sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session, aliased

from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row
from vivavoce.web.annotation.agreement import (
    NO_DRAWS,
    Coefficient,
    FieldAgreement,
    Pair,
    ValueShare,
    final_shares,
    first_pairs,
    kind_agreement,
    share_estimate,
)
from vivavoce.web.annotation.assignment import MemberState, member_state
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.records import (
    IDLE,
    DecisionRecord,
    last_ones,
    read_decisions,
    read_items,
)
from vivavoce.web.annotation.tables import (
    Assignment,
    Campaign,
    Decision,
    Enrolment,
    Event,
    Item,
    Person,
)


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time for a decision."""

    median: float | None
    low: float | None
    """First quartile."""
    high: float | None
    """Third quartile."""
    n: int


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One annotator."""

    person: str
    decided: int
    """Items of the main part, in either pair."""
    flags: int
    seconds: Seconds
    with_partner: Coefficient
    """Share of the person's first pairs that agree in every field."""
    with_final: Coefficient
    """Share of the person's labels that became final, of those whose items are done."""
    controls: tuple[int, int]
    """Right, and decided, of the main items whose answer is known."""


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One UTC day."""

    day: str
    pairs: int
    """First pairs that were completed on it."""
    pairwise: Coefficient
    seconds: Seconds
    """Of the decisions of the day."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is measured on a campaign."""

    fields: tuple[FieldAgreement, ...]
    """One a field; where there are several, the whole label as well, last."""
    seconds: Seconds
    outcomes: Mapping[str, int]
    """Items of the main part by what ended them (`pair`, `second`, `consensus`) or their state."""
    shares: tuple[ValueShare, ...]
    people: tuple[PersonFigures, ...]
    days: tuple[DayFigures, ...]
    idle: float
    """Seconds that a gap counts at most."""

    def as_dict(self) -> Row:
        """As plain values."""
        return asdict(self)


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
    """Items of either part with a flag on a valid decision."""

    @property
    def main(self) -> int:
        """Items of the main part."""
        return self.open + self.conflict + self.discussion + self.done


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person of a campaign."""

    enrolment: Enrolment
    state: MemberState
    figures: PersonFigures | None
    """None until the person has decided an item of the main part."""
    qualification: tuple[int, int]
    """Right and decided."""
    skips: int
    last_at: datetime | None
    """Of the last decision."""


def measure(
    kind: Kind,
    items: Sequence[Item],
    decisions: Sequence[DecisionRecord],
    *,
    idle: timedelta = IDLE,
    draws: Draws = NO_DRAWS,
) -> Report:
    """Measure a campaign on its records.

    Args:
        kind: Of the campaign.
        items: `records.read_items`.
        decisions: `records.read_decisions`.
        idle: What a gap between two signs of life counts at most.
        draws: Of the bootstrap; without any, numbers have no intervals.
    """
    main = [record for record in decisions if record.part == "main"]
    pairs = first_pairs(main)
    return Report(
        fields=tuple(kind_agreement(kind, pairs, draws)),
        seconds=seconds_of(main, idle),
        outcomes=_outcomes(items, main),
        shares=tuple(final_shares(kind, items, draws)),
        people=tuple(people_figures(items, main, idle)),
        days=tuple(_days(main, pairs, idle)),
        idle=idle.total_seconds(),
    )


def overview(session: Session, campaign: Campaign) -> tuple[list[PersonRow], Report]:
    """Everybody by name, and agreement without intervals; everything is read once."""
    items, decisions = read_items(session, campaign), read_decisions(session, campaign)
    report = measure(find_kind(campaign.kind), items, decisions)
    return _people(session, campaign, items, decisions, report), report


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


def waiting(session: Session, campaign: Campaign) -> Sequence[Any]:
    """Items in conflict or discussion, those for a lead first.

    Each has `item_id`, `key`, `state` and `judged`, the decisions of the second pair.
    """
    judged = (
        select(func.count())
        .where(Assignment.item_id == Item.id, Assignment.stage == "second", Assignment.decided)
        .correlate(Item)
        .scalar_subquery()
    )
    rows = (
        select(Item.id.label("item_id"), Item.key, Item.state, judged.label("judged"))
        .where(Item.campaign_id == campaign.id, Item.state.in_(("conflict", "discussion")))
        .order_by(Item.state.desc(), Item.ordinal)
    )
    return session.execute(rows).all()


def flagged(session: Session, campaign: Campaign) -> Sequence[Any]:
    """Flags on valid decisions, the newest first, without the labels.

    Each has `item_id`, `key`, `state`, `person`, `note` and `at`.
    """
    later = aliased(Decision)
    is_corrected = exists().where(
        later.assignment_id == Decision.assignment_id, later.revision > Decision.revision
    )
    rows = (
        select(
            Item.id.label("item_id"),
            Item.key,
            Item.state,
            Person.code.label("person"),
            Decision.note,
            Decision.decided_at.label("at"),
        )
        .join(Assignment, Decision.assignment_id == Assignment.id)
        .join(Item, Assignment.item_id == Item.id)
        .join(Person, Assignment.person_id == Person.id)
        .where(Item.campaign_id == campaign.id, Decision.flag, ~is_corrected)
        .order_by(Decision.id.desc())
    )
    return session.execute(rows).all()


def seconds_of(records: Sequence[DecisionRecord], idle: timedelta = IDLE) -> Seconds:
    """Median and quartiles over decisions as first sent, of both pairs."""
    values = [
        record.seconds(idle)
        for record in records
        if record.revision == 1 and record.stage in ("first", "second")
    ]
    if not values:
        return Seconds(None, None, None, 0)
    low, median, high = (float(value) for value in np.quantile(values, (0.25, 0.5, 0.75)))
    return Seconds(median, low, high, len(values))


def people_figures(
    items: Sequence[Item], main: Sequence[DecisionRecord], idle: timedelta = IDLE
) -> list[PersonFigures]:
    """One row for everybody who has decided an item of the main part, by pseudonym."""
    known = {item.key: item for item in items}
    pairs = first_pairs(main)
    judged = last_ones(main, "first", "second")
    found = []
    for person in sorted({record.person for record in judged}):
        mine = [record for record in judged if record.person == person]
        partners = [
            pair.agrees for pair in pairs if person in (record.person for record in pair.records)
        ]
        finals = [
            record.label == known[record.item].final
            for record in mine
            if known[record.item].final is not None
        ]
        controls = [
            record.label == known[record.item].answer
            for record in mine
            if known[record.item].answer is not None
        ]
        found.append(
            PersonFigures(
                person=person,
                decided=len(mine),
                flags=sum(record.flag for record in mine),
                seconds=seconds_of([r for r in main if r.person == person], idle),
                with_partner=_share(partners),
                with_final=_share(finals),
                controls=(sum(controls), len(controls)),
            )
        )
    return found


def _outcomes(items: Sequence[Item], main: Sequence[DecisionRecord]) -> dict[str, int]:
    last_stage = {record.item: record.stage for record in main}
    ends = {"first": "pair", "second": "second", "consensus": "consensus"}
    found = dict.fromkeys((*ends.values(), "open", "conflict", "discussion"), 0)
    for item in items:
        if item.part == "main":
            found[ends[last_stage[item.key]] if item.state == "done" else item.state] += 1
    return found


def _days(
    main: Sequence[DecisionRecord], pairs: Sequence[Pair], idle: timedelta
) -> list[DayFigures]:
    judged = [record for record in main if record.stage in ("first", "second")]
    days = sorted({record.decided_at.date().isoformat() for record in judged})
    found = []
    for day in days:
        of_day = [pair.agrees for pair in pairs if pair.day == day]
        records = [record for record in judged if record.decided_at.date().isoformat() == day]
        found.append(DayFigures(day, len(of_day), _share(of_day), seconds_of(records, idle)))
    return found


def _people(
    session: Session,
    campaign: Campaign,
    items: Sequence[Item],
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
                state=member_state(session, enrolment),
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


def _share(hits: Sequence[bool]) -> Coefficient:
    return share_estimate(hits, [""] * len(hits), NO_DRAWS)
