"""The verbs `run`, `exam`, `demo`, `score` and `round serve`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.bind import verb
from vivavoce.cli.output import RETRY, Answer, progress, say
from vivavoce.cli.rounds import app as rounds_app
from vivavoce.errors import InputError
from vivavoce.reports import Column, Sheet, markdown, sheet
from vivavoce.requests import Arg, Connection, Opt, ScoreOptions
from vivavoce.requests.run import ExamRequest, RunSpec, given_sweep, sources_of
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.demonstration import SmokeRow


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
) -> Answer:
    """Run tasks with models or baselines; run it again to resume or to retry what failed.

    A --config file describes a whole study. More options than are listed here, such as --epochs,
    --prompts and --decide, may be set in it or on the command line: docs/how-to/board.md.
    """
    from vivavoce.running import run as run_tasks

    if smoke:
        return _smoke_test(spec)
    # The words of a sweep after the first arrive as tasks; no task name contains "=".
    swept = [word for word in spec.tasks if spec.sweep and "=" in word]
    tasks = [word for word in spec.tasks if word not in swept]
    more = given_sweep(swept)
    if twice := spec.sweep.keys() & more.keys():
        raise InputError(f"{min(twice)} is swept twice. Write all its values once.")
    spec = replace(spec, tasks=tasks, sweep={**spec.sweep, **more})
    if estimate:
        return _estimate(spec)
    with progress("Samples") as update:
        report = run_tasks(spec, update)
    return Answer(
        report.as_dict(),
        [*report.parts(), str(spec.logs)],
        exit_code=int(bool(report.failed)),
        left_out=report.left_out(),
        next_steps=[RETRY] if set(report.failed) - set(report.refused) else [],
    )


def _estimate(spec: RunSpec) -> Answer:
    """Answer with the expected cost of a run."""
    from vivavoce.running.estimating import estimate

    rows, skipped = estimate(spec)
    parts: list[Sheet | str] = [
        sheet(
            "Expected cost of the run; nothing was sent",
            rows,
            *("task", "setting", "method", "model"),
            Column(lambda row: "≥ " * row["at_least"] + f"{row['requests']:,}", "requests"),
            *("input_tokens", "output_tokens"),
            *(Column(name, form=".4f") for name in ("usd", "max_usd")),
        )
    ]
    known = [row for row in rows if row["usd"] is not None]
    if known:
        usd, most = (sum(row[name] for row in known) for name in ("usd", "max_usd"))
        parts.append(
            f"{usd:.2f} dollars expected, {most:.2f} if every answer has its maximum length."
        )
    lines = [
        f"List prices: {source}; --price overrides them." for source in sources_of(spec.prices)
    ]
    if len(known) < len(rows):
        lines.append("For costs in dollars, give prices: --price MODEL=IN,OUT.")
    left_out = [f"Skipped: {line}" for line in skipped]
    return Answer({"estimate": rows}, parts, left_out=left_out, next_steps=lines)


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
    say(f"{counted(len(library), 'paper')}; waiting for an MCP client on stdin.", quiet=True)
    serve_library(library, "vivavoce").run("stdio")


def exam(
    request: ExamRequest,
    connection: Connection,
    yes: Annotated[bool, Opt("Skip the question before the models are asked.")] = False,
    pairs: Annotated[bool, Opt("Also print a sentence for each pair of contestants.")] = False,
    as_markdown: Annotated[bool, Opt("Print Markdown to paste.", "--markdown")] = False,
) -> Answer:
    """Examine models on your papers: which is better at which task, by how much, at what cost."""
    from vivavoce.examining import exam as examine
    from vivavoce.examining.planning import plan_lines

    result = examine(
        yes=yes,
        agree=_ask if sys.stdin.isatty() else None,
        watch=_step,
        **vars(request),
        **vars(connection),
    )
    parts = [*result.parts(), *(result.pairs() if pairs else ())]
    if as_markdown:
        return Answer(result.as_dict(), markdown(parts))
    if not result.verdicts:
        plan = plan_lines({"papers": result.papers, "plan": result.plan})
        parts += ["A model would be asked:", *plan[1:]]
    return Answer(result.as_dict(), [*parts, result.page])


@contextmanager
def _step(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar for a step; without a terminal, print a line."""
    if not sys.stderr.isatty():
        say(f"{label} ...", quiet=True)
    with progress(label) as update:
        yield update


def _ask(proposal: dict[str, Any]) -> bool:
    from vivavoce.examining.planning import plan_lines

    for line in plan_lines(proposal):
        say(line, quiet=True)
    if not typer.confirm("Ask the models?", err=True):
        say("No model was asked.")
        raise typer.Exit
    return True


def demo(out: Annotated[Path, Opt("Folder for all output.")] = Path("viva-demo")) -> Answer:
    """Sample papers -> corpus -> round -> baselines -> leaderboard; offline, without a key."""
    from vivavoce.demonstration import run_demo

    with progress("Demo") as update:
        result = run_demo(out, update)
    return Answer(
        {**result.board.as_dict(), "page": str(result.page)},
        [result.board.summary(), str(result.page)],
        left_out=result.left_out,
        next_steps=[
            f"All numbers: viva board show {out / 'logs'}",
            "Next: open that page, then viva exam PAPERS --model PROVIDER/NAME",
        ],
    )


def score(
    family: Annotated[str, Arg("writing, ranking, leaderboards, tables, factor or architecture.")],
    gold: Annotated[Path, Opt("The gold file.")],
    predictions: Annotated[Path, Opt("The answers.")],
    options: ScoreOptions,
) -> Answer:
    """Score answers from any system against a gold file, without a model or Inspect."""
    from vivavoce.results.scoring import score as score_files

    result = score_files(family, gold, predictions, options=options)
    rows = [
        {
            "metric": name,
            "value": "undefined" if entry["value"] is None else f"{entry['value']:.4f}",
            "95% interval": "[{:.4f}, {:.4f}]".format(*entry["ci"]) if entry["ci"] else "",
            "n": entry["n"],
            "undefined": entry["undefined"],
        }
        for name, entry in result["metrics"].items()
    ]
    lacking = {"without a prediction": result["missing"], **result["faults"]}
    counts = [f"{number:,} {name.replace('_', ' ')}" for name, number in lacking.items()]
    below = f"{predictions}: {', '.join([counted(result['n'], 'item'), *counts])}"
    columns = ("metric", "value", "95% interval", "n", "undefined")
    return Answer(result, [sheet("", rows, *columns, below=[below])])


def _smoke_test(spec: RunSpec) -> Answer:
    """Ask a model a few items of every task; the exit code is 1 if anything is missing."""
    from vivavoce.demonstration import run_smoke

    def tell(row: SmokeRow) -> None:
        say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)

    report = run_smoke(spec, tell)
    return replace(
        Answer.of(report, failed=not report.is_whole), parts=[*report.parts(), str(spec.logs)]
    )
