"""Campaigns made of files, rounds, logs, exports and Label Studio, with their decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from vivavoce.errors import DamagedError, InputError
from vivavoce.store import Row, hash_file, read_jsonl, read_sealed
from vivavoce.web.annotation.assignment import STAGES, lock_campaign, outcome
from vivavoce.web.annotation.campaigns import (
    PASS_MARK,
    SETTINGS,
    add_items,
    find_campaign,
    list_campaigns,
    make_campaign,
)
from vivavoce.web.annotation.exporting import DECISIONS, EXPORT, FORMAT, ITEMS
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.people import enrolments_in
from vivavoce.web.annotation.records import PLAIN_FACTS, DecisionRecord, grouped, read_items
from vivavoce.web.annotation.sources import (
    Intake,
    check_rows,
    read_new_items,
    read_studio,
    round_rows,
)
from vivavoce.web.annotation.storage import Database
from vivavoce.web.annotation.tables import (
    Assignment,
    Campaign,
    Decision,
    Enrolment,
    Item,
    Person,
)

_REMEDY = "Export the campaign again."


@dataclass(frozen=True, slots=True)
class Sources:
    """Source of the items; exactly one is given."""

    file: Path | None = None
    round: Path | None = None
    logs: Path | None = None
    export: Path | None = None
    studio: Path | None = None

    def check(self) -> None:
        """Raise `InputError` unless there is exactly one."""
        if sum(source is not None for source in astuple(self)) != 1:
            raise InputError(
                "Give one source of items: a file, --from-round, --from-logs, --from-export or "
                "--from-label-studio."
            )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The campaign that the items are for; all but its name matters for a new one only."""

    name: str
    kind: str | None = None
    guidelines: Path | None = None
    pass_mark: float = PASS_MARK
    seed: int = 0
    adjudication: str = "adjudicators"


def take_in(
    database: Database,
    sources: Sources,
    wanted: Wanted,
    now: datetime,
    *,
    log_rows: Sequence[tuple[Row, str]] = (),
) -> Row:
    """Add items to a campaign, or make it of them: all of them, or none.

    `log_rows` are rows from logs, each with its source: `results.preferences` reads them.

    Returns:
        How many items were `added` and `known` before, how many `decisions` came with them, and
        how many annotations were `unused`.

    Raises:
        InputError: Whatever is wrong with the source, by its line; the kind is another than the
            campaign's, or there is no kind for a new one.
        DamagedError: A file of an export was altered.
    """
    sources.check()
    there = None
    if sources.export is not None:
        settings, found = _read_export(sources.export)
    else:
        with database.reading() as session:
            kinds = {one.name: one.kind for one in list_campaigns(session)}
        there = kinds.get(wanted.name)
        kind = _kind(wanted, there, "preference" if sources.logs else None)
        found = _read(sources, kind, log_rows)
        settings = {
            "kind": kind.name,
            "now": now,
            "guidelines": _guidelines(wanted.guidelines),
            **{name: getattr(wanted, name) for name in SETTINGS if name != "guidelines"},
        }
    with database.writing() as session:
        if there:
            campaign = find_campaign(session, wanted.name)
            lock_campaign(session, campaign.id)
        else:
            campaign = make_campaign(session, wanted.name, **settings)
        if found.decisions and _has_decisions(session, campaign):
            raise InputError(
                f"The campaign {wanted.name} has decisions already. Take those of Label Studio "
                "into a campaign of their own."
            )
        added, known = add_items(session, campaign, found.items)
        for person in found.people:
            _enrol(session, campaign, {"guidelines_read_at": now, **person})
        if found.decisions:
            _replay(session, campaign, found.decisions)
        if sources.export is not None:
            _check_outcomes(session, campaign, sources.export)
    return {
        "added": added,
        "known": known,
        "decisions": len(found.decisions),
        "unused": found.unused,
    }


def _read_export(folder: Path) -> tuple[dict[str, Any], Intake]:
    """Settings of an exported campaign, its items, people and decisions.

    Its people are known by their pseudonyms and cannot log in, unless the database has them.
    """
    if not (folder / EXPORT).is_file():
        raise InputError(f"{folder} is no export: it has no {EXPORT}.")
    facts = read_sealed(folder / EXPORT, _REMEDY)
    if facts.get("format") != FORMAT:
        raise InputError(f"{folder / EXPORT} has the format {facts.get('format')!r}, not {FORMAT}.")
    for file in (ITEMS, DECISIONS):
        path = folder / file
        if not path.is_file() or hash_file(path) != facts["files"][file]["sha256"]:
            raise DamagedError(f"{path} differs from what was exported. {_REMEDY}")
    old = facts["campaign"]
    kind = find_kind(old["kind"])
    settings = {name: old[name] for name in ("kind", *SETTINGS)}
    path = folder / DECISIONS
    return {**settings, "now": datetime.fromisoformat(old["created_at"])}, Intake(
        items=read_new_items(folder / ITEMS, kind),
        decisions=[_decision(row, kind, f"{path}:{number}") for number, row in read_jsonl(path)],
        people=[
            {**person, "guidelines_read_at": _moment(person["guidelines_read_at"])}
            for person in facts["people"]
        ],
    )


def _read(sources: Sources, kind: Kind, log_rows: Sequence[tuple[Row, str]]) -> Intake:
    if sources.studio is not None:
        return read_studio(sources.studio, kind)
    if sources.file is not None:
        return Intake(read_new_items(sources.file, kind))
    rows = round_rows(sources.round, kind.name) if sources.round is not None else log_rows
    return Intake(check_rows(kind, rows))


def _kind(wanted: Wanted, there: str | None, implied: str | None) -> Kind:
    asked = wanted.kind or there or implied
    if asked is None:
        raise InputError(f"There is no campaign {wanted.name} yet: give its --kind.")
    if there and asked != there:
        raise InputError(f"The campaign {wanted.name} is of the kind {there}, not {asked}.")
    return find_kind(asked)


def _guidelines(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.") from error


def _has_decisions(session: Session, campaign: Campaign) -> bool:
    made = select(Decision.id).join(Assignment).join(Item).where(Item.campaign_id == campaign.id)
    return session.scalar(made.limit(1)) is not None


def _check_outcomes(session: Session, campaign: Campaign, folder: Path) -> None:
    exported = {row["id"]: (row["state"], row["final"]) for _, row in read_jsonl(folder / ITEMS)}
    for item in read_items(session, campaign):
        if (item.state, item.final) != exported[item.key]:
            raise DamagedError(
                f"{folder / ITEMS}: the item {item.key!r} is not what its decisions make it. "
                f"{_REMEDY}"
            )


def _decision(row: Row, kind: Kind, where: str) -> DecisionRecord:
    try:
        if row["stage"] not in STAGES:
            raise ValueError(f"there is no stage {row['stage']!r}")
        if not row["seen_at"]:
            raise ValueError("'seen_at' is empty")
        return DecisionRecord(
            **{name: row[name] for name in PLAIN_FACTS},
            label=kind.check_label(row["label"]),
            signs=tuple(datetime.fromisoformat(at) for at in row["seen_at"]),
            decided_at=datetime.fromisoformat(row["decided_at"]),
        )
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise InputError(f"{where} is no decision of an export: {error}.") from error


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _enrol(session: Session, campaign: Campaign, facts: Row) -> None:
    """Put somebody into a campaign who is known by a pseudonym only and cannot log in."""
    code = facts["code"]
    person = session.scalar(select(Person).where(Person.code == code))
    if person is None:
        person = Person(name=f"imported-{code.lower()}", password_hash="", code=code)
    enrolment = Enrolment(
        campaign=campaign,
        person=person,
        role=facts["role"],
        qualification=facts.get("qualification"),
        guidelines_read_at=facts["guidelines_read_at"],
    )
    session.add(enrolment)
    session.flush()


def _replay(session: Session, campaign: Campaign, records: Sequence[DecisionRecord]) -> None:
    """Write decisions of people who are enrolled, and what they make of the items.

    The records of one person and item are in one run, by revision. `InputError` names an item or a
    person that the campaign does not have.
    """
    items = {item.key: item for item in read_items(session, campaign)}
    enrolled = enrolments_in(session, campaign, Person.code)
    people = {enrolment.person.code: enrolment.person for enrolment in enrolled}
    written: list[tuple[Assignment, Sequence[DecisionRecord]]] = []
    for key, of_item in grouped(records, "item").items():
        if key not in items:
            raise InputError(f"There is a decision on {key!r}, which is no item.")
        item = items[key]
        labels: dict[str, list[Row]] = {}
        for code, made in grouped(of_item, "person").items():
            if code not in people:
                raise InputError(f"There is a decision by {code!r}, who is not in the campaign.")
            written.append((_assignment(item, people[code], made), made))
            labels.setdefault(made[-1].stage, []).append(dict(made[-1].label))
        if item.part == "main":
            item.state, item.final = outcome(labels)
    session.add_all(assignment for assignment, _ in written)
    session.flush()
    # Events need the ids of the assignments.
    for assignment, of_it in written:
        # A later decision repeats the moments of the one before; two may be the same moment.
        signs = reduce(or_, (Counter(record.signs) for record in of_it))
        for at in sorted(signs.elements()):
            event = campaign.event("shown", at, assignment.person, assignment=assignment.id)
            session.add(event)
    session.flush()


def _assignment(item: Item, person: Person, records: Sequence[DecisionRecord]) -> Assignment:
    last = records[-1]
    return Assignment(
        item_id=item.id,
        person=person,
        stage=last.stage,
        shown_at=last.signs[0],
        touched_at=last.decided_at,
        decided=True,
        decisions=[
            Decision(
                revision=record.revision,
                label=dict(record.label),
                note=record.note,
                flag=record.flag,
                decided_at=record.decided_at,
            )
            for record in records
        ],
    )
