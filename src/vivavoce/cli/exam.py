"""Verbs that do the whole job, or score answers alone: `exam`, `demo`, `score`. `run --smoke`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli import completion
from vivavoce.cli.board import print_board
from vivavoce.cli.fetch import CONTACT_OPTION
from vivavoce.cli.output import (
    JSON_OPTION,
    print_json,
    print_table,
    progress,
    say,
)
from vivavoce.reports import Column, sheet, shown

if TYPE_CHECKING:
    from vivavoce.demonstration import SmokeReport, SmokeRow
    from vivavoce.examining import Exam

_DAY = ["%Y-%m-%d"]


def exam(
    papers: str = typer.Argument(
        metavar="PAPERS", help='A folder of papers, a file, or arxiv:"QUERY" in arXiv\'s language.'
    ),
    model: list[str] = typer.Option(
        [], "--model", help="provider/model; may be given again. Without one baselines answer."
    ),
    tasks: str = typer.Option(
        "",
        "--tasks",
        metavar="TASK,...",
        help="Tasks to ask; else all that the papers can carry.",
        autocompletion=completion.tasks,
    ),
    budget: float | None = typer.Option(
        None, "--budget", metavar="USD", help="Dollars that all of it may cost; needs --price."
    ),
    price: list[str] = typer.Option(
        [], "--price", metavar="MODEL=IN,OUT", help="Dollars for a million tokens."
    ),
    since: datetime | None = typer.Option(
        None, "--since", formats=_DAY, help="Only papers first public on this day or later."
    ),
    until: datetime | None = typer.Option(
        None, "--until", formats=_DAY, help="Only papers first public before this day."
    ),
    most: int | None = typer.Option(
        None, "--max", min=1, help="The most papers that a query brings; else 50."
    ),
    judge: str | None = typer.Option(
        None, "--judge", help="A model that compares each answer with the gold: provider/model."
    ),
    yes: bool = typer.Option(False, "--yes", help="Ask the models without asking you first."),
    out: Path = typer.Option(Path("viva-exam"), "--out", help="Folder for everything it makes."),
    contact: str | None = CONTACT_OPTION,
    base: str | None = typer.Option(None, "--base", hidden=True, help="A loopback server."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Examine models on your papers: which is better at what, by how much, for what cost."""
    from vivavoce.examining import exam as examine

    found = examine(
        papers,
        model,
        tasks=[name for name in tasks.split(",") if name],
        budget=budget,
        since=since.date() if since else None,
        until=until.date() if until else None,
        max=most,
        yes=yes,
        out=out,
        price=price,
        judge=judge,
        agree=_ask if sys.stdin.isatty() and not as_json else None,
        watch=_step,
        contact=contact,
        base=base,
    )
    if as_json:
        print_json(found.as_dict())
    else:
        _print_exam(found)


@contextmanager
def _step(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for each step on a terminal, else a line."""
    if not sys.stderr.isatty():
        say(f"{label} ...", quiet=True)
    with progress(label) as update:
        yield update


def _ask(told: dict[str, Any]) -> bool:
    from vivavoce.examining.planning import plan_lines

    for line in plan_lines(told):
        say(line)
    return typer.confirm("Ask the models?")


def _print_exam(found: Exam) -> None:
    from vivavoce.examining.planning import papers_line, plan_lines

    if not found.verdicts:
        columns = ("task", Column("method", "baseline"), "metric", Column("value", ci="ci"))
        print_table(sheet("", found.baselines, *columns))
        say("A model would be asked this:")
        for line in plan_lines({"papers": found.papers, "plan": found.plan}):
            say(line)
    else:
        say(papers_line(found.papers))
    for verdict in found.verdicts:
        say(verdict["words"])
    for row in found.missed:
        paper, why = row["title"] or row["id"], row["fault"] or f"{row['value']:.3f}"
        say(f"  worst in {row['task']}: {paper} ({why})")
    say(found.page)


def demo(
    out: Path = typer.Option(Path("viva-demo"), "--out", help="Folder for everything it makes."),
    as_json: bool = JSON_OPTION,
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
        print_board(result.board)
        say(str(result.page))
        say("Next: open that page, then viva exam PAPERS --model PROVIDER/NAME", quiet=True)


class Aggregation(StrEnum):
    """Grouping of the questions of several items."""

    macro = "macro"
    micro = "micro"


def score(
    family: str = typer.Argument(
        help="writing, ranking, leaderboards, tables, factor or architecture.",
        autocompletion=completion.score_families,
    ),
    gold: Path = typer.Option(..., "--gold", help="The gold file."),
    predictions: Path = typer.Option(..., "--predictions", help="The answers."),
    resamples: int = typer.Option(10_000, "--resamples", min=0, help="0 for no intervals."),
    seed: int = typer.Option(0, "--seed", help="Seed of the bootstrap and of sampled pairs."),
    aggregate: Aggregation = typer.Option(Aggregation.macro, "--aggregate"),
    stem: bool = typer.Option(False, "--stem", help="writing: compare word stems."),
    bertscore: str | None = typer.Option(
        None, "--bertscore", help="writing: a model name or path that adds BERTScore."
    ),
    layer: int | None = typer.Option(None, "--layer", help="writing: BERTScore's layer."),
    legacy: bool = typer.Option(False, "--legacy", help="ranking, architecture: as published."),
    pairs: int | None = typer.Option(None, "--pairs", min=1, help="tables: pairs asked a table."),
    gamma: float = typer.Option(1.1, "--gamma", help="architecture: weight of deeper layers."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Score answers made anywhere against a gold file; loads no model and no Inspect."""
    from vivavoce.results.scoring import ScoreOptions
    from vivavoce.results.scoring import score as score_files

    options = ScoreOptions(
        aggregate=aggregate.value,
        seed=seed,
        stem=stem,
        bertscore=bertscore,
        layer=layer,
        legacy=legacy,
        pairs=pairs,
        gamma=gamma,
    )
    result = score_files(family, gold, predictions, resamples=resamples, options=options)
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


_SMOKE_TIMEOUT = 120


def smoke_test(
    round_folder: Path,
    models: list[str],
    price: list[str],
    budget: float | None,
    items: int | None,
    attempt_timeout: int | None,
    logs: Path,
    as_json: bool,
) -> None:
    """Ask a model a few items of everything; end with 1 where anything is missing."""
    from vivavoce.demonstration import ITEMS, run_smoke
    from vivavoce.running.spec import parse_prices
    from vivavoce.tasks.sample_round import open_round

    if len(models) != 1:
        raise typer.BadParameter("--smoke asks one model", param_hint="--model")
    prices = parse_prices(price)
    if models[0] not in prices:
        raise typer.BadParameter(f"name that of {models[0]}", param_hint="--price")
    if budget is None:
        raise typer.BadParameter("name the dollars that it may cost", param_hint="--budget")
    report = run_smoke(
        models[0],
        prices[models[0]],
        budget,
        open_round(round_folder),
        logs,
        items=items or ITEMS,
        tell=_tell,
        attempt_timeout=attempt_timeout or _SMOKE_TIMEOUT,
    )
    if as_json:
        print_json(report.as_dict())
    else:
        _print_smoke_report(report)
        say(str(logs))
    if not report.is_whole:
        raise typer.Exit(1)


def _tell(row: SmokeRow) -> None:
    say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)


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
