"""Verbs of `viva board` that compare contestants, settings and retrievers on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

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
    print_report,
    print_rows,
    rank_cell,
    texts,
    tick,
)

if TYPE_CHECKING:
    from vivavoce.results.reports import Table


def _print_gains(found: Table) -> None:
    for round_id, rows in groupby(found.rows, key=lambda row: row["round"]):
        print_gains(list(rows), f"Round {round_id}: gain over the setting without added context")
        say("")
    say("base and with it: means over the n items of both; gain [95% interval of the difference].")
    print_notes(found.notes)


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
    print_report(found, _print_gains, as_json=as_json)


def _print_overall(found: Table) -> None:
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
    print_report(found, _print_overall, as_json=as_json)


def _print_retrievers(found: Table) -> None:
    for (round_id, task, setting, model), rows in groupby(
        (row for row in found.rows if row["headline"]),
        key=lambda row: (row["round"], row["task"], row["setting"], row["model"]),
    ):
        members = list(rows)
        print_rows(
            f"{task} · {setting} · {model} · round {round_id}",
            members,
            cells("rank", rank_cell),
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
    print_report(found, _print_retrievers, as_json=as_json)


def _over_direct(row: Mapping[str, Any]) -> str:
    return estimate({"value": row["without"]["gain"], "ci": row["without"]["ci"]})


def _settings(row: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in row["settings"].items())


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


def compare(
    a: str = typer.Argument(help="A contestant of --logs; without it, a log or a folder of logs."),
    b: str = typer.Argument(help="The other one."),
    logs: Path | None = typer.Option(
        None, "--logs", help="Folder of logs in which A and B are contestants, named as on a board."
    ),
    task: str | None = typer.Option(None, "--task", help="Only this task."),
    setting: str | None = typer.Option(None, "--setting", help="Only this setting."),
    round_id: str | None = typer.Option(None, "--round", help="Only this round."),
    items: int = typer.Option(
        10, "--items", min=0, max=200, help="Items to name of those that differ most."
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Folder for pages, with both answers to those items."
    ),
    bundle: str | None = typer.Option(
        None, "--bundle", help="Address or folder of a viewer made by inspect view bundle, to link."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare two contestants item by item: differences, wins, and where they differ most."""
    from vivavoce.errors import InputError
    from vivavoce.results.board.head_to_head import head_to_head
    from vivavoce.results.board.pairing import Only

    absent = [path for path in (a, b) if logs is None and not Path(path).exists()]
    if absent:
        raise InputError(
            f"{absent[0]} is neither a log nor a folder of logs. If it is a contestant, add the "
            "folder of its logs: --logs LOGS."
        )
    found = head_to_head(
        a,
        b,
        logs,
        only=Only(round_id, task, setting),
        partial=partial,
        resamples=resamples,
        seed=seed,
        differing=items,
    )
    page = None if out is None else _write(found, out, bundle)
    if as_json:
        print_json({**found.as_dict(), **({} if page is None else {"page": str(page)})})
        return
    for row in found.duels:
        _print(row)
    say("a - b: mean over items of both [95% interval]; p: sign test by cluster.")
    print_notes(found.notes)
    if page is not None:
        say(str(page))


def _write(found: Any, out: Path, bundle: str | None) -> Path:
    from vivavoce.results.board.head_to_head import differing_items
    from vivavoce.web.board.files.bundle import find_bundle
    from vivavoce.web.board.pages.duels import write_comparison

    address = None if bundle is None else find_bundle(bundle, out)
    return write_comparison(found.as_dict(), differing_items(found), out, bundle=address)


def _print(row: dict[str, Any]) -> None:
    from vivavoce.web.board.pages.duels import verdict
    from vivavoce.web.printing import chance, visible

    title = f"{row['task']} · {row['setting']} · round {row['round']} · version"
    say(f"{title} {row['task_version']}")
    say(f"a: {visible(row['a']['name'])}   b: {visible(row['b']['name'])}")
    print_rows(
        "",
        row["metrics"],
        cells("metric", lambda metric: visible(metric["metric"], 60)),
        numbers("a", "b"),
        interval("a - b", "difference"),
        cells("better", lambda metric: metric["better"] or ("tied" if metric["tied"] else "–")),
        *(cells(head, _wins(name)) for head, name in _WINS.items()),
        cells("p", lambda metric: chance(metric["sign_p"]) or "–"),
        texts("n"),
    )
    say(verdict(row))
    if row["differ_most"]:
        print_rows(
            f"Items that differ most in {row['headline']}",
            row["differ_most"],
            cells("item", lambda item: visible(item["id"])),
            numbers("a", "b", **{"a - b": "difference"}),
        )
    say("")


_WINS = {"a wins": "wins_a", "equal": "equal", "b wins": "wins_b"}


def _wins(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda metric: str(metric[name]) if metric["higher_is_better"] is not None else "–"
