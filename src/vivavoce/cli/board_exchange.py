"""Verbs of `viva board` that write results for others, or add a metric to logs after their runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer

from vivavoce.cli.output import (
    CUTOFFS_OPTION,
    JSON_OPTION,
    LOGS_ARGUMENT,
    MARGIN_OPTION,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    print_notes,
    progress,
    say,
)


class Form(StrEnum):
    """Formats of results."""

    EEE = "eee"
    EVAL_RESULTS = "eval_results"
    CSV = "csv"
    PARQUET = "parquet"


def export(
    logs: Path = LOGS_ARGUMENT,
    form: Form = typer.Option(
        ..., "--as", help="eee is Every Eval Ever; eval_results is for model pages on the hub."
    ),
    out: Path = typer.Option(..., "--out", help="Folder for the files; it must not exist yet."),
    dataset: str | None = typer.Option(
        None, "--dataset", metavar="OWNER/NAME", help="Repository of the round on the hub."
    ),
    organization: str = typer.Option(
        "unknown", "--organization", help="Who publishes the results, for eee."
    ),
    date: str | None = typer.Option(
        None, "--date", help="Day of the results, YYYY-MM-DD; by default that of the newest log."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write the rows of a board for other tools, with intervals, ranks, judge and round."""
    from vivavoce.errors import InputError
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.board.building import leaderboard
    from vivavoce.results.board.exchange import date_of, eval_results, every_eval_ever
    from vivavoce.store import parquet_of, write_bytes
    from vivavoce.text.dates import parse_date
    from vivavoce.web.board.downloads import csv_of

    if form is Form.EVAL_RESULTS and not dataset:
        raise InputError("eval_results names a dataset on the hub. Give it: --dataset OWNER/NAME.")
    if out.exists():
        raise InputError(f"{out} is there already. Choose another folder.")
    known = load_cutoffs(cutoffs, margin)
    board = leaderboard(logs, partial=partial, resamples=resamples, seed=seed, cutoffs=known)
    day = date or date_of(board)
    if parse_date(day) != (day, "day"):
        raise InputError(f"--date {day} is no day. Write it as YYYY-MM-DD.")
    if form is Form.EEE:
        files = dict(every_eval_ever(board, day, organization))
    elif form is Form.EVAL_RESULTS:
        files = dict(eval_results(board, day, dataset or ""))
    elif form is Form.CSV:
        files = {"board.csv": csv_of(board.to_arrow())}
    else:
        files = {"board.parquet": parquet_of(board.to_arrow())}
    for path, content in files.items():
        write_bytes(out / path, content)
    if as_json:
        print_json({"files": sorted(files), "rows": len(board.rows), "notes": list(board.notes)})
        return
    say(f"{len(files)} files in {out}.")
    print_notes(board.notes)


def add_metric(
    logs: Path = LOGS_ARGUMENT,
    name: str = typer.Argument(help="The metric, such as bertscore."),
    model: str | None = typer.Option(
        None, "--model", help="Model that the metric rests on: a name on the hub or a folder."
    ),
    layer: int | None = typer.Option(None, "--layer", min=1, help="Layer of the model."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compute a metric for the answers of logs; every board of them then has it.

    Each text is computed once and kept beside the logs. Run it again after further runs.
    """
    from vivavoce.results.logs.adding import add_metric as add

    given = {"model": model, "layer": layer}
    with progress(f"Computing {name}") as show:
        found = add(logs, name, {key: v for key, v in given.items() if v is not None}, show)
    if as_json:
        print_json(found.as_dict())
        return
    say(f"{', '.join(found.metrics)} of {found.samples} answers; {found.computed} texts computed.")
    for path in found.files:
        say(path)
