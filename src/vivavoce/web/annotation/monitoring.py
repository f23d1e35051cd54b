"""Reports on a campaign: agreement, seconds, outcomes, people, and what a lead has to watch.

Seconds are of first revisions, by the server's clock. A lead sees no label of an item that somebody
still has to judge blind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

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
from vivavoce.web.annotation.people import enrolments_in
from vivavoce.web.annotation.records import (
    IDLE,
    DecisionRecord,
    grouped,
    last_ones,
    read_decisions,
    read_items,
)
from vivavoce.web.annotation.tables import Campaign, Enrolment, Event, Item, Person

_ENDS = {"first": "pair", "second": "second", "consensus": "consensus"}
"""Names of outcomes, by the stage of an item's last decision."""


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


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag on a valid decision, without the label."""

    item: Item
    person: str
    note: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that a lead watches."""

    report: Report
    """Without intervals."""
    people: tuple[PersonRow, ...]
    """Everybody by name."""
    waiting: tuple[tuple[Item, int], ...]
    """Items in conflict or discussion, those for a lead first, with the decisions of the second
    pair."""
    flags: tuple[Flag, ...]
    """The newest first."""

    @property
    def main_items(self) -> int:
        """Items of the main part."""
        return sum(self.report.outcomes.values())

    @property
    def done(self) -> int:
        """Items of the main part with a final label."""
        return sum(self.report.outcomes[end] for end in _ENDS.values())

    @property
    def flagged_items(self) -> int:
        """Items of either part with a flag on a valid decision."""
        return len({flag.item for flag in self.flags})


def measure(
    kind: Kind,
    items: Sequence[Item],
    decisions: Sequence[DecisionRecord],
    *,
    idle: timedelta = IDLE,
    draws: Draws = NO_DRAWS,
) -> Report:
    """Measure a campaign on its records; without draws, numbers have no intervals."""
    main = [record for record in decisions if record.part == "main"]
    pairs = first_pairs(main)
    return Report(
        fields=tuple(kind_agreement(kind, pairs, draws)),
        seconds=seconds_of(main, idle),
        outcomes=_outcomes(items, main),
        shares=tuple(final_shares(kind, items, draws)),
        people=tuple(_people_figures(items, main, pairs, idle)),
        days=tuple(_days(main, pairs, idle)),
        idle=idle.total_seconds(),
    )


def overview(session: Session, campaign: Campaign) -> Overview:
    """Read everything once and measure it."""
    items, decisions = read_items(session, campaign), read_decisions(session, campaign)
    report = measure(find_kind(campaign.kind), items, decisions)
    by_key = {item.key: item for item in items}
    second = Counter(record.item for record in last_ones(decisions, "second"))
    open_ones = [item for item in items if item.state in ("conflict", "discussion")]
    open_ones.sort(key=lambda item: item.state, reverse=True)
    flagged = [record for record in decisions if record.last and record.flag]
    flagged.sort(key=lambda record: record.decided_at, reverse=True)
    return Overview(
        report=report,
        people=tuple(_people(session, campaign, items, decisions, report)),
        waiting=tuple((item, second[item.key]) for item in open_ones),
        flags=tuple(Flag(by_key[r.item], r.person, r.note, r.decided_at) for r in flagged),
    )


def people_rows(watched: Overview) -> list[Row]:
    """People by name: where they are and what they have done, as plain values."""
    return [
        {
            "name": row.enrolment.person.name,
            "code": row.enrolment.person.code,
            "role": row.enrolment.role,
            "standing": row.state,
            "decided": row.figures.decided if row.figures else 0,
            "flags": row.figures.flags if row.figures else 0,
            "skips": row.skips,
        }
        for row in watched.people
    ]


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


def _people_figures(
    items: Sequence[Item], main: Sequence[DecisionRecord], pairs: Sequence[Pair], idle: timedelta
) -> Iterator[PersonFigures]:
    """One row for everybody who has decided an item of the main part, by pseudonym."""
    finals = {item.key: item.final for item in items if item.final is not None}
    answers = {item.key: item.answer for item in items if item.answer is not None}
    judged = grouped(last_ones(main, "first", "second"), "person")
    for person, mine in sorted(judged.items()):
        controls = [one.label == answers[one.item] for one in mine if one.item in answers]
        yield PersonFigures(
            person=person,
            decided=len(mine),
            flags=sum(record.flag for record in mine),
            seconds=seconds_of([record for record in main if record.person == person], idle),
            with_partner=_share(
                [pair.agrees for pair in pairs if person in [one.person for one in pair]]
            ),
            with_final=_share(
                [one.label == finals[one.item] for one in mine if one.item in finals]
            ),
            controls=(sum(controls), len(controls)),
        )


def _outcomes(items: Sequence[Item], main: Sequence[DecisionRecord]) -> dict[str, int]:
    last_stage = {record.item: record.stage for record in main}
    found = dict.fromkeys((*_ENDS.values(), "open", "conflict", "discussion"), 0)
    for item in items:
        if item.part == "main":
            found[_ENDS[last_stage[item.key]] if item.state == "done" else item.state] += 1
    return found


def _days(
    main: Sequence[DecisionRecord], pairs: Sequence[Pair], idle: timedelta
) -> Iterator[DayFigures]:
    judged = grouped([one for one in main if one.stage in ("first", "second")], "day")
    for day, records in sorted(judged.items()):
        of_day = [pair.agrees for pair in pairs if pair.day == day]
        yield DayFigures(day, len(of_day), _share(of_day), seconds_of(records, idle))


def _people(
    session: Session,
    campaign: Campaign,
    items: Sequence[Item],
    records: Sequence[DecisionRecord],
    report: Report,
) -> Iterator[PersonRow]:
    figures = {row.person: row for row in report.people}
    answers = {item.key: item.answer for item in items}
    by_person = grouped(records, "person")
    skips = Counter(
        session.scalars(
            select(Event.person_id).where(Event.campaign_id == campaign.id, Event.kind == "skipped")
        )
    )
    for enrolment in enrolments_in(session, campaign, Person.name):
        mine = by_person.get(enrolment.person.code, [])
        tests = last_ones(mine, "qualification")
        right = sum(record.label == answers[record.item] for record in tests)
        yield PersonRow(
            enrolment=enrolment,
            state=member_state(session, enrolment),
            figures=figures.get(enrolment.person.code),
            qualification=(right, len(tests)),
            skips=skips[enrolment.person_id],
            last_at=max((record.decided_at for record in mine), default=None),
        )


def _share(hits: Sequence[bool]) -> Coefficient:
    return share_estimate(hits, [""] * len(hits), NO_DRAWS)
