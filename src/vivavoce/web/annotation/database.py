"""The database of campaigns: a SQLite file with a write-ahead log.

A writer locks the file from the start (BEGIN IMMEDIATE), so the data it read still holds when it
writes, and only one writes at a time. Committed changes survive a killed process.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError, VivaError

FORMAT = 1
"""Version of the tables; raised when they change."""
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
        """Connect for reading one state of the file; `BusyError` if it is locked."""
        with self._begun("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Connect for writing; all changes are committed at the end, or none on an exception.

        Raises:
            BusyError: The file is locked; nothing was changed.
        """
        with self._begun("BEGIN IMMEDIATE") as connection:
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _begun(self, statement: str) -> Iterator[sqlite3.Connection]:
        """Open a connection with a first statement; SQLite's errors become typed ones."""
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

    `wait` is the time in seconds to wait for another program's write.

    Raises:
        InputError: The file does not exist, is not a database, or has another version.
        BusyError: The file is locked.
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
