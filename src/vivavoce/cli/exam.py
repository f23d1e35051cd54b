"""The verbs `exam`, `demo` and `score`, and `run --smoke`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.bind import Json
from vivavoce.cli.output import print_json, print_parts, print_table, progress, say
from vivavoce.reports import Column, markdown, sheet, shown
from vivavoce.requests import Arg, Connection, Opt, ScoreOptions
from vivavoce.requests.run import ExamRequest, RunSpec

if TYPE_CHECKING:
    from vivavoce.demonstration import SmokeReport, SmokeRow
    from vivavoce.examining import Exam


def exam(
    request: ExamRequest,
    connection: Connection,
    yes: Annotated[bool, Opt("Skip the question before the models are asked.")] = False,
    pairs: Annotated[bool, Opt("Also print a sentence for each pair.")] = False,
    as_markdown: Annotated[bool, Opt("Print Markdown to paste.", "--markdown")] = False,
    as_json: Json = False,
) -> None:
    """Examine models on your papers: which is better at which task, by how much, at what cost."""
    from vivavoce.examining import exam as examine

    found = examine(
        yes=yes,
        agree=_ask if sys.stdin.isatty() and not as_json else None,
        watch=_step,
        **vars(request),
        **vars(connection),
    )
    if as_json:
        print_json(found.as_dict())
    else:
        lines = tuple(found.pairs()) if pairs else ()
        if as_markdown:
            for line in markdown((*found.parts(), *lines)):
                say(line)
        else:
            _print_exam(found, lines)


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
        say(line)
    if not typer.confirm("Ask the models?"):
        say("No model was asked.")
        raise typer.Exit
    return True


def _print_exam(result: Exam, pairs: Sequence[str]) -> None:
    from vivavoce.examining.planning import plan_lines

    print_parts(result.parts())
    if not result.verdicts:
        say("A model would be asked:")
        for line in plan_lines({"papers": result.papers, "plan": result.plan})[1:]:
            say(line)
    for line in pairs:
        say(line)
    say(result.page)


def demo(
    out: Annotated[Path, Opt("Folder for all output.")] = Path("viva-demo"),
    as_json: Json = False,
) -> None:
    """Sample papers -> corpus -> round -> baselines -> leaderboard; offline, without a key."""
    from vivavoce.demonstration import run_demo

    with progress("Demo") as update:
        result = run_demo(out, update)
    for line in result.left_out:
        say(line, quiet=True)
    if as_json:
        print_json({**result.board.as_dict(), "page": str(result.page)})
    else:
        print_parts([result.board.summary()])
        say(f"Every number: viva board show {out / 'logs'}", quiet=True)
        say(str(result.page))
        say("Next: open that page, then viva exam PAPERS --model PROVIDER/NAME", quiet=True)


def score(
    family: Annotated[
        str,
        Arg(
            "writing, ranking, leaderboards, tables, factor or architecture.",
        ),
    ],
    gold: Annotated[Path, Opt("The gold file.")],
    predictions: Annotated[Path, Opt("The answers.")],
    options: ScoreOptions,
    as_json: Json = False,
) -> None:
    """Score answers from any system against a gold file, without a model or Inspect."""
    from vivavoce.results.scoring import score as score_files

    result = score_files(family, gold, predictions, resamples=options.resamples, options=options)
    if as_json:
        print_json(result)
        return
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
    print_table(sheet("", rows, "metric", "value", "95% interval", "n", "undefined"))
    say(f"{predictions}: {result['n']:,} items, {result['missing']:,} without a prediction")


def smoke_test(spec: RunSpec, as_json: bool) -> None:
    """Ask a model a few items of every task; exit with 1 if anything is missing."""
    from vivavoce.demonstration import run_smoke

    def tell(row: SmokeRow) -> None:
        say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)

    report = run_smoke(spec, tell)
    if as_json:
        print_json(report.as_dict())
    else:
        _print_smoke_report(report)
        say(str(spec.logs))
    if not report.is_whole:
        raise typer.Exit(1)


def _print_smoke_report(report: SmokeReport) -> None:
    print_table(
        sheet(
            report.model,
            map(asdict, report.rows),
            *("task", "method", Column("{answered}/{items}".format_map, "answers")),
            Column("valid", form=".0%"),
            Column(lambda row: f"{row['metric']} {shown(row['value'])}", "score"),
            *("tokens", Column("cost", "dollars", form=".4f")),
            Column(lambda row: row["stopped"] or "", "stopped"),
        )
    )
    for row in report.rows:
        if row.problem:
            say(f"{row.task} with {row.method}: {row.problem}")
    for line in report.left_out:
        say(line)
    say(f"Cost {report.cost:.4f} of at most {report.limit:g} dollars.")
