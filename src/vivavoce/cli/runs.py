"""The verb `run`: tasks with models or baselines, or what that would cost. Libraries for agents."""

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
            "A TOML file of these options and of all others, by their names in the reference; "
            "what stands on the command line wins.",
            metavar="run.toml",
        ),
    ] = None,
    estimate: Annotated[bool, Opt("Print the cost; ask nobody.", panel="Cost")] = False,
    smoke: Annotated[
        bool,
        Opt(
            "Ask one model a few items of every task and method, for a bounded sum: needs "
            "--price and --budget.",
            panel="Cost",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Run tasks with models or baselines; run it again to resume or to retry what failed.

    A file of --config holds a whole study. It may set more than is listed here, such as the
    window, decoding, tries, time limits and caches: docs/how-to/board.md.
    """
    from vivavoce.running import run as run_tasks

    if smoke:
        smoke_test(spec, as_json)
        return
    # The shell hands over the words after the first of a sweep as tasks: no task has such a name.
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
    """Print what a run would cost, before anything is asked."""
    from vivavoce.running.estimating import estimate

    rows, skipped = estimate(spec)
    for line in skipped:
        say(f"Skipped: {line}", quiet=True)
    if as_json:
        print_json({"estimate": rows})
        return
    print_table(
        sheet(
            "What the run would cost; nothing was sent",
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
        say(f"{usd:.2f} dollars expected, {most:.2f} if every answer is as long as it may be.")
    for source in sources_of(spec.prices):
        say(f"List prices: {source}; --price goes before them.", quiet=True)
    if len(known) < len(rows):
        say("Dollars take prices: --price MODEL=IN,OUT.", quiet=True)


def _print_report(report: RunReport, logs: Path, as_json: bool) -> None:
    for line in report.skipped:
        say(f"Skipped: {line}", quiet=True)
    for name in report.set_aside:
        say(f"Set aside a log that cannot be read: {name}", quiet=True)
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
            f"Replies of {report.cache['of']} are kept for {report.cache['expiry']} in "
            f"{report.cache['folder']}, by {', '.join(report.cache['key'])}; --no-cache asks anew.",
            quiet=True,
        )
    say(str(logs))


@verb(rounds_app, "round serve rounds/2024-h2 --before 2024-07-01")
def serve(
    folder: Annotated[Path, Arg("The folder of the round, or sample.", metavar="ROUND")],
    before: Annotated[str | None, Opt("Only papers before this day.", metavar="DATE")] = None,
    item: Annotated[str | None, Opt("Papers for an agent on this item.", metavar="ID")] = None,
    task: Annotated[str | None, Opt("Task of the item.")] = None,
) -> None:
    """Serve the papers of a round as an MCP server: search and read, on stdin and stdout.

    Papers that items come from are left out; an MCP client starts this command by itself.
    """
    from vivavoce.tasks.library_server import library_of, serve_library

    library = library_of(folder, before=before, item=item, task=task)
    say(f"{len(library)} papers; waiting for an MCP client on stdin.", quiet=True)
    serve_library(library, "vivavoce").run("stdio")
