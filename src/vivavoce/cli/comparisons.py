"""`viva board compare`: two contestants on the same items. How attempts and sweeps are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.board import app
from vivavoce.cli.output import (
    Columns,
    cells,
    estimate,
    interval,
    number,
    numbers,
    print_json,
    print_notes,
    print_rows,
    print_section,
    print_table,
    say,
    texts,
    values_of,
)
from vivavoce.requests import Arg, Opt, Reading, WithPartial

if TYPE_CHECKING:
    from vivavoce.results import Table


@verb(app, "board compare extractive/lead null --logs logs")
def compare(
    a: Annotated[str, Arg("A contestant of --logs; without it, a log or a folder of logs.")],
    b: Annotated[str, Arg("The other one.")],
    reading: Reading,
    logs: Annotated[
        Path | None,
        Opt("Folder of logs in which A and B are contestants, named as on a board."),
    ] = None,
    task: Annotated[str | None, Opt("Only this task.")] = None,
    setting: Annotated[str | None, Opt("Only this setting.")] = None,
    round_id: Annotated[str | None, Opt("Only this round.", ("--round",))] = None,
    items: Annotated[
        int, Opt("Number of items to name, of those that differ most.", min=0, max=200)
    ] = 10,
    out: Annotated[Path | None, Opt("Folder for pages, with both answers to those items.")] = None,
    bundle: Annotated[
        str | None, Opt("Address or folder of a viewer made by inspect view bundle, to link.")
    ] = None,
    as_json: Json = False,
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
        only=Only(round_id, task, setting, reading.split),
        differing=items,
        **reading.shared(WithPartial),
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


_ATTEMPTS = {
    "": "all attempts, a failed one counts as what it reached",
    "_succeeded": "attempts that succeeded",
}
"""Suffixes of the values' names, and what these are of."""


def print_attempts(rows: Sequence[dict[str, Any]]) -> None:
    """Print means, best and spread: of all attempts, then of those that succeeded."""
    for place, members in groupby(
        rows, key=lambda row: (row["task"], row["setting"], row["round"])
    ):
        found = list(members)
        for kind, what in _ATTEMPTS.items():
            _print_attempts("{} · {} · round {}: ".format(*place) + what, found, kind)


def _print_attempts(title: str, rows: list[dict[str, Any]], kind: str) -> None:
    """One line a group or item, one column a metric."""
    from vivavoce.results.logs.records import contestant_label

    what = "item" if "item" in rows[0] else "items"
    lines: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        place = (row["category"], row["difficulty"], str(row[what]))
        contestant = (contestant_label(row), row["decoding"], row["prompt_hash"])
        lines.setdefault((*contestant, *place), {})[row["metric"]] = row
    metrics = list(dict.fromkeys(row["metric"] for row in rows))

    def first(name: str) -> Columns:
        header = "n" if name in ("succeeded", "attempts") else name
        return cells(header, lambda found: str(found[metrics[0]][name]))

    def cell(row: dict[str, Any]) -> str:
        mean, highest, spread = (row[f"{name}{kind}"] for name in ("mean", "max", "std"))
        return "–" if mean is None else f"{mean:.3f} ({highest:.3f}, {number(spread)})"

    print_section(
        title,
        list(lines.values()),
        cells("contestant", lambda found: contestant_label(found[metrics[0]])),
        *map(first, ("category", "difficulty", what, "succeeded" if kind else "attempts")),
        values_of(metrics, cell),
    )


def print_sweep(found: Table) -> None:
    """Print combinations of swept arguments as a list, and those of two as a grid as well."""
    for title, rows in groupby(found.rows, key=_sweep_title):
        members = list(rows)
        _print_list(title, members)
        say("")
        if len(members[0]["settings"]) == 2:
            _print_grid([row for row in members if row["headline"]])
            say("")


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
