"""Verbs for campaigns in which people check items or judge answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.bind import Json, Port, verb
from vivavoce.cli.output import Answer, need_web, print_json, progress, say
from vivavoce.errors import InputError
from vivavoce.requests import Arg, Bootstrap, Opt
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.store import Row

Database = Annotated[
    Path, Opt("The SQLite database file.", "--db", envvar="VIVAVOCE_ANNOTATION_DB")
]
Campaign = Annotated[str, Opt("The campaign's name.")]

app = typer.Typer(
    no_args_is_help=True, help="Let people check items and judge answers, and measure agreement."
)


@verb(
    app,
    "annotate import items.jsonl --campaign paths --kind distractors "
    "--person ann --person ben --person cem",
    "import",
)
def import_items(
    campaign: Campaign,
    file: Annotated[Path | None, Arg("Items: JSON Lines of {id, content, cluster?}.")] = None,
    kind: Annotated[
        str | None,
        Opt("Of a new campaign: distractors, demands, qa, answers, preference, nuggets."),
    ] = None,
    person: Annotated[
        Sequence[str], Opt("Name of a person who gets a secret link; repeatable.")
    ] = (),
    replace_links: Annotated[
        bool, Opt("Give a --person who has a link a new one; the old one ends.")
    ] = False,
    from_round: Annotated[Path | None, Opt("With --from-nuggets: the round of the facts.")] = None,
    from_nuggets: Annotated[
        Path | None, Opt("With --from-round: the file of facts to confirm.")
    ] = None,
    from_logs: Annotated[
        Path | None,
        Opt(
            "Folder of logs: take the answers of --a and --b, or, with --kind qa or answers, "
            "questions about tables."
        ),
    ] = None,
    a: Annotated[str | None, Opt("With --from-logs: the first contestant.")] = None,
    b: Annotated[str | None, Opt("The second contestant, or reference.")] = None,
    task: Annotated[str | None, Opt("With --from-logs: only this task.")] = None,
    setting: Annotated[str | None, Opt("Only this setting.")] = None,
    draw: Annotated[
        int | None,
        Opt(
            "With --from-logs: number of papers drawn at random, for correcting a judge; with "
            "--kind qa or answers, number of questions per contestant.",
            min=1,
        ),
    ] = None,
    seed: Annotated[int, Opt("Seed of the draw.")] = 0,
    guidelines: Annotated[Path | None, Opt("Your own guidelines, in Markdown.")] = None,
    address: Annotated[str, Opt("The server's address, used in links.")] = "http://127.0.0.1:8000",
    db: Database = Path("annotation.db"),
) -> Answer:
    """Add items to a campaign, new or not, and print its people's links."""
    from vivavoce.store import read_jsonl, read_text
    from vivavoce.tasks.writing.questions import nugget_rows
    from vivavoce.web.annotation.campaigns import (
        add_items,
        give_links,
        kind_of,
        open_campaign,
    )
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.annotation.kinds import check_rows

    sources = [one for one in (file, from_round, from_logs) if one is not None]
    if len(sources) > 1 or not (sources or person):
        raise InputError("Give one source of items: a file, --from-round or --from-logs.")
    if (from_round is None) is not (from_nuggets is None):
        raise InputError("Facts need both: --from-round ROUND --from-nuggets FILE.")
    if replace_links and not person:
        raise InputError("--replace-links needs the persons: --person NAME.")
    text = None if guidelines is None else read_text(guidelines)
    if kind is None and (from_nuggets or from_logs):
        kind = "nuggets" if from_nuggets else "preference"
    database = open_database(db)
    with database.reading() as connection:
        found = kind_of(connection, campaign, kind)
    rows, left_out = _rows_of_logs(from_logs, found.name, a, b, task, setting, draw, seed)
    if file is not None:
        rows = [(row, f"{file}:{number}") for number, row in read_jsonl(file)]
    elif from_round is not None and from_nuggets is not None:
        rows = nugget_rows(from_round, from_nuggets)
    items = check_rows(found, rows) if sources else []
    with database.writing() as connection:
        stored_campaign = open_campaign(connection, campaign, found.name, text)
        added, known = add_items(connection, stored_campaign, items)
        people = give_links(connection, stored_campaign, person, replace=replace_links)
    site = address.rstrip("/")
    links = [
        {"name": one.name, "person": one.code, "link": link and f"{site}/{link}"}
        for one, link in people
    ]
    counts = {"added": added, "known": known, "left_out": left_out}
    lines = [f"  {counted(added, 'item')} added, {known:,} already there"] if sources else []
    if left_out:
        lines.append(f"  {counted(left_out, 'item')} left out: one of the two gave no answer")
    kept = "the link given before stays valid; --replace-links gives another"
    lines += [f"  {one['name']} is {one['person']}: {one['link'] or kept}" for one in links]
    document = {"campaign": campaign, "database": str(db), **counts, "people": links}
    return Answer(document, [*lines, str(db)])


@verb(app, "annotate serve --db annotation.db")
def serve(
    db: Database = Path("annotation.db"),
    host: Annotated[str, Opt("Address to listen on.")] = "127.0.0.1",
    port: Port = 8000,
    allow_host: Annotated[Sequence[str], Opt("Host name that browsers may use; repeatable.")] = (),
    as_json: Json = False,
) -> None:
    """Run the web app until it is stopped."""
    need_web("viva annotate serve")
    from vivavoce.web.annotation.app import make_app, serve_app
    from vivavoce.web.annotation.database import open_database

    database = open_database(db, create=False)
    site = make_app(database, lambda: datetime.now(UTC), hosts=(host, *allow_host))
    announce = (lambda address: print_json({"address": address})) if as_json else say
    serve_app(site, host, port, announce)


@verb(app, "annotate export --campaign paths --out paths-export")
def export(
    campaign: Campaign,
    out: Annotated[Path, Opt("Folder for the files.")],
    db: Database = Path("annotation.db"),
) -> Answer:
    """Write items, all labels, final labels and Label Studio tasks, with pseudonyms for people."""
    from vivavoce.web.annotation.campaigns import export_campaign, find_campaign, read_items
    from vivavoce.web.annotation.database import open_database

    with open_database(db, create=False).reading() as connection:
        stored_campaign = find_campaign(connection, campaign)
        items = read_items(connection, stored_campaign)
    counts = export_campaign(stored_campaign, items, out)
    lines = [*(f"  {name}: {counted(number, 'row')}" for name, number in counts.items()), str(out)]
    return Answer({"path": str(out), "files": counts}, lines)


@verb(app, "annotate agreement --campaign paths")
def agreement(
    campaign: Campaign,
    bootstrap: Bootstrap,
    out: Annotated[Path | None, Opt("Folder for a page with the same report.")] = None,
    db: Database = Path("annotation.db"),
) -> Answer:
    """Measure how far people agree with each other and with labels suggested by a model."""
    from vivavoce.statistics.estimates import Draws
    from vivavoce.web.annotation.campaigns import find_campaign, read_items
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.annotation.report import measure, parts_of, write_page

    with open_database(db, create=False).reading() as connection:
        stored_campaign = find_campaign(connection, campaign)
        items = read_items(connection, stored_campaign)
    with progress("Drawing"):
        report = measure(stored_campaign.kind, items, Draws(bootstrap.resamples, bootstrap.seed))
    pages = [str(write_page(report, campaign, out))] if out else []
    return Answer(report, [*parts_of(report), *pages])


def _rows_of_logs(
    logs: Path | None,
    kind: str,
    a: str | None,
    b: str | None,
    task: str | None,
    setting: str | None,
    draw: int | None,
    seed: int,
) -> tuple[list[tuple[Row, str]], int]:
    """Item rows taken from logs, each with its source, and the number of rows left out."""
    if logs is None:
        if draw is not None:
            raise InputError("--draw needs --from-logs.")
        return [], 0
    from vivavoce.results.audits.preferences import preference_rows, question_rows

    drawn: dict[str, Any] = {"setting": setting, "draw": draw, "seed": seed}
    if kind != "preference":
        rows, left_out = question_rows(logs, kind, **drawn), 0
    elif a is None or b is None:
        raise InputError("--from-logs needs two contestants: --a NAME --b NAME.")
    else:
        rows, left_out = preference_rows(logs, a, b, task=task, **drawn)
    return [(row, f"{logs}: {row['id']}") for row in rows], left_out
