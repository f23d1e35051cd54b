"""Drafts and decisions: guidelines, qualification, two blind pairs, consensus.

An item of the main part goes to two people. Where they agree in every field it is done; else it is
in conflict and goes to two others, who do not know of the first pair. Where those agree it is done;
else it is in discussion, and a lead who sees all four decides. Nobody meets an item in two stages.

Source: arXiv2Table, section 4.2 and appendix C.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import exc, func, select
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.assignment import (
    IN_HAND,
    OPEN_IN,
    AlreadyDecided,
    MemberState,
    NotAllowed,
    NotYours,
    Released,
    assign,
    count_qualification,
    enrolment_of,
    has_place,
    is_swapped,
    labels_of,
    lock_campaign,
    member_state,
    outcome,
    own_assignments,
    pick_item,
    release_untouched,
    revive_skipped,
    stages_of,
    touch,
)
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.tables import Assignment, Decision, Draft, Enrolment, Person

STALE_AFTER = timedelta(hours=24)
"""An item that its person has not touched for so long goes back to the others."""


def find_assignment(session: Session, assignment_id: int, person: Person) -> Assignment:
    """One of a person's assignments; `NotYours` where it is none of theirs."""
    found = session.get(Assignment, assignment_id)
    if found is None or found.person_id != person.id:
        raise NotYours("You have no such item. Go back to the campaign for the next one.")
    return found


def confirm_guidelines(session: Session, enrolment: Enrolment, now: datetime) -> None:
    """Record that the guidelines were read; a second time changes nothing."""
    lock_campaign(session, enrolment.campaign_id)
    if enrolment.guidelines_read_at is None:
        enrolment.guidelines_read_at = now
        session.add(enrolment.event("guidelines_read", now))


def next_assignment(
    session: Session, enrolment: Enrolment, now: datetime, *, stale_after: timedelta = STALE_AFTER
) -> Assignment | None:
    """The item to judge next: the one in hand, else a new one in the person's own order.

    What was skipped comes back when nothing else is left. None: there is nothing for this person
    now. `member_state` must be `qualification` or `working`.

    Raises:
        NotAllowed: The person has to read, wait or is not qualified.
    """
    lock_campaign(session, enrolment.campaign_id)
    state = _check_state(session, enrolment)
    in_hand = own_assignments(enrolment).where(
        Assignment.stage.in_(stages_of(enrolment, state)), ~Assignment.decided, IN_HAND
    )
    found = session.scalar(in_hand.order_by(Assignment.id).limit(1))
    if found is None:
        release_untouched(session, enrolment.campaign, now, now - stale_after)
        if picked := pick_item(session, enrolment, state):
            item_id, stage = picked
            found = assign(session, item_id, enrolment, stage, now)
        else:
            found = revive_skipped(session, enrolment, state)
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
    """Keep what is on the page; fields without a valid value are left out.

    Raises:
        NotYours: It is not the person's assignment.
        AlreadyDecided: It is decided.
    """
    assignment = _undecided(session, assignment_id, person)
    kind = find_kind(assignment.item.campaign.kind)
    draft = assignment.draft
    if draft is None:
        draft = Draft(assignment=assignment)
        session.add(draft)
    draft.label, draft.note = kind.chosen(label), note
    draft.flag, draft.saved_at = flag, now
    assignment.touched_at = now
    session.flush()
    return draft


def skip(
    session: Session, assignment_id: int, person: Person, now: datetime, *, reason: str = ""
) -> None:
    """Put an item aside; it comes back when nothing else is left, unless others take it.

    Raises:
        NotYours: It is not the person's assignment.
        AlreadyDecided: It is decided.
    """
    assignment = _undecided(session, assignment_id, person)
    assignment.skipped_at = now
    touch(session, assignment, now, "skipped", reason=reason)


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
    """Decide, or correct an own decision while nobody else's depends on it.

    The label is as chosen on the page, sides as shown there; the revision is `Shown.revision`: 1,
    or one more than the valid one.

    Raises:
        NotYours: It is not the person's assignment.
        InputError: The label is not one of the kind's.
        AlreadyDecided: This revision exists, or the decision can be corrected no more.
        Released: The place was given to somebody else meanwhile.
        NotAllowed: The person is paused, or may not decide for another reason.
    """
    assignment = _locked(session, assignment_id, person)
    item, campaign = assignment.item, assignment.item.campaign
    kind = find_kind(campaign.kind)
    chosen = kind.restore(kind.check_label(label), is_swapped(campaign, person.code, item.key))
    _check_revision(session, assignment, chosen, revision)
    enrolment = enrolment_of(session, assignment)
    _check_stage(session, enrolment, assignment, chosen)
    decision = Decision(
        assignment=assignment, revision=revision, label=chosen, note=note, flag=flag, decided_at=now
    )
    session.add(decision)
    if assignment.draft is not None:
        # The draft goes; that the person was at work then is kept, for the seconds.
        saved_at = assignment.draft.saved_at
        session.add(enrolment.event("drafted", saved_at, assignment=assignment.id))
        session.delete(assignment.draft)
        assignment.draft = None
    assignment.decided, assignment.touched_at = True, now
    assignment.skipped_at = assignment.released_at = None
    try:
        session.flush()
    except exc.IntegrityError as error:
        raise AlreadyDecided("This item is decided already.", same=False) from error
    if assignment.stage == "qualification":
        _judge_qualification(session, enrolment, now)
    else:
        labels: dict[str, list[Row]] = {}
        for made in labels_of(session, item):
            labels.setdefault(made.assignment.stage, []).append(made.label)
        item.state, item.final = outcome(labels)
    session.flush()
    return decision


def can_correct(session: Session, assignment: Assignment) -> bool:
    """True if nobody else's decision depends on a decision yet."""
    if not assignment.decided or assignment.stage == "consensus":
        return False
    if assignment.stage == "qualification":
        return enrolment_of(session, assignment).qualification is None
    return assignment.item.state == OPEN_IN.get(assignment.stage)


def last_decided(session: Session, enrolment: Enrolment) -> Assignment | None:
    """The last decision of a person, while it may still be corrected."""
    found = next(iter(decided_by(session, enrolment, most=1)), None)
    return found if found is not None and can_correct(session, found) else None


def decided_by(session: Session, enrolment: Enrolment, *, most: int) -> list[Assignment]:
    """The items that a person decided, the last decision first."""
    last = select(Decision.assignment_id, func.max(Decision.id).label("at"))
    of_each = last.group_by(Decision.assignment_id).subquery()
    made = own_assignments(enrolment).join(of_each, of_each.c.assignment_id == Assignment.id)
    return list(session.scalars(made.order_by(of_each.c.at.desc()).limit(most)))


def _locked(session: Session, assignment_id: int, person: Person) -> Assignment:
    found = find_assignment(session, assignment_id, person)
    lock_campaign(session, found.item.campaign_id)
    return found


def _undecided(session: Session, assignment_id: int, person: Person) -> Assignment:
    found = _locked(session, assignment_id, person)
    if found.decided:
        raise AlreadyDecided("This item is decided already.", same=False)
    return found


def _check_state(
    session: Session,
    enrolment: Enrolment,
    allowed: tuple[str, ...] = ("qualification", "working"),
) -> MemberState:
    found = member_state(session, enrolment)
    if found not in allowed:
        raise NotAllowed("You cannot judge items of this campaign now.", found)
    return found


def _check_stage(
    session: Session, enrolment: Enrolment, assignment: Assignment, chosen: Mapping[str, str]
) -> None:
    """A qualification item is for those who qualify, a consensus for leads, others for workers."""
    stage, item = assignment.stage, assignment.item
    if stage != "consensus":
        allowed = "qualification" if stage == "qualification" else "working"
        _check_state(session, enrolment, (allowed,))
    elif enrolment.role != "lead":
        raise NotAllowed("Only a lead may do this.")
    elif item.state != "discussion":
        raise AlreadyDecided("Another lead has decided this item.", same=item.final == chosen)
    is_aside = assignment.skipped_at or assignment.released_at
    if is_aside and not has_place(session, assignment):
        raise Released(
            "This item went to somebody else, because it was put aside or lay untouched for long. "
            "Your draft is kept; go on with the next item."
        )


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
            "This decision can be corrected no more: others depend on it.",
            same=same,
        )


def _judge_qualification(session: Session, enrolment: Enrolment, now: datetime) -> None:
    decided, right, items = count_qualification(session, enrolment)
    if decided < items:
        return
    # In whole items, so that a mark of 0.8 is met by 4 of 5 whatever the floats say.
    passed = right + 1e-9 >= enrolment.campaign.pass_mark * items
    enrolment.qualification = "passed" if passed else "failed"
    session.add(enrolment.event("qualified", now, right=right, items=items, passed=passed))
