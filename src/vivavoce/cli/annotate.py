"""Verbs for campaigns in which people check items or judge answers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.output import (
    JSON_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    need_web,
    print_json,
    print_parts,
    progress,
    say,
)
from vivavoce.errors import InputError

if TYPE_CHECKING:
    from vivavoce.store import Row

DB_OPTION = typer.Option(
    "annotation.db", "--db", envvar="VIVAVOCE_ANNOTATION_DB", help="The database, a file of SQLite."
)
CAMPAIGN_OPTION = typer.Option(..., "--campaign", help="The campaign's name.")

app = typer.Typer(
    no_args_is_help=True, help="Let people check items and judge answers, and measure agreement."
)


@app.command(
    "import",
    epilog="Example: viva annotate import items.jsonl --campaign paths --kind distractors "
    "--person ann --person ben --person cem",
)
def import_items(
    file: Path | None = typer.Argument(None, help="Items: JSON Lines of {id, content, cluster?}."),
    campaign: str = CAMPAIGN_OPTION,
    kind: str | None = typer.Option(
        None,
        "--kind",
        help="distractors | demands | qa | answers | tables | preference; for a new campaign.",
    ),
    person: list[str] = typer.Option(
        [], "--person", help="Name of somebody who gets a new secret link; may be repeated."
    ),
    from_round: Path | None = typer.Option(
        None, "--from-round", help="Take distractors, demands or tables of a round with tables."
    ),
    from_logs: Path | None = typer.Option(
        None,
        "--from-logs",
        help="Take answers of --a and --b from a folder of logs, or with --kind qa or answers "
        "questions about tables.",
    ),
    a: str | None = typer.Option(None, "--a", help="With --from-logs: a contestant of the board."),
    b: str | None = typer.Option(None, "--b", help="The other one, or reference."),
    task: str | None = typer.Option(None, "--task", help="With --from-logs: only this task."),
    setting: str | None = typer.Option(None, "--setting", help="Only this setting."),
    draw: int | None = typer.Option(
        None,
        "--draw",
        min=1,
        help="With --from-logs: so many papers at random, as correcting a judge needs them; with "
        "--kind qa or answers so many questions for each contestant.",
    ),
    seed: int = typer.Option(0, "--seed", help="Seed of the draw."),
    guidelines: Path | None = typer.Option(
        None, "--guidelines", help="Markdown of your own; without it, the kind's."
    ),
    address: str = typer.Option(
        "http://127.0.0.1:8000", "--address", help="Address of the server, for printed links."
    ),
    db: Path = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Add items to a campaign and print the links of its people; a new one is made."""
    from vivavoce.store import read_jsonl
    from vivavoce.tasks.tables.items.campaign_items import campaign_rows
    from vivavoce.web.annotation.campaigns import (
        add_items,
        find_campaign,
        give_links,
        open_campaign,
    )
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.annotation.items import check_rows
    from vivavoce.web.annotation.kinds import find_kind

    sources = [one for one in (file, from_round, from_logs) if one is not None]
    if len(sources) > 1 or not (sources or person):
        raise InputError("Give one source of items: a file, --from-round or --from-logs.")
    text = None if guidelines is None else _read_text(guidelines)
    rows, left_out = _rows_of_logs(from_logs, kind, a, b, task, setting, draw, seed)
    database = open_database(db)
    if kind is None and from_logs is not None:
        kind = "preference"
    if kind is None:
        with database.reading() as connection:
            kind = find_campaign(connection, campaign).kind.name
    if file is not None:
        rows = [(row, f"{file}:{number}") for number, row in read_jsonl(file)]
    elif from_round is not None:
        rows = campaign_rows(from_round, kind)
    items = check_rows(find_kind(kind), rows) if sources else []
    with database.writing() as connection:
        found = open_campaign(connection, campaign, kind, text)
        added, known = add_items(connection, found, items)
        links = [
            {"name": one.name, "person": one.code, "link": f"{address.rstrip('/')}/{link}"}
            for one, link in give_links(connection, found, person)
        ]
    if as_json:
        counts = {"added": added, "known": known, "left_out": left_out}
        print_json({"campaign": campaign, "database": str(db), **counts, "people": links})
        return
    if sources:
        say(f"  {added:,} items added, {known:,} were there")
    if left_out:
        say(f"  {left_out:,} items left out: one of the two gave no answer")
    for one in links:
        say(f"  {one['name']} is {one['person']}: {one['link']}")
    say(str(db))


@app.command(epilog="Example: viva annotate serve --db annotation.db")
def serve(
    db: Path = DB_OPTION,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(8000, "--port", min=0, max=65535, help="Port; 0 takes a free one."),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", help="A name under which browsers reach the app; may be repeated."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Run the web app until it is stopped."""
    need_web("viva annotate serve")
    from vivavoce.web.annotation.app import make_app
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.serving import serve_app

    database = open_database(db, create=False)
    site = make_app(database, lambda: datetime.now(UTC), hosts=(host, *allow_host))
    announce = (lambda address: print_json({"address": address})) if as_json else say
    serve_app(site, host, port, announce)


@app.command(epilog="Example: viva annotate export --campaign paths --out paths-export")
def export(
    campaign: str = CAMPAIGN_OPTION,
    out: Path = typer.Option(..., "--out", help="Folder for the files."),
    db: Path = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write items, every label, final labels, and tasks of Label Studio, people by pseudonym."""
    from vivavoce.web.annotation.campaigns import find_campaign, read_items
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.annotation.exporting import export_campaign

    with open_database(db, create=False).reading() as connection:
        found = find_campaign(connection, campaign)
        items = read_items(connection, found)
    counts = export_campaign(found, items, out)
    if as_json:
        print_json({"path": str(out), "files": counts})
        return
    for name, number in counts.items():
        say(f"  {name}: {number:,} rows")
    say(str(out))


@app.command(epilog="Example: viva annotate agreement --campaign paths --model-labels gpt.jsonl")
def agreement(
    campaign: str = CAMPAIGN_OPTION,
    model_labels: Path | None = typer.Option(
        None,
        "--model-labels",
        help="A model's labels: JSON Lines of {id, label}; by default those the items suggest.",
    ),
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    db: Path = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure how far people agree, and how a model compares."""
    from vivavoce.statistics.estimates import Draws
    from vivavoce.web.annotation.campaigns import find_campaign, read_items
    from vivavoce.web.annotation.database import open_database
    from vivavoce.web.annotation.report import measure, parts_of, read_model_labels

    with open_database(db, create=False).reading() as connection:
        found = find_campaign(connection, campaign)
        items = read_items(connection, found)
    model = None if model_labels is None else read_model_labels(model_labels, found.kind)
    with progress("Drawing"):
        report = measure(found.kind, items, Draws(resamples, seed), model)
    if as_json:
        print_json(report)
    else:
        print_parts(parts_of(report))


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.") from error


def _rows_of_logs(
    logs: Path | None,
    kind: str | None,
    a: str | None,
    b: str | None,
    task: str | None,
    setting: str | None,
    draw: int | None,
    seed: int,
) -> tuple[list[tuple[Row, str]], int]:
    """Rows of items with their source, and the number of those that had to be left out."""
    if logs is None:
        if draw is not None:
            raise InputError("--draw is for --from-logs.")
        return [], 0
    if kind not in (None, "preference"):
        from vivavoce.results.audits.preferences import question_rows

        rows = question_rows(logs, kind, setting=setting, draw=draw, seed=seed)
        return [(row, f"{logs}: {row['id']}") for row in rows], 0
    from vivavoce.results.audits.preferences import preference_rows

    if a is None or b is None:
        raise InputError("--from-logs needs two contestants: --a NAME --b NAME.")
    found = preference_rows(logs, a, b, task=task, setting=setting, draw=draw, seed=seed)
    return [(row, f"{logs}: {row['id']}") for row in found.rows], found.left_out
