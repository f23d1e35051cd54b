"""Exports: pseudonymous, the same bytes each time, and a campaign again when read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from lxml import etree
from tests.web.annotation.made_campaigns import (
    EXCLUDE,
    INCLUDE,
    START,
    Made,
    exam,
    make,
    new_items,
)

from vivavoce.errors import DamagedError, InputError
from vivavoce.results.audits.human import read_labels
from vivavoce.store import Row, read_json, read_jsonl, read_sealed, write_json
from vivavoce.web.annotation.assignment import NotYours, open_consensus
from vivavoce.web.annotation.campaigns import (
    NewItem,
    find_campaign,
    give_feedback,
    mark_read,
    unread_feedback,
)
from vivavoce.web.annotation.exporting import export_campaign, labelling_config
from vivavoce.web.annotation.importing import Sources, Wanted, take_in
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.monitoring import Report, measure, overview
from vivavoce.web.annotation.people import find_enrolment, find_person
from vivavoce.web.annotation.records import read_decisions, read_items
from vivavoce.web.annotation.sources import read_studio
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Event, Item, Person

NAMES = ("ann", "bob", "dan", "eve", "lea")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Eight items that ended in all three ways, an exam before, and one item still in conflict."""
    made = make(tmp_path_factory.mktemp("done"), [*exam(["include", "exclude"]), *new_items(8)])
    made.add("ann", "bob")
    made.add("dan", "eve", role="adjudicator")
    made.add("lea", role="lead")
    solved = {"q0": INCLUDE, "q1": EXCLUDE, "*": INCLUDE}
    made.work("ann", solved)
    made.work("bob", {**solved, "i1": EXCLUDE, "i2": EXCLUDE, "i3": EXCLUDE}, most=9)
    taken = made.take("bob")
    assert taken is not None
    label = EXCLUDE if made.key_of(taken) in ("i1", "i2", "i3") else INCLUDE
    made.decide(taken, "bob", label, note="=HYPERLINK(1)", flag=True)
    made.work("dan", {**solved, "*": EXCLUDE}, most=4)
    made.work("eve", {**solved, "i1": EXCLUDE, "i2": INCLUDE, "i3": INCLUDE})
    with made.database.writing() as session:
        item = session.query(Item).filter_by(state="discussion").order_by(Item.id).limit(1).one()
        lea = find_person(session, "lea")
        assert lea is not None
        part = find_enrolment(session, find_campaign(session, "paths"), lea)
        assert part is not None
        consensus = open_consensus(session, item.id, part, made.now).id
    made.decide(consensus, "lea", EXCLUDE)
    return made


def export(database: Database, folder: Path, name: str = "paths", *, names: bool = False) -> Path:
    with database.reading() as session:
        export_campaign(session, find_campaign(session, name), folder, names=names)
    return folder


def files_of(folder: Path) -> Mapping[str, bytes]:
    found = {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}
    return dict(sorted(found.items()))


def measured(database: Database, name: str) -> Report:
    with database.reading() as session:
        campaign = find_campaign(session, name)
        kind = KINDS[campaign.kind]
        return measure(kind, read_items(session, campaign), read_decisions(session, campaign))


def test_an_export_is_the_same_bytes_each_time_and_names_nobody(done: Made, tmp_path: Path) -> None:
    first = files_of(export(done.database, tmp_path / "one"))
    assert first == files_of(export(done.database, tmp_path / "two"))
    assert list(first) == [
        "codebook.md",
        "decisions.csv",
        "decisions.jsonl",
        "export.json",
        "items.jsonl",
        "label_studio.json",
        "label_studio.xml",
        "labels.jsonl",
    ]
    text = b"".join(first.values()).decode()
    for name in NAMES:
        assert f'"{name}"' not in text
        assert f",{name}," not in text
    assert "password" not in text
    facts = read_sealed(tmp_path / "one" / "export.json")
    assert facts["files"]["items.jsonl"]["rows"] == 10
    codes = [person["code"] for person in facts["people"]]
    assert codes == sorted(codes)  # an order by name would tell something


def test_names_are_there_when_asked_for(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path, names=True)
    rows = [row for _, row in read_jsonl(folder / "decisions.jsonl")]
    assert {row["name"] for row in rows} == set(NAMES)
    assert "do not publish" in (folder / "codebook.md").read_text("utf-8")


def test_the_table_has_a_column_a_field_and_runs_no_formula(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path)
    with (folder / "decisions.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0].keys() >= {"item", "person", "stage", "decision", "note", "seconds"}
    assert [row["note"] for row in rows if row["note"]] == ["'=HYPERLINK(1)"]
    assert {row["stage"] for row in rows} == {"qualification", "first", "second", "consensus"}
    assert "name" not in rows[0]


def test_labels_are_the_final_ones_of_the_main_part(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path)
    rows = {row["id"]: row for _, row in read_jsonl(folder / "labels.jsonl")}
    states = done.items()
    assert set(rows) == {key for key, (state, _) in states.items() if state == "done"}
    some = next(iter(rows.values()))
    assert some.keys() == {"id", "table", "paper", "decision"}
    assert all(row["decision"] == states[key][1]["decision"] for key, row in rows.items())  # type: ignore[index]


def test_an_export_is_a_campaign_again(done: Made, tmp_path: Path) -> None:
    """The same states, labels, agreement and seconds, and exported again the same bytes."""
    folder = export(done.database, tmp_path / "out")
    other = open_database(str(tmp_path / "other.db"))
    found = take_in(other, Sources(export=folder), Wanted("paths"), START)
    rows = sum(1 for _ in read_jsonl(folder / "decisions.jsonl"))
    assert (found["added"], found["decisions"]) == (10, rows)
    assert measured(other, "paths") == measured(done.database, "paths")
    again = files_of(export(other, tmp_path / "again"))
    assert again == files_of(folder)
    with pytest.raises(InputError, match="already"):
        take_in(other, Sources(export=folder), Wanted("paths"), START)
    other.close()


def test_two_signs_of_one_moment_stay_two(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann")
    taken = made.take("ann")
    assert taken is not None
    with made.database.writing() as session:
        (shown,) = session.query(Event).filter(Event.kind == "shown")
        session.add(
            Event(
                at=shown.at,
                person_id=shown.person_id,
                campaign_id=shown.campaign_id,
                kind="shown",
                detail=shown.detail,
            )
        )
    made.decide(taken, "ann", INCLUDE)
    made.decide(taken, "ann", EXCLUDE, revision=2)
    folder = export(made.database, tmp_path / "out")
    seen = [row["seen_at"] for _, row in read_jsonl(folder / "decisions.jsonl")]
    assert [len(moments) - len(set(moments)) for moments in seen] == [1, 1]
    other = open_database(str(tmp_path / "other.db"))
    take_in(other, Sources(export=folder), Wanted("paths"), START)
    assert files_of(export(other, tmp_path / "again")) == files_of(folder)
    other.close()
    made.database.close()


def test_imported_people_cannot_log_in(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path / "out")
    other = open_database(str(tmp_path / "other.db"))
    take_in(other, Sources(export=folder), Wanted("again"), START)
    with other.reading() as session:
        assert {person.password_hash for person in session.query(Person)} == {""}
    other.close()


def test_a_changed_export_is_refused(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path / "out")
    path = folder / "decisions.jsonl"
    path.write_text(path.read_text("utf-8").replace("include", "exclude", 1), "utf-8")
    other = open_database(str(tmp_path / "other.db"))
    with pytest.raises(DamagedError, match=r"decisions\.jsonl differs"):
        take_in(other, Sources(export=folder), Wanted("paths"), START)
    with pytest.raises(InputError, match="is no export"):
        take_in(other, Sources(export=tmp_path), Wanted("paths"), START)
    with other.reading() as session:
        assert session.query(Item).count() == 0
    other.close()


# Preference: the labels that the judge audit reads


def test_verdicts_go_to_the_audit_of_judges_one_a_person(tmp_path: Path) -> None:
    content = {
        "prompt": "P",
        "a": "ONE",
        "b": "TWO",
        "names": {"a": "lab/one", "b": "reference"},
        "source": {"id": "s1", "task": "title", "setting": "base"},
    }
    made = make(tmp_path, [NewItem("x", content, "s1")], kind="preference")
    made.add("ann", "bob")
    for person in ("ann", "bob"):
        taken = made.take(person)
        assert taken is not None
        made.decide(taken, person, {"verdict": "tie"})
    folder = export(made.database, tmp_path / "out")
    labels = read_labels(folder / "labels.jsonl")
    assert [(label.id, label.sides, label.verdict) for label in labels] == [
        ("s1", ("lab/one", "reference"), "tie")
    ] * 2
    assert labels[0].narrowed == {"task": "title", "setting": "base"}


def test_a_demand_is_accepted_when_all_speaks_for_it(tmp_path: Path) -> None:
    items = [NewItem(key, {"caption": "c", "demand": "D"}, key) for key in ("good", "leaks")]
    made = make(tmp_path, items, kind="demands")
    made.add("ann", "bob")
    good = dict.fromkeys([field.name for field in KINDS["demands"].fields], "yes")
    good["offensive"] = "no"
    for person in ("ann", "bob"):
        made.work(person, {"good": good, "leaks": {**good, "non_leaking": "no"}})
    folder = export(made.database, tmp_path / "out")
    rows = {row["id"]: row["accepted"] for _, row in read_jsonl(folder / "labels.jsonl")}
    assert rows == {"good": True, "leaks": False}


# Label Studio


def test_label_studio_tasks_come_back_as_the_same_campaign(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path / "out")
    other = open_database(str(tmp_path / "other.db"))
    wanted = Wanted("ls", kind="distractors")
    found = take_in(other, Sources(studio=folder / "label_studio.json"), wanted, START)
    assert (found["added"], found["unused"]) == (10, 0)
    ours, theirs = measured(done.database, "paths"), measured(other, "ls")
    assert theirs.fields == ours.fields
    assert theirs.outcomes == ours.outcomes
    assert theirs.shares == ours.shares
    with pytest.raises(InputError, match="has decisions already"):
        take_in(other, Sources(studio=folder / "label_studio.json"), wanted, START)
    other.close()


def studio(path: Path, *annotations: Row, data: Row | None = None) -> Path:
    content = {"demand": "D", "references": [], "candidate": {"title": "T"}}
    write_json(path, [{"id": 7, "data": data or content, "annotations": list(annotations)}])
    return path


def annotation(who: object, choice: str, minute: int, **more: object) -> Row:
    value = {"choices": [choice]}
    result = {"from_name": "decision", "to_name": "item", "type": "choices", "value": value}
    at = f"2026-03-02T10:{minute:02d}:00Z"
    return {"completed_by": who, "created_at": at, "lead_time": 30.5, "result": [result], **more}


def test_annotations_made_elsewhere_become_pairs_by_their_time(tmp_path: Path) -> None:
    """Two are split, the next two agree, a fifth has no place; one was cancelled."""
    path = studio(
        tmp_path / "t.json",
        annotation({"id": 4, "email": "d@x.org"}, "exclude", 4),
        annotation(1, "include", 1),
        annotation(2, "exclude", 2),
        annotation(9, "include", 0, was_cancelled=True),
        annotation("c@x.org", "exclude", 3),
        annotation(5, "include", 5),
    )
    found = read_studio(path, KINDS["distractors"])
    stages = [(one.stage, one.label["decision"]) for one in found.decisions]
    assert stages == [
        ("first", "include"),
        ("first", "exclude"),
        ("second", "exclude"),
        ("second", "exclude"),
    ]
    assert found.unused == 1
    assert found.items[0].key == "7"
    assert found.decisions[0].seconds() == 30.5
    people = [one.person for one in found.decisions]
    assert people[0] == "LS1"
    assert people[3] == "LS4"
    assert people[2].startswith("LS")
    assert "x.org" not in json.dumps(people)  # an address is no pseudonym


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": "x"}, "'result' must be a list"),
        ({"result": []}, "'decision' must be one of"),
        ({"created_at": "soon"}, "is no moment"),
        ({"completed_by": None}, "does not say who"),
    ],
)
def test_a_bad_annotation_is_told_with_its_task(tmp_path: Path, change: Row, message: str) -> None:
    path = studio(tmp_path / "t.json", {**annotation(1, "include", 1), **change})
    with pytest.raises(InputError) as refused:
        read_studio(path, KINDS["distractors"])
    assert f"{path}: task 1: annotation 1" in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize("value", [{}, [5], [{"data": 1}], [{"data": {}, "annotations": [1]}]])
def test_another_file_is_not_taken_for_tasks(tmp_path: Path, value: object) -> None:
    write_json(tmp_path / "t.json", value)
    with pytest.raises(InputError, match=r"t\.json"):
        read_studio(tmp_path / "t.json", KINDS["qa"])


def test_the_labelling_interface_is_xml_with_every_choice() -> None:
    for kind in KINDS.values():
        root = etree.fromstring(labelling_config(kind))
        found = {c.get("name"): [o.get("value") for o in c] for c in root.iter("Choices")}
        assert found == {field.name: list(field.values) for field in kind.fields}


# Monitoring and feedback, on the same campaign


def test_a_lead_sees_how_far_things_are_and_no_label(done: Made) -> None:
    with done.database.reading() as session:
        campaign = find_campaign(session, "paths")
        found = overview(session, campaign)
        states = [state for key, (state, _) in done.items().items() if key.startswith("i")]
        assert (found.main_items, found.flagged_items) == (8, 1)
        assert found.done == states.count("done")
        outcomes = found.report.outcomes
        assert outcomes["conflict"] + outcomes["discussion"] == len(found.waiting)
        rows = {row.enrolment.person.name: row for row in found.people}
        assert rows["ann"].qualification == (2, 2)
        assert rows["lea"].state == "lead"
        (flag,) = found.flags
        assert (flag.note, flag.person) == ("=HYPERLINK(1)", rows["bob"].enrolment.person.code)
        assert not hasattr(flag, "label")
        assert found.report.fields[0].pairwise.value == 5 / 8


def test_feedback_reaches_whom_it_is_for_until_it_is_read(done: Made) -> None:
    with done.database.writing() as session:
        campaign = find_campaign(session, "paths")
        ann, bob = find_person(session, "ann"), find_person(session, "bob")
        assert ann is not None
        assert bob is not None
        everybody = give_feedback(session, campaign, "A survey is no method.", done.now)
        only_ann = give_feedback(session, campaign, "Use the note.", done.now, person=ann)
        parts = [find_enrolment(session, campaign, person) for person in (ann, bob)]
        unread = [[one.id for one in unread_feedback(session, part)] for part in parts if part]
        assert unread == [[everybody.id, only_ann.id], [everybody.id]]
        mark_read(session, everybody.id, ann, done.now)
        mark_read(session, everybody.id, ann, done.now)
        unread = [[one.id for one in unread_feedback(session, part)] for part in parts if part]
        assert unread == [[only_ann.id], [everybody.id]]
        with pytest.raises(NotYours):
            mark_read(session, only_ann.id, bob, done.now)
        with pytest.raises(InputError, match="1 to 10,000"):
            give_feedback(session, campaign, "  ", done.now)


def test_the_codebook_says_what_every_column_means(done: Made, tmp_path: Path) -> None:
    folder = export(done.database, tmp_path)
    text = (folder / "codebook.md").read_text("utf-8")
    row = read_json(folder / "label_studio.json")[0]
    assert row["data"]["text"].startswith("candidate:")
    with (folder / "decisions.csv").open(newline="", encoding="utf-8") as stream:
        columns = next(csv.reader(stream))
    for column in columns:
        assert f"`{column}`" in text
    assert "80% of the qualification items" in text
