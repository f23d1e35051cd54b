"""Verbs of `viva board` that compare settings and retrievers on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    say,
)
from vivavoce.cli.reports import (
    cells,
    estimate,
    interval,
    numbers,
    print_notes,
    print_rows,
    texts,
    tick,
)


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
        print_rows(
            f"{family} ({', '.join(members[0]['tasks'])}) · {setting} · round {round_id}",
            members,
            texts("contestant"),
            interval(members[0]["metric"]),
            texts(**{"papers": "n", "in all tasks": "in_all_tasks"}),
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
        print_rows(
            f"{task} · {setting} · {model} · round {round_id}",
            members,
            cells("rank", _rank),
            texts("retriever"),
            cells("settings", _settings),
            interval(members[0]["metric"]),
            texts("n"),
            cells("over direct", _over_direct),
            cells("n", lambda row: str(row["without"]["n"])),
        )
        say("")
    say("value [95% interval]; rank (ranks it may have); over direct: gain over no retrieval.")
    print_notes(found.notes)


def _over_direct(row: Mapping[str, Any]) -> str:
    return estimate({"value": row["without"]["gain"], "ci": row["without"]["ci"]})


def _settings(row: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in row["settings"].items())


def _rank(row: Mapping[str, Any]) -> str:
    if row["rank"] is None:
        return "–"
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


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
