"""Verbs of `viva board` that compare settings and retrievers on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from vivavoce.cli.log_options import LOGS_ARGUMENT, PARTIAL_OPTION, RESAMPLES_OPTION, SEED_OPTION
from vivavoce.cli.output import JSON_OPTION, print_json, print_table, say


def gains(
    logs: Path = LOGS_ARGUMENT,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print what added context gains: each setting against the base, paired by item."""
    from vivavoce.results.audits.gains import context_gains

    found = context_gains(logs, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(found.as_dict())
        return
    for round_id, rows in groupby(found.rows, key=lambda row: row["round"]):
        print_gains(list(rows), f"Round {round_id}: gain over the setting without added context")
        say("")
    say("base and with it: means over the n items of both; gain [95% interval of the difference].")
    print_notes(found.notes)


def overall(
    logs: Path = LOGS_ARGUMENT,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print one number over the parts of a paper: each contestant's mean over a family's tasks."""
    from vivavoce.results.audits.overall import overall_scores

    found = overall_scores(logs, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(found.as_dict())
        return
    for (round_id, family, setting), rows in groupby(
        found.rows, key=lambda row: (row["round"], row["family"], row["setting"])
    ):
        members = list(rows)
        print_table(
            ["contestant", members[0]["metric"], "papers", "in all tasks"],
            [
                [row["contestant"], estimate(row), str(row["n"]), str(row["in_all_tasks"])]
                for row in members
            ],
            title=f"{family} ({', '.join(members[0]['tasks'])}) · {setting} · round {round_id}",
        )
        say("")
    say("mean over papers of each one's mean over its tasks [95% interval over papers].")
    print_notes(found.notes)


def retrievers(
    logs: Path = LOGS_ARGUMENT,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print retrievers side by side, and beside the same model without one."""
    from vivavoce.results.audits.retrievers import compare_retrievers

    found = compare_retrievers(logs, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(found.as_dict())
        return
    for (round_id, task, setting, model), rows in groupby(
        (row for row in found.rows if row["headline"]),
        key=lambda row: (row["round"], row["task"], row["setting"], row["model"]),
    ):
        members = list(rows)
        print_table(
            ["rank", "retriever", "settings", members[0]["metric"], "n", "over direct", "n"],
            [
                [
                    _rank(row),
                    row["retriever"],
                    " ".join(f"{name}={value}" for name, value in row["settings"].items()),
                    estimate(row),
                    str(row["n"]),
                    estimate({"value": row["without"]["gain"], "ci": row["without"]["ci"]}),
                    str(row["without"]["n"]),
                ]
                for row in members
            ],
            title=f"{task} · {setting} · {model} · round {round_id}",
        )
        say("")
    say("value [95% interval]; rank (ranks it may have); over direct: gain over no retrieval.")
    print_notes(found.notes)


def _rank(row: dict[str, Any]) -> str:
    if row["rank"] is None:
        return "–"
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def print_gains(rows: list[dict[str, Any]], title: str) -> None:
    """Print gains over the base setting in each task's headline metric."""
    print_table(
        ["task", "contestant", "setting", "metric", "base", "with it", "gain", "n", "tied"],
        [
            [
                row["task"],
                row["contestant"],
                row["setting"],
                row["metric"],
                number(row["value_base"]),
                number(row["value"]),
                estimate({"value": row["gain"], "ci": row["ci"]}),
                str(row["n"]),
                "yes" if row["tied"] else "",
            ]
            for row in rows
            if row["headline"]
        ],
        title=title,
    )


def estimate(row: dict[str, Any]) -> str:
    """A value with its interval: `0.412 [0.380, 0.441]`."""
    if row["value"] is None:
        return "–"
    interval = f" [{row['ci'][0]:.3f}, {row['ci'][1]:.3f}]" if row["ci"] else ""
    return f"{row['value']:.3f}{interval}"


def number(value: float | None) -> str:
    """A value without interval."""
    return "–" if value is None else f"{value:.3f}"


def print_notes(notes: Sequence[str]) -> None:
    """Print what a reader has to know beside the numbers."""
    for note in notes:
        say(f"Note: {note}")
