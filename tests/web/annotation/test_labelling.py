"""Items that are handed out, and labels that come back: each once, and none too many."""

import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.servers.annotation import EXCLUDE, INCLUDE, Made, make, rows_of

from vivavoce.errors import InputError
from vivavoce.web.annotation.campaigns import add_items, find_person, give_links, open_campaign
from vivavoce.web.annotation.database import (
    HOLD,
    BusyError,
    StaleLabelError,
    open_database,
)
from vivavoce.web.annotation.kinds import KINDS, check_rows

HOSTILE = ["", "1", "1-", "-1-x", "1-x", "99-x", "1;drop table item-x", "²-x", "9" * 30 + "-x"]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path, 2)


def test_two_who_agree_close_an_item_and_a_third_decides_where_they_differ(made: Made) -> None:
    assert made.work("ann", {"*": INCLUDE}) == 2
    assert made.work("ben", {"*": INCLUDE, "i1": EXCLUDE}) == 2
    assert made.work("cem", {"*": EXCLUDE}) == 1  # i0 needs nobody
    found = made.items()
    assert (found["i0"].final, len(found["i0"].labels)) == (INCLUDE, 2)
    assert (found["i1"].final, len(found["i1"].labels)) == (EXCLUDE, 3)
    assert [made.take(name) for name in made.links] == [None] * 3


def test_places_in_hand_are_handed_to_nobody_else(made: Made) -> None:
    """Two items have two places each; the fourth person of the first moment gets none."""
    assert [made.take("ann"), made.take("ben"), made.take("cem")] == [1, 1, 2]
    # Asking twice gives the item in hand again.
    assert made.take("ann") == 1
    made.label("ann", 1, INCLUDE)
    assert made.take("ann") == 2
    made.label("ben", 1, EXCLUDE)
    # The third place of the first item is open now, the second item is in two hands.
    assert made.take("ben") is None
    made.label("cem", 2, INCLUDE)
    assert made.take("cem") == 1


def test_a_place_goes_to_others_after_an_hour_and_a_late_label_is_kept(tmp_path: Path) -> None:
    made = make(tmp_path, 1)
    assert [made.take(name) for name in ("ann", "ben")] == [1, 1]
    made.clock.now += HOLD - (HOLD / 60)
    assert made.take("cem") is None
    made.clock.now += HOLD / 60
    assert made.take("cem") == 1
    for name, label in (("cem", INCLUDE), ("ben", INCLUDE), ("ann", EXCLUDE)):
        made.label(name, 1, label)
    (item,) = made.items().values()
    assert [label.person for label in item.labels] == ["A3", "A2", "A1"]
    assert item.final == INCLUDE


def test_a_correction_needs_the_page_that_shows_what_is_there(made: Made) -> None:
    made.take("ann")
    made.label("ann", 1, INCLUDE, note="first")
    made.label("ann", 1, INCLUDE)  # sent twice
    with pytest.raises(StaleLabelError):
        made.label("ann", 1, EXCLUDE)
    with pytest.raises(StaleLabelError):
        made.label("ann", 1, None, revision=1)  # a label cannot be skipped away
    task = made.task("ann", 1)
    assert (task.label, task.note, task.revision) == (INCLUDE, "first", 1)
    given_at = made.items()["i0"].labels[0].labelled_at
    made.label("ann", 1, EXCLUDE, revision=1)
    (label,) = made.items()["i0"].labels
    assert (label.value, label.note, label.labelled_at) == (EXCLUDE, "", given_at)
    with pytest.raises(InputError, match="decision"):
        made.label("ann", 1, {"decision": "maybe"}, revision=2)
    made.take("ann")
    assert made.task("ann", 2).before == 1
    assert made.task("ann", 1).before is None


def test_what_was_skipped_comes_back_last_and_keeps_no_place(made: Made) -> None:
    made.take("ann")
    made.label("ann", 1, None)
    assert made.take("ann") == 2
    made.label("ann", 2, None)
    assert made.take("ann") == 1
    made.label("ann", 1, None, revision=1)
    assert made.take("ann") == 2
    made.label("ann", 2, None, revision=1)
    assert made.said() == []
    for name in ("ben", "cem"):
        assert made.work(name, {"*": INCLUDE}) == 2
    # Items that others have closed do not come back, but can still be labelled.
    assert made.take("ann") is None
    made.label("ann", 2, EXCLUDE, revision=2)
    assert [label.person for label in made.items()["i1"].labels] == ["A2", "A3", "A1"]


def test_half_of_the_people_see_the_sides_the_other_way_round(tmp_path: Path) -> None:
    """Everybody chooses the text that stands on the item's own side a."""
    names = [f"p{number}" for number in range(20)]
    made = make(tmp_path, 10, names, kind="preference")
    sides = Counter()
    for name in names[:2]:
        while (item := made.take(name)) is not None:
            shown = made.task(name, item).content
            side = next(side for side in "ab" if shown[side].startswith("Left"))
            sides[side] += 1
            made.label(name, item, {"verdict": side})
            assert made.task(name, item).label == {"verdict": side}
    assert sides.keys() == {"a", "b"}
    assert {value["verdict"] for _, _, value in made.said()} == {"a"}


def test_many_at_once_leave_two_labels_or_three(tmp_path: Path) -> None:
    """Everybody asks at the same time, and differs by person and item."""
    names = [f"p{number}" for number in range(6)]
    made = make(tmp_path, 12, names, wait=60)

    def work(name: str) -> int:
        done = 0
        while (item := made.take(name)) is not None:
            made.label(name, item, INCLUDE if (item + int(name[1])) % 3 else EXCLUDE)
            done += 1
        return done

    with ThreadPoolExecutor(len(names)) as threads:
        counts = list(threads.map(work, names))
        # A place that was in hand may have become free: those who were done look again.
        counts += list(threads.map(work, names))
    items = made.items().values()
    assert all(item.final is not None for item in items)
    for item in items:
        differ = item.labels[0].value != item.labels[1].value
        assert len(item.labels) == (3 if differ else 2)
        assert len({label.person for label in item.labels}) == len(item.labels)
    assert sum(counts) == len(made.said())


def test_a_link_is_stored_as_a_hash_and_opens_its_person(made: Made) -> None:
    stored = "\n".join(sqlite3.connect(made.database.path).iterdump())
    for name, link in made.links.items():
        assert link.split("-", 1)[1] not in stored
        assert made.person(name).name == name
    with made.database.reading() as connection:
        assert [find_person(connection, text) for text in HOSTILE] == [None] * len(HOSTILE)


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a/b", "<b>", "a\0"])
def test_a_name_is_no_text(made: Made, name: str) -> None:
    for change in (
        lambda connection: give_links(connection, made.campaign(), ["dan", name]),
        lambda connection: open_campaign(connection, name, "qa", None),
    ):
        with (
            pytest.raises(InputError, match="is not a valid"),
            made.database.writing() as connection,
        ):
            change(connection)
    with made.database.reading() as connection:
        people = [row["name"] for row in connection.execute("SELECT name FROM person")]
    assert people == ["ann", "ben", "cem"]


@pytest.mark.parametrize(
    ("guidelines", "message"),
    [
        ("Others.", "other guidelines"),
        (" ", "must have 1 to 100,000"),
        ("*a" * 50_001, "must have 1 to 100,000"),
    ],
)
def test_a_campaign_keeps_its_guidelines(made: Made, guidelines: str, message: str) -> None:
    with pytest.raises(InputError, match=message), made.database.writing() as connection:
        open_campaign(connection, "pilot", "distractors", guidelines)


def test_importing_again_adds_what_is_new_and_refuses_what_changed(made: Made) -> None:
    kind = KINDS["distractors"]

    def add(*rows: object) -> tuple[int, int]:
        items = check_rows(kind, [(dict(row), "here") for row in rows])  # type: ignore[call-overload]
        with made.database.writing() as connection:
            return add_items(connection, made.campaign(), items)

    one, two, three, four = rows_of("distractors", 4)
    assert add(one, two, three) == (1, 2)
    with pytest.raises(InputError, match="'i0' with other content"):
        add(four, one | {"cluster": "other"})
    assert list(made.items()) == ["i0", "i1", "i2"]  # all or nothing


def test_a_database_that_is_held_is_busy_and_another_file_is_refused(tmp_path: Path) -> None:
    made = make(tmp_path, 1, wait=0.2)
    other = sqlite3.connect(made.database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BusyError, match="Try again"):
        made.take("ann")
    other.execute("ROLLBACK")
    assert made.take("ann") == 1
    other.close()
    foreign, text = tmp_path / "foreign.db", tmp_path / "text.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE label (x)")
    connection.close()
    text.write_text("no database " * 100, "utf-8")
    for path, message in (
        (foreign, "has no campaigns of this version"),
        (text, "is not an SQLite database"),
        (tmp_path / "no" / "folder.db", "is not a folder"),
    ):
        with pytest.raises(InputError, match=message):
            open_database(path)
    with pytest.raises(InputError, match="Create it with viva annotate import"):
        open_database(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()
