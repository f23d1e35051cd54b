"""`viva board show`: the board itself, or its logs by settings, retrievers, cutoffs and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vivavoce.cli.bind import Json, Logs, refuse_unread, verb
from vivavoce.cli.board import Human, app, print_board
from vivavoce.cli.output import print_report
from vivavoce.requests import CutoffOptions, Opt, Reading, given_names

if TYPE_CHECKING:
    from vivavoce.reports import Report
    from vivavoce.rounds import Round


By = Literal[
    "metric",
    "setting",
    "part",
    "retriever",
    "attempts",
    "sweep",
    "cutoff",
    "drift",
    "prompt",
    "item",
]


_READS: Mapping[str, tuple[str, ...]] = {
    "metric": ("cutoffs", "margin", "human", "everything", "costs"),
    "attempts": ("items",),
    "sweep": ("over",),
    "cutoff": ("cutoffs", "margin"),
    "drift": ("round_folder",),
    "item": ("metric",),
}
"""Options that a view takes beside those of all."""
_OF_ALL = ("context", "logs", "by", "partial", "resamples", "seed", "split", "as_json")


@verb(app, "board show logs --by setting")
def show(
    context: typer.Context,
    logs: Logs,
    reading: Reading,
    known: CutoffOptions,
    by: Annotated[By, Opt("What contestants are compared by; metric is the board itself.")] = (
        "metric"
    ),
    human: Human = None,
    everything: Annotated[bool, Opt("metric: print the diagnostics too.", "--all")] = False,
    costs: Annotated[bool, Opt("metric: also tokens, seconds and dollars.")] = False,
    over: Annotated[
        Sequence[str],
        Opt(
            "sweep: arguments, such as rounds,batch; by default those that differ.",
            read=given_names,
        ),
    ] = (),
    items: Annotated[bool, Opt("attempts: one row an item instead of a group.")] = False,
    round_folder: Annotated[Path | None, Opt("drift: the later round.", "--round")] = None,
    metric: Annotated[str | None, Opt("item: instead of each task's first one.")] = None,
    as_json: Json = False,
) -> None:
    """Print the leaderboard, or its logs by something else than the metric.

    Setting: what added context gains. Part: one number over the parts of a paper. Retriever:
    retrievers side by side. Attempts: mean, best and spread. Sweep: arguments of a method. Cutoff:
    items before and after the end of training. Drift: a round's anchors against its parent's.
    Prompt: wordings of the prompt. Item: hard items and dead ones.
    """
    from vivavoce.models.cutoffs import load_cutoffs

    refuse_unread(context, (*_OF_ALL, *_READS.get(by, ())), f"--by {by}")
    answers = vars(reading)
    cutoffs = load_cutoffs(known.cutoffs, known.margin)
    if by == "metric":
        from vivavoce.results.board.building import leaderboard

        board = leaderboard(logs, human=human, cutoffs=cutoffs, **answers)
        print_board(board, everything=everything, costs=costs, as_json=as_json)
        return
    from vivavoce.results.audits import drift, gains, overall, prompts, sweeps
    from vivavoce.results.audits.items import audit_items
    from vivavoce.results.board.attempts import AttemptTables, attempt_tables
    from vivavoce.results.board.contamination import contamination_report

    makers: dict[str, Callable[[], Report]] = {
        "setting": lambda: gains.context_gains(logs, **answers),
        "part": lambda: overall.overall_scores(logs, **answers),
        "retriever": lambda: gains.compare_retrievers(logs, **answers),
        "attempts": lambda: attempt_tables(logs, **answers),
        "sweep": lambda: sweeps.sweep_tables(logs, over=over, **answers),
        "cutoff": lambda: contamination_report(logs, cutoffs, **answers),
        "drift": lambda: drift.drift_and_difficulty(logs, _later(round_folder), **answers),
        "prompt": lambda: prompts.audit_prompts(logs, **answers),
        "item": lambda: audit_items(logs, metric=metric, **answers),
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
