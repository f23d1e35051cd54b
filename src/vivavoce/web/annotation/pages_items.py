"""An item: shown, drafted, decided, skipped, corrected."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.web.annotation.handing_out import is_swapped
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.pages_campaigns import (
    CampaignName,
    Id,
    messages_of,
    next_path,
    own_part,
)
from vivavoce.web.annotation.process import (
    AlreadyDecided,
    NotYours,
    can_correct,
    discussed_item,
    find_assignment,
    labels_of,
    last_decided,
    save_draft,
    show,
    skip,
    submit,
)
from vivavoce.web.annotation.standing import progress, standing
from vivavoce.web.annotation.storage import Assignment, Enrolment, Item, Person
from vivavoce.web.annotation.viewing import bar_of, fields_of, heading_of
from vivavoce.web.annotation.visits import Posting, Reading, Refused, Visit, go

router = APIRouter()

LONGEST_NOTE = 4000
_AT_WORK = ("qualification", "working")
_PAIRS = {"first": "first pair", "second": "second pair", "consensus": "consensus"}


@router.get("/c/{campaign}/a/{assignment}")
def item_page(visit: Reading, campaign: CampaignName, assignment: Id) -> Response:
    """An item in the visitor's hands, or a decision that they may still correct."""
    with visit.database.reading() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        if found.stage != "consensus" and standing(session, enrolment) not in _AT_WORK:
            return go(f"/c/{campaign}")
        if found.stage == "consensus" and found.item.state != "discussion":
            return go(f"/c/{campaign}/lead/i/{found.item_id}")
        if found.decided and not can_correct(session, found):
            return _decided(visit, session, campaign, enrolment, found)
        values = _values(session, visit, campaign, enrolment, found)
    return visit.page("item.html.j2", **values)


@router.post("/c/{campaign}/a/{assignment}")
def item_sent(visit: Posting, campaign: CampaignName, assignment: Id) -> Response:
    """Decide, correct, draft or skip, by the button that was pressed."""
    action = visit.form.get("action", "decide")
    if action == "draft":
        # Enter on the page of a decision presses this too: then there is nothing to keep.
        with suppress(AlreadyDecided):
            _draft(visit, campaign, assignment)
        return go(f"/c/{campaign}/a/{assignment}")
    try:
        after = _act(visit, campaign, assignment, action)
    except InputError:
        return _incomplete(visit, campaign, assignment)
    return go(after or next_path(visit, campaign) or f"/c/{campaign}")


@router.post("/c/{campaign}/a/{assignment}/draft", status_code=204)
def draft_sent(visit: Posting, campaign: CampaignName, assignment: Id) -> Response:
    """Keep what stands on the page; sent by the page itself while somebody types."""
    _draft(visit, campaign, assignment)
    return Response(status_code=204)


def _act(visit: Visit, campaign: str, assignment: int, action: str) -> str:
    """Do what the button says and return the page to go to, or nothing for the next item."""
    form = visit.form
    with visit.database.writing() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        person, stage, item_id = enrolment.person, found.stage, found.item_id
        if action == "skip":
            skip(session, assignment, person, visit.now)
            return ""
        if action != "decide":
            raise Refused(422, "There is no such button", "Go back and use the page's buttons.")
        submit(
            session,
            assignment,
            person,
            _label(form, found),
            _revision(form),
            visit.now,
            note=form.get("note", "")[:LONGEST_NOTE],
            flag=form.get("flag") == "yes",
        )
        if stage == "consensus":
            return f"/c/{campaign}/lead/i/{item_id}"
        if stage == "qualification" and enrolment.qualification is not None:
            return f"/c/{campaign}/review"
    return ""


def _draft(visit: Visit, campaign: str, assignment: int) -> None:
    form = visit.form
    with visit.database.writing() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        save_draft(
            session,
            assignment,
            enrolment.person,
            _label(form, found),
            visit.now,
            note=form.get("note", "")[:LONGEST_NOTE],
            flag=form.get("flag") == "yes",
        )


def _incomplete(visit: Visit, campaign: str, assignment: int) -> Response:
    """The page once more, with what was chosen and what is missing."""
    form = visit.form
    with visit.database.reading() as session:
        enrolment, found = _own(session, visit, campaign, assignment)
        values = _values(session, visit, campaign, enrolment, found)
    fields = values["fields"]
    chosen = {
        field.name: form[field.name] for field in fields if form.get(field.name) in field.texts
    }
    missing = [field.question for field in fields if field.name not in chosen]
    values |= {
        "label": chosen,
        "note": form.get("note", "")[:LONGEST_NOTE],
        "flag": form.get("flag") == "yes",
        "error": f"Nothing was saved yet. Not answered: {' '.join(missing)}",
    }
    return visit.page("item.html.j2", status=422, **values)


def _own(
    session: Session, visit: Visit, campaign: str, assignment: int
) -> tuple[Enrolment, Assignment]:
    """The visitor's part and their assignment in it; nobody else's is ever found."""
    enrolment = own_part(session, visit, campaign)
    found = find_assignment(session, assignment, session.get_one(Person, visit.person_id))
    if found.item.campaign_id != enrolment.campaign_id:
        raise NotYours("You have no such item in this campaign.")
    return enrolment, found


def _label(form: Any, assignment: Assignment) -> dict[str, str]:
    kind = find_kind(assignment.item.campaign.kind)
    return {field.name: form[field.name] for field in kind.fields if field.name in form}


def _revision(form: Any) -> int:
    text = form.get("revision", "")
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise Refused(422, "This form cannot be read", "Reload the page and send it again.")
    return int(text)


def _values(
    session: Session, visit: Visit, campaign: str, enrolment: Enrolment, found: Assignment
) -> dict[str, Any]:
    shown = show(session, found)
    is_consensus = found.stage == "consensus"
    fields = fields_of(shown.kind)
    last = None if is_consensus else last_decided(session, enrolment)
    return {
        "campaign": campaign,
        "heading": heading_of(shown.kind),
        "kind": shown.kind,
        "content": shown.content,
        "fields": fields,
        "one": len(fields) == 1,
        "assignment": found.id,
        "stage": found.stage,
        "revision": shown.revision,
        "label": dict(shown.label),
        "note": shown.note,
        "flag": shown.flag,
        "decided": found.decided,
        "can_skip": not found.decided and not is_consensus,
        "draft_at": found.draft.saved_at if found.draft else None,
        "bar": None if is_consensus else bar_of(progress(session, enrolment)),
        "last": last.id if last is not None and last.id != found.id else None,
        "messages": messages_of(session, enrolment),
        "votes": _votes(session, enrolment, found) if is_consensus else [],
        "error": "",
    }


def _votes(session: Session, enrolment: Enrolment, found: Assignment) -> list[dict[str, Any]]:
    """What both pairs said, for a lead who has the item in discussion."""
    item = discussed_item(session, found.item_id, enrolment)
    swapped = is_swapped(item.campaign, found.person, item)
    return votes_of(session, item, swapped=swapped)


def votes_of(session: Session, item: Item, *, swapped: bool) -> list[dict[str, Any]]:
    """The labels of an item that is past both pairs, sides as the page shows them."""
    kind = find_kind(item.campaign.kind)
    return [
        {
            "code": decision.assignment.person.code,
            "stage": _PAIRS.get(decision.assignment.stage, decision.assignment.stage),
            "label": kind.restore(decision.label, swapped),
            "note": decision.note,
            "flag": decision.flag,
        }
        for decision in labels_of(session, item)
    ]


def _decided(
    visit: Visit, session: Session, campaign: str, enrolment: Enrolment, found: Assignment
) -> Response:
    last = last_decided(session, enrolment)
    return visit.page(
        "nothing.html.j2",
        campaign=campaign,
        heading="You have decided this item",
        message="It can be corrected no more: you have gone on, or others depend on it.",
        bar=bar_of(progress(session, enrolment)),
        messages=[],
        links=[("Next item", f"/c/{campaign}"), ("Your campaigns", "/campaigns")],
        last=last.id if last else None,
    )
