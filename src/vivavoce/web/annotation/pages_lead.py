"""What a lead sees and does: how it goes, who is paused, feedback, and the items to settle."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.web.annotation.campaigns import pause_campaign, resume_campaign
from vivavoce.web.annotation.feedback import give_feedback
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.monitoring import counts, flagged, overview, waiting
from vivavoce.web.annotation.pages_campaigns import CampaignName, Id, own_part
from vivavoce.web.annotation.pages_items import votes_of
from vivavoce.web.annotation.people import admit, pause, resume
from vivavoce.web.annotation.process import discussed_item, labels_of, open_consensus
from vivavoce.web.annotation.storage import Enrolment, Item, Person
from vivavoce.web.annotation.viewing import Bar, fields_of, heading_of
from vivavoce.web.annotation.visits import Posting, Reading, Refused, go

router = APIRouter()

_LEAD = "lead"
_LONGEST_REASON = 500


@router.get("/c/{campaign}/lead")
def lead_page(visit: Reading, campaign: CampaignName) -> Response:
    """How a campaign goes."""
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign, role=_LEAD)
        own = enrolment.campaign
        items, seen = counts(session, own), overview(session, own)
        return visit.page(
            "lead.html.j2",
            campaign=campaign,
            kind=find_kind(own.kind),
            bar=Bar(items.done, items.main, "items done"),
            paused_at=own.paused_at,
            counts=items,
            people=seen.people,
            waiting=waiting(session, own),
            flagged=flagged(session, own),
            report=seen.report,
        )


@router.post("/c/{campaign}/lead/campaign")
def campaign_sent(visit: Posting, campaign: CampaignName) -> Response:
    """Pause the campaign, or let it go on."""
    actions = {"pause": pause_campaign, "resume": resume_campaign}
    action = _action(visit.form.get("action", ""), actions)
    with visit.database.writing() as session:
        enrolment = own_part(session, visit, campaign, role=_LEAD)
        action(session, enrolment.campaign, visit.now, by=enrolment.person)
    return go(f"/c/{campaign}/lead")


@router.post("/c/{campaign}/lead/people/{enrolment}")
def person_sent(visit: Posting, campaign: CampaignName, enrolment: Id) -> Response:
    """Pause somebody, let them go on, or overrule what their trial came to."""
    reason = visit.form.get("reason", "").strip()[:_LONGEST_REASON]
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        other = session.get(Enrolment, enrolment)
        if other is None or other.campaign_id != lead.campaign_id:
            raise Refused(404, "There is nobody like that", "Go back to the campaign's page.")
        now, by = visit.now, lead.person
        actions = {
            "pause": lambda: pause(session, other, reason, now, by=by),
            "resume": lambda: resume(session, other, now, by=by),
            "admit": lambda: admit(session, other, True, now, by=by),
            "refuse": lambda: admit(session, other, False, now, by=by),
        }
        _action(visit.form.get("action", ""), actions)()
    return go(f"/c/{campaign}/lead#people")


@router.post("/c/{campaign}/lead/feedback")
def feedback_sent(visit: Posting, campaign: CampaignName) -> Response:
    """Tell one person something, or everybody."""
    to = visit.form.get("to", "")
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        person = _addressee(session, lead, to)
        text = visit.form.get("text", "")
        give_feedback(session, lead.campaign, text, visit.now, person=person, by=lead.person)
    return go(f"/c/{campaign}/lead#feedback")


@router.get("/c/{campaign}/lead/i/{item}")
def settled_page(visit: Reading, campaign: CampaignName, item: Id) -> Response:
    """All labels of an item that both pairs have judged; one in discussion can be settled."""
    with visit.database.reading() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        found = discussed_item(session, item, lead)
        values = _settled(session, found)
        person_id = lead.person_id
        is_own = any(
            decision.assignment.person_id == person_id for decision in values.pop("decisions")
        )
    return visit.page("settled.html.j2", campaign=campaign, item=item, is_own=is_own, **values)


@router.post("/c/{campaign}/lead/i/{item}")
def settle(visit: Posting, campaign: CampaignName, item: Id) -> Response:
    """Take an item in discussion in hand."""
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        assignment = open_consensus(session, item, lead, visit.now)
    return go(f"/c/{campaign}/a/{assignment.id}")


def _settled(session: Session, item: Item) -> dict[str, Any]:
    kind = find_kind(item.campaign.kind)
    return {
        "heading": heading_of(kind),
        "key": item.key,
        "kind": kind,
        "content": kind.present(item.content, False),
        "fields": fields_of(kind),
        "state": item.state,
        "final": item.final,
        "votes": votes_of(session, item, swapped=False),
        "decisions": labels_of(session, item),
    }


def _addressee(session: Session, lead: Enrolment, to: str) -> Person | None:
    if to == "all":
        return None
    known = (
        session.get(Enrolment, int(to)) if to.isascii() and to.isdigit() and len(to) < 10 else None
    )
    if known is None or known.campaign_id != lead.campaign_id:
        raise Refused(422, "There is nobody like that", "Choose a person of this campaign.")
    return known.person


def _action(name: str, actions: dict[str, Any]) -> Any:
    if name not in actions:
        raise Refused(422, "There is no such button", "Go back and use the page's buttons.")
    return actions[name]
