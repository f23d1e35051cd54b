"""The verbs `run` and `round serve`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.exam import smoke_test
from vivavoce.cli.output import print_json, print_table, progress, say
from vivavoce.cli.rounds import app as rounds_app
from vivavoce.errors import InputError
from vivavoce.reports import Column, sheet
from vivavoce.requests import Arg, Opt
from vivavoce.requests.prices import sources_of
from vivavoce.requests.run import RunSpec, given_sweep

if TYPE_CHECKING:
    from vivavoce.running import RunReport


def run(
    spec: RunSpec,
    config: Annotated[
        Path | None,
        Opt(
            "A TOML file with these and all other options, under their names in the reference; "
            "the command line takes precedence.",
            metavar="run.toml",
        ),
    ] = None,
    estimate: Annotated[bool, Opt("Print the expected cost; ask no model.", panel="Cost")] = False,
    smoke: Annotated[
        bool,
        Opt(
            "Ask one model a few items of every task and method, within a budget: needs --price "
            "and --budget.",
            panel="Cost",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Run tasks with models or baselines; run it again to resume or to retry what failed.

    A --config file describes a whole study. It can set more options than are listed here, such as
    the window, decoding, tries, time limits and caches: docs/how-to/board.md.
    """
    from vivavoce.running import run as run_tasks

    if smoke:
        smoke_test(spec, as_json)
        return
    # The words of a sweep after the first arrive as tasks; no task name contains "=".
    swept = [word for word in spec.tasks if spec.sweep and "=" in word]
    tasks = [word for word in spec.tasks if word not in swept]
    more = given_sweep(swept)
    if twice := spec.sweep.keys() & more.keys():
        raise InputError(f"{min(twice)} is swept twice. Write all its values once.")
    spec = replace(spec, tasks=tasks, sweep={**spec.sweep, **more})
    if estimate:
        _print_estimate(spec, as_json)
        return
    with progress("Samples") as update:
        report = run_tasks(spec, update)
    _print_report(report, spec.logs, as_json)
    if report.failed:
        if set(report.failed) - set(report.refused):
            say("Run the same command again to retry what failed.", quiet=True)
        raise typer.Exit(1)


def _print_estimate(spec: RunSpec, as_json: bool) -> None:
    """Print the expected cost of a run."""
    from vivavoce.running.estimating import estimate

    rows, skipped = estimate(spec)
    for line in skipped:
        say(f"Skipped: {line}", quiet=True)
    if as_json:
        print_json({"estimate": rows})
        return
    print_table(
        sheet(
            "Expected cost of the run; nothing was sent",
            rows,
            *("task", "setting", "method", "model"),
            Column(lambda row: "≥ " * row["at_least"] + f"{row['requests']:,}", "requests"),
            *("input_tokens", "output_tokens"),
            *(Column(name, form=".4f") for name in ("usd", "max_usd")),
        )
    )
    known = [row for row in rows if row["usd"] is not None]
    if known:
        usd, most = (sum(row[name] for row in known) for name in ("usd", "max_usd"))
        say(f"{usd:.2f} dollars expected, {most:.2f} if every answer has its maximum length.")
    for source in sources_of(spec.prices):
        say(f"List prices: {source}; --price overrides them.", quiet=True)
    if len(known) < len(rows):
        say("For costs in dollars, give prices: --price MODEL=IN,OUT.", quiet=True)


def _print_report(report: RunReport, logs: Path, as_json: bool) -> None:
    for line in report.skipped:
        say(f"Skipped: {line}", quiet=True)
    for name in report.set_aside:
        say(f"Set aside an unreadable log: {name}", quiet=True)
    if as_json:
        fields = ("logs", "failed", "skipped", "set_aside", "stopped")
        lists = {name: list(getattr(report, name)) for name in fields}
        print_json({**lists, "spent": report.spent, "cache": report.cache})
        return
    for each in report.stopped:
        say(
            f"{each['task']}, {each['setting']}: {each['reason']}, after {each['items']:,} of "
            f"{each['of']:,} items and {each['answers']:,} of {each['of_answers']:,} answers."
        )
    for line in report.failed:
        say(line if line in report.refused else f"Not complete: {line}")
    if report.spent:
        budget = report.spent["budget"]
        say(
            f"{report.spent['usd']:.4f} dollars spent in this folder"
            + ("." if budget is None else f", of {budget:g}.")
        )
    if report.cache:
        say(
            f"Replies of {report.cache['of']} are cached for {report.cache['expiry']} in "
            f"{report.cache['folder']}, keyed by {', '.join(report.cache['key'])}; --no-cache "
            "asks again.",
            quiet=True,
        )
    say(str(logs))


@verb(rounds_app, "round serve rounds/2024-h2 --before 2024-07-01")
def serve(
    folder: Annotated[Path, Arg("The folder of the round, or the word sample.", metavar="ROUND")],
    before: Annotated[str | None, Opt("Only papers before this day.", metavar="DATE")] = None,
    item: Annotated[
        str | None, Opt("Only papers that an agent may read for this item.", metavar="ID")
    ] = None,
    task: Annotated[str | None, Opt("Task of the item.")] = None,
) -> None:
    """Serve the papers of a round as an MCP server: search and read, on stdin and stdout.

    Source papers of items are left out. MCP clients start this command themselves.
    """
    from vivavoce.tasks.library_server import library_of, serve_library

    library = library_of(folder, before=before, item=item, task=task)
    say(f"{len(library)} papers; waiting for an MCP client on stdin.", quiet=True)
    serve_library(library, "vivavoce").run("stdio")
