"""One number over the parts of a paper: a contestant's mean over the tasks of a family.

A paper counts with the mean of the headline metric over those tasks that it is an item of, and the
number is the mean over papers. Only tasks with one headline metric are put together, and only
contestants that ran all of them are held against each other.

Source: AcademicEval writes four parts of one paper and prints them apart.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

from vivavoce.reports import Column, Sheet, Table, grouped, sheet
from vivavoce.results.contrast import Rows, report_of
from vivavoce.results.logs.records import RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row

_MAX_ANSWER = re.compile(r"\bmax_tokens=\w+,?")

_Group = tuple[str, str, str, str]
"""Round, family, setting and headline metric."""
_Who = tuple[str, str, str, str, str]
"""Contestant, model, method, decoding and judge."""


class Overall(Table):
    """Report of `viva board show --by part`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round, family and setting."""
        for rows in grouped(self.rows, "round", "family", "setting"):
            first = rows[0]
            of = f"{first['family']} ({', '.join(first['tasks'])})"
            yield sheet(
                f"{of} · {first['setting']} · round {first['round']}",
                rows,
                "contestant",
                Column("value", first["metric"], ci="ci"),
                Column("n", "papers"),
                Column("in_all_tasks", "in all tasks"),
            )
        yield "mean over papers of each one's mean over its tasks [95% interval over papers]."


def overall_scores(logs: Path | str, **reading: Unpack[Reading]) -> Overall:
    """The mean over a paper's tasks, for each contestant that ran all tasks of a family.

    Raises:
        VivaError: As `report_of` says.
    """
    lacking = (
        "no contestant that ran two tasks of a family in one setting. Run the family's other tasks "
        "into the same folder."
    )
    return report_of(Overall, logs, _rows, lacking, **reading)


def _rows(found: Sequence[RunLog], draws: Draws) -> Rows:
    groups: dict[_Group, dict[_Who, dict[str, RunLog]]] = defaultdict(dict)
    for log in found:
        group = log.key.round, log.family, log.key.setting, log.metrics[0]
        # The longest answer belongs to the task, and not to who answers.
        decoding = " ".join(_MAX_ANSWER.sub("", log.key.decoding).split())
        who = log.contestant, log.key.model, log.key.method, decoding, log.key.judge
        groups[group].setdefault(who, {})[log.key.task] = log
    made = [_group_rows(group, groups[group], draws) for group in sorted(groups)]
    return [row for rows, _ in made for row in rows], [note for _, notes in made for note in notes]


def _group_rows(group: _Group, contestants: dict[_Who, dict[str, RunLog]], draws: Draws) -> Rows:
    tasks = sorted({task for logs in contestants.values() for task in logs})
    if len(tasks) < 2:
        return [], []
    rows, notes = [], []
    for who, logs in contestants.items():
        lacking = [task for task in tasks if task not in logs]
        if lacking:
            notes.append(
                f"{who[0]} lacks {', '.join(lacking)} in the setting {group[2]}; left out."
            )
            continue
        rows.append(_row(group, who, [logs[task] for task in tasks], draws))
    return sorted(rows, key=lambda row: (-row["value"], row["contestant"], row["decoding"])), notes


def _row(group: _Group, who: _Who, logs: Sequence[RunLog], draws: Draws) -> Row:
    values: dict[str, list[float]] = defaultdict(list)
    for log in logs:
        clusters = log.item_clusters()
        for item, value in log.item_values(group[3]).items():
            if not math.isnan(value):
                values[clusters[item]].append(value)
    papers = sorted(values)
    means = [math.fsum(values[paper]) / len(values[paper]) for paper in papers]
    estimate = mean_estimate(means, papers, draws)
    return {
        **dict(zip(("round", "family", "setting", "metric"), group, strict=True)),
        "tasks": [log.key.task for log in logs],
        **dict(zip(("contestant", "model", "method", "decoding", "judge"), who, strict=True)),
        **estimate.fields(),
        "in_all_tasks": sum(len(values[paper]) == len(logs) for paper in papers),
    }
