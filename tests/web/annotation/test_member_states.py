"""Guidelines, qualification, pauses; sides that change places."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.web.annotation.made_campaigns import (
    EXCLUDE,
    INCLUDE,
    Made,
    everybody,
    exam,
    make,
    new_items,
    part_of,
    person_of,
)

from vivavoce.web.annotation.assignment import NotAllowed, member_state, progress
from vivavoce.web.annotation.campaigns import NewItem, find_campaign, pause_campaign
from vivavoce.web.annotation.decisions import next_assignment, save_draft, submit
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.pages import review
from vivavoce.web.annotation.pages_items import show
from vivavoce.web.annotation.people import change_part
from vivavoce.web.annotation.tables import Assignment, Decision

DAY = timedelta(days=1)


@pytest.fixture
def paths(tmp_path: Path) -> Made:
    """Three items and everybody there is; nobody has to qualify."""
    return everybody(tmp_path)


def test_guidelines_come_first(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", read=False)
    with made.database.reading() as session:
        assert member_state(session, part_of(session, made, "ann")) == "guidelines"
    with pytest.raises(NotAllowed) as refused:
        made.take("ann")
    assert refused.value.state == "guidelines"
    made.add("ann")  # reads them now
    assert made.take("ann") is not None


@pytest.mark.parametrize(("right", "passes"), [(5, True), (4, True), (3, False)])
def test_the_pass_mark_admits(tmp_path: Path, right: int, passes: bool) -> None:
    """4 of 5 are exactly the mark of 0.8."""
    made = make(tmp_path, [*exam(["include"] * 5), *new_items(1)], pass_mark=0.8)
    made.add("ann")
    answers = {f"q{n}": INCLUDE if n < right else EXCLUDE for n in range(5)}
    with made.database.reading() as session, pytest.raises(NotAllowed):
        review(session, part_of(session, made, "ann"))
    for _ in range(5):
        taken = made.take("ann")
        assert taken is not None
        made.decide(taken, "ann", answers[made.key_of(taken)])
    with made.database.reading() as session:
        enrolment = part_of(session, made, "ann")
        assert member_state(session, enrolment) == ("working" if passes else "failed")
        seen = review(session, enrolment)
        assert sum(one.label == one.assignment.item.answer for one in seen) == right
        assert "included" in seen[0].assignment.item.explanation
        found = progress(session, enrolment)
        assert (found.part, found.items, found.main_items) == ("main", 1, 1)
    if passes:
        assert made.work("ann", {"*": INCLUDE}) == 1
    else:
        with pytest.raises(NotAllowed):
            made.take("ann")


def test_a_lead_can_overrule_a_qualification(tmp_path: Path) -> None:
    made = make(tmp_path, [*exam(["include"]), *new_items(1)], pass_mark=1.0)
    made.add("ann")
    with pytest.raises(NotAllowed):
        made.work("ann", {"*": EXCLUDE})
    with made.database.writing() as session:
        change_part(session, part_of(session, made, "ann"), "admit", made.now)
    assert made.work("ann", {"*": INCLUDE}) == 1


def test_qualification_items_make_no_pairs(tmp_path: Path) -> None:
    made = make(tmp_path, exam(["include", "exclude"]), pass_mark=0.0)
    made.add("ann", "bob", "cem")
    for person in ("ann", "bob", "cem"):
        assert made.work(person, {"*": INCLUDE}) == 2
    assert {state for state, _ in made.items().values()} == {"open"}


def test_who_is_paused_is_handed_nothing_and_loses_nothing(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None
    with paths.database.writing() as session:
        part = part_of(session, paths, "ann")
        change_part(session, part, "pause", paths.now, reason="Read section 2 again.")
    with pytest.raises(NotAllowed) as refused:
        paths.decide(taken, "ann", INCLUDE)
    assert refused.value.state == "paused"
    with paths.database.writing() as session:
        ann = person_of(session, "ann")
        save_draft(session, taken, ann, INCLUDE, paths.now)  # what was typed is kept
        assert part_of(session, paths, "ann").pause_reason == "Read section 2 again."
        change_part(session, part_of(session, paths, "ann"), "resume", paths.now)
    assert paths.take("ann") == taken
    paths.decide(taken, "ann", INCLUDE)


def test_a_paused_campaign_hands_out_nothing(paths: Made) -> None:
    with paths.database.writing() as session:
        pause_campaign(session, find_campaign(session, "paths"), paths.now)
    with pytest.raises(NotAllowed) as refused:
        paths.take("ann")
    assert refused.value.state == "campaign_paused"


def test_a_lead_is_handed_no_items(paths: Made) -> None:
    with paths.database.writing() as session, pytest.raises(NotAllowed):
        next_assignment(session, part_of(session, paths, "lea"), paths.now)


# Preference: two sides


def test_sides_change_places_for_some_people_and_verdicts_are_turned_back(tmp_path: Path) -> None:
    names = {"a": "lab/one", "b": "lab/two"}
    items = [
        NewItem(f"s{n}", {"prompt": "Ask", "a": "ONE", "b": "TWO", "names": names}, f"s{n}")
        for n in range(30)
    ]
    made = make(tmp_path, items, kind="preference")
    made.add("ann")
    first = []
    while (taken := made.take("ann")) is not None:
        with made.database.reading() as session:
            seen = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert seen.content.keys() == {"prompt", "a", "b"}  # never the names
        first.append(seen.content["a"])
        shown = "a" if seen.content["a"] == "ONE" else "b"
        with made.database.writing() as session:  # always for ONE, wherever it stands
            ann = person_of(session, "ann")
            save_draft(session, taken, ann, {"verdict": shown}, made.now)
        with made.database.reading() as session:
            drafted = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert dict(drafted.label) == {"verdict": shown}
        made.decide(taken, "ann", {"verdict": shown})
        with made.database.reading() as session:
            after = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert dict(after.label) == {"verdict": shown}  # on the page as it was chosen
    assert 5 < first.count("ONE") < 25
    with made.database.reading() as session:
        assert {d.label["verdict"] for d in session.query(Decision)} == {"a"}


def test_a_tie_stays_a_tie_on_either_side() -> None:
    kind = KINDS["preference"]
    assert kind.restore({"verdict": "tie"}, True) == {"verdict": "tie"}
    assert kind.restore({"verdict": "a"}, True) == {"verdict": "b"}
    assert kind.restore({"verdict": "a"}, False) == {"verdict": "a"}


def test_submit_takes_no_label_of_somebody_who_left(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None
    with paths.database.writing() as session:
        session.delete(part_of(session, paths, "ann"))
    with (
        paths.database.writing() as session,
        pytest.raises(NotAllowed, match="no part"),
    ):
        submit(session, taken, person_of(session, "ann"), INCLUDE, 1, paths.now)
