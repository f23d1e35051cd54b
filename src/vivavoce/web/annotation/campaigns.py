"""Campaigns, their items and people. Each person has one secret link.

A link ends in NUMBER-SECRET. The database keeps only a hash of the secret, so whoever reads it
cannot open anybody's pages. A campaign is exported as a folder of plain files, in which people
appear under pseudonyms. The same campaign gives the same bytes: no file contains the export time.
"""

import hashlib
import hmac
import json
import re
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import yaml

from vivavoce.errors import InputError
from vivavoce.store import Row, canonical_json, lock, write_json, write_jsonl, write_text
from vivavoce.web import environment_of
from vivavoce.web.annotation.kinds import Item, Kind, Label, find_kind

NAME = re.compile(r"[\w.@-]{1,64}")
MAX_GUIDELINES = 100_000
"""Maximum characters: even hostile Markdown of this size renders in under a second."""

_SECRET_BYTES = 32
_LINK = re.compile(r"([1-9][0-9]{0,17})-([\w-]{1,100})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of items of one kind that people judge."""

    id: int
    name: str
    kind: Kind
    guidelines: str
    """Text in Markdown."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a campaign."""

    id: int
    name: str
    code: str
    """The pseudonym that exports show."""
    campaign: Campaign


def find_campaign(connection: sqlite3.Connection, name: str) -> Campaign:
    """Find a campaign by name; `InputError` lists the existing ones."""
    rows = {row["name"]: row for row in connection.execute("SELECT * FROM campaign ORDER BY name")}
    if name not in rows:
        raise InputError(
            f"There is no campaign {name!r}. Existing campaigns: {', '.join(rows) or 'none'}. A "
            "new one needs --kind."
        )
    return _campaign(rows[name])


def kind_of(connection: sqlite3.Connection, name: str, kind: str | None) -> Kind:
    """Find the kind of a campaign; a new one gets `kind`.

    Raises:
        InputError: The campaign is of another kind than `kind`, or is new and has none.
    """
    wanted = None if kind is None else find_kind(kind)
    is_new = not connection.execute("SELECT 1 FROM campaign WHERE name = ?", (name,)).fetchone()
    if wanted and is_new:
        return wanted
    found = find_campaign(connection, name).kind
    if wanted not in (None, found):
        raise InputError(
            f"The campaign {name} is of the kind {found.name}, not {kind}. Name its own kind, or "
            "another --campaign."
        )
    return found


def open_campaign(
    connection: sqlite3.Connection, name: str, kind: str, guidelines: str | None
) -> Campaign:
    """Open a campaign by name, or make a new one; by default it gets the kind's guidelines."""
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a valid campaign name. Use up to 64 letters, digits and . _ @ -"
        )
    made = kind_of(connection, name, kind)
    text = made.guidelines if guidelines is None else guidelines
    if not text.strip() or len(text) > MAX_GUIDELINES:
        raise InputError(
            f"The guidelines have {len(text):,} characters. They must have 1 to "
            f"{MAX_GUIDELINES:,}: shorten them, or publish a part elsewhere."
        )
    connection.execute(
        "INSERT INTO campaign (name, kind, guidelines) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO NOTHING",
        (name, made.name, text),
    )
    campaign = find_campaign(connection, name)
    if guidelines not in (None, campaign.guidelines):
        raise InputError(f"The campaign {name} has other guidelines, which cannot be changed.")
    return campaign


def add_items(
    connection: sqlite3.Connection, campaign: Campaign, items: Sequence[Item]
) -> tuple[int, int]:
    """Append items to a campaign; identical ones are skipped.

    Returns:
        The numbers of items added and of items skipped.
    """
    there = {item.key: item for item in read_items(connection, campaign)}
    new = []
    for item in items:
        known = there.get(item.key)
        if known is None:
            new.append(item)
        elif (known.content, known.cluster) != (item.content, item.cluster):
            raise InputError(
                f"The campaign {campaign.name} has an item {item.key!r} with other content. Give "
                "it another id, or start another campaign."
            )
    connection.executemany(
        "INSERT INTO item (campaign, key, cluster, content) VALUES (?, ?, ?, ?)",
        [(campaign.id, one.key, one.cluster, canonical_json(one.content)) for one in new],
    )
    return len(new), len(items) - len(new)


def read_items(connection: sqlite3.Connection, campaign: Campaign) -> list[Item]:
    """All items of a campaign in the order of import, with their labels."""
    labels: dict[int, list[Label]] = defaultdict(list)
    for row in connection.execute(
        "SELECT label.*, person.code FROM label JOIN person ON person.id = label.person"
        " WHERE person.campaign = ? AND label.value IS NOT NULL"
        " ORDER BY label.labelled_at, label.id",
        (campaign.id,),
    ):
        labels[row["item"]].append(
            Label(
                person=row["code"],
                value=json.loads(row["value"]),
                note=row["note"],
                shown_at=row["shown_at"],
                labelled_at=row["labelled_at"],
            )
        )
    rows = connection.execute("SELECT * FROM item WHERE campaign = ? ORDER BY id", (campaign.id,))
    return [
        Item(row["key"], json.loads(row["content"]), row["cluster"], tuple(labels[row["id"]]))
        for row in rows
    ]


def give_links(
    connection: sqlite3.Connection,
    campaign: Campaign,
    names: Sequence[str],
    *,
    replace: bool = False,
) -> list[tuple[Person, str | None]]:
    """Add people to a campaign and return each with the path of a new link.

    A person who has a link keeps it and gets None, unless `replace`, which ends the old link.
    """
    given = []
    for name in dict.fromkeys(names):
        if not NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is not a valid name. Use up to 64 letters, digits and . _ @ -"
            )
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        row = connection.execute(
            "INSERT INTO person (campaign, name, code, secret_hash)"
            " SELECT :campaign, :name, 'A' || (count(*) + 1), :hash FROM person"
            " WHERE campaign = :campaign"
            " ON CONFLICT (campaign, name) DO UPDATE"
            " SET secret_hash = iif(:replace, excluded.secret_hash, secret_hash)"
            " RETURNING id, code, secret_hash",
            {"campaign": campaign.id, "name": name, "hash": _hash(secret), "replace": replace},
        ).fetchone()
        link = f"{row['id']}-{secret}" if row["secret_hash"] == _hash(secret) else None
        given.append((Person(row["id"], name, row["code"], campaign), link))
    return given


def find_person(connection: sqlite3.Connection, link: str) -> Person | None:
    """Find the person of a link; None if the link is unknown or was replaced."""
    parts = _LINK.fullmatch(link)
    if parts is None:
        return None
    row = connection.execute(
        "SELECT campaign.*, person.id AS person, person.name AS called, code, secret_hash"
        " FROM person JOIN campaign ON campaign.id = person.campaign WHERE person.id = ?",
        (int(parts[1]),),
    ).fetchone()
    if row is None or not hmac.compare_digest(row["secret_hash"], _hash(parts[2])):
        return None
    return Person(row["person"], row["called"], row["code"], _campaign(row))


def _campaign(row: sqlite3.Row) -> Campaign:
    return Campaign(row["id"], row["name"], find_kind(row["kind"]), row["guidelines"])


def _hash(secret: str) -> str:
    """Hash of a secret: 256 random bits cannot be guessed, so no salt or stretching is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def export_campaign(campaign: Campaign, items: Sequence[Item], folder: Path) -> dict[str, int]:
    """Write a campaign to a folder and return the number of rows in each JSON Lines file.

    Files of an older export are replaced. `items.jsonl` has the items as imported,
    `annotations.jsonl` all labels of all people, `labels.jsonl` the final labels, and
    `label_studio.json` tasks for the interface in `label_studio.xml`.
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
        for name, file_rows in rows.items():
            write_jsonl(folder / name, file_rows)
        write_text(folder / "guidelines.md", campaign.guidelines)
        write_json(folder / "label_studio.json", _studio_tasks(kind, items))
        write_text(folder / "label_studio.xml", template.render(kind=kind) + "\n")
    return {name: len(file_rows) for name, file_rows in rows.items()}


def label_rows(kind: Kind, item: Item) -> list[Row]:
    """Rows of `labels.jsonl` for an item.

    An item with a final label has one row: its id and a value for each field. If the kind defines
    wanted values, `accepted` tells whether all fields have them. A kind with sides instead has a
    row {id, a, b, verdict} for each of the first two labels, for `viva audit judge --human`. A
    third label is left out, since it exists only if the first two differ.
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
    """Label Studio tasks: `data` holds the item; its labels are choices, one result per field."""
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
    # `completed_by` is left out: it must be a user of the Label Studio that imports the file.
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
