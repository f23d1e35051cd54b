"""Options, database and clock that the verbs of annotation share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from vivavoce.web.annotation.storage import Database

DB_OPTION = typer.Option(
    "annotation.db",
    "--db",
    envvar="VIVAVOCE_ANNOTATION_DB",
    help="The database: a file for SQLite, or postgresql://USER:PASSWORD@HOST/NAME.",
)
CAMPAIGN_OPTION = typer.Option(..., "--campaign", help="The campaign's name.")


@contextmanager
def opened(db: str, *, create: bool = False) -> Iterator[Database]:
    """An open database, for as long as a verb runs."""
    need_extra()
    from vivavoce.web.annotation.storage import open_database

    database = open_database(db, create=create)
    try:
        yield database
    finally:
        database.close()


def need_extra() -> None:
    """Tell in one line what is to be installed, before anything is done."""
    from importlib.util import find_spec

    from vivavoce.errors import MissingExtra

    for module, package in (
        ("sqlalchemy", "sqlalchemy"),
        ("fastapi", "fastapi"),
        ("uvicorn", "uvicorn"),
        ("multipart", "python-multipart"),
    ):
        if find_spec(module) is None:
            raise MissingExtra(package, "web", "Annotation")


def now() -> datetime:
    """The moment, handed to the library as its clock."""
    return datetime.now(UTC)
