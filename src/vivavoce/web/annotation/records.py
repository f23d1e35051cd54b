"""Items of a campaign, and its decisions as flat records: for agreement and for exports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.assignment import STAGES
from vivavoce.web.annotation.tables import Assignment, Campaign, Decision, Event, Item, Person

IDLE = timedelta(minutes=15)
"""A gap between two signs of life counts as this at most."""

ITEM_FACTS = ("content", "cluster", "part", "answer", "explanation")
"""Facts of an item that an export holds, beside its key."""
PLAIN_FACTS = ("item", "part", "cluster", "person", "stage", "revision", "last", "note", "flag")
"""Facts of a record that an export holds as they are."""

_SIGNS = ("shown", "drafted")


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One revision of one decision."""

    item: str
    part: str
    cluster: str
    person: str
    """The pseudonym."""
    stage: str
    revision: int
    last: bool
    """True if there is no later revision."""
    label: Mapping[str, str]
    note: str
    flag: bool
    signs: tuple[datetime, ...]
    """Moments at which the person was at the item before the decision; at the first one it was
    first shown."""
    decided_at: datetime

    @property
    def day(self) -> str:
        """The UTC day of the decision."""
        return self.decided_at.date().isoformat()

    def seconds(self, idle: timedelta = IDLE) -> float:
        """Time spent by the server's clock, each gap counted as `idle` at most."""
        moments = [*self.signs, self.decided_at]
        return sum(min(after - before, idle).total_seconds() for before, after in pairwise(moments))


def read_items(session: Session, campaign: Campaign) -> list[Item]:
    """Every item of a campaign, in the order of import."""
    rows = select(Item).where(Item.campaign_id == campaign.id).order_by(Item.ordinal)
    return list(session.scalars(rows))


def read_decisions(session: Session, campaign: Campaign) -> list[DecisionRecord]:
    """Every decision of a campaign, corrected ones too: by item, stage, moment and person."""
    signs = _read_signs(session, campaign)
    # Columns, not objects: a campaign may have tens of thousands of decisions.
    rows = session.execute(
        select(
            Assignment.id.label("assignment"),
            Assignment.stage,
            Assignment.shown_at,
            Item.key.label("item"),
            Item.ordinal,
            Item.part,
            Item.cluster,
            Person.code.label("person"),
            Decision.revision,
            Decision.label,
            Decision.note,
            Decision.flag,
            Decision.decided_at,
        )
        .join(Assignment, Decision.assignment_id == Assignment.id)
        .join(Item, Assignment.item_id == Item.id)
        .join(Person, Assignment.person_id == Person.id)
        .where(Item.campaign_id == campaign.id)
        .order_by(Decision.revision)
    )
    by_assignment: dict[int, list[Row]] = defaultdict(list)
    for row in rows.mappings():
        by_assignment[row["assignment"]].append(dict(row))
    return [
        _record(row, signs.get(row["assignment"], []), last=row is made[-1])
        for made in sorted(by_assignment.values(), key=lambda made: _place(made[0]))
        for row in made
    ]


def item_facts(item: Any) -> Row:
    """Facts that two items of one key must share; the item may be a new one."""
    return {name: getattr(item, name) for name in ITEM_FACTS}


def item_row(item: Item) -> Row:
    """An item as imports read it."""
    return {"id": item.key, **item_facts(item)}


def last_ones(records: Iterable[DecisionRecord], *stages: str) -> list[DecisionRecord]:
    """The valid decisions of some stages."""
    return [record for record in records if record.last and record.stage in stages]


def grouped(records: Iterable[DecisionRecord], fact: str) -> dict[str, list[DecisionRecord]]:
    """Records by a fact of theirs such as `item`, in the order given."""
    found: dict[str, list[DecisionRecord]] = defaultdict(list)
    for record in records:
        found[getattr(record, fact)].append(record)
    return dict(found)


def _read_signs(session: Session, campaign: Campaign) -> dict[int, list[datetime]]:
    rows = session.execute(
        select(Event.at, Event.detail)
        .where(Event.campaign_id == campaign.id, Event.kind.in_(_SIGNS))
        .order_by(Event.at, Event.id)
    )
    found: dict[int, list[datetime]] = defaultdict(list)
    for at, detail in rows:
        found[detail["assignment"]].append(at)
    return found


def _place(row: Row) -> tuple[int, int, datetime, str]:
    """Sort key of the decisions of an assignment, by its first one."""
    return row["ordinal"], STAGES.index(row["stage"]), row["decided_at"], row["person"]


def _record(row: Row, signs: Sequence[datetime], *, last: bool) -> DecisionRecord:
    seen = tuple(at for at in signs if at < row["decided_at"]) or (row["shown_at"],)
    facts = {name: row[name] for name in (*PLAIN_FACTS, "label", "decided_at") if name != "last"}
    return DecisionRecord(**facts, last=last, signs=seen)
