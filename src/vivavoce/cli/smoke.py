"""The verb that tries a real model on a little of everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.output import JSON_OPTION, print_json, print_table, say

if TYPE_CHECKING:
    from vivavoce.smoke import SmokeReport, SmokeRow


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
    from vivavoce.running.prices import parse_price
    from vivavoce.smoke import run_smoke

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
        _print_report(report)
        say(str(out / "logs"))
    if not report.is_whole:
        raise typer.Exit(1)


def _tell(row: SmokeRow) -> None:
    say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)


def _print_report(report: SmokeReport) -> None:
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
