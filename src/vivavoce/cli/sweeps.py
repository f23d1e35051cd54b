"""The verb that tabulates a sweep."""

from __future__ import annotations

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
    print_table,
    say,
)
from vivavoce.cli.reports import estimate, number, print_notes, print_report

if TYPE_CHECKING:
    from vivavoce.results.reports import Table


def _print(found: Table) -> None:
    for title, rows in groupby(found.rows, key=_title):
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
    from vivavoce.results.audits.sweeps import sweep_tables

    names = [name.strip() for name in over.split(",") if name.strip()]
    found = sweep_tables(logs, over=names, partial=partial, resamples=resamples, seed=seed)
    print_report(found, _print, as_json=as_json)


def _title(row: dict[str, Any]) -> str:
    where = " · ".join(row[name] for name in ("task", "setting", "decoding"))
    judge = f" · judge {row['judge']}" if row["judge"] else ""
    return f"{row['model']} + {row['method']} · {where} · round {row['round']}{judge}"


def _combination(row: dict[str, Any]) -> tuple[str, ...]:
    """The swept arguments, then what stood still, which may differ too where `--over` is given."""
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
                *(_cell(row) for row in group),
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


def _cell(row: dict[str, Any]) -> str:
    """A value with its deviation, and with its interval where a board ranks by it."""
    value = estimate(row) if row["headline"] else number(row["value"])
    return value + ("" if row["std"] is None else f" ± {row['std']:.3f}")


def _rounded(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
