"""Sweeps tabulated: one method by the values of its arguments, averaged over seeds.

A run is one log in one attempt: seeds and attempts are runs of the same combination. A value is the
mean over the items of each one's mean over the runs; beside it stands how far the runs' own means
lie apart.

Source: arXiv2Table, table 5, figure 6 (batches and rounds, two seeds and their standard deviation)
and tables 7 and 9 (tokens and seconds a table).
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

from vivavoce.errors import InputError, VivaError
from vivavoce.results.logs.records import RowKey, RunLog, SampleScore, mean_value
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.results.reports import Table
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row, canonical_json

SEED = "seed"
"""The argument whose values are runs of the same combination."""
_WINDOW = "context"
"""Part of a row's decoding, not of its method."""

_Series = tuple[RowKey, str]
"""What the logs of one sweep share: the key without the method's arguments, and its steps."""


def sweep_tables(
    logs: Path | str, *, over: Sequence[str] = (), **reading: Unpack[Reading]
) -> Table:
    """One row for each combination of the swept arguments and each metric.

    The arguments `over` are by default those that differ between the logs of a method. Methods that
    differ in any other argument but the seed make rows of their own.

    Raises:
        InputError: No logs there, or no method takes an argument of `over`.
        VivaError: As `open_logs` says, or nothing was swept.
    """
    found, notes, draws = open_logs(logs, **reading)
    _refuse_unknown(found, over)
    series: dict[_Series, list[RunLog]] = defaultdict(list)
    for log in found:
        steps = "+".join(name for name, _ in log.steps)
        series[replace(log.key, method=""), steps].append(log)
    rows = [
        row
        for (_, steps), members in sorted(series.items())
        for row in _series_rows(steps, members, over, draws)
    ]
    if not rows:
        raise VivaError(
            f"{logs} holds no method that was run with several values of an argument. Make some "
            f"with: viva run TASK --method METHOD --sweep rounds=2..5 --logs {logs}"
        )
    return Table(tuple(rows), tuple(notes))


def _arguments(log: RunLog) -> dict[str, Any]:
    """The method's arguments, defaults included."""
    return {
        name: value for _, given in log.steps for name, value in given.items() if name != _WINDOW
    }


def _refuse_unknown(found: Iterable[RunLog], over: Sequence[str]) -> None:
    known = sorted({name for log in found for name in _arguments(log)})
    for name in over:
        if name not in known:
            there = ", ".join(known) or "none"
            raise InputError(f"No method of these logs takes {name!r}. There are: {there}.")


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
        _row(steps, logs, names, metric, draws) for logs in ordered for metric in logs[0].metrics
    ]


def _varied(values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Arguments, but for the seed, of which there are several values."""
    return [
        name
        for name in values[0]
        if name != SEED and len({canonical_json(given.get(name)) for given in values}) > 1
    ]


def _place(given: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Sort key: the swept arguments, numbers by size, then all the others."""
    own = tuple(
        (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))
        for value in (given.get(name) for name in names)
    )
    return (*own, canonical_json(given))


def _row(
    steps: str, logs: Sequence[RunLog], names: Sequence[str], metric: str, draws: Draws
) -> Row:
    given = _arguments(logs[0])
    samples = [sample for log in logs for sample in log.samples]
    items: dict[str, list[SampleScore]] = defaultdict(list)
    runs: dict[tuple[str, int], list[SampleScore]] = defaultdict(list)
    for log in logs:
        for sample in log.samples:
            items[sample.id].append(sample)
            runs[log.path, sample.epoch].append(sample)
    means = [mean for run in runs.values() if (mean := mean_value(run, metric)) is not None]
    values = {item: mean_value(scores, metric) for item, scores in sorted(items.items())}
    value = mean_estimate(
        [math.nan if mean is None else mean for mean in values.values()],
        [items[item][-1].cluster for item in values],
        draws,
    )
    return {
        **{name: value for name, value in asdict(logs[0].key).items() if name != "method"},
        "method": steps,
        "settings": {name: given.get(name) for name in names},
        "fixed": {k: v for k, v in sorted(given.items()) if k not in (*names, SEED)},
        "seeds": sorted({found[SEED] for found in map(_arguments, logs) if SEED in found}, key=str),
        "metric": metric,
        "headline": metric == logs[0].metrics[0],
        **value.fields(),
        "runs": len(runs),
        "std": statistics.stdev(means) if len(means) > 1 else None,
        "valid": _mean([float(sample.fault is None) for sample in samples]),
        "tokens_per_answer": _mean([sample.tokens for sample in samples]),
        "seconds_per_answer": _mean([sample.seconds for sample in samples]),
        "cost_per_answer": _mean([s.cost for s in samples if s.cost is not None]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
