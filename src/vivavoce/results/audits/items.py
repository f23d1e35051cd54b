"""Items of a round as its contestants met them: hard ones, dead ones, and those that contradict."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np

from vivavoce.errors import InputError, VivaError
from vivavoce.metrics import metrics_of
from vivavoce.results.logs.records import CEILING, PLACE, Place, RunLog
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.results.reports import Report
from vivavoce.statistics.intervals import defined
from vivavoce.statistics.items import ItemTable, item_statistics
from vivavoce.store import Row

ALL_FAIL, ALIKE, AGAINST, UNDEFINED = "all fail", "alike", "against the rest", "undefined"
_CONTROLS = (CEILING, "null", "copycat", "random")


@dataclass(frozen=True, slots=True)
class ItemAudit(Report):
    """The report of `viva audit items`."""

    groups: tuple[Row, ...]
    """One row a round, task and setting."""
    items: tuple[Row, ...]
    """One row an item of these."""
    notes: tuple[str, ...]


def audit_items(
    logs: Path | str, *, metric: str | None = None, **reading: Unpack[Reading]
) -> ItemAudit:
    """Difficulty of each item, and whether it tells contestants apart as the others do.

    Contestants that do not read the items, or that know their gold, are left out.

    Raises:
        InputError: No logs there, or no task has the metric.
        VivaError: As `open_logs` says, or nowhere have two contestants run.
    """
    found, notes, _ = open_logs(logs, **reading)
    places: dict[Place, list[RunLog]] = defaultdict(list)
    for log in found:
        if log.key.method not in _CONTROLS and metric in (None, *log.metrics, *log.diagnostics):
            places[log.key.place].append(log)
    if metric is not None and not any(metric in (*log.metrics, *log.diagnostics) for log in found):
        raise InputError(f"{logs} has no metric {metric!r}.")
    groups: list[Row] = []
    items: list[Row] = []
    for place in sorted(places):
        if len(places[place]) > 1:
            group, rows = _place_rows(place, places[place], metric)
            groups.append(group)
            items += rows
    if not groups:
        raise VivaError(
            f"{logs} holds no task that two contestants ran, controls left out. Items are judged "
            "by what several make of them."
        )
    return ItemAudit(tuple(groups), tuple(items), tuple(notes))


def _place_rows(place: Place, logs: Sequence[RunLog], metric: str | None) -> tuple[Row, list[Row]]:
    name = metric or logs[0].metrics[0]
    clusters: dict[str, str] = {}
    for log in logs:
        clusters |= log.item_clusters()
    ids = sorted(clusters)
    values = [log.item_values(name) for log in logs]
    table = np.array([[of.get(item, math.nan) for of in values] for item in ids])
    found = item_statistics(table)
    worst = _worst(logs[0].family, name)
    of_place = {**dict(zip(PLACE, place, strict=True)), "metric": name}
    rows = [
        {
            **of_place,
            "id": item,
            "cluster": clusters[item],
            "contestants": int(found.contestants[at]),
            "value": defined(found.mean[at]),
            "ci": _ends(found.low[at], found.high[at]),
            "rest": {
                "value": defined(found.rest[at]),
                "ci": _ends(found.rest_low[at], found.rest_high[at]),
            },
            "state": _state(found, at, worst),
        }
        for at, item in enumerate(ids)
    ]
    states = [row["state"] for row in rows]
    return {
        **of_place,
        "contestants": sorted(log.contestant for log in logs),
        "logs": [log.name for log in logs],
        "items": len(rows),
        **{state.replace(" ", "_"): states.count(state) for state in (ALL_FAIL, ALIKE, AGAINST)},
    }, rows


def _worst(family: str, metric: str) -> float | None:
    """The value of an answer that is worth nothing; None where the metric does not tell."""
    known = metrics_of(family).get(metric)
    if known is None or known.low is None or known.low < 0:
        return None
    return known.low if known.higher_is_better else known.high


def _state(found: ItemTable, at: int, worst: float | None) -> str:
    if not found.contestants[at]:
        return UNDEFINED
    if found.is_alike[at]:
        return ALL_FAIL if worst is not None and found.mean[at] == worst else ALIKE
    return AGAINST if found.rest[at] <= 0 else ""


def _ends(low: float, high: float) -> list[float] | None:
    return None if math.isnan(low + high) else [float(low), float(high)]
