"""What every change of a campaign begins with: it is held, and who asks is looked up."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.web.annotation.handing_out import note_event
from vivavoce.web.annotation.refusals import NotAllowed
from vivavoce.web.annotation.storage import Assignment, Campaign, Enrolment


def hold_campaign(session: Session, campaign_id: int) -> None:
    """Keep every other writer of the campaign out until the session ends."""
    held = select(Campaign.id).where(Campaign.id == campaign_id).with_for_update(key_share=True)
    session.execute(held)
    # What was read before the wait may have changed.
    session.flush()
    session.expire_all()


def enrolment_of(session: Session, assignment: Assignment) -> Enrolment:
    """The part in the campaign of the person of an assignment; `NotAllowed` without one."""
    found = session.scalar(
        select(Enrolment).where(
            Enrolment.campaign_id == assignment.item.campaign_id,
            Enrolment.person_id == assignment.person_id,
        )
    )
    if found is None:
        raise NotAllowed("You have no part in this campaign any more.")
    return found


def touch(
    session: Session, assignment: Assignment, now: datetime, kind: str, **detail: object
) -> None:
    """Keep that a person was at an assignment, for the seconds and for who lies idle."""
    assignment.touched_at = now
    enrolment = enrolment_of(session, assignment)
    note_event(session, enrolment, kind, now, assignment=assignment.id, **detail)
