"""Pages of items: judged by annotators, watched and settled by a lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.assignment import (
    AlreadyDecided,
    NotYours,
    cluster_progress,
    discussed_item,
    is_swapped,
    labels_of,
    member_state,
    open_consensus,
    progress,
)
from vivavoce.web.annotation.campaigns import (
    give_feedback,
    pause_campaign,
    unread_feedback,
)
from vivavoce.web.annotation.decisions import (
    can_correct,
    decided_by,
    find_assignment,
    last_decided,
    save_draft,
    skip,
    submit,
)
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.monitoring import overview
from vivavoce.web.annotation.pages import CampaignName, Id, next_path, nothing, own_part
from vivavoce.web.annotation.people import ACTIONS, change_part
from vivavoce.web.annotation.requests import Posting, Reading, Refused, Visit, go
from vivavoce.web.annotation.tables import Assignment, Decision, Draft, Enrolment, Person

router = APIRouter()

MAX_NOTE = 4000
_MAX_REASON = 500
_LEAD = "lead"
_MAX_LISTED = 1_000
_FILTERS = {"all": "All", "open": "Can be corrected", "flagged": "Flagged"}


@dataclass(frozen=True, slots=True)
class Shown:
    """An assignment as its person may see it: no answer, no explanation, nobody's label."""

    assignment: Assignment
    kind: Kind
    content: Row
    label: Mapping[str, str]
    """Of the draft, or the decision that may be corrected; empty or partial where there is none."""
    note: str
    flag: bool
    revision: int
    """The revision that `submit` takes next."""
    swapped: bool
    """True if its two sides have changed places."""


@router.get("/c/{campaign}/a/{assignment}")
def item_page(visit: Reading, campaign: CampaignName, assignment: Id) -> Response:
    """An item in the visitor's hands, or a decision that they may still correct."""
    with visit.database.reading() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        if found.stage == "consensus":
            if found.item.state != "discussion":
                return go(f"/c/{campaign}/lead/i/{found.item_id}")
        elif member_state(session, enrolment) not in ("qualification", "working"):
            return go(f"/c/{campaign}")
        if found.decided and not can_correct(session, found):
            return nothing(visit, session, enrolment, state="decided", messages=[])
        return _item(visit, session, enrolment, show(session, found))


@router.get("/c/{campaign}/mine")
def own_decisions_page(visit: Reading, campaign: CampaignName, only: str = "all") -> Response:
    """The visitor's own decisions, the last first; those that may still be corrected are linked."""
    if only not in _FILTERS:
        raise Refused(404, "There is no such list", "Choose one of the lists of the page.")
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign)
        kind = find_kind(enrolment.campaign.kind)
        rows = []
        for found in decided_by(session, enrolment, most=_MAX_LISTED):
            shown = show(session, found)
            is_open = can_correct(session, found)
            if only == "all" or (only == "open" and is_open) or (only == "flagged" and shown.flag):
                title = kind.title_of(found.item.content)
                row = {"id": found.id, "title": title, "is_open": is_open, "label": shown.label}
                rows.append(row | {"note": shown.note, "flag": shown.flag})
        return visit.page(
            "mine.html.j2", campaign=campaign, kind=kind, rows=rows, filters=_FILTERS, chosen=only
        )


@router.post("/c/{campaign}/a/{assignment}")
def item_sent(visit: Posting, campaign: CampaignName, assignment: Id) -> Response:
    """Decide, correct, draft or skip, by the button that was pressed."""
    action = _button(visit, ("draft", "decide", "skip"))
    if action == "draft":
        # Enter on the page of a decision presses this too: then there is nothing to keep.
        with suppress(AlreadyDecided):
            draft_sent(visit, campaign, assignment)
        return go(f"/c/{campaign}/a/{assignment}")
    try:
        after = _act(visit, campaign, assignment, action)
    except InputError:
        return _incomplete(visit, campaign, assignment)
    return go(after or next_path(visit, campaign) or f"/c/{campaign}")


@router.post("/c/{campaign}/a/{assignment}/draft", status_code=204)
def draft_sent(visit: Posting, campaign: CampaignName, assignment: Id) -> Response:
    """Keep what is on the page; sent by the page itself while somebody types."""
    form = visit.form
    with visit.database.writing() as session:
        enrolment, _ = _own(session, visit, campaign, assignment)
        save_draft(session, assignment, enrolment.person, form, visit.now, **_remarks(form))
    return Response(status_code=204)


def show(session: Session, assignment: Assignment) -> Shown:
    """View of an assignment for its person."""
    campaign = assignment.item.campaign
    kind = find_kind(campaign.kind)
    swapped = is_swapped(campaign, assignment.person.code, assignment.item.key)
    last: Draft | Decision | None = assignment.draft
    label: Mapping[str, str] = last.label if last is not None else {}
    if last is None and assignment.decisions:
        last = assignment.decisions[-1]
        label = kind.restore(last.label, swapped)
    return Shown(
        assignment=assignment,
        kind=kind,
        content=kind.present(assignment.item.content, swapped),
        label=label,
        note=last.note if last else "",
        flag=last.flag if last else False,
        revision=len(assignment.decisions) + 1,
        swapped=swapped,
    )


def _act(visit: Visit, campaign: str, assignment: int, action: str) -> str:
    """Do what the button says and return the page to go to, or nothing for the next item."""
    form = visit.form
    with visit.database.writing() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        person, stage, item_id = enrolment.person, found.stage, found.item_id
        if action == "skip":
            skip(session, assignment, person, visit.now)
            return ""
        label = find_kind(enrolment.campaign.kind).chosen(form)
        submit(session, assignment, person, label, _revision(form), visit.now, **_remarks(form))
        if stage == "consensus":
            return f"/c/{campaign}/lead/i/{item_id}"
        if stage == "qualification" and enrolment.qualification is not None:
            return f"/c/{campaign}/review"
    return ""


def _incomplete(visit: Visit, campaign: str, assignment: int) -> Response:
    """The page once more, with the choices made and the missing ones."""
    form = visit.form
    with visit.database.reading() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        shown = show(session, found)
        chosen = shown.kind.chosen(form)
        missing = [one.question for one in shown.kind.fields if one.name not in chosen]
        shown = replace(shown, label=chosen, **_remarks(form))
        error = f"Nothing was saved yet. Not answered: {' '.join(missing)}"
        return _item(visit, session, enrolment, shown, error, 422)


def _own(
    session: Session, visit: Visit, campaign: str, assignment: int
) -> tuple[Enrolment, Assignment]:
    """The visitor's part and their assignment in it; nobody else's is ever found."""
    enrolment = own_part(session, visit, campaign)
    found = find_assignment(session, assignment, enrolment.person)
    if found.item.campaign_id != enrolment.campaign_id:
        raise NotYours("You have no such item in this campaign.")
    return enrolment, found


def _remarks(form: Mapping[str, str]) -> dict[str, Any]:
    return {"note": form.get("note", "")[:MAX_NOTE], "flag": form.get("flag") == "yes"}


def _revision(form: Mapping[str, str]) -> int:
    text = form.get("revision", "")
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise Refused(422, "This form cannot be read", "Reload the page and send it again.")
    return int(text)


def _item(
    visit: Visit,
    session: Session,
    enrolment: Enrolment,
    shown: Shown,
    error: str = "",
    status: int = 200,
) -> Response:
    found = shown.assignment
    votes: Sequence[Decision] = ()
    far = last = None
    if found.stage == "consensus":
        votes = labels_of(session, discussed_item(session, found.item_id, enrolment))
    else:
        far, last = progress(session, enrolment), last_decided(session, enrolment)
    return visit.page(
        "item.html.j2",
        status=status,
        campaign=enrolment.campaign.name,
        kind=shown.kind,
        content=shown.content,
        shown=shown,
        votes=votes,
        far=far,
        of_table=cluster_progress(session, found),
        last=last,
        messages=unread_feedback(session, enrolment),
        error=error,
    )


@router.get("/c/{campaign}/lead")
def lead_page(visit: Reading, campaign: CampaignName) -> Response:
    """Progress of a campaign."""
    with visit.database.reading() as session:
        enrolment = own_part(session, visit, campaign, role=_LEAD)
        watched = overview(session, enrolment.campaign)
        return visit.page(
            "lead.html.j2",
            campaign=campaign,
            kind=find_kind(enrolment.campaign.kind),
            paused_at=enrolment.campaign.paused_at,
            watched=watched,
            report=watched.report,
        )


@router.post("/c/{campaign}/lead/campaign")
def campaign_sent(visit: Posting, campaign: CampaignName) -> Response:
    """Pause the campaign, or let it go on."""
    action = _button(visit, ("pause", "resume"))
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        resume = action == "resume"
        pause_campaign(session, lead.campaign, visit.now, resume=resume, by=lead.person)
    return go(f"/c/{campaign}/lead")


@router.post("/c/{campaign}/lead/people/{enrolment}")
def person_sent(visit: Posting, campaign: CampaignName, enrolment: Id) -> Response:
    """Pause somebody, let them go on, or overrule what their trial came to."""
    reason = visit.form.get("reason", "").strip()[:_MAX_REASON]
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        other = session.get(Enrolment, enrolment)
        if other is None or other.campaign_id != lead.campaign_id:
            raise Refused(404, "There is nobody like that", "Go back to the campaign's page.")
        action = _button(visit, ACTIONS)
        change_part(session, other, action, visit.now, reason=reason, by=lead.person)
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
        kind = find_kind(found.campaign.kind)
        votes = labels_of(session, found)
        return visit.page(
            "settled.html.j2",
            campaign=campaign,
            item=found,
            kind=kind,
            content=kind.present(found.content, False),
            votes=votes,
            is_own=lead.person_id in [vote.assignment.person_id for vote in votes],
        )


@router.post("/c/{campaign}/lead/i/{item}")
def settle(visit: Posting, campaign: CampaignName, item: Id) -> Response:
    """Take an item in discussion in hand."""
    with visit.database.writing() as session:
        lead = own_part(session, visit, campaign, role=_LEAD)
        assignment = open_consensus(session, item, lead, visit.now)
    return go(f"/c/{campaign}/a/{assignment.id}")


def _addressee(session: Session, lead: Enrolment, to: str) -> Person | None:
    if to == "all":
        return None
    is_id = to.isascii() and to.isdigit() and len(to) < 10
    known = session.get(Enrolment, int(to)) if is_id else None
    if known is None or known.campaign_id != lead.campaign_id:
        raise Refused(422, "There is nobody like that", "Choose a person of this campaign.")
    return known.person


def _button(visit: Visit, known: Sequence[str]) -> str:
    """The button of a form that was pressed."""
    action = visit.form.get("action", "decide")
    if action not in known:
        raise Refused(422, "There is no such button", "Go back and use the page's buttons.")
    return action
