"""Campaigns, their items, and messages of their leads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import Session

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.assignment import NotYours
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.people import find_enrolment
from vivavoce.web.annotation.records import item_facts, read_items
from vivavoce.web.annotation.tables import (
    Adjudication,
    Campaign,
    Enrolment,
    Feedback,
    FeedbackRead,
    Item,
    Person,
)

CAMPAIGN_NAME = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,63}")
PASS_MARK = 0.8
MAX_FEEDBACK = 10_000
MAX_GUIDELINES = 100_000
"""Characters; the most hostile Markdown of that size takes less than a second to draw."""
SETTINGS = ("guidelines", "pass_mark", "seed", "adjudication")
"""Arguments of `make_campaign` that an export holds."""
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
    """File and line that it was read from, for messages."""


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
    """Make a campaign without items; `tables.Campaign` says what its settings mean.

    Without guidelines, which are Markdown, it has those of its kind.

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
    guidelines = found.guidelines if guidelines is None else guidelines
    if not guidelines.strip() or len(guidelines) > MAX_GUIDELINES:
        raise InputError(
            f"The guidelines have {len(guidelines):,} characters. They must say something in at "
            f"most {MAX_GUIDELINES:,}: shorten them, or publish a part elsewhere."
        )
    if session.scalar(select(Campaign.id).where(Campaign.name == name)) is not None:
        raise InputError(f"There is a campaign called {name} already.")
    campaign = Campaign(
        name=name,
        kind=found.name,
        guidelines=guidelines,
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


def add_items(session: Session, campaign: Campaign, items: Iterable[NewItem]) -> tuple[int, int]:
    """Add items after those that are there; an identical one is skipped.

    Returns:
        How many were added, and how many were there before.

    Raises:
        InputError: An id is there with another content; no part of the import stays.
    """
    there = {item.key: item_facts(item) for item in read_items(session, campaign)}
    last = session.scalar(select(func.max(Item.ordinal)).where(Item.campaign_id == campaign.id))
    start = 0 if last is None else last + 1
    added = known = 0
    for new in items:
        facts = item_facts(new)
        if new.key not in there:
            ordinal = start + added
            session.add(Item(campaign_id=campaign.id, key=new.key, ordinal=ordinal, **facts))
            there[new.key] = facts
            added += 1
        elif there[new.key] == facts:
            known += 1
        else:
            raise InputError(
                f"{new.where}: the campaign {campaign.name} has an item {new.key!r} with "
                "other content. Give it another id, or start another campaign."
            )
    session.flush()
    return added, known


def pause_campaign(
    session: Session,
    campaign: Campaign,
    now: datetime,
    *,
    resume: bool = False,
    by: Person | None = None,
) -> None:
    """Hand no more items to anybody, or let everybody go on."""
    campaign.paused_at = None if resume else now
    session.add(campaign.event("campaign_resumed" if resume else "campaign_paused", now, by))


def give_feedback(
    session: Session,
    campaign: Campaign,
    text: str,
    now: datetime,
    *,
    person: Person | None = None,
    by: Person | None = None,
) -> Feedback:
    """Tell one person something, or everybody in the campaign.

    Raises:
        InputError: The text is empty or longer than 10,000 characters.
    """
    if not text.strip() or len(text) > MAX_FEEDBACK:
        raise InputError(f"Feedback has 1 to {MAX_FEEDBACK:,} characters.")
    given = Feedback(
        campaign_id=campaign.id, person_id=person.id if person else None, text=text, at=now
    )
    session.add(given)
    session.add(campaign.event("feedback", now, by, to=person.code if person else None))
    session.flush()
    return given


def unread_feedback(session: Session, enrolment: Enrolment) -> Sequence[Feedback]:
    """Messages that a person has not marked as read, oldest first."""
    is_read = exists().where(
        FeedbackRead.feedback_id == Feedback.id, FeedbackRead.person_id == enrolment.person_id
    )
    rows = select(Feedback).where(
        Feedback.campaign_id == enrolment.campaign_id,
        or_(Feedback.person_id.is_(None), Feedback.person_id == enrolment.person_id),
        ~is_read,
    )
    return session.scalars(rows.order_by(Feedback.id)).all()


def mark_read(session: Session, feedback_id: int, person: Person, now: datetime) -> None:
    """Record that a person has read something; a second time changes nothing.

    Raises:
        NotYours: There is no such message, or it is for somebody else.
    """
    found = session.get(Feedback, feedback_id)
    if (
        found is None
        or found.person_id not in (None, person.id)
        or find_enrolment(session, session.get_one(Campaign, found.campaign_id), person) is None
    ):
        raise NotYours("There is no such feedback for you.")
    if session.get(FeedbackRead, (feedback_id, person.id)) is None:
        session.add(FeedbackRead(feedback_id=feedback_id, person_id=person.id, read_at=now))
        session.flush()
