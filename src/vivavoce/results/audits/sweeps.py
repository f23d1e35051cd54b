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
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.results.logs.audited import AuditedLog, item_clusters, read_audited
from vivavoce.results.logs.records import RowKey, RunLog, SampleScore
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
    logs: Path | str,
    *,
    over: Sequence[str] = (),
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> Table:
    """One row for each combination of the swept arguments and each metric.

    Args:
        logs: Folder of Inspect logs.
        over: The arguments to tabulate by; by default those that differ between the logs of a
            method. Methods that differ in any other argument but the seed make rows of their own.
        partial: Also take logs that lack samples.
        resamples: Bootstrap draws; 0 for no intervals.
        seed: Seed of the draws.

    Raises:
        InputError: No logs there, or no method takes an argument of `over`.
        VivaError: A log is incomplete and `partial` was not asked for, or nothing was swept.
    """
    found, notes = read_audited(Path(logs), partial=partial)
    _refuse_unknown(found, over)
    series: dict[_Series, list[AuditedLog]] = defaultdict(list)
    for audited in found:
        steps = "+".join(name for name, _ in audited.steps)
        series[replace(audited.key, method=""), steps].append(audited)
    rows = [
        row
        for (_, steps), members in sorted(series.items())
        for row in _series_rows(steps, members, over, Draws(resamples, seed))
    ]
    if not rows:
        raise VivaError(
            f"{logs} holds no method that was run with several values of an argument. Make some "
            f"with: viva run TASK --method METHOD --sweep rounds=2..5 --logs {logs}"
        )
    return Table(tuple(rows), tuple(notes))


def _arguments(audited: AuditedLog) -> dict[str, Any]:
    """What the method was given, defaults included."""
    return {
        name: value
        for _, given in audited.steps
        for name, value in given.items()
        if name != _WINDOW
    }


def _refuse_unknown(found: Iterable[AuditedLog], over: Sequence[str]) -> None:
    known = sorted({name for audited in found for name in _arguments(audited)})
    for name in over:
        if name not in known:
            there = ", ".join(known) or "none"
            raise InputError(f"No method of these logs takes {name!r}. There are: {there}.")


def _series_rows(
    steps: str, members: Sequence[AuditedLog], over: Sequence[str], draws: Draws
) -> list[Row]:
    values = [_arguments(audited) for audited in members]
    names = [name for name in over if name in values[0]] if over else _varied(values)
    if not names:
        return []
    groups: dict[str, list[tuple[AuditedLog, dict[str, Any]]]] = defaultdict(list)
    for audited, given in zip(members, values, strict=True):
        same = canonical_json({name: value for name, value in given.items() if name != SEED})
        groups[same].append((audited, given))
    ordered = sorted(groups.values(), key=lambda group: _place(group[0][1], names))
    return [
        _row(steps, group, names, metric, draws)
        for group in ordered
        for metric in group[0][0].log.metrics
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
    steps: str,
    group: Sequence[tuple[AuditedLog, Mapping[str, Any]]],
    names: Sequence[str],
    metric: str,
    draws: Draws,
) -> Row:
    logs = [audited.log for audited, _ in group]
    given = group[0][1]
    runs = [run for log in logs for run in _runs(log)]
    means = [mean for run in runs if (mean := _mean(_values(run, metric))) is not None]
    samples = [sample for log in logs for sample in log.samples]
    of_items: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        of_items[sample.id] += _values([sample], metric)
    items = {item: _mean(values) for item, values in sorted(of_items.items())}
    clusters = {item: name for log in logs for item, name in item_clusters(log).items()}
    value = mean_estimate(
        [math.nan if mean is None else mean for mean in items.values()],
        [clusters[item] for item in items],
        draws,
    )
    return {
        **{name: value for name, value in asdict(logs[0].key).items() if name != "method"},
        "method": steps,
        "settings": {name: given.get(name) for name in names},
        "fixed": {k: v for k, v in sorted(given.items()) if k not in (*names, SEED)},
        "seeds": sorted({each[SEED] for _, each in group if SEED in each}, key=str),
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


def _runs(log: RunLog) -> list[list[SampleScore]]:
    """The samples of each attempt."""
    found: dict[int, list[SampleScore]] = defaultdict(list)
    for sample in log.samples:
        found[sample.epoch].append(sample)
    return [found[epoch] for epoch in sorted(found)]


def _values(samples: Iterable[SampleScore], metric: str) -> list[float]:
    return [value for sample in samples if (value := sample.values[metric]) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
