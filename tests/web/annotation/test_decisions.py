"""Two blind pairs and a consensus: who is handed what, and what becomes of an item."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
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
)

from vivavoce.web.annotation.assignment import (
    AlreadyDecided,
    NotAllowed,
    NotYours,
    discussed_item,
    labels_of,
    open_consensus,
    outcome,
)
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.pages_items import show
from vivavoce.web.annotation.tables import Assignment, Item

DAY = timedelta(days=1)


@pytest.fixture
def paths(tmp_path: Path) -> Made:
    """Three items and everybody there is; nobody has to qualify."""
    return everybody(tmp_path)


def test_an_item_is_done_when_both_first_annotators_agree(paths: Made) -> None:
    assert paths.work("ann", {"*": INCLUDE}) == 3
    assert {state for state, _ in paths.items().values()} == {"open"}
    assert paths.work("bob", {"*": INCLUDE}) == 3
    assert paths.items() == {f"i{n}": ("done", INCLUDE) for n in range(3)}
    assert paths.work("cem", {"*": EXCLUDE}) == 0  # two are enough


def test_a_split_pair_calls_two_others_and_a_split_second_pair_a_lead(paths: Made) -> None:
    paths.work("ann", {"*": INCLUDE})
    assert paths.take("dan") is None  # no conflict yet
    paths.work("bob", {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE})
    assert paths.items()["i0"] == paths.items()["i1"] == ("conflict", None)
    assert paths.work("cem", {"*": EXCLUDE}) == 0
    assert paths.work("dan", {"*": EXCLUDE}) == 2
    assert paths.work("eve", {"i0": EXCLUDE, "i1": INCLUDE}) == 2
    assert paths.work("fay", {"*": INCLUDE}) == 0
    assert paths.items()["i0"] == ("done", EXCLUDE)
    assert paths.items()["i1"] == ("discussion", None)

    with paths.database.writing() as session:
        lea = part_of(session, paths, "lea")
        item = session.query(Item).filter_by(key="i1").one()
        seen = [
            (d.assignment.stage, d.assignment.person.name, d.label["decision"])
            for d in labels_of(session, discussed_item(session, item.id, lea))
        ]
        assert seen == [
            ("first", "ann", "include"),
            ("first", "bob", "exclude"),
            ("second", "dan", "exclude"),
            ("second", "eve", "include"),
        ]
        taken = open_consensus(session, item.id, lea, paths.now)
    paths.decide(taken.id, "lea", INCLUDE)
    assert paths.items()["i1"] == ("done", INCLUDE)


def test_the_second_pair_sees_an_item_like_any_other(paths: Made) -> None:
    """Nothing that a page is made from tells of the first pair, or that there was one."""
    assignment = paths.take("ann")
    assert assignment is not None
    key = paths.key_of(assignment)
    with paths.database.reading() as session:
        before = show(session, session.get(Assignment, assignment))  # type: ignore[arg-type]
    paths.work("ann", {"*": INCLUDE})
    paths.work("bob", {"*": EXCLUDE})
    second = paths.take("dan")
    while second is not None and paths.key_of(second) != key:
        paths.decide(second, "dan", INCLUDE)
        second = paths.take("dan")
    assert second is not None
    with paths.database.reading() as session:
        after = show(session, session.get(Assignment, second))  # type: ignore[arg-type]
    assert after.content == before.content
    assert after.content.keys() == {"demand", "references", "candidate"}  # not whose table it is
    assert (dict(after.label), after.note, after.revision) == ({}, "", 1)


def test_only_a_lead_sees_labels_and_only_after_both_pairs(paths: Made) -> None:
    paths.work("ann", {"*": INCLUDE})
    paths.work("bob", {"*": EXCLUDE})
    with paths.database.writing() as session:
        lea, dan = part_of(session, paths, "lea"), part_of(session, paths, "dan")
        with pytest.raises(NotAllowed, match="both pairs"):
            discussed_item(session, 1, lea)
        with pytest.raises(NotAllowed, match="both pairs"):
            open_consensus(session, 1, lea, paths.now)
        with pytest.raises(NotAllowed, match="Only a lead"):
            open_consensus(session, 1, dan, paths.now)
        with pytest.raises(NotYours):
            discussed_item(session, 99, lea)


def test_two_leads_at_one_item_make_one_decision(paths: Made) -> None:
    for person, label in (("ann", INCLUDE), ("bob", EXCLUDE), ("dan", INCLUDE), ("eve", EXCLUDE)):
        paths.work(person, {"*": label})
    with paths.database.writing() as session:
        taken = [
            open_consensus(session, 1, part_of(session, paths, lead), paths.now).id
            for lead in ("lea", "lou")
        ]
    paths.decide(taken[0], "lea", INCLUDE)
    with pytest.raises(AlreadyDecided, match="Another lead") as refused:
        paths.decide(taken[1], "lou", EXCLUDE)
    assert not refused.value.same
    assert paths.items()["i0"] == ("done", INCLUDE)


def test_who_is_no_lead_any_more_decides_nothing(paths: Made) -> None:
    for person, label in (("ann", INCLUDE), ("bob", EXCLUDE), ("dan", INCLUDE), ("eve", EXCLUDE)):
        paths.work(person, {"*": label})
    with paths.database.writing() as session:
        taken = open_consensus(session, 1, part_of(session, paths, "lea"), paths.now).id
    paths.add("lea", role="annotator")
    with pytest.raises(NotAllowed, match="Only a lead"):
        paths.decide(taken, "lea", INCLUDE)
    assert paths.items()["i0"] == ("discussion", None)


def test_a_lead_who_judged_an_item_does_not_decide_it(paths: Made) -> None:
    for person, label in (("ann", INCLUDE), ("bob", EXCLUDE), ("dan", INCLUDE), ("eve", EXCLUDE)):
        paths.work(person, {"*": label})
    paths.add("ann", role="lead")
    with (
        paths.database.writing() as session,
        pytest.raises(NotAllowed, match="another lead"),
    ):
        open_consensus(session, 1, part_of(session, paths, "ann"), paths.now)


def test_anyone_qualified_can_be_the_second_pair_when_the_campaign_says_so(
    tmp_path: Path,
) -> None:
    made = make(tmp_path, new_items(2), adjudication="anyone")
    made.add("ann", "bob", "cem", "dan")
    made.work("ann", {"*": INCLUDE})
    made.work("bob", {"*": EXCLUDE})
    assert made.take("ann") is None  # not their own conflict
    made.work("cem", {"*": EXCLUDE})
    made.work("dan", {"*": EXCLUDE})
    assert made.items() == {"i0": ("done", EXCLUDE), "i1": ("done", EXCLUDE)}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, ("open", None)),
        ({"first": [INCLUDE]}, ("open", None)),
        ({"first": [INCLUDE, INCLUDE]}, ("done", INCLUDE)),
        ({"first": [INCLUDE, EXCLUDE]}, ("conflict", None)),
        ({"first": [INCLUDE, EXCLUDE], "second": [EXCLUDE]}, ("conflict", None)),
        ({"first": [INCLUDE, EXCLUDE], "second": [EXCLUDE, EXCLUDE]}, ("done", EXCLUDE)),
        ({"first": [INCLUDE, EXCLUDE], "second": [EXCLUDE, INCLUDE]}, ("discussion", None)),
        (
            {
                "first": [INCLUDE, EXCLUDE],
                "second": [EXCLUDE, INCLUDE],
                "consensus": [EXCLUDE],
            },
            ("done", EXCLUDE),
        ),
    ],
)
def test_labels_make_a_state(labels: Mapping[str, list[dict[str, str]]], expected: object) -> None:
    assert outcome(labels) == expected


def test_fields_must_all_be_equal(tmp_path: Path) -> None:
    content = {"question": "Is it 5?", "answer": "yes", "passage": "It is 5."}
    made = make(tmp_path, [NewItem("q", content, "q")], kind="qa")
    made.add("ann", "bob")
    made.work("ann", {"*": {"grounded": "yes", "right": "yes"}})
    made.work("bob", {"*": {"grounded": "yes", "right": "no"}})
    assert made.items()["q"] == ("conflict", None)
