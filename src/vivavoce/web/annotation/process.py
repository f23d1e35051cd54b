"""Who judges what when: guidelines, qualification, two blind pairs, consensus.

An item of the main part goes to two people. Where they agree in every field it is done; else it is
in conflict and goes to two others, who do not know of the first pair. Where those agree it is done;
else it is in discussion, and a lead who sees all four decides. Nobody meets an item in two stages.

Everything that changes something holds the campaign first, so two requests never take the same
place.

Source: arXiv2Table, section 4.2 and appendix C.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import exc, select
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.consensus import (
    discussed_item,
    labels_of,
    open_consensus,
    outcome,
)
from vivavoce.web.annotation.handing_out import (
    free_place,
    is_swapped,
    note_event,
    pick_item,
    release_untouched,
    revive_skipped,
    stages_of,
)
from vivavoce.web.annotation.holding import enrolment_of, hold_campaign, touch
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.refusals import (
    AlreadyDecided,
    NotAllowed,
    NotYours,
    RefusedError,
    Released,
)
from vivavoce.web.annotation.showing import Reviewed, Shown, find_assignment, review, show
from vivavoce.web.annotation.standing import Standing, count_qualification, standing
from vivavoce.web.annotation.storage import Assignment, Decision, Draft, Enrolment, Item, Person

__all__ = [
    "STALE_AFTER",
    "AlreadyDecided",
    "NotAllowed",
    "NotYours",
    "RefusedError",
    "Released",
    "Reviewed",
    "Shown",
    "can_correct",
    "confirm_guidelines",
    "discussed_item",
    "find_assignment",
    "hold_campaign",
    "labels_of",
    "last_decided",
    "next_assignment",
    "open_consensus",
    "outcome",
    "review",
    "save_draft",
    "show",
    "skip",
    "submit",
]

STALE_AFTER = timedelta(hours=24)
"""An item that its person has not touched for so long goes back to the others."""


def confirm_guidelines(session: Session, enrolment: Enrolment, now: datetime) -> None:
    """Record that the guidelines were read; a second time changes nothing."""
    hold_campaign(session, enrolment.campaign_id)
    if enrolment.guidelines_read_at is None:
        enrolment.guidelines_read_at = now
        note_event(session, enrolment, "guidelines_read", now)


def next_assignment(
    session: Session, enrolment: Enrolment, now: datetime, *, stale_after: timedelta = STALE_AFTER
) -> Assignment | None:
    """The item to judge next: the one in hand, else a new one in the person's own order.

    What was skipped comes back when nothing else is left. None: there is nothing for this person
    now. `standing` must be `qualification` or `working`.

    Raises:
        NotAllowed: The person has to read, wait or is not qualified.
    """
    hold_campaign(session, enrolment.campaign_id)
    where = _check_standing(session, enrolment)
    found = _in_hand(session, enrolment, where)
    if found is None:
        release_untouched(session, enrolment.campaign, now, now - stale_after)
        found = _new_assignment(session, enrolment, where, now)
    if found is None:
        found = revive_skipped(session, enrolment, where)
    if found is not None:
        touch(session, found, now, "shown")
    return found


def save_draft(
    session: Session,
    assignment_id: int,
    person: Person,
    label: Mapping[str, str],
    now: datetime,
    *,
    note: str = "",
    flag: bool = False,
) -> Draft:
    """Keep what stands on the page; fields without a valid value are left out.

    Raises:
        NotYours: It is not the person's assignment.
        AlreadyDecided: It is decided.
    """
    assignment = _held(session, assignment_id, person)
    if assignment.decided:
        raise AlreadyDecided("This item is decided already.", same=False)
    kind = find_kind(assignment.item.campaign.kind)
    kept = {f.name: label[f.name] for f in kind.fields if label.get(f.name) in f.values}
    draft = assignment.draft
    if draft is None:
        draft = Draft(assignment=assignment)
        session.add(draft)
    draft.label, draft.note, draft.flag, draft.saved_at = kept, note, flag, now
    assignment.touched_at = now
    session.flush()
    return draft


def submit(
    session: Session,
    assignment_id: int,
    person: Person,
    label: Mapping[str, str],
    revision: int,
    now: datetime,
    *,
    note: str = "",
    flag: bool = False,
) -> Decision:
    """Decide, or correct one's last decision while nobody else's depends on it.

    Args:
        session: A writing one.
        assignment_id: Which one.
        person: Who decides.
        label: As chosen on the page, sides as shown there.
        revision: `Shown.revision`: 1, or one more than what stands.
        now: The moment.
        note: Anything to say about it.
        flag: Whether the person is in doubt or finds the item faulty.

    Raises:
        NotYours: It is not the person's assignment.
        InputError: The label is not one of the kind's.
        AlreadyDecided: This revision exists, or what stands can be corrected no more.
        Released: The place was given to somebody else meanwhile.
        NotAllowed: The person is paused, or may not decide for another reason.
    """
    assignment = _held(session, assignment_id, person)
    item, campaign = assignment.item, assignment.item.campaign
    kind = find_kind(campaign.kind)
    chosen = kind.restore(kind.check_label(label), is_swapped(campaign, person, item))
    _check_revision(session, assignment, chosen, revision)
    enrolment = enrolment_of(session, assignment)
    if assignment.stage != "consensus":
        _check_standing(session, enrolment, assignment.stage)
    elif enrolment.role != "lead":
        raise NotAllowed("Only a lead may do this.")
    elif item.state != "discussion":
        raise AlreadyDecided("Another lead has decided this item.", same=item.final == chosen)
    if (assignment.skipped_at or assignment.released_at) and not free_place(session, assignment):
        raise Released(
            "This item went to somebody else, because it was put aside or lay untouched for long. "
            "Your draft is kept; go on with the next item."
        )
    decision = Decision(
        assignment=assignment, revision=revision, label=chosen, note=note, flag=flag, decided_at=now
    )
    session.add(decision)
    _keep_draft_time(session, assignment)
    assignment.decided, assignment.touched_at = True, now
    assignment.skipped_at = assignment.released_at = None
    try:
        session.flush()
    except exc.IntegrityError as error:
        raise AlreadyDecided("This item is decided already.", same=False) from error
    _advance(session, assignment, now)
    session.flush()
    return decision


def skip(
    session: Session, assignment_id: int, person: Person, now: datetime, *, reason: str = ""
) -> None:
    """Put an item aside; it comes back when nothing else is left, unless others take it.

    Raises:
        NotYours: It is not the person's assignment.
        AlreadyDecided: It is decided.
    """
    assignment = _held(session, assignment_id, person)
    if assignment.decided:
        raise AlreadyDecided("This item is decided already.", same=False)
    assignment.skipped_at = now
    touch(session, assignment, now, "skipped", reason=reason)


def can_correct(session: Session, assignment: Assignment) -> bool:
    """Whether a decision is its person's last one and nobody else's depends on it yet."""
    if not assignment.decided:
        return False
    item = assignment.item
    last = session.scalar(
        select(Decision.assignment_id)
        .join(Assignment)
        .join(Item)
        .where(Assignment.person_id == assignment.person_id, Item.campaign_id == item.campaign_id)
        .order_by(Decision.id.desc())
        .limit(1)
    )
    if last != assignment.id:
        return False
    if assignment.stage == "qualification":
        return enrolment_of(session, assignment).qualification is None
    open_in = {"first": "open", "second": "conflict"}
    return item.state == open_in.get(assignment.stage)


def last_decided(session: Session, enrolment: Enrolment) -> Assignment | None:
    """The decision that the person may still correct."""
    found = session.scalar(
        select(Assignment)
        .join(Item)
        .join(Decision)
        .where(
            Assignment.person_id == enrolment.person_id, Item.campaign_id == enrolment.campaign_id
        )
        .order_by(Decision.id.desc())
        .limit(1)
    )
    return found if found is not None and can_correct(session, found) else None


def _held(session: Session, assignment_id: int, person: Person) -> Assignment:
    found = find_assignment(session, assignment_id, person)
    hold_campaign(session, found.item.campaign_id)
    return found


def _check_standing(session: Session, enrolment: Enrolment, stage: str | None = None) -> Standing:
    """A qualification item is for those who qualify, others for those who work."""
    found = standing(session, enrolment)
    allowed = {
        None: ("qualification", "working"),
        "qualification": ("qualification",),
    }
    if found not in allowed.get(stage, ("working",)):
        raise NotAllowed("You cannot judge items of this campaign now.", found)
    return found


def _check_revision(
    session: Session, assignment: Assignment, label: Mapping[str, str], revision: int
) -> None:
    made = assignment.decisions
    same = bool(made) and made[-1].label == label
    if revision != len(made) + 1:
        raise AlreadyDecided(
            "This item is decided already; the page was out of date. What stands was not changed.",
            same=same,
        )
    if revision > 1 and not can_correct(session, assignment):
        raise AlreadyDecided(
            "This decision can be corrected no more: others depend on it, or you have gone on.",
            same=same,
        )


def _in_hand(session: Session, enrolment: Enrolment, where: Standing) -> Assignment | None:
    return session.scalar(
        select(Assignment)
        .join(Item)
        .where(
            Assignment.person_id == enrolment.person_id,
            Item.campaign_id == enrolment.campaign_id,
            Assignment.stage.in_(stages_of(enrolment, where)),
            ~Assignment.decided,
            Assignment.skipped_at.is_(None),
            Assignment.released_at.is_(None),
        )
        .order_by(Assignment.id)
        .limit(1)
    )


def _new_assignment(
    session: Session, enrolment: Enrolment, where: Standing, now: datetime
) -> Assignment | None:
    picked = pick_item(session, enrolment, where)
    if picked is None:
        return None
    item_id, stage = picked
    found = Assignment(
        item_id=item_id, person_id=enrolment.person_id, stage=stage, shown_at=now, touched_at=now
    )
    session.add(found)
    session.flush()
    return found


def _keep_draft_time(session: Session, assignment: Assignment) -> None:
    """The draft goes; that the person was at work then is kept, for the seconds."""
    if assignment.draft is None:
        return
    enrolment = enrolment_of(session, assignment)
    saved = assignment.draft.saved_at
    note_event(session, enrolment, "drafted", saved, assignment=assignment.id)
    session.delete(assignment.draft)
    assignment.draft = None


def _advance(session: Session, assignment: Assignment, now: datetime) -> None:
    """What a decision changes for its item, or for the person's qualification."""
    item = assignment.item
    if assignment.stage == "qualification":
        _judge_qualification(session, enrolment_of(session, assignment), now)
    else:
        labels: dict[str, list[Row]] = {}
        for decision in labels_of(session, item):
            labels.setdefault(decision.assignment.stage, []).append(decision.label)
        item.state, item.final = outcome(labels)


def _judge_qualification(session: Session, enrolment: Enrolment, now: datetime) -> None:
    decided, right, items = count_qualification(session, enrolment)
    if decided < items:
        return
    # In whole items, so that a mark of 0.8 is met by 4 of 5 whatever the floats say.
    passed = right + 1e-9 >= enrolment.campaign.pass_mark * items
    enrolment.qualification = "passed" if passed else "failed"
    note_event(session, enrolment, "qualified", now, right=right, items=items, passed=passed)
