"""The same promises on PostgreSQL, with a server that the test starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import missing_system_package
from tests.servers.postgresql import PostgreSQL, find_initdb, running_postgresql
from tests.web.annotation.made_campaigns import INCLUDE, make, new_items
from tests.web.annotation.test_storage import parallel

from vivavoce.web.annotation.assignment import AlreadyDecided
from vivavoce.web.annotation.campaigns import NewItem, find_campaign
from vivavoce.web.annotation.exporting import export_campaign
from vivavoce.web.annotation.storage import BusyError, Database, open_database
from vivavoce.web.annotation.tables import Assignment, Decision, Item, Person


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    initdb = find_initdb()
    if initdb is None:
        missing_system_package("PostgreSQL", "postgresql")
    with running_postgresql(initdb) as running:
        yield running


def test_parallel_submits_and_requests_take_each_place_once(
    server: PostgreSQL, tmp_path: Path
) -> None:
    made = make(tmp_path, new_items(2), url=server.create("parallel"))
    everybody = ["ann", "bob", "cem", "dan", "eve", "fay"]
    made.add(*everybody)
    taken = parallel(*(lambda person=person: made.take(person) for person in everybody))
    assert sum(one is not None for one in taken) == 4  # 2 items x 2 places
    with made.database.reading() as session:
        assert sorted(row.item_id for row in session.query(Assignment)) == [1, 1, 2, 2]
    person, assignment = next(
        (person, one) for person, one in zip(everybody, taken, strict=True) if isinstance(one, int)
    )

    def send() -> None:
        made.decide(assignment, person, INCLUDE)

    found = parallel(send, send, send, send)
    assert found.count(None) == 1
    assert sum(isinstance(one, AlreadyDecided) for one in found) == 3
    with made.database.reading() as session:
        assert session.query(Decision).count() == 1
    made.database.close()


def test_a_server_that_stops_in_mid_work_is_busy_and_goes_on_after(
    server: PostgreSQL, tmp_path: Path
) -> None:
    made = make(tmp_path, new_items(1), url=server.create("restarted"))
    made.add("ann", "bob")
    ann, bob = made.take("ann"), made.take("bob")
    assert ann is not None
    assert bob is not None
    server.stop()
    with pytest.raises(BusyError):
        made.decide(ann, "ann", INCLUDE)
    server.start()
    made.decide(ann, "ann", INCLUDE)
    server.restart()  # connections of the pool are dead now
    made.decide(bob, "bob", INCLUDE)
    assert made.items() == {"i0": ("done", INCLUDE)}
    made.database.close()


def test_a_lock_that_is_held_makes_it_busy(server: PostgreSQL, tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1), url=server.create("held"))
    made.add("ann")
    impatient = open_database(made.database.engine.url.render_as_string(False), wait=0.2)

    def set_seed(database: Database) -> None:
        with database.writing() as session:
            find_campaign(session, "paths").seed = 2

    with made.database.writing() as session:
        find_campaign(session, "paths").seed = 1
        session.flush()
        with pytest.raises(BusyError):
            set_seed(impatient)
    set_seed(impatient)
    impatient.close()
    made.database.close()


def test_hostile_text_and_exports_are_those_of_sqlite(server: PostgreSQL, tmp_path: Path) -> None:
    nasty = "a\0b\ud800c\u202e"
    items = [NewItem("i", {"caption": nasty, "demand": "D"}, "c", explanation=nasty)]
    label = {"self_contained": "yes", "goal_oriented": "yes", "one_or_two_sentences": "yes"}
    label |= {"non_leaking": "no", "offensive": "no"}
    folders = []
    for name, url in (("sqlite", None), ("postgresql", server.create("hostile"))):
        made = make(tmp_path, items, kind="demands", url=url)
        made.add("ann", "bob")
        with made.database.writing() as session:
            for row in session.query(Person):  # pseudonyms are random: give both the same
                row.code = f"P{row.name.upper()}"
        for person in ("ann", "bob"):
            taken = made.take(person)
            assert taken is not None
            made.decide(taken, person, label, note=nasty)
        with made.database.reading() as session:
            assert session.query(Item).one().content["caption"] == "ab?c\u202e"
            folders.append(tmp_path / name)
            export_campaign(session, find_campaign(session, "paths"), folders[-1])
        made.database.close()
    for path in sorted(folders[0].iterdir()):
        assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name
