"""What leads tell those who annotate: one of them, or all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from vivavoce.errors import InputError
from vivavoce.web.annotation.process import NotYours
from vivavoce.web.annotation.storage import (
    Campaign,
    Enrolment,
    Event,
    Feedback,
    FeedbackRead,
    Person,
)

LONGEST = 10_000


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
    if not text.strip() or len(text) > LONGEST:
        raise InputError(f"Feedback has 1 to {LONGEST:,} characters.")
    given = Feedback(
        campaign_id=campaign.id, person_id=person.id if person else None, text=text, at=now
    )
    session.add(given)
    detail = {"to": person.code if person else None}
    session.add(
        Event(
            at=now,
            person_id=by.id if by else None,
            campaign_id=campaign.id,
            kind="feedback",
            detail=detail,
        )
    )
    session.flush()
    return given


def unread_feedback(session: Session, enrolment: Enrolment) -> Sequence[Feedback]:
    """What a person has been told and not marked as read, oldest first."""
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
        NotYours: It was told to nobody, or to somebody else.
    """
    found = session.get(Feedback, feedback_id)
    is_enrolled = found is not None and session.scalar(
        select(Enrolment.id).where(
            Enrolment.campaign_id == found.campaign_id, Enrolment.person_id == person.id
        )
    )
    if found is None or not is_enrolled or found.person_id not in (None, person.id):
        raise NotYours("There is no such feedback for you.")
    if session.get(FeedbackRead, (feedback_id, person.id)) is None:
        session.add(FeedbackRead(feedback_id=feedback_id, person_id=person.id, read_at=now))
        session.flush()
