"""Items of a round as its contestants met them: hard ones, dead ones, and those that contradict.

With a dozen contestants no model of several parameters an item can be fitted. They carry the mean,
the correlation with the rest of the items, and a list of items that say nothing.

Source: Lord and Novick, Statistical Theories of Mental Test Scores (1968), sections 15.2 and 15.4
(item difficulty, item-rest correlation); Fisher's z for the interval of a correlation.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Unpack

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError, VivaError
from vivavoce.metrics import metrics_of
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.logs.records import PLACE, Place, RunLog
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, defined
from vivavoce.store import Row
from vivavoce.tasks import CEILING

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Statistics of every item, NaN where one cannot be had."""

    contestants: npt.NDArray[np.int64]
    """Contestants with a value."""
    mean: Floats
    """Over contestants: of a metric where more is better, the lower the harder."""
    low: Floats
    high: Floats
    """The 95% interval over contestants; from two on."""
    rest: Floats
    """Correlation over contestants with their means on all other items; from three on."""
    rest_low: Floats
    rest_high: Floats
    """Its 95% interval; from four contestants on."""
    is_alike: npt.NDArray[np.bool_]
    """Check whether two contestants or more all have the same value."""


def item_statistics(values: npt.ArrayLike) -> ItemTable:
    """Statistics of items from a table of shape (items, contestants), NaN for undefined.

    Raises:
        InputError: The values are no table, or one is infinite.
    """
    from scipy.stats import t

    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise InputError(f"values of shape {table.shape} are no table of finite values or NaN.")
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    filled = np.where(known, table, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=1) / count
        apart = _apart(filled, known)
        squares = (apart**2).sum(axis=1)
        size = np.abs(filled).max(axis=1, initial=0.0)
        is_even = squares <= (_ROUNDING * size) ** 2 * np.maximum(count, 1)
        error = np.sqrt(np.where(is_even, 0.0, squares) / (count - 1) / count)
        reach = t.ppf((1 + DEFAULT_LEVEL) / 2, np.maximum(count - 1, 1)) * error
        reach[count < 2] = np.nan
        rest, shared = _with_the_rest(filled, known)
        rest[is_even] = np.nan
        rest[shared < 3] = np.nan
        z = NormalDist().inv_cdf((1 + DEFAULT_LEVEL) / 2) / np.sqrt(np.maximum(shared - 3, 0))
        center = np.arctanh(np.clip(rest, -1 + 1e-9, 1 - 1e-9))
        low, high = (np.where(shared > 3, np.tanh(center + sign * z), np.nan) for sign in (-1, 1))
    is_alike = is_even & (count > 1)
    return ItemTable(count, mean, mean - reach, mean + reach, rest, low, high, is_alike)


def _with_the_rest(
    filled: Floats, known: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Correlation of each item with its contestants' means on other items, and their number."""
    others = known.sum(axis=0) - known
    both = known & (others > 0)
    rest = np.where(both, (filled.sum(axis=0) - filled) / others, 0.0)
    own = _apart(np.where(both, filled, 0.0), both)
    away = _apart(rest, both)
    spread, kept = ((away**2).sum(axis=1), (own**2).sum(axis=1))
    scale = np.sqrt(np.where(spread > _ROUNDING**2, spread * kept, 0.0))
    found = np.full(len(filled), np.nan)
    np.divide((own * away).sum(axis=1), scale, out=found, where=scale > 0)
    return found, both.sum(axis=1)


def _apart(values: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Deviations of known values from their means by row, 0 for the others."""
    middle = values.sum(axis=1) / known.sum(axis=1)
    return np.where(known, values - middle[:, None], 0.0)


ALL_FAIL, ALIKE, AGAINST, UNDEFINED = "all fail", "alike", "against the rest", "undefined"
_CONTROLS = (CEILING, "null", "copycat", "random")
_LISTED = 10
"""Items that each printed list names."""


@dataclass(frozen=True, slots=True)
class ItemAudit(Report):
    """The report of `viva board show --by item`."""

    groups: tuple[Row, ...]
    """One row a round, task and setting."""
    items: tuple[Row, ...]
    """One row an item of these."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Counts of each task, then its items that say little and its hardest others."""
        columns = (
            *(Column("id", "item", form=".60"), Column("value", ci="ci")),
            *(Column("rest", "with the rest"), "state"),
        )
        for group in self.groups:
            rows = [row for row in self.items if all(row[name] == group[name] for name in PLACE)]
            place = f"{group['task']} · {group['setting']} · round {group['round']}"
            yield sheet(
                f"{place} · {group['metric']}",
                [group],
                "items",
                Column(lambda row: len(row["contestants"]), "contestants"),
                *(Column(state.replace(" ", "_"), state) for state in (ALL_FAIL, ALIKE, AGAINST)),
            )
            poor = [row for row in rows if row["state"]]
            poor.sort(key=lambda row: (row["rest"]["value"] is None, row["rest"]["value"] or 0.0))
            title = f"Items that say little, {min(_LISTED, len(poor))} of {len(poor)}"
            yield sheet(title, poor[:_LISTED], *columns)
            known = [row for row in rows if row["value"] is not None and not row["state"]]
            known.sort(key=lambda row: row["value"])
            yield sheet("The lowest values of the others", known[:_LISTED], *columns)
        yield (
            "value: mean over contestants; with the rest: correlation with their means on other "
            "items;\n[95% interval over contestants]."
        )


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
