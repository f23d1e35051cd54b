"""Campaigns and their items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.storage import Adjudication, Campaign, Event, Item, Person

CAMPAIGN_NAME = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,63}")
PASS_MARK = 0.8
ADJUDICATION: tuple[str, ...] = get_args(Adjudication)


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item before it is in the database; its content and answer are checked already."""

    key: str
    content: Row
    cluster: str
    part: str = "main"
    answer: Row | None = None
    explanation: str = ""
    where: str = "The item"
    """Where it was read, for messages."""


@dataclass(frozen=True, slots=True)
class Added:
    """What an import came to."""

    added: int
    known: int
    """Items that were there, just so, before."""


def make_campaign(
    session: Session,
    name: str,
    kind: str,
    now: datetime,
    *,
    guidelines: str | None = None,
    pass_mark: float = PASS_MARK,
    seed: int = 0,
    adjudication: str = "adjudicators",
) -> Campaign:
    """Make a campaign without items.

    Args:
        session: A writing one.
        name: Small letters, digits and . _ -; part of addresses.
        kind: One of `kinds.KINDS`.
        now: The moment.
        guidelines: Markdown; without it, the kind's own.
        pass_mark: Share of the qualification items that must be right.
        seed: Of the order of items.
        adjudication: Who is the second pair: `adjudicators`, or `anyone` who is qualified.

    Raises:
        InputError: A value is not allowed, or the name is taken.
    """
    if not CAMPAIGN_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a name for a campaign. Use up to 64 small letters, digits and . _ -"
        )
    if not 0 <= pass_mark <= 1:
        raise InputError(f"The pass mark is {pass_mark}. It must be between 0 and 1.")
    if adjudication not in ADJUDICATION:
        raise InputError(f"adjudication is {adjudication!r}. Choose: {', '.join(ADJUDICATION)}.")
    found = find_kind(kind)
    if session.scalar(select(Campaign.id).where(Campaign.name == name)) is not None:
        raise InputError(f"There is a campaign called {name} already.")
    campaign = Campaign(
        name=name,
        kind=found.name,
        guidelines=found.guidelines if guidelines is None else guidelines,
        pass_mark=pass_mark,
        seed=seed,
        adjudication=adjudication,
        created_at=now,
    )
    session.add(campaign)
    session.flush()
    return campaign


def find_campaign(session: Session, name: str) -> Campaign:
    """A campaign by its name; `InputError` lists those there are."""
    found = session.scalar(select(Campaign).where(Campaign.name == name))
    if found is None:
        names = ", ".join(campaign.name for campaign in list_campaigns(session)) or "none"
        raise InputError(f"No campaign is called {name!r}. There are: {names}.")
    return found


def list_campaigns(session: Session) -> Sequence[Campaign]:
    """Every campaign, by name."""
    return session.scalars(select(Campaign).order_by(Campaign.name)).all()


def add_items(session: Session, campaign: Campaign, items: Iterable[NewItem]) -> Added:
    """Add items after those that are there; one that is there just so is passed over.

    Raises:
        InputError: An id is there with another content; nothing of the import stays.
    """
    rows = session.scalars(select(Item).where(Item.campaign_id == campaign.id))
    there = {item.key: item for item in rows}
    last = session.scalar(select(func.max(Item.ordinal)).where(Item.campaign_id == campaign.id))
    start = 0 if last is None else last + 1
    added = known = 0
    for new in items:
        old = there.get(new.key)
        if old is not None:
            if _facts(old) != _facts(new):
                raise InputError(
                    f"{new.where}: the campaign {campaign.name} has an item {new.key!r} with "
                    "other content. Give it another id, or start another campaign."
                )
            known += 1
            continue
        item = Item(
            campaign_id=campaign.id,
            key=new.key,
            ordinal=start + added,
            part=new.part,
            content=new.content,
            answer=new.answer,
            explanation=new.explanation,
            cluster=new.cluster,
        )
        session.add(item)
        there[new.key] = item
        added += 1
    session.flush()
    return Added(added, known)


def pause_campaign(
    session: Session, campaign: Campaign, now: datetime, *, by: Person | None = None
) -> None:
    """Hand no more items to anybody until `resume_campaign`."""
    campaign.paused_at = now
    _note(session, campaign, "campaign_paused", now, by)


def resume_campaign(
    session: Session, campaign: Campaign, now: datetime, *, by: Person | None = None
) -> None:
    """Let everybody go on."""
    campaign.paused_at = None
    _note(session, campaign, "campaign_resumed", now, by)


def _note(
    session: Session, campaign: Campaign, kind: str, now: datetime, by: Person | None
) -> None:
    person = by.id if by else None
    session.add(Event(at=now, person_id=person, campaign_id=campaign.id, kind=kind, detail={}))


def _facts(item: Item | NewItem) -> tuple[object, ...]:
    return (item.content, item.part, item.answer, item.explanation, item.cluster)
