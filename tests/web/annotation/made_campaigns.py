"""Small campaigns on SQLite, with a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from vivavoce.web.annotation.campaigns import NewItem, add_items, find_campaign, make_campaign
from vivavoce.web.annotation.decisions import confirm_guidelines, next_assignment, submit
from vivavoce.web.annotation.people import add_person, enrol, find_enrolment, find_person
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Assignment, Enrolment, Item, Person

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
INCLUDE, EXCLUDE = {"decision": "include"}, {"decision": "exclude"}
FAST = 4
"""Cost of a password hash in tests."""


def candidate(number: int) -> dict[str, object]:
    """The content of a distractors item."""
    return {
        "demand": "A table of ways to plan paths, to choose one.",
        "references": [{"title": "Paths by graphs", "abstract": "We search a graph."}],
        "candidate": {"title": f"Paper {number}", "abstract": f"Abstract {number}."},
        "table": f"t{number // 5}",
        "paper": f"p{number}",
    }


def new_items(count: int) -> list[NewItem]:
    return [NewItem(f"i{n}", candidate(n), cluster=f"t{n // 5}") for n in range(count)]


def exam(answers: Sequence[str]) -> list[NewItem]:
    """Qualification items with known answers."""
    return [
        NewItem(
            f"q{n}",
            candidate(1000 + n),
            cluster="exam",
            part="qualification",
            answer={"decision": answer},
            explanation=f"It is {answer}d, as every row plans a path.",
        )
        for n, answer in enumerate(answers)
    ]


@dataclass
class Made:
    """A campaign and its clock."""

    database: Database
    name: str = "paths"
    now: datetime = START
    people: list[str] = field(default_factory=list)

    def add(self, *people: str, role: str = "annotator", read: bool = True) -> None:
        """People who have read the guidelines, or have not."""
        with self.database.writing() as session:
            campaign = find_campaign(session, self.name)
            for person in people:
                found = find_person(session, person) or add_person(
                    session, person, "a long password", cost=FAST
                )
                enrolment = enrol(session, campaign, found, role, self.now)
                if read:
                    confirm_guidelines(session, enrolment, self.now)
                self.people.append(person)

    def take(self, person: str, stale_after: timedelta = timedelta(days=1)) -> int | None:
        """The id of the assignment that somebody is handed."""
        with self.database.writing() as session:
            campaign, found = find_campaign(session, self.name), find_person(session, person)
            assert found is not None
            enrolment = find_enrolment(session, campaign, found)
            assert enrolment is not None
            taken = next_assignment(session, enrolment, self.now, stale_after=stale_after)
            return None if taken is None else taken.id

    def decide(
        self,
        assignment: int,
        person: str,
        label: Mapping[str, str],
        revision: int = 1,
        seconds: float = 60,
        **more: object,
    ) -> None:
        """Send a decision some seconds later."""
        self.now += timedelta(seconds=seconds)
        with self.database.writing() as session:
            found = find_person(session, person)
            assert found is not None
            submit(session, assignment, found, label, revision, self.now, **more)  # type: ignore[arg-type]

    def work(self, person: str, labels: Mapping[str, Mapping[str, str]], most: int = 1000) -> int:
        """Let somebody judge what they are handed; `labels` by item, `*` for others."""
        for done in range(most):
            assignment = self.take(person)
            if assignment is None:
                return done
            key = self.key_of(assignment)
            self.decide(assignment, person, labels.get(key) or labels["*"])
        return most

    def key_of(self, assignment: int) -> str:
        with self.database.reading() as session:
            found = session.get(Assignment, assignment)
            assert found is not None
            return found.item.key

    def items(self) -> dict[str, tuple[str, object]]:
        """State and final label of every item, by key."""
        with self.database.reading() as session:
            return {row.key: (row.state, row.final) for row in session.query(Item)}


def quick(database: Database) -> Database:
    """Let SQLite not wait for the disk: what survives a power cut no test can see."""
    if database.engine.name == "sqlite":
        database.engine.dispose()

        @event.listens_for(database.engine, "connect")
        def prepare(connection: Any, record: Any) -> None:
            connection.execute("PRAGMA synchronous=OFF")

    return database


def make(
    folder: Path,
    items: Sequence[NewItem],
    *,
    kind: str = "distractors",
    url: str | None = None,
    **options: object,
) -> Made:
    """A campaign called `paths`."""
    made = Made(quick(open_database(url or str(folder / "annotation.db"))))
    with made.database.writing() as session:
        campaign = make_campaign(session, made.name, kind, made.now, **options)  # type: ignore[arg-type]
        add_items(session, campaign, items)
    return made


def everybody(folder: Path) -> Made:
    """Three items and everybody there is; nobody has to qualify."""
    made = make(folder, new_items(3))
    made.add("ann", "bob", "cem")
    made.add("dan", "eve", "fay", role="adjudicator")
    made.add("lea", "lou", role="lead")
    return made


def part_of(session: Session, made: Made, person: str) -> Enrolment:
    found = find_person(session, person)
    assert found is not None
    enrolment = find_enrolment(session, find_campaign(session, made.name), found)
    assert enrolment is not None
    return enrolment


def person_of(session: Session, name: str) -> Person:
    found = find_person(session, name)
    assert found is not None
    return found
