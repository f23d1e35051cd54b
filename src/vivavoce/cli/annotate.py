"""Verbs for campaigns in which people check items or judge answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli import annotate_people
from vivavoce.cli.annotate_people import (
    CAMPAIGN_OPTION,
    DB_OPTION,
    need_extra,
    now,
    opened,
)
from vivavoce.cli.output import (
    JSON_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    Columns,
    cells,
    estimate,
    print_json,
    print_rows,
    progress,
    say,
    texts,
)
from vivavoce.errors import InputError

if TYPE_CHECKING:
    from vivavoce.store import Row


MIN_TOKEN = 20
"""Characters of the token of programs."""

app = typer.Typer(
    no_args_is_help=True, help="Let people check items and judge answers, and measure agreement."
)
app.add_typer(annotate_people.app, name="people")


@app.command(
    "import",
    epilog="Example: viva annotate import items.jsonl --campaign paths --kind distractors",
)
def import_items(
    file: Path | None = typer.Argument(
        None, help="Items: JSON Lines of {id, content, cluster?, part?, answer?, explanation?}."
    ),
    campaign: str = CAMPAIGN_OPTION,
    kind: str | None = typer.Option(
        None,
        "--kind",
        help="distractors | demands | qa | answers | tables | preference; for a new campaign.",
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
    from_export: Path | None = typer.Option(
        None, "--from-export", help="Make the campaign again from an export."
    ),
    from_label_studio: Path | None = typer.Option(
        None, "--from-label-studio", help="Take tasks and annotations of a JSON file."
    ),
    a: str | None = typer.Option(None, "--a", help="With --from-logs: a contestant of the board."),
    b: str | None = typer.Option(None, "--b", help="The other one, or reference."),
    task: str | None = typer.Option(None, "--task", help="With --from-logs: only this task."),
    setting: str | None = typer.Option(None, "--setting", help="Only this setting."),
    draw: int | None = typer.Option(
        None,
        "--draw",
        min=1,
        help="With --from-logs: so many papers drawn at random, as correcting a judge needs them.",
    ),
    sample: int | None = typer.Option(
        None, "--sample", min=1, help="Questions of logs for each contestant; all by default."
    ),
    guidelines: Path | None = typer.Option(
        None, "--guidelines", help="Markdown of your own; without it, the kind's."
    ),
    pass_mark: float = typer.Option(
        0.8, "--pass-mark", help="Share of qualification items that must be right."
    ),
    order_seed: int = typer.Option(0, "--order-seed", help="Seed of everybody's order of items."),
    adjudication: str = typer.Option(
        "adjudicators", "--adjudication", help="Who is the second pair: adjudicators | anyone."
    ),
    db: str = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Add items to a campaign; a new one is made."""
    need_extra()
    from vivavoce.web.annotation.importing import Sources, Wanted, take_in

    sources = Sources(file, from_round, from_logs, from_export, from_label_studio)
    wanted = Wanted(
        name=campaign,
        kind=kind,
        guidelines=guidelines,
        pass_mark=pass_mark,
        seed=order_seed,
        adjudication=adjudication,
    )
    log_rows, left_out = _rows_of_logs(
        sources.logs, kind, a, b, task, setting, sample, draw, order_seed
    )
    with opened(db, create=True) as database:
        found = take_in(database, sources, wanted, now(), log_rows=log_rows)
        where = database.where
    row = {"campaign": campaign, "database": where, **found, "left_out": left_out}
    if as_json:
        print_json(row)
    else:
        _print_intake(found, left_out)
        say(where)


def _print_intake(found: Row, left_out: int) -> None:
    say(f"  {found['added']:,} items added, {found['known']:,} were there")
    if found["decisions"]:
        say(f"  {found['decisions']:,} decisions taken over")
    if found["unused"]:
        say(f"  {found['unused']:,} annotations left out: their items were done before")
    if left_out:
        say(f"  {left_out:,} items left out: one of the two gave no answer")


@app.command(epilog="Example: viva annotate serve --db annotation.db")
def serve(
    db: str = DB_OPTION,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(8000, "--port", min=0, max=65535, help="Port; 0 takes a free one."),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", help="A name under which browsers reach the app; may be repeated."
    ),
    secure_cookies: bool = typer.Option(
        False, "--secure-cookies", help="For use behind HTTPS: cookies travel by it only."
    ),
    api_token_file: Path | None = typer.Option(
        None,
        "--api-token-file",
        help="A file whose first line is the token of programs; - reads stdin.",
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Run the web app until it is stopped."""
    need_extra()
    from vivavoce.web.annotation.app import make_app
    from vivavoce.web.serving import serve_app

    token = "" if api_token_file is None else annotate_people.first_line(api_token_file)
    if api_token_file is not None and len(token) < MIN_TOKEN:
        raise InputError(f"The token of {api_token_file} has under {MIN_TOKEN} characters.")
    with opened(db) as database:
        app_of_people = make_app(
            database,
            now,
            secure_cookies=secure_cookies,
            hosts=(host, *allow_host),
            api_token=token,
        )
        announce = (lambda address: print_json({"address": address})) if as_json else say
        serve_app(app_of_people, host, port, announce)


@app.command(epilog="Example: viva annotate export --campaign paths --out paths-export")
def export(
    campaign: str = CAMPAIGN_OPTION,
    out: Path = typer.Option(..., "--out", help="Folder for the files."),
    names: bool = typer.Option(
        False, "--names", help="Name people beside their pseudonyms. Do not publish such an export."
    ),
    db: str = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write items, decisions, labels and a codebook; people have pseudonyms."""
    with opened(db) as database:
        from vivavoce.store import read_sealed
        from vivavoce.web.annotation.campaigns import find_campaign
        from vivavoce.web.annotation.exporting import export_campaign

        with database.reading() as session:
            path = export_campaign(session, find_campaign(session, campaign), out, names=names)
    counts = {name: file["rows"] for name, file in read_sealed(path)["files"].items()}
    if as_json:
        print_json({"path": str(out), "files": counts})
        return
    for name, number in counts.items():
        say(f"  {name}" + (f": {number:,} rows" if number is not None else ""))
    say(str(out))


@app.command(epilog="Example: viva annotate agreement --campaign paths --model-labels gpt.jsonl")
def agreement(
    campaign: str = CAMPAIGN_OPTION,
    model_labels: Path | None = typer.Option(
        None,
        "--model-labels",
        help="A model's labels: JSON Lines of {id, label}; by default those the items suggest.",
    ),
    idle: float = typer.Option(
        15, "--idle", min=0, help="Minutes that a gap in somebody's work counts at most."
    ),
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    db: str = DB_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure how far people agree, how long they take, and how a model compares."""
    from dataclasses import asdict

    with opened(db) as database, progress("Drawing"):
        from vivavoce.statistics.estimates import Draws
        from vivavoce.web.annotation.agreement import (
            compare_with_model,
            read_model_labels,
            suggested_labels,
        )
        from vivavoce.web.annotation.campaigns import find_campaign
        from vivavoce.web.annotation.kinds import find_kind
        from vivavoce.web.annotation.monitoring import measure
        from vivavoce.web.annotation.records import read_decisions, read_items

        with database.reading() as session:
            found = find_campaign(session, campaign)
            kind = find_kind(found.kind)
            items, decisions = read_items(session, found), read_decisions(session, found)
        draws = Draws(resamples, seed)
        report = measure(kind, items, decisions, idle=timedelta(minutes=idle), draws=draws)
        if model_labels is not None:
            labels = read_model_labels(model_labels, kind)
        else:
            labels = suggested_labels(kind, items)
        compared = compare_with_model(kind, items, labels, draws) if labels else []
    shown = {**asdict(report), "model": [asdict(row) for row in compared]}
    if as_json:
        print_json(shown)
    else:
        _print_report(shown)


def _rows_of_logs(
    logs: Path | None,
    kind: str | None,
    a: str | None,
    b: str | None,
    task: str | None,
    setting: str | None,
    sample: int | None,
    draw: int | None,
    seed: int,
) -> tuple[list[tuple[Row, str]], int]:
    if draw is not None and (logs is None or kind not in (None, "preference")):
        raise InputError("--draw is for preferences: --from-logs LOGS --a NAME --b NAME.")
    if logs is None:
        return [], 0
    if kind not in (None, "preference"):
        from vivavoce.results.audits.preferences import question_rows

        rows = question_rows(logs, kind, setting=setting, sample=sample, seed=seed)
        return [(row, f"{logs}: {row['id']}") for row in rows], 0
    from vivavoce.results.audits.preferences import preference_rows

    if a is None or b is None:
        raise InputError("--from-logs needs two contestants: --a NAME --b NAME.")
    found = preference_rows(logs, a, b, task=task, setting=setting, draw=draw, seed=seed)
    return [(row, f"{logs}: {row['id']}") for row in found.rows], found.left_out


def _print_report(report: Row) -> None:
    """Print agreement, outcomes, people, days and final labels; then a model beside people."""
    seconds = cells("seconds", lambda row: _seconds(row["seconds"]))
    group = cells("group", lambda row: row["group"] or "all")
    print_rows(
        "Agreement of the first pairs",
        report["fields"],
        texts("field"),
        cells("pairs", lambda row: str(row["pairwise"]["n"])),
        _coefficients(
            pairwise="pairwise",
            **{"Fleiss' kappa": "fleiss", "Krippendorff's alpha": "alpha", "Gwet's AC1": "ac1"},
        ),
    )
    say("")
    outcomes = ", ".join(f"{name} {number:,}" for name, number in report["outcomes"].items())
    say(f"Items: {outcomes}")
    say(f"Seconds for a decision: {_seconds(report['seconds'])}")
    say("")
    print_rows(
        "People",
        report["people"],
        texts("person", "decided"),
        seconds,
        _coefficients(**{"as partner": "with_partner", "as final": "with_final"}),
        cells("controls", lambda row: "{}/{}".format(*row["controls"])),
        texts("flags"),
    )
    say("")
    pairwise = _coefficients(pairwise="pairwise")
    print_rows("Days (UTC)", report["days"], texts("day", "pairs"), pairwise, seconds)
    say("")
    print_rows(
        "Final labels",
        report["shares"],
        group,
        texts("field", "value"),
        _coefficients(share="share"),
        cells("n", lambda row: str(row["share"]["n"])),
    )
    say("value [95% interval]; seconds: median (quartiles).")
    if report["model"]:
        say("")
        values = [{**row, "of": value} for row in report["model"] for value in row["people"]]
        print_rows(
            "The model and people",
            values,
            group,
            texts("field"),
            cells("n", lambda row: str(row["agreement"]["n"])),
            cells("agreement", lambda row: _estimate(row["agreement"])),
            cells("kappa", lambda row: _estimate(row["kappa"])),
            texts(value="of"),
            cells("people", lambda row: _coefficient(row["people"][row["of"]])),
            cells("model", lambda row: _coefficient(row["model"][row["of"]])),
        )


def _coefficients(**names: str) -> Columns:
    """Columns of coefficients by their headers."""

    def column(name: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda row: _coefficient(row[name])

    return [(header, column(name)) for header, name in names.items()]


def _coefficient(found: Row) -> str:
    is_undefined = found["value"] is None and found["n"]
    return "undefined" if is_undefined else _estimate(found)


def _estimate(found: Row) -> str:
    return estimate({"value": found["value"], "ci": found["interval"]})


def _seconds(found: Row) -> str:
    if found["median"] is None:
        return "–"
    return f"{found['median']:.0f} ({found['low']:.0f}–{found['high']:.0f})"
