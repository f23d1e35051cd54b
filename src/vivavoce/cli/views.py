"""`viva board show`, the board or its logs by something else, and `viva board compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vivavoce.cli.bind import Json, Logs, refuse_unread, verb
from vivavoce.cli.board import Human, app, print_board
from vivavoce.cli.output import print_json, print_report, say
from vivavoce.requests import Arg, CutoffOptions, Opt, Reading, given_names

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
    "context",
    "cutoff",
    "drift",
]


_READS: Mapping[str, tuple[str, ...]] = {
    "sweep": ("over",),
    "cutoff": ("cutoffs", "margin"),
    "drift": ("round_folder",),
}
"""Options that a view takes beside those of all."""
_BOARD = ("cutoffs", "margin", "human", "everything", "costs")
_OF_ALL = ("logs", "by", "as_json", *(each.name for each in fields(Reading)))


@verb(app, "board show logs --by setting")
def show(
    context: typer.Context,
    logs: Logs,
    reading: Reading,
    known: CutoffOptions,
    by: Annotated[By | None, Opt("A view of the logs in place of the board.")] = None,
    human: Human = None,
    everything: Annotated[bool, Opt("The board: print the diagnostics too.", "--all")] = False,
    costs: Annotated[bool, Opt("The board: also tokens, seconds and dollars.")] = False,
    over: Annotated[
        Sequence[str],
        Opt(
            "sweep: arguments, such as rounds,batch; by default those that differ.",
            read=given_names,
        ),
    ] = (),
    round_folder: Annotated[Path | None, Opt("drift: the later round.", "--round")] = None,
    as_json: Json = False,
) -> None:
    """Print the leaderboard, or its logs by something else.

    Metric: whether metrics order alike. Setting: what added context gains. Part: one number over
    the parts of a paper. Retriever: retrievers side by side. Attempts: mean, best and spread.
    Sweep: arguments of a method. Context: models and settings by window. Cutoff: items before and
    after the end of training. Drift: a round's anchors against its parent's.
    """
    from vivavoce.models.cutoffs import load_cutoffs

    reads = _BOARD if by is None else _READS.get(by, ())
    refuse_unread(context, (*_OF_ALL, *reads), f"--by {by}" if by else "the board")
    answers = vars(reading)
    cutoffs = load_cutoffs(known.cutoffs, known.margin)
    if by is None:
        from vivavoce.results.board.building import leaderboard

        board = leaderboard(logs, human=human, cutoffs=cutoffs, **answers)
        print_board(board, everything=everything, costs=costs, as_json=as_json)
        return
    from vivavoce.results.audits import contrasts, sweeps
    from vivavoce.results.audits.metrics import metric_agreement
    from vivavoce.results.board.attempts import attempt_tables
    from vivavoce.results.board.contamination import contamination_report

    makers: dict[str, Callable[[], Report]] = {
        "metric": lambda: metric_agreement(logs, **answers),
        "setting": lambda: contrasts.context_gains(logs, **answers),
        "part": lambda: contrasts.overall_scores(logs, **answers),
        "retriever": lambda: sweeps.sweep_tables(logs, over=["retriever"], **answers),
        "attempts": lambda: attempt_tables(logs, **answers),
        "sweep": lambda: sweeps.sweep_tables(logs, over=over, **answers),
        "context": lambda: sweeps.windows_of(logs, **answers),
        "cutoff": lambda: contamination_report(logs, cutoffs, **answers),
        "drift": lambda: contrasts.drift_of_anchors(logs, _later(round_folder), **answers),
    }
    print_report(makers[by](), as_json=as_json)


def _later(folder: Path | None) -> Round:
    from vivavoce.rounds import load_round

    if folder is None:
        raise typer.BadParameter("--by drift takes the later round", param_hint="--round")
    return load_round(folder)


@verb(app, "board compare extractive/lead null --logs logs")
def compare(
    a: Annotated[str, Arg("A contestant of the logs.")],
    b: Annotated[str, Arg("The other one.")],
    reading: Reading,
    logs: Annotated[Path, Opt("Logs that hold contestants A and B.")],
    items: Annotated[int, Opt("Number of most different items to list.", min=0, max=200)] = 10,
    out: Annotated[Path | None, Opt("Folder for pages, with both answers to those items.")] = None,
    as_json: Json = False,
) -> None:
    """Compare two contestants item by item: differences, wins, and where they differ most."""
    from vivavoce.results.board.head_to_head import head_to_head

    found = head_to_head(a, b, logs, differing=items, **vars(reading))
    page = None if out is None else _write(found, out)
    if as_json:
        print_json({**found.as_dict(), **({} if page is None else {"page": str(page)})})
        return
    print_report(found, as_json=False)
    if page is not None:
        say(str(page))


def _write(view: Any, out: Path) -> Path:
    from vivavoce.results.board.head_to_head import differing_items
    from vivavoce.web.board.duels import write_comparison

    return write_comparison(view.as_dict(), differing_items(view), out)
