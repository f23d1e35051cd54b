"""Names, passwords, pseudonyms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session
from tests.web.annotation.made_campaigns import FAST, START, make, new_items

from vivavoce.errors import InputError
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.people import (
    add_person,
    check_password,
    enrol,
    enrolments_of,
    hash_password,
    make_password,
    set_password,
)
from vivavoce.web.annotation.tables import Event, LoginSession, Person


def list_people(session: Session) -> Sequence[Person]:
    return session.scalars(select(Person).order_by(Person.name)).all()


def test_a_password_is_known_by_its_hash_alone() -> None:
    stored = hash_password("correct horse", cost=FAST)
    assert check_password("correct horse", stored)
    assert not check_password("correct horsf", stored)
    assert "correct" not in stored
    assert stored != hash_password("correct horse", cost=FAST)  # a salt of its own
    assert stored.split("$")[:2] == ["scrypt", str(FAST)]


def test_nobody_logs_in_without_a_stored_password() -> None:
    assert not check_password("", None)
    assert not check_password("", "")
    assert not check_password("x" * 1_000_000, hash_password("correct horse", cost=FAST))


@pytest.mark.parametrize("password", ["short", "x" * 9, "x" * 257])
def test_a_password_has_a_length(password: str) -> None:
    with pytest.raises(InputError, match="10 to 256"):
        hash_password(password)


def test_made_passwords_are_long_and_differ() -> None:
    made = {make_password() for _ in range(100)}
    assert len(made) == 100
    assert {len(one) for one in made} == {19}


@pytest.mark.parametrize("name", ["", "Ann", "a b", "../x", "a\0", "ä", "x" * 65, "<b>"])
def test_a_name_is_plain(tmp_path: Path, name: str) -> None:
    made = make(tmp_path, new_items(1))
    with pytest.raises(InputError, match="not a name"), made.database.writing() as session:
        add_person(session, name, "a long password", cost=FAST)


def test_people_have_pseudonyms_that_tell_nothing(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    names = [f"person{n}" for n in range(20)]
    made.add(*names)
    with made.database.reading() as session:
        codes = [person.code for person in list_people(session)]
    assert len(set(codes)) == 20
    assert all(len(code) == 6 and code.startswith("P") for code in codes)
    assert codes != sorted(codes)


def test_a_name_is_taken_once(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann")
    with pytest.raises(InputError, match="called ann already"), made.database.writing() as session:
        add_person(session, "ann", "a long password", cost=FAST)


def test_a_role_can_change_and_both_times_are_kept(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann")
    made.add("ann", role="lead")
    with made.database.reading() as session:
        person = list_people(session)[0]
        assert [part.role for part in enrolments_of(session, person)] == ["lead"]
        roles = [e.detail["role"] for e in session.query(Event).filter_by(kind="enrolled")]
        assert roles == ["annotator", "lead"]
    with made.database.writing() as session:
        campaign, person = find_campaign(session, "paths"), list_people(session)[0]
        with pytest.raises(InputError, match="annotator, adjudicator, lead"):
            enrol(session, campaign, person, "boss", made.now)


def test_another_password_ends_every_session(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(1))
    made.add("ann", "bob")
    with made.database.writing() as session:
        for person in list_people(session):
            session.add(
                LoginSession(
                    token_hash=person.name,
                    person=person,
                    csrf="c",
                    created_at=START,
                    expires_at=START + timedelta(days=1),
                    last_seen=START,
                )
            )
    with made.database.writing() as session:
        ann = list_people(session)[0]
        set_password(session, ann, "another password", cost=FAST)
        assert check_password("another password", ann.password_hash)
    with made.database.reading() as session:
        assert [one.token_hash for one in session.query(LoginSession)] == ["bob"]
