"""`viva board show`: the board itself, or its logs by settings, retrievers, cutoffs and others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.board import HUMAN_OPTION, print_board
from vivavoce.cli.output import (
    CUTOFFS_OPTION,
    JSON_OPTION,
    LOGS_ARGUMENT,
    MARGIN_OPTION,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    SPLIT_OPTION,
    print_report,
    refuse_unread,
)

if TYPE_CHECKING:
    from vivavoce.reports import Report
    from vivavoce.results.logs.selection import Reading
    from vivavoce.rounds import Round


class By(StrEnum):
    """Views of a folder of logs."""

    metric = "metric"
    setting = "setting"
    part = "part"
    retriever = "retriever"
    attempts = "attempts"
    sweep = "sweep"
    cutoff = "cutoff"
    drift = "drift"
    prompt = "prompt"
    item = "item"


_READS: dict[By, tuple[str, ...]] = {
    By.metric: ("cutoffs", "margin", "human", "everything", "costs"),
    By.attempts: ("items",),
    By.sweep: ("over",),
    By.cutoff: ("cutoffs", "margin"),
    By.drift: ("round_folder",),
    By.item: ("metric",),
}
"""Options that a view takes beside those of all."""
_OF_ALL = ("context", "logs", "by", "partial", "resamples", "seed", "split", "as_json")


def show(
    context: typer.Context,
    logs: Path = LOGS_ARGUMENT,
    by: By = typer.Option(
        By.metric, "--by", help="What contestants are compared by; metric is the board itself."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    split: str | None = SPLIT_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    human: Path | None = HUMAN_OPTION,
    everything: bool = typer.Option(
        False, "--all", help="metric: also print the diagnostics, which rank nobody."
    ),
    costs: bool = typer.Option(
        False, "--costs", help="metric: also print tokens, seconds and dollars of an answer."
    ),
    over: str = typer.Option(
        "", "--over", help="sweep: arguments, such as rounds,batch; by default those that differ."
    ),
    items: bool = typer.Option(
        False, "--items", help="attempts: one row an item instead of a group."
    ),
    round_folder: Path | None = typer.Option(
        None, "--round", help="drift: the later round, made with anchors."
    ),
    metric: str | None = typer.Option(
        None, "--metric", help="item: instead of each task's first one."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Print the leaderboard, or its logs by something else than the metric.

    Setting: what added context gains. Part: one number over the parts of a paper. Retriever:
    retrievers side by side. Attempts: mean, best and spread. Sweep: arguments of a method. Cutoff:
    items before and after the end of training. Drift: a round's anchors against its parent's.
    Prompt: wordings of the prompt. Item: hard items and dead ones.
    """
    from vivavoce.models.cutoffs import load_cutoffs

    refuse_unread(context, (*_OF_ALL, *_READS.get(by, ())), f"--by {by}")
    reading: Reading = {"partial": partial, "resamples": resamples, "seed": seed, "split": split}
    known = load_cutoffs(cutoffs, margin)
    if by is By.metric:
        from vivavoce.results.board.building import leaderboard

        board = leaderboard(logs, human=human, cutoffs=known, **reading)
        print_board(board, everything=everything, costs=costs, as_json=as_json)
        return
    from vivavoce.results.audits import drift, gains, overall, prompts, sweeps
    from vivavoce.results.audits.items import audit_items
    from vivavoce.results.board.attempts import AttemptTables, attempt_tables
    from vivavoce.results.board.contamination import contamination_report

    names = [name.strip() for name in over.split(",") if name.strip()]
    makers: dict[By, Callable[[], Report]] = {
        By.setting: lambda: gains.context_gains(logs, **reading),
        By.part: lambda: overall.overall_scores(logs, **reading),
        By.retriever: lambda: gains.compare_retrievers(logs, **reading),
        By.attempts: lambda: attempt_tables(logs, **reading),
        By.sweep: lambda: sweeps.sweep_tables(logs, over=names, **reading),
        By.cutoff: lambda: contamination_report(logs, known, **reading),
        By.drift: lambda: drift.drift_and_difficulty(logs, _later(round_folder), **reading),
        By.prompt: lambda: prompts.audit_prompts(logs, **reading),
        By.item: lambda: audit_items(logs, metric=metric, **reading),
    }
    found = makers[by]()
    if items and isinstance(found, AttemptTables) and not as_json:
        found = replace(found, groups=found.items)
    print_report(found, as_json=as_json)


def _later(folder: Path | None) -> Round:
    from vivavoce.rounds import load_round

    if folder is None:
        raise typer.BadParameter("--by drift takes the later round", param_hint="--round")
    return load_round(folder)
