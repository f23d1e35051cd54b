"""A campaign out of what `exporting` wrote: the same items, decisions and agreement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from vivavoce.errors import DamagedError, InputError
from vivavoce.store import Row, hash_file, read_jsonl, read_sealed
from vivavoce.web.annotation.campaigns import add_items, make_campaign
from vivavoce.web.annotation.exporting import DECISIONS, EXPORT, FORMAT, ITEMS
from vivavoce.web.annotation.importing import read_new_items
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.label_studio import StudioFile
from vivavoce.web.annotation.records import DecisionRecord, read_items
from vivavoce.web.annotation.replaying import enrol_imported, replay
from vivavoce.web.annotation.storage import Campaign

_REMEDY = "Export the campaign again."
_STAGES = ("qualification", "first", "second", "consensus")


def restore_campaign(session: Session, folder: Path, name: str) -> Campaign:
    """Make a campaign that exports the same items and decisions.

    Its people are known by their pseudonyms and cannot log in, unless the database has them.

    Raises:
        InputError: The folder is no export, or the campaign's name is taken.
        DamagedError: A file differs from what was exported.
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
    campaign = make_campaign(
        session,
        name,
        kind.name,
        datetime.fromisoformat(old["created_at"]),
        guidelines=old["guidelines"],
        pass_mark=old["pass_mark"],
        seed=old["seed"],
        adjudication=old["adjudication"],
    )
    add_items(session, campaign, read_new_items(folder / ITEMS, kind))
    for person in facts["people"]:
        read_at = person["guidelines_read_at"]
        enrol_imported(
            session,
            campaign,
            person["code"],
            person["role"],
            qualification=person["qualification"],
            guidelines_read_at=datetime.fromisoformat(read_at) if read_at else None,
        )
    replay(session, campaign, _read_decisions(folder / DECISIONS, kind))
    _check_outcomes(session, campaign, folder)
    return campaign


def restore_studio(session: Session, campaign: Campaign, found: StudioFile, now: datetime) -> None:
    """Put the decisions of a file of Label Studio into a campaign that has its items."""
    for code, role in found.roles.items():
        enrol_imported(session, campaign, code, role, guidelines_read_at=now)
    replay(session, campaign, found.decisions)


def _check_outcomes(session: Session, campaign: Campaign, folder: Path) -> None:
    exported = {row["id"]: (row["state"], row["final"]) for _, row in read_jsonl(folder / ITEMS)}
    for item in read_items(session, campaign):
        if (item.state, item.final) != exported[item.key]:
            raise DamagedError(
                f"{folder / ITEMS}: the item {item.key!r} is not what its decisions make it. "
                f"{_REMEDY}"
            )


def _read_decisions(path: Path, kind: Kind) -> list[DecisionRecord]:
    return [_decision(row, kind, f"{path}:{number}") for number, row in read_jsonl(path)]


def _decision(row: Row, kind: Kind, where: str) -> DecisionRecord:
    try:
        if row["stage"] not in _STAGES:
            raise ValueError(f"there is no stage {row['stage']!r}")
        return DecisionRecord(
            item=row["item"],
            part=row["part"],
            cluster=row["cluster"],
            person=row["person"],
            stage=row["stage"],
            revision=row["revision"],
            last=row["last"],
            label=kind.check_label(row["label"]),
            note=row["note"],
            flag=row["flag"],
            signs=_moments(row["seen_at"]),
            decided_at=datetime.fromisoformat(row["decided_at"]),
        )
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise InputError(f"{where} is no decision of an export: {error}.") from error


def _moments(values: Sequence[Any]) -> tuple[datetime, ...]:
    if not values:
        raise ValueError("'seen_at' is empty")
    return tuple(datetime.fromisoformat(value) for value in values)
