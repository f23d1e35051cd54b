"""A campaign as a folder of plain files, the same bytes for the same campaign.

A task of Label Studio holds an item under `data`; its annotations hold a label as choices, one
result a field.
People appear under their pseudonyms unless names are asked for. No file holds the time of the
export.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    lock,
    write_json,
    write_jsonl,
    write_sealed,
    write_text,
)
from vivavoce.web.annotation.assignment import is_swapped
from vivavoce.web.annotation.campaigns import SETTINGS
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.people import enrolments_in
from vivavoce.web.annotation.records import (
    PLAIN_FACTS,
    DecisionRecord,
    grouped,
    item_row,
    read_decisions,
    read_items,
)
from vivavoce.web.annotation.tables import Campaign, Item, Person
from vivavoce.web.printing import environment_of, guard_formula, visible

FORMAT = 1
"""Of the folder; raised when a file changes its meaning."""

EXPORT = "export.json"
ITEMS = "items.jsonl"
DECISIONS = "decisions.jsonl"
TABLE = "decisions.csv"
LABELS = "labels.jsonl"
CODEBOOK = "codebook.md"
STUDIO_TASKS = "label_studio.json"
STUDIO_CONFIG = "label_studio.xml"


def export_campaign(
    session: Session, campaign: Campaign, folder: Path, *, names: bool = False
) -> Path:
    """Write a campaign and return the path of `export.json`, which is written last.

    The folder is made; files of an older export in it are replaced. With `names`, people's names
    are printed beside their pseudonyms.

    Raises:
        VivaError: A file could not be written.
        LockedError: Another export is writing there.
    """
    kind = find_kind(campaign.kind)
    items, decisions = read_items(session, campaign), read_decisions(session, campaign)
    # By pseudonym: an order by name would disclose something of the names.
    enrolments = enrolments_in(session, campaign, Person.code)
    named = {row.person.code: {"name": row.person.name} for row in enrolments} if names else {}
    rows = [
        {
            **{fact: getattr(record, fact) for fact in PLAIN_FACTS},
            **named.get(record.person, {}),
            "label": dict(record.label),
            "sides_swapped": bool(kind.sides) and is_swapped(campaign, record.person, record.item),
            "seen_at": [at.isoformat() for at in record.signs],
            "decided_at": record.decided_at.isoformat(),
            "seconds": round(record.seconds(), 3),
        }
        for record in decisions
    ]
    people = [
        {
            "code": row.person.code,
            "role": row.role,
            "qualification": row.qualification,
            "guidelines_read_at": row.guidelines_read_at and row.guidelines_read_at.isoformat(),
            **named.get(row.person.code, {}),
        }
        for row in enrolments
    ]
    template = environment_of("vivavoce.web.annotation").get_template("codebook.md.j2")
    lines = {
        ITEMS: [{**item_row(item), "state": item.state, "final": item.final} for item in items],
        DECISIONS: rows,
        LABELS: label_rows(kind, items, decisions),
    }
    texts = {
        TABLE: _table(kind, rows),
        CODEBOOK: template.render(campaign=campaign, kind=kind, names=names),
        STUDIO_CONFIG: labelling_config(kind),
    }
    counted = {TABLE: len(rows), **{name: len(found) for name, found in lines.items()}}
    about = {name: getattr(campaign, name) for name in ("name", "kind", *SETTINGS)}
    about["guidelines_sha256"] = hash_of(campaign.guidelines)
    about["created_at"] = campaign.created_at.isoformat()
    with lock(folder):
        (folder / EXPORT).unlink(missing_ok=True)
        for name, found in lines.items():
            write_jsonl(folder / name, found)
        for name, text in texts.items():
            write_text(folder / name, text)
        write_json(folder / STUDIO_TASKS, tasks_of(kind, items, decisions))
        files = {
            name: {"sha256": hash_file(folder / name), "rows": counted.get(name)}
            for name in (*lines, *texts, STUDIO_TASKS)
        }
        facts = {"format": FORMAT, "campaign": about, "people": people, "files": files}
        write_sealed(folder / EXPORT, facts)
    return folder / EXPORT


def label_rows(kind: Kind, items: Sequence[Item], decisions: Sequence[DecisionRecord]) -> list[Row]:
    """Labels of the items of the main part, as rounds and audits read them."""
    standing = grouped((record for record in decisions if record.last), "item")
    return [
        row
        for item in items
        if item.part == "main"
        for row in kind.label_rows(item, standing.get(item.key, []))
    ]


def _table(kind: Kind, rows: Sequence[Row]) -> str:
    plain = ["item", "part", "cluster", "person", "name", "stage", "revision", "last"]
    after = ["note", "flag", "sides_swapped", "decided_at", "seconds"]
    fields = [field.name for field in kind.fields]
    if not any("name" in row for row in rows):
        plain.remove("name")
    sink = io.StringIO()
    columns = [*plain, *fields, *after]
    writer = csv.DictWriter(sink, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = {**row, **row["label"]}.items()
        writer.writerow({name: _cell(value) for name, value in cells})
    return sink.getvalue()


def _cell(value: Any) -> Any:
    return guard_formula(visible(value, limit=None)) if isinstance(value, str) else value


def tasks_of(kind: Kind, items: Sequence[Item], decisions: Sequence[DecisionRecord]) -> list[Row]:
    """Items and the valid decisions, as tasks."""
    standing = grouped((record for record in decisions if record.last), "item")
    return [
        {
            "id": item.ordinal + 1,
            "data": {**item_row(item), "text": as_text(kind.present(item.content, False))},
            "annotations": [_annotation(record) for record in standing.get(item.key, [])],
        }
        for item in items
    ]


def labelling_config(kind: Kind) -> str:
    """A labelling interface for the tasks."""
    template = environment_of("vivavoce.web.annotation").get_template("label_studio.xml.j2")
    return template.render(kind=kind) + "\n"


def as_text(content: Any, depth: int = 0) -> str:
    """An item's content as lines of plain text."""
    lines = []
    for name, value in content.items():
        if name == "paper":  # the id of a paper, below it
            continue
        if isinstance(value, dict):
            lines.append(f"{name}:\n{as_text(value, depth + 1)}")
        elif isinstance(value, list):
            lines.append(f"{name}:")
            lines += [_line(one, depth + 1) for one in value]
        elif value is not None:
            lines.append(f"{'  ' * depth}{name}: {value}")
    return "\n".join(lines)


def _annotation(record: DecisionRecord) -> Row:
    return {
        "completed_by": record.person,
        "created_at": record.decided_at.isoformat(),
        "lead_time": round(record.seconds(), 3),
        "was_cancelled": False,
        "result": [
            {
                "from_name": name,
                "to_name": "item",
                "type": "choices",
                "value": {"choices": [value]},
            }
            for name, value in record.label.items()
        ],
    }


def _line(value: Any, depth: int) -> str:
    if isinstance(value, dict):
        return as_text(value, depth)
    if isinstance(value, list):
        return "  " * depth + " | ".join("" if cell is None else str(cell) for cell in value)
    return f"{'  ' * depth}- {value}"
