"""The database of the annotation app, and how it is opened.

SQLite in a file (WAL) or PostgreSQL. Writers queue: SQLite lets one in at a time, and on
PostgreSQL whatever changes a campaign holds the campaign's row. What a locked or restarting
database could not do is undone whole and raises `BusyError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, exc, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from vivavoce.errors import InputError, VivaError
from vivavoce.web.annotation.tables import Meta, Table

FORMAT = 1
"""Of the tables; raised when they change."""

_TABLES_LOCK = 0x76697661
_BUSY_CODES = (5, 6)  # SQLITE_BUSY, SQLITE_LOCKED
_NOT_A_DATABASE = 26


class BusyError(VivaError):
    """The database is locked, restarting or out of reach; nothing was changed."""


class Database:
    """An open database; made by `open_database`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(writing=True)

    @property
    def where(self) -> str:
        """Its address, without the password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that changes nothing.

        Raises:
            BusyError: The database is locked or out of reach.
        """
        with _translated(self.engine.url), Session(self.engine, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are all kept at its end, or none when anything is raised.

        Objects can still be read after the end.

        Raises:
            BusyError: The database is locked or out of reach; nothing was changed, unless the
                connection broke while the end was being confirmed.
        """
        with (
            _translated(self.engine.url),
            Session(self._writer, expire_on_commit=False) as session,
            session.begin(),
        ):
            # Taken at once, so that whatever is read below is still so when it is changed.
            session.connection()
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_database(url: str, *, wait: float = 5.0, create: bool = True) -> Database:
    """Open a database, and make its tables where there are none.

    `url` is a file for SQLite, `sqlite:///FILE`, or `postgresql://USER:PASSWORD@HOST/NAME`. Another
    writer is waited for so many seconds.

    Raises:
        InputError: It is not the address of a database, there is none, or its tables are of
            another version.
        BusyError: The database cannot be reached.
    """
    parsed = _parse_url(url)
    if _is_sqlite(parsed) and not create and not Path(str(parsed.database)).is_file():
        raise InputError(f"{parsed.database} does not exist. viva annotate import makes it.")
    engine = _sqlite(parsed, wait) if _is_sqlite(parsed) else _postgresql(parsed, wait)
    database = Database(engine)
    try:
        with database.writing() as session:
            if not _is_sqlite(parsed):
                # Two programs that start together must not both make the tables.
                session.execute(text(f"SELECT pg_advisory_xact_lock({_TABLES_LOCK})"))
            Table.metadata.create_all(session.connection())
            found = session.get(Meta, "format")
            if found is None:
                session.add(Meta(key="format", value=str(FORMAT)))
            elif found.value != str(FORMAT):
                raise InputError(
                    f"{database.where} has tables of version {found.value}; this program reads "
                    f"version {FORMAT}. Export with the program that made it."
                )
    except BaseException:
        database.close()
        raise
    return database


def _parse_url(url: str) -> URL:
    if "://" not in url:
        url = f"sqlite:///{url}"
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError) as error:
        raise InputError(
            "The address of the database cannot be read. Give a file, sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST/NAME."
        ) from error
    if parsed.drivername in ("postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if not _is_sqlite(parsed) or parsed.database in (None, "", ":memory:"):
        raise InputError(
            f"{parsed.render_as_string(hide_password=True)} is not supported. Give a file for "
            "SQLite, or postgresql://USER:PASSWORD@HOST/NAME."
        )
    return parsed


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _sqlite(url: URL, wait: float) -> Engine:
    folder = Path(str(url.database)).parent
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; the database cannot be made in it.")
    engine = create_engine(url, max_overflow=64)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # our own BEGIN, below
        for setting in (
            f"busy_timeout={int(wait * 1000)}",
            "journal_mode=WAL",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writes = connection.get_execution_options().get("writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(url: URL, wait: float) -> Engine:
    limits = f"-c lock_timeout={int(wait * 1000)}"
    return create_engine(
        url,
        pool_pre_ping=True,
        max_overflow=64,
        connect_args={"connect_timeout": max(2, round(wait)), "options": limits},
    )


@contextmanager
def _translated(url: URL) -> Iterator[None]:
    """Turn a database that cannot answer into `BusyError`; other errors stay what they are."""
    where = url.render_as_string(hide_password=True)
    try:
        yield
    except exc.TimeoutError as error:
        raise BusyError(f"{where} is busy. Nothing was changed; try again.") from error
    except exc.DBAPIError as error:
        if _is_passing(error):
            raise BusyError(f"{where} is busy or restarting. Try again in a moment.") from error
        if getattr(error.orig, "sqlite_errorcode", None) == _NOT_A_DATABASE:
            raise InputError(f"{where} is not a database of SQLite.") from error
        if isinstance(error, exc.OperationalError):
            raise VivaError(f"{where} cannot be used: {error.orig}.") from error
        raise


def _is_passing(error: exc.DBAPIError) -> bool:
    """True if trying again may help."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in _BUSY_CODES
    is_refused = "authentication" in str(error.orig) or "does not exist" in str(error.orig)
    is_broken = isinstance(error, exc.OperationalError | exc.InterfaceError)
    return error.connection_invalidated or (is_broken and not is_refused)
