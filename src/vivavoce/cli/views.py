"""`viva board show`: the board itself, or its logs by settings, retrievers, cutoffs and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from vivavoce.cli.bind import Json, Logs, refuse_unread, verb
from vivavoce.cli.board import Human, app, print_board
from vivavoce.cli.comparisons import print_attempts, print_sweep
from vivavoce.cli.output import (
    Columns,
    Row,
    cells,
    estimate,
    inner,
    interval,
    numbers,
    print_groups,
    print_json,
    print_notes,
    print_rows,
    print_section,
    rank_cell,
    say,
    texts,
    tick,
)
from vivavoce.requests import CutoffOptions, Opt, Reading, given_names

if TYPE_CHECKING:
    from vivavoce.results import Table
    from vivavoce.results.audits.items import ItemAudit
    from vivavoce.results.audits.prompts import PromptAudit
    from vivavoce.rounds import Round

_PLACE = ("round", "task", "setting")
_LISTED = 10
"""Items that each list of hard ones names."""


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


class View(NamedTuple):
    """One of the views."""

    show: Callable[[Any], None]
    """Prints its report."""
    says: str
    """Help for reading it, below its tables."""
    reads: tuple[str, ...] = ("split",)
    """Options that it takes beside those of all."""


def _where(row: Row) -> str:
    return f"{row['task']} · {row['setting']} · round {row['round']}"


def print_gains(rows: list[dict[str, Any]], title: str) -> None:
    """Print gains over the base setting in each task's headline metric."""
    print_rows(
        title,
        (row for row in rows if row["headline"]),
        texts("task", "contestant", "setting", "metric"),
        numbers(**{"base": "value_base", "with it": "value"}),
        interval("gain", "gain"),
        texts("n"),
        tick("tied"),
    )


def _print_settings(found: Table) -> None:
    for round_id, rows in groupby(found.rows, key=lambda row: row["round"]):
        print_gains(list(rows), f"Round {round_id}: gain over the setting without added context")
        say("")


def _print_parts(found: Table) -> None:
    print_groups(
        found.rows,
        ("round", "family", "setting"),
        lambda row: (
            f"{row['family']} ({', '.join(row['tasks'])}) · {row['setting']} · round {row['round']}"
        ),
        lambda row: [
            texts("contestant"),
            interval(row["metric"]),
            texts(**{"papers": "n", "in all tasks": "in_all_tasks"}),
        ],
    )


def _print_retrievers(found: Table) -> None:
    def over_direct(row: Row) -> str:
        return estimate({"value": row["without"]["gain"], "ci": row["without"]["ci"]})

    def settings(row: Row) -> str:
        return " ".join(f"{name}={value}" for name, value in row["settings"].items())

    print_groups(
        [row for row in found.rows if row["headline"]],
        (*_PLACE, "model"),
        lambda row: f"{row['task']} · {row['setting']} · {row['model']} · round {row['round']}",
        lambda row: [
            cells("rank", rank_cell),
            texts("retriever"),
            cells("settings", settings),
            interval(row["metric"]),
            texts("n"),
            cells("over direct", over_direct),
            cells("n", lambda row: str(row["without"]["n"])),
        ],
    )


def _print_cutoffs(found: Table) -> None:
    def items(header: str) -> Columns:
        name = "possibly_seen" if header == "possibly" else header
        return cells(header, lambda row: f"{row['items'][name]:,}")

    print_groups(
        [row for row in found.rows if row["headline"]],
        _PLACE,
        _where,
        lambda row: [
            texts("contestant"),
            cells("cutoff", lambda row: row["cutoff"] or "–"),
            *map(items, ("seen", "possibly", "clean", "unknown")),
            numbers(**{f"{row['metric']} seen": "seen", "clean": "clean"}),
            interval("gap", "gap"),
            cells("yardstick", lambda row: row["yardstick"] or "–"),
            interval("gap of the lead", "lead_gap", "lead_ci"),
        ],
    )


def _print_drift(found: Table) -> None:
    print_rows(
        "",
        (row for row in found.rows if row["headline"]),
        texts("contestant", "task", "setting", "metric", "anchors"),
        numbers(before="anchors_before", now="anchors_now"),
        interval("drift", "drift", "drift_ci"),
        texts("others"),
        interval("others less anchors", "difficulty", "difficulty_ci"),
    )


def _print_prompts(found: PromptAudit) -> None:
    def means(row: Row) -> str:
        return " · ".join(f"{each['variant']}: {estimate(each)}" for each in row["variants"])

    def tied(row: Row) -> str:
        pairs = (pair["variants"] for pair in row["pairs"] if pair["tied"])
        return " ".join("-".join(map(str, pair)) for pair in pairs)

    print_section(
        "Means over the items that every variant has, and their range",
        [row for row in found.spreads if row["headline"]],
        texts("contestant", "task", "setting", "metric"),
        cells("means by variant", means),
        interval("spread", "spread", "spread_ci"),
        texts("n"),
        cells("tied", tied),
    )
    print_section(
        "Differences between contestants, held against the larger of their spreads",
        [row for row in found.differences if row["spread"] is not None and row["headline"]],
        texts("a", "b", "task", "setting", "metric"),
        interval("a - b", "difference"),
        texts("n"),
        numbers("spread"),
        cells("verdict", lambda row: row["verdict"] + ", changes its sign" * row["changes_sign"]),
    )


def _print_items(found: ItemAudit) -> None:
    from vivavoce.web.printing import visible

    columns = (
        cells("item", lambda row: visible(row["id"], 60)),
        interval("value"),
        inner(**{"with the rest": "rest"}),
        texts("state"),
    )
    for group in found.groups:
        of_group = [
            row for row in found.items if all(row[k] == group[k] for k in (*_PLACE, "task_version"))
        ]
        print_section(
            f"{_where(group)} · {group['metric']}",
            [group],
            texts("items"),
            cells("contestants", lambda row: str(len(row["contestants"]))),
            texts(
                **{"all fail": "all_fail", "alike": "alike", "against the rest": "against_the_rest"}
            ),
        )
        poor = [row for row in of_group if row["state"]]
        poor.sort(key=lambda row: (row["rest"]["value"] is None, row["rest"]["value"] or 0.0))
        shown = min(_LISTED, len(poor))
        print_section(f"Items that say little, {shown} of {len(poor)}", poor[:shown], *columns)
        known = [row for row in of_group if row["value"] is not None and not row["state"]]
        known.sort(key=lambda row: row["value"])
        print_section("The lowest values of the others", known[:_LISTED], *columns)


_HINT = "value [95% interval]; "
_VIEWS: Mapping[str, View] = {
    "setting": View(
        _print_settings,
        "base and with it: means over the n items of both; gain [95% interval of the difference].",
    ),
    "part": View(
        _print_parts,
        "mean over papers of each one's mean over its tasks [95% interval over papers].",
    ),
    "retriever": View(
        _print_retrievers,
        f"{_HINT}rank (ranks it may have); over direct: gain over no retrieval.",
    ),
    "attempts": View(
        lambda found: print_attempts(found.groups),
        "mean (highest, standard deviation) over the attempts at an item, then mean over items;\n"
        "--json has the intervals, and how many attempts failed in which way.",
        ("split", "items"),
    ),
    "sweep": View(
        print_sweep,
        f"{_HINT}± standard deviation over the runs: seeds and attempts;\n"
        "valid is the share of answers that are one; tokens and s are means over the answers.",
        ("split", "over"),
    ),
    "cutoff": View(
        _print_cutoffs,
        "items that were there before the cutoff (seen), near it (possibly), after it (clean);\n"
        "gap: seen - clean [95% interval]; of the lead over the best untrained contestant too.",
        ("split", "cutoffs", "margin"),
    ),
    "drift": View(_print_drift, "", ("split", "round_folder")),
    "prompt": View(_print_prompts, f"{_HINT}--json has every metric and every pair of variants."),
    "item": View(
        _print_items,
        "value: mean over contestants; with the rest: correlation with their means on other items;"
        "\n[95% interval over contestants].",
        ("split", "metric"),
    ),
}
_OF_ALL = ("context", "logs", "by", "partial", "resamples", "seed", "as_json")
_OF_BOARD = ("split", "cutoffs", "margin", "human", "everything", "costs")


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
    everything: Annotated[
        bool, Opt("metric: also print the diagnostics, which rank nobody.", ("--all",))
    ] = False,
    costs: Annotated[
        bool, Opt("metric: also print tokens, seconds and dollars of an answer.")
    ] = False,
    over: Annotated[
        Sequence[str],
        Opt(
            "sweep: arguments, such as rounds,batch; by default those that differ.",
            read=given_names,
        ),
    ] = (),
    items: Annotated[bool, Opt("attempts: one row an item instead of a group.")] = False,
    round_folder: Annotated[
        Path | None, Opt("drift: the later round, made with anchors.", ("--round",))
    ] = None,
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

    view = _VIEWS.get(by)
    refuse_unread(context, (*_OF_ALL, *(view.reads if view else _OF_BOARD)), f"--by {by}")
    answers = vars(reading)
    cutoffs = load_cutoffs(known.cutoffs, known.margin)
    if view is None:
        from vivavoce.results.board.building import leaderboard

        board = leaderboard(logs, human=human, cutoffs=cutoffs, **answers)
        if as_json:
            print_json(board.as_dict())
        else:
            print_board(board, everything=everything, costs=costs)
        return
    from vivavoce.results.audits import ablations, drift, overall, prompts
    from vivavoce.results.audits.items import audit_items
    from vivavoce.results.board.attempts import attempt_tables
    from vivavoce.results.integrity.contamination import contamination_report

    makers: dict[str, Callable[[], Any]] = {
        "setting": lambda: ablations.context_gains(logs, **answers),
        "part": lambda: overall.overall_scores(logs, **answers),
        "retriever": lambda: ablations.compare_retrievers(logs, **answers),
        "attempts": lambda: attempt_tables(logs, **answers),
        "sweep": lambda: ablations.sweep_tables(logs, over=over, **answers),
        "cutoff": lambda: contamination_report(logs, cutoffs, **answers),
        "drift": lambda: drift.drift_and_difficulty(logs, _later(round_folder), **answers),
        "prompt": lambda: prompts.audit_prompts(logs, **answers),
        "item": lambda: audit_items(logs, metric=metric, **answers),
    }
    found = makers[by]()
    if as_json:
        print_json(found.as_dict())
        return
    if items:
        print_attempts(found.items)
    else:
        view.show(found)
    if view.says:
        say(view.says)
    print_notes(found.notes)


def _later(folder: Path | None) -> Round:
    from vivavoce.rounds import load_round

    if folder is None:
        raise typer.BadParameter("--by drift takes the later round", param_hint="--round")
    return load_round(folder)
