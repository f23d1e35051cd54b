"""Campaigns as Label Studio's JSON, and back.

A task holds an item under `data`; its annotations hold a label as choices, one result a field. On
the way in, the annotations of a task become, by the time they were made, the first pair; where that
is split the second pair; where that is split too the consensus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from vivavoce.errors import InputError
from vivavoce.store import Row, hash_of, read_json
from vivavoce.web.annotation.assignment import outcome
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.records import DecisionRecord, grouped, item_row
from vivavoce.web.annotation.sources import ITEM_KEYS, Intake, check_rows
from vivavoce.web.annotation.tables import Item

MAX_FILE = 1 << 28
_STAGES = {"open": "first", "conflict": "second", "discussion": "consensus"}
"""The stage of the next annotation, by what those before it came to."""
_RANK = ("annotator", "adjudicator", "lead")
_ITEM = "item"
_NOT_SHOWN = ("names", "source", "group", "table", "paper")
_OUR_CODE = re.compile(r"(P|LS)[A-Z0-9]{1,16}")


def tasks_of(items: Sequence[Item], decisions: Sequence[DecisionRecord]) -> list[Row]:
    """Items and the valid decisions, as tasks."""
    standing = grouped((record for record in decisions if record.last), "item")
    return [
        {
            "id": item.ordinal + 1,
            "data": {**item_row(item), "text": as_text(item.content)},
            "annotations": [_annotation(record) for record in standing.get(item.key, [])],
        }
        for item in items
    ]


def labelling_config(kind: Kind) -> str:
    """A labelling interface for the tasks."""
    lines = ["<View>", f'  <Text name="{_ITEM}" value="$text"/>']
    for asked in kind.fields:
        lines.append(f"  <Header value={quoteattr(asked.question)}/>")
        lines.append(
            f'  <Choices name="{asked.name}" toName="{_ITEM}" choice="single" required="true">'
        )
        lines += [
            f'    <Choice value="{option.value}" hotkey="{option.key}"/>'
            for option in asked.options
        ]
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])


def as_text(content: Any, depth: int = 0) -> str:
    """An item's content as lines of plain text."""
    lines = []
    for name, value in content.items():
        if name in _NOT_SHOWN:
            continue
        if isinstance(value, dict):
            lines.append(f"{name}:\n{as_text(value, depth + 1)}")
        elif isinstance(value, list):
            lines.append(f"{name}:")
            lines += [_line(one, depth + 1) for one in value]
        elif value is not None:
            lines.append(f"{'  ' * depth}{name}: {value}")
    return "\n".join(lines)


def read_studio(path: Path, kind: Kind) -> Intake:
    """Items and decisions of a file of tasks.

    Raises:
        InputError: Names the file, the task and what is wrong with it.
    """
    if path.is_file() and path.stat().st_size > MAX_FILE:
        raise InputError(f"{path} is larger than {MAX_FILE >> 20} MB.")
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError(f"{path} is not a list of tasks.")
    rows = [_row(task, f"{path}: task {number}") for number, task in enumerate(tasks, 1)]
    items = check_rows(kind, [(row, where) for row, where, _ in rows])
    decisions: list[DecisionRecord] = []
    roles: dict[str, str] = {}
    unused = 0
    for item, (_, where, made_of_it) in zip(items, rows, strict=True):
        made = [
            _decision(one, item, kind, f"{where}: annotation {number}")
            for number, one in enumerate(made_of_it, 1)
            if not one.get("was_cancelled")
        ]
        placed = _placed(sorted(made, key=lambda one: (one.decided_at, one.person)))
        decisions += placed
        unused += len(made) - len(placed)
        for record in placed:
            role = {"consensus": "lead", "second": "adjudicator"}.get(record.stage, "annotator")
            roles[record.person] = max(role, roles.get(record.person, role), key=_RANK.index)
    people = [{"code": code, "role": role} for code, role in sorted(roles.items())]
    return Intake(items, decisions, people, unused)


def _annotation(record: DecisionRecord) -> Row:
    return {
        "completed_by": record.person,
        "created_at": record.decided_at.isoformat(),
        "lead_time": round(record.seconds(), 3),
        "was_cancelled": False,
        "result": [
            {
                "from_name": name,
                "to_name": _ITEM,
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


def _row(task: Any, where: str) -> tuple[Row, str, list[Row]]:
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        raise InputError(f"{where} has no 'data'.")
    annotations = task.get("annotations") or []
    if not isinstance(annotations, list) or not all(isinstance(a, dict) for a in annotations):
        raise InputError(f"{where}: 'annotations' must be a list of objects.")
    row = {key: data[key] for key in ITEM_KEYS if data.get(key) not in (None, "")}
    row.setdefault("id", str(task.get("id", "")))
    if "content" not in row:
        # A file made elsewhere: the parts of the content lie in `data` itself.
        rest = {k: v for k, v in data.items() if k not in (*ITEM_KEYS, "text")}
        row["content"] = rest
    return row, where, annotations


def _decision(annotation: Row, item: NewItem, kind: Kind, where: str) -> DecisionRecord:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise InputError(f"{where}: 'result' must be a list.")
    label: dict[str, Any] = {}
    for result in results:
        value = result.get("value") if isinstance(result, dict) else None
        choices = value.get("choices") if isinstance(value, dict) else None
        if isinstance(choices, list) and len(choices) == 1 and result.get("type") == "choices":
            label[str(result.get("from_name"))] = choices[0]
    try:
        checked = kind.check_label(label)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    at = _moment(annotation.get("created_at"), where)
    lead: Any = annotation.get("lead_time")
    has_lead = isinstance(lead, int | float) and not isinstance(lead, bool) and 0 <= lead < 1e8
    spent = timedelta(seconds=lead if has_lead else 0)
    return DecisionRecord(
        item=item.key,
        part=item.part,
        cluster=item.cluster,
        person=_person(annotation.get("completed_by"), where),
        stage="qualification" if item.part == "qualification" else "first",
        revision=1,
        last=True,
        label=checked,
        note="",
        flag=False,
        signs=(at - spent,),
        decided_at=at,
    )


def _placed(made: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """Decisions on one item, by time, each in its stage; what no stage needs is left out."""
    placed: list[DecisionRecord] = []
    labels: dict[str, list[Row]] = {}
    for record in made:
        state, _ = outcome(labels)
        if record.person in (other.person for other in placed):
            continue
        if record.stage != "qualification":
            if state == "done":
                continue
            record = replace(record, stage=_STAGES[state])
            labels.setdefault(record.stage, []).append(dict(record.label))
        placed.append(record)
    return placed


def _person(value: Any, where: str) -> str:
    """A pseudonym; of anything but a number or one of our own, a hash, as it may be an address."""
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12:
        return f"LS{value}"
    if isinstance(value, str) and value.strip():
        return value if _OUR_CODE.fullmatch(value) else f"LS{hash_of(value)[:10].upper()}"
    raise InputError(f"{where}: 'completed_by' does not say who made it.")


def _moment(value: Any, where: str) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: 'created_at' is no moment: {str(value)[:40]!r}.") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
