"""Attempts at items: mean, best and spread, by category and difficulty.

A failed attempt counts with its score, or with 0 if there was nothing to score. Successful attempts
are also shown separately. Both kinds are shown with their number.

Source: RD2Bench, section 3.1 and tables 1 to 5, which leave failed attempts out of some means and
count them as 0 in others.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from vivavoce.reports import (
    NOTHING,
    Column,
    Report,
    Sheet,
    by_metric,
    grouped,
    metric_columns,
    sheet,
    shown,
)
from vivavoce.results.logs.records import RowKey, RunLog, SampleScore, contestant_label
from vivavoce.results.logs.selection import open_logs
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.statistics.intervals import defined, mean_of
from vivavoce.store import Row

ALL = "all"
"""Name for rows that cover all categories or all difficulties."""

_REDUCERS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "max": max,
    "std": lambda values: statistics.stdev(values) if len(values) > 1 else math.nan,
}
_ORDER = ("easy", "medium", "hard", "discovery")
"""Order of difficulties; any other name comes first."""


@dataclass(frozen=True, slots=True)
class AttemptTables(Report):
    """Report of `viva board show --by attempts`."""

    groups: tuple[Row, ...]
    """One row per contestant, category, difficulty and metric: means over items."""
    items: tuple[Row, ...]
    """One row per contestant, item and metric."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets on all attempts, then on successful attempts."""
        for rows in grouped(self.groups, "task", "setting", "round"):
            yield _sheet(rows, "", "all attempts; failed ones count with their scores")
            yield _sheet(rows, "_succeeded", "successful attempts")
        yield (
            "mean [95% interval] (highest, standard deviation) over the attempts at an item, then "
            "mean over\nitems; --json counts failures by kind."
        )


def _sheet(rows: Sequence[Row], kind: str, what: str) -> Sheet:
    """Make a sheet: a line per group, a column per metric; `kind` is the suffix of the fields."""
    first = rows[0]

    def place(row: Row) -> tuple[str, ...]:
        names = ("decoding", "prompt_hash", "category", "difficulty", "items")
        return contestant_label(row), *(str(row[name]) for name in names)

    def cell(row: Row) -> str:
        value, highest, deviation = (row[f"{name}{kind}"] for name in _REDUCERS)
        if value is None:
            return NOTHING
        mean = shown({"value": value, "ci": row[f"ci{kind}"]})
        return f"{mean} ({highest:.3f}, {shown(deviation)})"

    return sheet(
        f"{first['task']} · {first['setting']} · round {first['round']}: {what}",
        by_metric(rows, place),
        Column(contestant_label, "contestant"),
        *("category", "difficulty", "items"),
        Column("succeeded" if kind else "attempts", "n"),
        *metric_columns(rows, cell),
    )


def attempt_tables(logs: Path | str, **reading: Any) -> AttemptTables:
    """Tabulate the attempts in a folder of logs, by category and difficulty of the items.

    The bootstrap draws clusters for a group, and attempts for a single item.
    """
    chosen, notes, draws = open_logs(logs, **reading)
    groups: list[Row] = []
    items: list[Row] = []
    for log in chosen:
        by_item = list(log.attempts().values())
        by_item.sort(key=lambda of: (of[0].category, _place(of[0].difficulty)))
        for metric in log.metrics:
            of_items = [_item_row(log, attempts, metric, draws) for attempts in by_item]
            items += of_items
            categories = dict.fromkeys(row["category"] for row in of_items if row["category"])
            difficulties = {row["difficulty"] for row in of_items if row["difficulty"]}
            grades = sorted(difficulties, key=_place)
            for category, difficulty in product([*categories, ALL], [*grades, ALL]):
                members = [
                    row
                    for row in of_items
                    if category in (row["category"], ALL) and difficulty in (row["difficulty"], ALL)
                ]
                if members:
                    grade = {"category": category, "difficulty": difficulty}
                    groups.append(_group_row(members, draws) | grade)
    return AttemptTables(tuple(groups), tuple(items), tuple(notes))


def _place(difficulty: str) -> tuple[int, str]:
    return _ORDER.index(difficulty) if difficulty in _ORDER else -1, difficulty


def _item_row(log: RunLog, attempts: Sequence[SampleScore], metric: str, draws: Draws) -> Row:
    succeeded = [attempt for attempt in attempts if attempt.fault is None]
    good = [value for attempt in succeeded if (value := attempt.values[metric]) is not None]
    # A failed attempt counts as 0 in a metric that it leaves undefined.
    reached = [a.values[metric] if a.fault is None else a.values[metric] or 0.0 for a in attempts]
    values = [value for value in reached if value is not None]
    first = attempts[0]
    return {
        **asdict(log.key),
        "item": first.id,
        "cluster": first.cluster,
        "category": first.category,
        "difficulty": first.difficulty,
        "metric": metric,
        "attempts": len(attempts),
        "succeeded": len(succeeded),
        **_reduce(values),
        "ci": mean_estimate(values, list(map(str, range(len(values)))), draws).fields()["ci"],
        **{f"{name}_succeeded": value for name, value in _reduce(good).items()},
        "faults": _count(attempt.fault for attempt in attempts),
        "stages": _count(_failed_stage(attempt, log.stages) for attempt in attempts),
    }


def _failed_stage(attempt: SampleScore, stages: Sequence[str]) -> str | None:
    """The first stage that an attempt did not pass; None if it passed the last one."""
    reached = [attempt.values[stage] for stage in stages]
    if not stages or reached[-1] == 1:
        return None
    return next(stage for stage, value in zip(stages, reached, strict=True) if value != 1)


def _group_row(items: Sequence[Row], draws: Draws) -> Row:
    """Means over items of each item's mean, best attempt and spread."""
    named = [name for name in items[0] if name.removesuffix("_succeeded") in _REDUCERS]
    columns = {name: [row[name] for row in items] for name in named}
    clusters = [row["cluster"] for row in items]
    return {
        **{name: items[0][name] for name in (*RowKey.__slots__, "metric")},
        "items": len(items),
        "attempts": sum(row["attempts"] for row in items),
        "succeeded": sum(row["succeeded"] for row in items),
        "items_succeeded": sum(row["succeeded"] > 0 for row in items),
        **{name: mean_of(column) for name, column in columns.items()},
        **{
            f"ci{kind}": mean_estimate(columns[f"mean{kind}"], clusters, draws).fields()["ci"]
            for kind in ("", "_succeeded")
        },
        "faults": _sum(row["faults"] for row in items),
        "stages": _sum(row["stages"] for row in items),
    }


def _reduce(values: Sequence[float]) -> dict[str, float | None]:
    reduced = {name: reduce(values) if values else math.nan for name, reduce in _REDUCERS.items()}
    return {name: defined(value) for name, value in reduced.items()}


def _count(names: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(name for name in names if name).items()))


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sorted(sum(map(Counter, counts), Counter()).items()))
