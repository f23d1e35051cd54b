"""Verbs for the people of a campaign; options, database and clock of all annotation verbs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.output import JSON_OPTION, need_web, print_json, print_table, say

if TYPE_CHECKING:
    from vivavoce.store import Row
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
    need_web("Annotation", "sqlalchemy", "fastapi", "uvicorn")


def now() -> datetime:
    """The moment, handed to the library as its clock."""
    return datetime.now(UTC)


app = typer.Typer(no_args_is_help=True, help="Add the people of a campaign, list them.")
PASSWORD_FILE_OPTION = typer.Option(
    None, "--password-file", help="A file whose first line is the password; - reads stdin."
)
ASK_OPTION = typer.Option(False, "--ask", help="Ask for a password instead of making one.")


@app.command("add", epilog="Example: viva annotate people add ann --campaign paths")
def add_people(
    name: str = typer.Argument(help="The name to log in with."),
    campaign: str = CAMPAIGN_OPTION,
    role: str = typer.Option("annotator", "--role", help="annotator | adjudicator | lead."),
    password_file: Path | None = PASSWORD_FILE_OPTION,
    ask: bool = ASK_OPTION,
    db: str = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Give somebody a part in a campaign; somebody new gets a password, printed once."""
    with opened(db) as database:
        from vivavoce.web.annotation.campaigns import find_campaign
        from vivavoce.web.annotation.people import add_person, enrol, find_person, make_password

        with database.reading() as session:
            find_campaign(session, campaign)
            is_new = find_person(session, name) is None
        given = _read_password(password_file, ask) if is_new else None
        password = given or make_password()
        with database.writing() as session:
            found = find_campaign(session, campaign)
            person = find_person(session, name) or add_person(session, name, password)
            enrolled = enrol(session, found, person, role, now())
            row: Row = {"name": name, "code": person.code, "role": enrolled.role}
    if is_new and given is None:
        row["password"] = password
    if as_json:
        print_json(row)
        return
    say(f"{name} is {row['role']} in {campaign}, under the pseudonym {row['code']}")
    if "password" in row:
        say(f"password (shown this once): {password}")


@app.command("password", epilog="Example: viva annotate people password ann")
def change_password(
    name: str = typer.Argument(help="The name to log in with."),
    password_file: Path | None = PASSWORD_FILE_OPTION,
    ask: bool = ASK_OPTION,
    db: str = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Give somebody another password; they are logged out everywhere."""
    with opened(db) as database:
        from vivavoce.errors import InputError
        from vivavoce.web.annotation.people import find_person, make_password, set_password

        given = _read_password(password_file, ask)
        password = given or make_password()
        with database.writing() as session:
            person = find_person(session, name)
            if person is None:
                raise InputError(f"Nobody is called {name!r}.")
            set_password(session, person, password)
    row = {"name": name, **({} if given else {"password": password})}
    if as_json:
        print_json(row)
    else:
        say(f"{name} has another password")
        if not given:
            say(f"password (shown this once): {password}")


@app.command("list", epilog="Example: viva annotate people list --campaign paths")
def list_people(
    campaign: str = CAMPAIGN_OPTION, db: str = DB_OPTION, as_json: bool = JSON_OPTION
) -> None:
    """Print who takes part, where they stand and what they have done."""
    with opened(db) as database:
        from vivavoce.web.annotation.campaigns import find_campaign
        from vivavoce.web.annotation.monitoring import overview, people_rows

        with database.reading() as session:
            rows = people_rows(overview(session, find_campaign(session, campaign)))
    if as_json:
        print_json(rows)
    else:
        headers = ["name", "code", "role", "standing", "decided", "flags", "skips"]
        print_table(headers, [[str(row[name]) for name in headers] for row in rows])


def _read_password(file: Path | None, ask: bool) -> str | None:
    if file is not None:
        return first_line(file)
    if ask:
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return None


def first_line(file: Path) -> str:
    """First line of a file, or of stdin for -."""
    text = sys.stdin.readline() if str(file) == "-" else file.read_text("utf-8")
    return text.splitlines()[0] if text else ""
