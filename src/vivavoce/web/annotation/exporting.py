"""A campaign as a folder of plain files, the same bytes for the same campaign.

People appear under their pseudonyms. No file holds the time of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import yaml

from vivavoce.store import Row, lock, write_json, write_jsonl, write_text
from vivavoce.web.annotation.campaigns import Campaign
from vivavoce.web.annotation.items import Item, Label
from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.rendering import environment_of


def export_campaign(campaign: Campaign, items: Sequence[Item], folder: Path) -> dict[str, int]:
    """Write a campaign and return the number of rows of each file of rows.

    The folder is made; files of an older export in it are replaced. `items.jsonl` holds the items
    as they were imported, `annotations.jsonl` every label of every person, `labels.jsonl` what the
    items came to, and `label_studio.json` tasks with the interface of `label_studio.xml`.

    Raises:
        VivaError: A file could not be written.
        LockedError: Another export is writing there.
    """
    kind = campaign.kind
    rows = {
        "items.jsonl": [_plain(item) for item in items],
        "annotations.jsonl": [
            {"item": item.key, **asdict(label)} for item in items for label in item.labels
        ],
        "labels.jsonl": [row for item in items for row in label_rows(kind, item)],
    }
    template = environment_of("vivavoce.web.annotation").get_template("label_studio.xml.j2")
    with lock(folder):
        for name, found in rows.items():
            write_jsonl(folder / name, found)
        write_text(folder / "guidelines.md", campaign.guidelines)
        write_json(folder / "label_studio.json", _studio_tasks(kind, items))
        write_text(folder / "label_studio.xml", template.render(kind=kind) + "\n")
    return {name: len(found) for name, found in rows.items()}


def label_rows(kind: Kind, item: Item) -> list[Row]:
    """The rows of `labels.jsonl` for an item.

    {id, and a value for every field} of an item that has a final label, with `accepted` where
    fields have a wanted value: all speak for the item. Of a kind with sides {id, a, b, verdict} of
    each of the first two labels, as `viva audit judge --human` reads them; a third is left out: it
    is given only where those differ.
    """
    if kind.sides:
        place = item.content.get("source") or {"id": item.key}
        sides = item.content.get("names") or {"a": "a", "b": "b"}
        return [{**place, **sides, "verdict": label.value["verdict"]} for label in item.pair or ()]
    if item.final is None:
        return []
    row: Row = {"id": item.key, **item.final}
    if any(field.wanted for field in kind.fields):
        row["accepted"] = all(row[field.name] == field.wanted for field in kind.fields)
    return [row | {name: item.content[name] for name in kind.exported if name in item.content}]


def _plain(item: Item) -> Row:
    return {"id": item.key, "cluster": item.cluster, "content": item.content}


def _studio_tasks(kind: Kind, items: Sequence[Item]) -> list[Row]:
    """Tasks of Label Studio: an item under `data`, its labels as choices, one result a field."""
    return [
        {
            "id": number,
            "data": {
                **_plain(item),
                "text": yaml.safe_dump(
                    kind.present(item.content, False), allow_unicode=True, sort_keys=False
                ),
            },
            "annotations": [_studio_annotation(label) for label in item.labels],
        }
        for number, item in enumerate(items, 1)
    ]


def _studio_annotation(label: Label) -> Row:
    # Without `completed_by`, which must be a user of the Label Studio that reads it.
    took = datetime.fromisoformat(label.labelled_at) - datetime.fromisoformat(label.shown_at)
    return {
        "created_at": label.labelled_at,
        "lead_time": took.total_seconds(),
        "result": [
            {
                "from_name": name,
                "to_name": "item",
                "type": "choices",
                "value": {"choices": [value]},
                "meta": {"text": [label.person]},
            }
            for name, value in label.value.items()
        ],
    }
