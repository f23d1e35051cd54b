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
    SPLIT_OPTION,
    cells,
    estimate,
    interval,
    number,
    numbers,
    print_json,
    print_notes,
    print_report,
    print_rows,
    print_table,
    rank_cell,
    say,
    texts,
    tick,
)

if TYPE_CHECKING:
    from vivavoce.results import Table


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
    split: str | None = SPLIT_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print what added context gains: each setting against the base, paired by item."""
    from vivavoce.results.audits.ablations import context_gains

    found = context_gains(logs, partial=partial, resamples=resamples, seed=seed, split=split)
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
    from vivavoce.results.audits.ablations import compare_retrievers

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
    split: str | None = SPLIT_OPTION,
    items: int = typer.Option(
        10, "--items", min=0, max=200, help="Number of items to name, of those that differ most."
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
        only=Only(round_id, task, setting, split),
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
    from vivavoce.web.board.pages.duels import write_comparison
    from vivavoce.web.board.pages.item_views import find_bundle

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


def _print_sweep(found: Table) -> None:
    for title, rows in groupby(found.rows, key=_sweep_title):
        members = list(rows)
        _print_list(title, members)
        say("")
        if len(members[0]["settings"]) == 2:
            _print_grid([row for row in members if row["headline"]])
            say("")
    say("value [95% interval] ± standard deviation over the runs: seeds and attempts;")
    say("valid is the share of answers that are one; tokens and s are means over the answers.")
    print_notes(found.notes)


def sweep(
    logs: Path = LOGS_ARGUMENT,
    over: str = typer.Option(
        "", "--over", help="Arguments, such as rounds,batch; by default those that differ."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print a method by the values of its arguments: means over seeds, and their deviation."""
    from vivavoce.results.audits.ablations import sweep_tables

    names = [name.strip() for name in over.split(",") if name.strip()]
    found = sweep_tables(logs, over=names, partial=partial, resamples=resamples, seed=seed)
    print_report(found, _print_sweep, as_json=as_json)


def _sweep_title(row: dict[str, Any]) -> str:
    where = " · ".join(row[name] for name in ("task", "setting", "decoding"))
    judge = f" · judge {row['judge']}" if row["judge"] else ""
    return f"{row['model']} + {row['method']} · {where} · round {row['round']}{judge}"


def _combination(row: dict[str, Any]) -> tuple[str, ...]:
    """The swept arguments, then the fixed ones, which may differ too where `--over` is given."""
    return (*map(str, row["settings"].values()), str(row["fixed"]))


def _print_list(title: str, rows: list[dict[str, Any]]) -> None:
    """One line a combination, one column a metric."""
    groups = [list(group) for _, group in groupby(rows, key=_combination)]
    names = list(rows[0]["settings"])
    different = _different([group[0]["fixed"] for group in groups])
    lines = []
    for group in groups:
        first = group[0]
        lines.append(
            [
                *(str(first["settings"][name]) for name in names),
                *(str(first["fixed"].get(name, "–")) for name in different),
                *(_sweep_cell(row) for row in group),
                str(first["n"]),
                str(first["runs"]),
                "–" if first["valid"] is None else f"{first['valid']:.0%}",
                _rounded(first["tokens_per_answer"], 0),
                _rounded(first["seconds_per_answer"], 2),
            ]
        )
    metrics = [row["metric"] for row in groups[0]]
    headers = [*names, *different, *metrics, "n", "runs", "valid", "tokens", "s"]
    print_table(headers, lines, title=title)


def _different(fixed: list[dict[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for given in fixed for name in given)
    return [name for name in names if len({str(given.get(name)) for given in fixed}) > 1]


def _print_grid(rows: list[dict[str, Any]]) -> None:
    """The first argument down, the second across, and the mean deviation of each line."""
    down, across = rows[0]["settings"]
    if len({_combination(row)[:2] for row in rows}) < len(rows):
        return
    cells = {_combination(row)[:2]: row for row in rows}
    columns = list(dict.fromkeys(str(row["settings"][across]) for row in rows))
    lines = []
    for first in dict.fromkeys(str(row["settings"][down]) for row in rows):
        line = [cells.get((first, second)) for second in columns]
        spreads = [row["std"] for row in line if row and row["std"] is not None]
        lines.append(
            [
                first,
                *(number(row["value"] if row else None) for row in line),
                number(sum(spreads) / len(spreads) if spreads else None),
            ]
        )
    headers = [down, *(f"{across}={value}" for value in columns), "±"]
    print_table(headers, lines, title=f"{rows[0]['metric']} by {down} and {across}")


def _sweep_cell(row: dict[str, Any]) -> str:
    """A value with its deviation, and with its interval where a board ranks by it."""
    value = estimate(row) if row["headline"] else number(row["value"])
    return value + ("" if row["std"] is None else f" ± {row['std']:.3f}")


def _rounded(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
