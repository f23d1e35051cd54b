"""Verbs that try the whole or score answers made anywhere: `score`, `demo` and `smoke`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli import completion
from vivavoce.cli.board import print_board
from vivavoce.cli.output import JSON_OPTION, print_json, print_table, progress, say

if TYPE_CHECKING:
    from vivavoce.demonstration import SmokeReport, SmokeRow


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


class Aggregation(StrEnum):
    """How questions of several items are put together."""

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
        [
            name,
            "undefined" if entry["value"] is None else f"{entry['value']:.4f}",
            "" if entry["ci"] is None else f"[{entry['ci'][0]:.4f}, {entry['ci'][1]:.4f}]",
            str(entry["n"]),
            str(entry["undefined"]),
        ]
        for name, entry in result["metrics"].items()
    ]
    print_table(["metric", "value", "95% interval", "n", "undefined"], rows)
    say(f"{predictions}: {result['n']:,} items, {result['missing']:,} without a prediction")


def smoke(
    model: str = typer.Option(..., "--model", help="provider/model."),
    price: str = typer.Option(
        ..., "--price", metavar="IN,OUT", help="Dollars for a million tokens: without it no limit."
    ),
    limit_usd: float = typer.Option(..., "--limit-usd", help="Dollars that all of it may cost."),
    round_folder: Path | None = typer.Option(
        None, "--round", help="The folder of a round; else the sample papers."
    ),
    items: int = typer.Option(2, "--items", min=1, help="Items of each task and method."),
    attempt_timeout: int = typer.Option(
        120, "--attempt-timeout", min=1, help="Seconds of one request."
    ),
    out: Path = typer.Option(Path("viva-smoke"), "--out", help="Folder for everything it makes."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask a model a few items of every task and method, for a bounded sum."""
    from vivavoce.demonstration import run_smoke
    from vivavoce.running.prices import parse_price

    report = run_smoke(
        model,
        parse_price(price),
        limit_usd,
        out,
        items,
        round_folder,
        tell=_tell,
        attempt_timeout=attempt_timeout,
    )
    if as_json:
        print_json(report.as_dict())
    else:
        _print_smoke_report(report)
        say(str(out / "logs"))
    if not report.is_whole:
        raise typer.Exit(1)


def _tell(row: SmokeRow) -> None:
    say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)


def _print_smoke_report(report: SmokeReport) -> None:
    lines = [
        [
            row.task,
            row.method,
            f"{row.answered}/{row.items}",
            "–" if row.valid is None else f"{row.valid:.0%}",
            f"{row.metric} {'–' if row.value is None else f'{row.value:.3f}'}",
            f"{row.tokens:,}",
            f"{row.cost:.4f}",
            str(row.stopped or ""),
        ]
        for row in report.rows
    ]
    headers = ["task", "method", "answers", "valid", "score", "tokens", "dollars", "stopped"]
    print_table(headers, lines, title=report.model)
    for row in report.rows:
        if row.problem:
            say(f"{row.task} with {row.method}: {row.problem}")
    for line in report.left_out:
        say(line)
    say(f"Cost {report.cost:.4f} of at most {report.limit:g} dollars.")
