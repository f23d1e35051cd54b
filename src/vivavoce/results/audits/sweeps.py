"""Sweeps over a method's arguments, averaged over seeds, and over contestants' context windows.

A run is one attempt in one log: seeds and attempts are runs of the same combination. A value is the
mean over items of each item's mean over runs, with the standard deviation of the runs' means.

Source: arXiv2Table, table 5, figure 6 (batches and rounds, two seeds and their standard deviation)
and tables 7 and 9 (tokens and seconds per table).
"""

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.reports import (
    NOTHING,
    Column,
    Sheet,
    Table,
    by_metric,
    grouped,
    headlines,
    metric_columns,
    sheet,
    shown,
)
from vivavoce.results.audits.contrasts import Rows, described, report_of
from vivavoce.results.logs.records import RowKey, RunLog, SampleScore, mean_value
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row, canonical_json
from vivavoce.tasks import CEILING

SEED = "seed"
"""Argument that distinguishes runs of the same combination."""
_WINDOW = "context"
"""Argument that belongs to the decoding, not to the method."""

_Series = tuple[RowKey, str]
"""Key of a sweep: the row key without the method, and the names of the steps."""


def _sweep_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """Yield lists of combinations, and a grid if two arguments are swept."""
    series = ("model", "method", "task", "setting", "decoding", "round", "judge")
    for rows in grouped(every, *series):
        yield _list(rows)
        headlines = [row for row in rows if row["headline"]]
        places = {_combination(row)[:2] for row in headlines}
        if len(rows[0]["settings"]) == 2 and len(places) == len(headlines):
            down, across = headlines[0]["settings"]
            cells = {_combination(row)[:2]: row for row in headlines}
            heads = dict.fromkeys(str(row["settings"][across]) for row in headlines)
            lines = []
            for first in dict.fromkeys(str(row["settings"][down]) for row in headlines):
                line = [cells.get((first, second)) for second in heads]
                deviation = mean_of(row["std"] for row in line if row)
                values = [row["value"] if row else None for row in line]
                lines.append((first, *map(shown, [*values, deviation])))
            yield Sheet(
                f"{headlines[0]['metric']} by {down} and {across}",
                (down, *(f"{across}={value}" for value in heads), "±"),
                tuple(lines),
            )
    yield (
        "value [95% interval]; ± standard deviation over the runs: seeds and attempts;\n"
        "valid is the share of valid answers; tokens and s are means per answer."
    )


def _combination(row: Row) -> tuple[str, ...]:
    """Values of swept arguments, then those of fixed arguments, which may differ with `over`."""
    return (*map(str, row["settings"].values()), str(row["fixed"]))


def _list(rows: Sequence[Row]) -> Sheet:
    """Sheet with one line per combination and one column per metric."""
    first = rows[0]
    judge = f" · judge {first['judge']}" if first["judge"] else ""
    where = " · ".join(first[name] for name in ("task", "setting", "decoding"))

    def argument(part: str, name: str) -> Column:
        return Column(lambda line: str(line[part].get(name, NOTHING)), name)

    return sheet(
        f"{first['model']} + {first['method']} · {where} · round {first['round']}{judge}",
        by_metric(rows, _combination),
        *(argument("settings", name) for name in first["settings"]),
        *(argument("fixed", name) for name in _varied([row["fixed"] for row in rows])),
        *metric_columns(rows, _with_deviation),
        *("n", "runs"),
        Column("valid", form=".0%"),
        Column("tokens_per_answer", "tokens", form=".0f"),
        Column("seconds_per_answer", "s", form=".2f"),
    )


def _with_deviation(row: Row) -> str:
    """A value with its deviation, and also with its interval for the headline metric."""
    value = shown(row if row["headline"] else row["value"])
    return value + ("" if row["std"] is None else f" ± {row['std']:.3f}")


def sweep_tables(logs: Path | str, *, over: Sequence[str] = (), **reading: Any) -> Table:
    """One row per combination of swept arguments and metric.

    By default, the swept arguments are those that differ between the logs of a method; `over` names
    others. Methods that differ in any other argument, except the seed, get separate rows.
    """

    def make(logs: list[RunLog], draws: Draws) -> Rows:
        known = sorted({name for log in logs for name in _arguments(log)})
        for name in over:
            if name not in known:
                there = ", ".join(known) or "none"
                raise InputError(
                    f"No method of these logs has an argument {name!r}. Arguments: {there}."
                )
        series: dict[_Series, list[RunLog]] = defaultdict(list)
        for log in logs:
            steps = "+".join(name for name, _ in log.steps)
            series[replace(log.key, method=""), steps].append(log)
        rows = [
            row
            for (_, steps), members in sorted(series.items())
            for row in _series_rows(steps, members, over, draws)
        ]
        return rows, []

    lacking = (
        "no method with several values of an argument. Make some with: viva run TASK "
        f"--method METHOD --sweep rounds=2..5 --logs {logs}"
    )
    return report_of(_sweep_parts, logs, make, lacking, **reading)


def _arguments(log: RunLog) -> dict[str, Any]:
    """Arguments of the method, including defaults."""
    return {
        name: value for _, given in log.steps for name, value in given.items() if name != _WINDOW
    }


def _series_rows(
    steps: str, members: Sequence[RunLog], over: Sequence[str], draws: Draws
) -> list[Row]:
    values = [_arguments(log) for log in members]
    names = [name for name in over if name in values[0]] if over else _varied(values)
    if not names:
        return []
    groups: dict[str, list[RunLog]] = defaultdict(list)
    for log, given in zip(members, values, strict=True):
        same = {name: value for name, value in given.items() if name != SEED}
        groups[canonical_json(same)].append(log)
    ordered = sorted(groups.values(), key=lambda logs: _place(_arguments(logs[0]), names))
    return [
        _combination_row(steps, logs, names, metric, draws)
        for logs in ordered
        for metric in logs[0].metrics
    ]


def _varied(values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the arguments that have several values, except the seed."""
    return [
        name
        for name in values[0]
        if name != SEED and len({canonical_json(given.get(name)) for given in values}) > 1
    ]


def _place(given: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Sort key: swept arguments (numbers by size), then all arguments."""
    own = tuple(
        (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))
        for value in (given.get(name) for name in names)
    )
    return (*own, canonical_json(given))


def _combination_row(
    steps: str, logs: Sequence[RunLog], names: Sequence[str], metric: str, draws: Draws
) -> Row:
    given = _arguments(logs[0])
    samples = tuple(sample for log in logs for sample in log.samples)
    runs: dict[tuple[str, int], list[SampleScore]] = defaultdict(list)
    for log in logs:
        for sample in log.samples:
            runs[log.path, sample.epoch].append(sample)
    means = [mean for run in runs.values() if (mean := mean_value(run, metric)) is not None]
    return {
        **{name: value for name, value in asdict(logs[0].key).items() if name != "method"},
        "method": steps,
        "settings": {name: given.get(name) for name in names},
        "fixed": {k: v for k, v in sorted(given.items()) if k not in (*names, SEED)},
        "seeds": sorted(
            {arguments[SEED] for arguments in map(_arguments, logs) if SEED in arguments}, key=str
        ),
        "metric": metric,
        "headline": metric == logs[0].metrics[0],
        **_mean_over_items(replace(logs[0], samples=samples), metric, draws),
        "runs": len(runs),
        "std": statistics.stdev(means) if len(means) > 1 else None,
        "valid": mean_of(float(sample.fault is None) for sample in samples),
        "tokens_per_answer": mean_of(sample.tokens for sample in samples),
        "seconds_per_answer": mean_of(sample.seconds for sample in samples),
        "cost_per_answer": mean_of(sample.cost for sample in samples),
    }


def _mean_over_items(log: RunLog, metric: str, draws: Draws) -> Row:
    clusters, values = log.item_clusters(), log.item_values(metric)
    return mean_estimate([*values.values()], [clusters[item] for item in values], draws).fields()


def _window_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per round and task, in the headline metric."""
    for rows in grouped(headlines(every), "round", "task", "metric"):
        first = rows[0]
        windows = sorted(
            {row["context"] for row in rows}, key=lambda each: (each is None, each or 0)
        )
        lines: dict[tuple[str, ...], dict[int | None, Row]] = {}
        for row in rows:
            line = (row["model"], row["method"], row["setting"])
            lines.setdefault(line, {})[row["context"]] = row
        yield Sheet(
            f"{first['metric']} of {first['task']} · round {first['round']}",
            ("model", "method", "setting", *(f"{each or 'own'}" for each in windows)),
            tuple(
                (*line, *(shown(cells[each]) if each in cells else NOTHING for each in windows))
                for line, cells in sorted(lines.items())
            ),
        )
    yield "value [95% interval]; own is the model's own window."


def windows_of(logs: Path | str, **reading: Any) -> Table:
    """Means by contestant, setting and context window."""
    lacking = "no answers of a contestant. Make some with: viva run TASK --sweep context=4096,8192"
    return report_of(_window_parts, logs, _rows, lacking, **reading)


def _rows(logs: Sequence[RunLog], draws: Draws) -> Rows:
    rows = []
    for log in logs:
        for metric in log.metrics if log.key.method != CEILING else ():
            row = {**described(log, metric), "context": log.arguments.get("context")}
            rows.append({**row, **_mean_over_items(log, metric, draws)})
    return rows, []
