"""The database of campaigns, a SQLite file, and the labels in it.

A writer locks the file from the start (BEGIN IMMEDIATE). So there is only one writer at a time, and
what it has read still holds when it writes. Committed changes survive a killed process.

An item is handed out while it needs labels: two, and a third if these differ. For `HOLD`, a place
is reserved for a person who was shown the item; a later label is still accepted. Other people's
labels affect only whether the item needs another one.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from vivavoce.errors import InputError, VivaError
from vivavoce.store import Row, canonical_json
from vivavoce.web.annotation.campaigns import Person
from vivavoce.web.annotation.kinds import MAX_LABELS, PAIR, Value

FORMAT = 1
"""Version of the tables, raised when they change."""
_TABLES = """
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  guidelines TEXT NOT NULL
);
CREATE TABLE item (
  id INTEGER PRIMARY KEY, -- in the order of import
  campaign INTEGER NOT NULL REFERENCES campaign,
  key TEXT NOT NULL,
  cluster TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (campaign, key)
);
CREATE TABLE person (
  id INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaign,
  name TEXT NOT NULL,
  code TEXT NOT NULL, -- the pseudonym that exports show
  secret_hash TEXT NOT NULL,
  item INTEGER REFERENCES item, -- the one that the person has in hand
  shown_at TEXT, -- since when
  UNIQUE (campaign, name)
);
CREATE INDEX person_item ON person (item);
CREATE TABLE label (
  id INTEGER PRIMARY KEY,
  item INTEGER NOT NULL REFERENCES item,
  person INTEGER NOT NULL REFERENCES person,
  value TEXT, -- NULL: the person skipped the item
  note TEXT NOT NULL,
  revision INTEGER NOT NULL, -- from 1, one more for each correction
  shown_at TEXT NOT NULL,
  labelled_at TEXT NOT NULL, -- when it was first given
  UNIQUE (item, person)
);
CREATE INDEX label_person ON label (person);
"""


class BusyError(VivaError):
    """The database is locked by another program; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database file; `open_database` makes its tables."""

    path: Path
    wait: float
    """Seconds to wait for another program's write to end."""

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Connect to read one consistent state of the file; `BusyError` if it is locked."""
        with self._begun("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Connect to write; all changes are committed at the end, or none after an exception."""
        with self._begun("BEGIN IMMEDIATE") as connection:
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _begun(self, statement: str) -> Iterator[sqlite3.Connection]:
        """Open a connection and run a first statement; SQLite's errors become typed errors."""
        try:
            with closing(
                sqlite3.connect(self.path, timeout=self.wait, isolation_level=None)
            ) as connection:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(statement)
                yield connection
        except sqlite3.DatabaseError as error:
            # The low byte is the code's class: SQLITE_BUSY_SNAPSHOT is a kind of SQLITE_BUSY.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise BusyError(f"{self.path} is locked by another program. Try again.") from error
            if code == sqlite3.SQLITE_NOTADB:
                raise InputError(f"{self.path} is not an SQLite database.") from error
            raise VivaError(f"{self.path} cannot be used: {error}.") from error


def open_database(path: Path, *, wait: float = 5.0, create: bool = True) -> Database:
    """Open a database; a new one gets its tables.

    `wait` is the time in seconds to wait for another program's write to end.
    """
    if not path.is_file() and not create:
        raise InputError(f"{path} does not exist. Create it with viva annotate import.")
    if not path.parent.is_dir():
        raise InputError(
            f"{path.parent} is not a folder. Create it, or choose another path for the database."
        )
    database = Database(path, wait)
    with database.writing() as connection:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not tables:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        known = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'label'").fetchone()
    if version != FORMAT or known is None:
        raise InputError(
            f"{path} has no campaigns of this version. Give another --db, or export with the "
            "version that made it."
        )
    with database._begun("PRAGMA journal_mode = WAL"):
        return database


HOLD = timedelta(hours=1)
"""Time for which a label's place is reserved for a person who was shown the item."""
Clock = Callable[[], datetime]
_LAST = 2**63 - 1

_NEXT = f"""
SELECT item.id FROM item
LEFT JOIN label AS mine ON mine.item = item.id AND mine.person = :me
WHERE item.campaign = :campaign AND mine.value IS NULL
  AND (SELECT count(value) FROM label WHERE item = item.id)
    + (SELECT count(*) FROM person
       WHERE person.item = item.id AND person.id != :me AND person.shown_at > :since)
    < CASE WHEN (SELECT count(DISTINCT value) FROM label WHERE item = item.id) > 1
      THEN {MAX_LABELS} ELSE {PAIR} END
ORDER BY mine.labelled_at, item.id LIMIT 1
"""
"""Next item for a person. Items that they skipped come last, starting with the oldest skip."""


class UnknownItemError(VivaError):
    """The item does not exist, or the person was never shown it."""


class StaleLabelError(VivaError):
    """The person has changed the label since the page was opened."""


@dataclass(frozen=True, slots=True)
class Task:
    """An item as its annotator sees it, without hidden parts or other people's labels."""

    item: int
    content: Row
    label: Value
    """The person's own label, in terms of the sides as shown; empty if there is none."""
    note: str
    revision: int
    """Revision of the existing label, or 0 if there is none; the form sends it back."""
    before: int | None
    """The item that the person labelled before this one."""


def next_item(connection: sqlite3.Connection, person: Person, now: datetime) -> int | None:
    """The person's current item, else the next item that needs a label; None if there is none."""
    item = _item_in_hand(connection, person)
    if item is not None:
        return item
    known = {"me": person.id, "campaign": person.campaign.id, "since": _moment(now - HOLD)}
    row = connection.execute(_NEXT, known).fetchone()
    if row is None:
        return None
    connection.execute(
        "UPDATE person SET item = ?, shown_at = ? WHERE id = ?",
        (row["id"], _moment(now), person.id),
    )
    return int(row["id"])


def read_task(connection: sqlite3.Connection, person: Person, item: int) -> Task:
    """Read the person's current item, or one that they have labelled or skipped."""
    row = _own_item(connection, person, item)
    kind, swapped = person.campaign.kind, _is_swapped(person, row["key"])
    before = connection.execute(
        "SELECT max(id), item FROM label WHERE person = ? AND value IS NOT NULL AND id < ?",
        (person.id, row["label"] or _LAST),
    ).fetchone()
    return Task(
        item=item,
        content=kind.present(json.loads(row["content"]), swapped),
        label=kind.restore(json.loads(row["value"] or "{}"), swapped),
        note=row["note"] or "",
        revision=row["revision"] or 0,
        before=before["item"],
    )


def submit(
    connection: sqlite3.Connection,
    person: Person,
    item: int,
    label: Value | None,
    revision: int,
    now: datetime,
    *,
    note: str = "",
) -> None:
    """Save a label or a correction; None skips the item.

    The label names the sides as shown on the page; the revision is that of the page's `Task`. A
    label sent twice is saved once.

    Raises:
        UnknownItemError: The person was never shown the item.
        InputError: The label is not valid for the kind.
        StaleLabelError: Another label was saved since the page was opened; that label stays.
    """
    row = _own_item(connection, person, item)
    kind = person.campaign.kind
    value = None
    if label is not None:
        shown_label = kind.check_label(label, "The label")
        value = canonical_json(kind.restore(shown_label, _is_swapped(person, row["key"])))
    would_erase = value is None and row["value"] is not None
    if revision != (row["revision"] or 0) or would_erase:
        if value == row["value"]:
            return
        raise StaleLabelError("You have labelled this item already. That label was not changed.")
    known = {"me": person.id, "item": item, "value": value, "note": note, "now": _moment(now)}
    connection.execute(
        "INSERT INTO label (item, person, value, note, revision, shown_at, labelled_at)"
        " SELECT :item, :me, :value, :note, 1, shown_at, :now FROM person WHERE id = :me"
        " ON CONFLICT (item, person) DO UPDATE SET value = :value, note = :note,"
        " revision = revision + 1,"
        " labelled_at = CASE WHEN value IS NULL THEN :now ELSE labelled_at END",
        known,
    )
    connection.execute("UPDATE person SET item = NULL WHERE id = :me AND item = :item", known)


def progress(connection: sqlite3.Connection, person: Person) -> tuple[int, int]:
    """Number of items that a person has labelled, and number of items in the campaign."""
    counts = connection.execute(
        "SELECT (SELECT count(value) FROM label WHERE person = ?),"
        " (SELECT count(*) FROM item WHERE campaign = ?)",
        (person.id, person.campaign.id),
    ).fetchone()
    return counts[0], counts[1]


def _own_item(connection: sqlite3.Connection, person: Person, item: int) -> sqlite3.Row:
    """An item with the person's own label; `UnknownItemError` if they were never shown it."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT item.key, item.content, label.id AS label, value, note, revision FROM item"
        " LEFT JOIN label ON label.item = item.id AND label.person = :me WHERE item.id = :item",
        {"me": person.id, "item": item},
    ).fetchone()
    if row is None or (row["label"] is None and _item_in_hand(connection, person) != item):
        raise UnknownItemError("You have no such item.")
    return row


def _item_in_hand(connection: sqlite3.Connection, person: Person) -> int | None:
    row = connection.execute("SELECT item FROM person WHERE id = ?", (person.id,)).fetchone()
    item: int | None = row["item"]
    return item


def _moment(time: datetime) -> str:
    """Format a time as text that sorts by time."""
    return time.isoformat(timespec="milliseconds")


def _is_swapped(person: Person, key: str) -> bool:
    """True if the person sees the two sides of an item swapped."""
    parts = canonical_json([person.campaign.name, person.code, key])
    return bool(hashlib.sha256(parts.encode("utf-8")).digest()[0] & 1)
