"""The database: what is refused, what is busy, and what parallel writers do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.web.annotation.made_campaigns import EXCLUDE, INCLUDE, Made, make, new_items

from vivavoce.errors import InputError, VivaError
from vivavoce.web.annotation.assignment import AlreadyDecided
from vivavoce.web.annotation.campaigns import NewItem, find_campaign
from vivavoce.web.annotation.storage import BusyError, open_database
from vivavoce.web.annotation.tables import Assignment, Campaign, Decision, Item, Meta, Person


@pytest.fixture
def paths(tmp_path: Path) -> Made:
    made = make(tmp_path, new_items(3))
    made.add("ann", "bob", "cem", "dan")
    return made


def parallel(*calls: Callable[[], object]) -> list[object]:
    """Results, or exceptions, of calls made at the same time."""

    def run(call: Callable[[], object]) -> object:
        try:
            return call()
        except VivaError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_four_parallel_submits_of_one_decision_make_one_row(paths: Made) -> None:
    taken = paths.take("ann")
    assert taken is not None

    def send() -> None:
        paths.decide(taken, "ann", INCLUDE)

    found = parallel(send, send, send, send)
    assert found.count(None) == 1
    assert sum(isinstance(one, AlreadyDecided) for one in found) == 3
    with paths.database.reading() as session:
        assert session.query(Decision).count() == 1


def test_people_who_ask_at_once_never_share_more_places_than_there_are(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(2))
    everybody = ["ann", "bob", "cem", "dan", "eve", "fay"]
    made.add(*everybody)
    found = parallel(*(lambda person=person: made.take(person) for person in everybody))
    assert sum(one is not None for one in found) == 4  # 2 items x 2 places
    with made.database.reading() as session:
        held = [row.item_id for row in session.query(Assignment)]
    assert sorted(held) == [1, 1, 2, 2]


def test_both_of_a_pair_who_decide_at_once_finish_the_item(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob")
    ann, bob = made.take("ann"), made.take("bob")
    assert ann is not None
    assert bob is not None
    found = parallel(
        lambda: made.decide(ann, "ann", INCLUDE), lambda: made.decide(bob, "bob", EXCLUDE)
    )
    assert found == [None, None]
    assert made.items() == {"i0": ("conflict", None)}


def test_a_held_database_is_busy_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann")
    taken = made.take("ann")
    assert taken is not None
    made.database.close()
    made.database = open_database(str(tmp_path / "annotation.db"), wait=0.1)
    holder = sqlite3.connect(tmp_path / "annotation.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BusyError, match=r"annotation\.db is busy"):
        made.decide(taken, "ann", INCLUDE)
    with made.database.reading() as session:  # readers go on under WAL
        assert session.query(Decision).count() == 0
    holder.execute("ROLLBACK")
    made.decide(taken, "ann", INCLUDE)
    with made.database.reading() as session:
        assert session.query(Decision).count() == 1
    holder.close()


def test_what_fails_half_way_leaves_nothing(paths: Made) -> None:
    def fail() -> None:
        with paths.database.writing() as session:
            session.add(Person(name="new", password_hash="", code="X"))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with paths.database.reading() as session:
        assert session.query(Person).filter_by(name="new").count() == 0


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://u:secret@h/x", "not supported"),
        ("sqlite://", "not supported"),
        ("nowhere/deep/annotation.db", "not a folder"),
        ("postgresql://u:secret@h:port/x", "cannot be read"),
    ],
)
def test_a_bad_address_is_told_without_its_password(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        open_database(url)
    assert "secret" not in str(refused.value)


def test_another_file_is_not_taken_for_a_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("these are only notes\n" * 100)
    with pytest.raises(InputError, match="not a database"):
        open_database(str(tmp_path / "notes.txt"))
    assert (tmp_path / "notes.txt").read_text().startswith("these")


def test_tables_of_another_version_are_refused(paths: Made, tmp_path: Path) -> None:
    with paths.database.writing() as session:
        session.get_one(Meta, "format").value = "99"
    with pytest.raises(InputError, match="version 99"):
        open_database(str(tmp_path / "annotation.db"))


def test_a_postgresql_that_is_not_there_is_busy_or_unusable() -> None:
    with pytest.raises(VivaError) as refused:
        open_database("postgresql://u:secret@127.0.0.1:1/none", wait=2)
    assert "secret" not in str(refused.value)


def test_moments_keep_their_zone(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    eastern = timezone(timedelta(hours=9))
    with made.database.writing() as session:
        campaign = find_campaign(session, "paths")
        campaign.paused_at = datetime(2026, 1, 1, 8, tzinfo=eastern)
    with made.database.reading() as session:
        paused = find_campaign(session, "paths").paused_at
        assert paused == datetime(2025, 12, 31, 23, tzinfo=UTC)
        assert paused is not None
        assert paused.tzinfo is UTC
    naive = datetime(2026, 1, 1)
    with pytest.raises(Exception, match="no time zone"), made.database.writing() as session:
        find_campaign(session, "paths").paused_at = naive


def test_hostile_text_is_stored_and_read_again(tmp_path: Path) -> None:
    """NULs and half surrogate pairs: a JSON file may hold both."""
    nasty = "a\0b\ud800c\u202ed'; DROP TABLE item; --"
    content = {"caption": nasty, "demand": "D", "group": "g"}
    made = make(tmp_path, [NewItem("i", content, "c", explanation=nasty)], kind="demands")
    with made.database.reading() as session:
        item = session.query(Item).one()
        kept = "ab?c\u202ed'; DROP TABLE item; --"
        assert (item.content["caption"], item.explanation) == (kept, kept)
        assert session.query(Campaign).count() == 1
