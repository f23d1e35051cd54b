"""Everybody's own order, places, drafts, and decisions that are made once."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from pathlib import Path

import pytest
from tests.web.annotation.made_campaigns import (
    EXCLUDE,
    INCLUDE,
    Made,
    everybody,
    make,
    new_items,
    part_of,
    person_of,
)

from vivavoce.errors import InputError
from vivavoce.web.annotation.assignment import AlreadyDecided, NotYours, Released, own_order
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.decisions import decided_by, last_decided, save_draft, skip
from vivavoce.web.annotation.pages_items import show
from vivavoce.web.annotation.tables import Assignment, Decision

DAY = timedelta(days=1)


@pytest.fixture
def paths(tmp_path: Path) -> Made:
    """Three items and everybody there is; nobody has to qualify."""
    return everybody(tmp_path)


def test_everybody_has_an_order_of_their_own_that_the_seed_fixes(tmp_path: Path) -> None:
    def order(made: Made, person: str) -> list[str]:
        keys = []
        while (taken := made.take(person)) is not None:
            keys.append(made.key_of(taken))
            made.decide(taken, person, INCLUDE)
        return keys

    made = make(tmp_path, new_items(12))
    made.add("ann", "bob")
    ann, bob = order(made, "ann"), order(made, "bob")
    assert sorted(ann) == sorted(bob)
    assert ann != bob
    assert ann != sorted(ann)

    with made.database.reading() as session:
        campaign, person = find_campaign(session, "paths"), person_of(session, "ann")

        def place(key: str) -> tuple[bytes, bytes]:
            return own_order(campaign, person.code, (f"t{int(key[1:]) // 5}", key))

        assert ann == sorted(ann, key=place)
        campaign.seed += 1
        assert ann != sorted(ann, key=place)


def test_items_of_one_table_come_together(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(15))
    made.add("ann", "bob")
    for person in ("ann", "bob"):
        tables = []
        while (taken := made.take(person)) is not None:
            tables.append(int(made.key_of(taken)[1:]) // 5)
            made.decide(taken, person, INCLUDE)
        assert len([table for table, _ in groupby(tables)]) == 3


def test_an_item_is_in_two_hands_at_most(paths: Made) -> None:
    held = [paths.take(person) for person in ("ann", "bob", "cem") for _ in range(2)]
    assert None not in held
    # Asking twice gives the item in hand again.
    assert len(set(held)) == 3
    with paths.database.reading() as session:
        by_item: dict[int, int] = {}
        for row in session.query(Assignment):
            by_item[row.item_id] = by_item.get(row.item_id, 0) + 1
    assert max(by_item.values()) <= 2


def test_an_item_that_lies_untouched_goes_to_others(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob", "cem")
    ann, bob = made.take("ann"), made.take("bob")
    assert ann is not None
    assert bob is not None
    made.now += timedelta(hours=23)
    assert made.take("cem") is None
    made.decide(bob, "bob", INCLUDE)
    made.now += timedelta(hours=2)
    cem = made.take("cem")  # after 25 hours ann's place is free
    assert cem is not None
    made.decide(cem, "cem", INCLUDE)
    with pytest.raises(Released, match="somebody else"):
        made.decide(ann, "ann", EXCLUDE)
    assert made.items()["i0"] == ("done", INCLUDE)


def test_who_comes_back_late_still_has_the_place_when_nobody_took_it(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob")
    ann = made.take("ann")
    assert ann is not None
    made.now += 2 * DAY
    assert made.take("bob") is not None  # releases ann's place, and takes the other
    made.decide(ann, "ann", EXCLUDE)
    with made.database.reading() as session:
        assert session.query(Decision).count() == 1


def test_a_saved_draft_keeps_the_place(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob", "cem")
    ann, _ = made.take("ann"), made.take("bob")
    assert ann is not None
    made.now += timedelta(hours=23)
    with made.database.writing() as session:
        save_draft(session, ann, person_of(session, "ann"), {}, made.now, note="thinking")
    made.now += timedelta(hours=2)
    assert made.take("cem") is not None  # bob's place
    made.decide(ann, "ann", INCLUDE)


def test_what_is_skipped_comes_back_last(paths: Made) -> None:
    first = paths.take("ann")
    assert first is not None
    with paths.database.writing() as session:
        skip(session, first, person_of(session, "ann"), paths.now, reason="no idea")
    order = []
    while (taken := paths.take("ann")) is not None:
        order.append(taken)
        paths.decide(taken, "ann", INCLUDE)
    assert len(order) == 3
    assert order[-1] == first


def test_what_is_skipped_frees_its_place(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob", "cem")
    ann = made.take("ann")
    assert ann is not None
    with made.database.writing() as session:
        skip(session, ann, person_of(session, "ann"), made.now)
    assert made.work("bob", {"*": INCLUDE}) == made.work("cem", {"*": INCLUDE}) == 1
    assert made.take("ann") is None  # others took it
    with pytest.raises(Released):
        made.decide(ann, "ann", INCLUDE)


# One decision, once


def test_a_decision_is_made_once(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None
    paths.decide(taken, "ann", INCLUDE)
    with pytest.raises(AlreadyDecided) as again:
        paths.decide(taken, "ann", INCLUDE)
    assert again.value.same
    with pytest.raises(AlreadyDecided) as other:
        paths.decide(taken, "ann", EXCLUDE)
    assert not other.value.same
    with paths.database.reading() as session:
        assert [d.label for d in session.query(Decision)] == [INCLUDE]


def test_nobody_decides_for_somebody_else(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None
    for thief in ("bob", "dan", "lea"):
        with pytest.raises(NotYours):
            paths.decide(taken, thief, INCLUDE)
    with pytest.raises(NotYours):
        paths.decide(12345, "ann", INCLUDE)


@pytest.mark.parametrize("label", [{}, {"decision": "maybe"}, {**INCLUDE, "x": "y"}, {"x": "y"}])
def test_a_label_is_one_of_the_kinds(paths: Made, label: dict[str, str]) -> None:
    taken = paths.take("ann")
    assert taken is not None
    with pytest.raises(InputError, match="decision"):
        paths.decide(taken, "ann", label)
    paths.decide(taken, "ann", INCLUDE)


def test_the_last_decision_can_be_corrected_until_others_depend_on_it(paths: Made) -> None:
    first = paths.take("ann")
    assert first is not None
    key = paths.key_of(first)
    paths.decide(first, "ann", EXCLUDE)
    paths.decide(first, "ann", INCLUDE, revision=2, note="misread")
    with pytest.raises(AlreadyDecided):
        paths.decide(first, "ann", EXCLUDE, revision=2)  # a page that is out of date
    paths.work("bob", {"*": INCLUDE})
    assert paths.items()[key] == ("done", INCLUDE)  # the correction counts
    with pytest.raises(AlreadyDecided, match="corrected no more"):
        paths.decide(first, "ann", EXCLUDE, revision=3)
    with paths.database.reading() as session:
        made = session.query(Decision).filter_by(assignment_id=first).order_by(Decision.revision)
        assert [(d.label["decision"], d.note) for d in made] == [
            ("exclude", ""),
            ("include", "misread"),
        ]


def test_every_decision_can_be_corrected_until_others_depend_on_it(paths: Made) -> None:
    first = paths.take("ann")
    assert first is not None
    key = paths.key_of(first)
    paths.decide(first, "ann", INCLUDE)
    second = paths.take("ann")
    assert second is not None
    paths.decide(second, "ann", INCLUDE)
    paths.decide(first, "ann", EXCLUDE, revision=2)
    with paths.database.reading() as session:
        part = part_of(session, paths, "ann")
        assert [found.id for found in decided_by(session, part, most=9)] == [first, second]
        last = last_decided(session, part)
        assert last is not None
        assert last.id == first
    paths.work("bob", {"*": INCLUDE})
    assert paths.items()[key][0] == "conflict"
    with pytest.raises(AlreadyDecided, match="others depend on it"):
        paths.decide(first, "ann", INCLUDE, revision=3)
    with paths.database.reading() as session:
        assert last_decided(session, part_of(session, paths, "ann")) is None


def test_a_draft_is_kept_and_goes_with_the_decision(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None
    with paths.database.writing() as session:
        ann = person_of(session, "ann")
        save_draft(session, taken, ann, INCLUDE, paths.now, note="half a thought", flag=True)
        bad = {"decision": "perhaps", "other": "x"}
        with pytest.raises(NotYours):
            save_draft(session, taken, person_of(session, "bob"), INCLUDE, paths.now)
    with paths.database.reading() as session:
        seen = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert (dict(seen.label), seen.note, seen.flag) == (INCLUDE, "half a thought", True)
    with paths.database.writing() as session:
        save_draft(session, taken, person_of(session, "ann"), bad, paths.now, note="n")
    with paths.database.reading() as session:
        seen = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert dict(seen.label) == {}  # values that are none are left out
    paths.decide(taken, "ann", EXCLUDE)
    with paths.database.writing() as session, pytest.raises(AlreadyDecided):
        save_draft(session, taken, person_of(session, "ann"), INCLUDE, paths.now)
    with paths.database.reading() as session:
        seen = show(session, session.get(Assignment, taken))  # type: ignore[arg-type]
        assert (dict(seen.label), seen.revision) == (EXCLUDE, 2)
