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
from collections.abc import Sequence
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.results.logs.audited import AuditedLog, item_clusters, item_values, read_audited
from vivavoce.results.reports import Table
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row

_MAX_ANSWER = re.compile(r"\bmax_tokens=\w+,?")

_Group = tuple[str, str, str, str]
"""Round, family, setting and headline metric."""
_Who = tuple[str, str, str, str, str]
"""Contestant, model, method, decoding and judge."""


def overall_scores(
    logs: Path | str, *, partial: bool = False, resamples: int = 10_000, seed: int = 0
) -> Table:
    """The mean over a paper's tasks, for each contestant that ran all tasks of a family.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete and `partial` was not asked for, or no family has two tasks
            with one headline metric that a contestant ran.
    """
    found, notes = read_audited(Path(logs), partial=partial)
    groups: dict[_Group, dict[_Who, dict[str, AuditedLog]]] = defaultdict(dict)
    for audited in found:
        group, who = _group_of(audited), _who_of(audited)
        groups[group].setdefault(who, {})[audited.key.task] = audited
    rows: list[Row] = []
    for group in sorted(groups):
        made, missing = _group_rows(group, groups[group], Draws(resamples, seed))
        rows += made
        notes += missing
    if not rows:
        raise VivaError(
            f"{logs} holds no contestant that ran two tasks of a family in one setting. "
            "Run the family's other tasks into the same folder."
        )
    return Table(tuple(rows), tuple(sorted(notes)))


def _group_of(audited: AuditedLog) -> _Group:
    log = audited.log
    return (log.key.round, log.family, log.key.setting, log.metrics[0])


def _who_of(audited: AuditedLog) -> _Who:
    key = audited.key
    # The longest answer belongs to the task, and not to who answers.
    decoding = " ".join(_MAX_ANSWER.sub("", key.decoding).split())
    return (audited.contestant, key.model, key.method, decoding, key.judge)


def _group_rows(
    group: _Group, contestants: dict[_Who, dict[str, AuditedLog]], draws: Draws
) -> tuple[list[Row], list[str]]:
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


def _row(group: _Group, who: _Who, logs: Sequence[AuditedLog], draws: Draws) -> Row:
    values: dict[str, list[float]] = defaultdict(list)
    for audited in logs:
        clusters = item_clusters(audited.log)
        for item, value in item_values(audited.log, group[3]).items():
            if not math.isnan(value):
                values[clusters[item]].append(value)
    papers = sorted(values)
    means = [math.fsum(values[paper]) / len(values[paper]) for paper in papers]
    estimate = mean_estimate(means, papers, draws)
    return {
        "round": group[0],
        "family": group[1],
        "setting": group[2],
        "metric": group[3],
        "tasks": [audited.key.task for audited in logs],
        "contestant": who[0],
        "model": who[1],
        "method": who[2],
        "decoding": who[3],
        "judge": who[4],
        **estimate.fields(),
        "in_all_tasks": sum(len(values[paper]) == len(logs) for paper in papers),
    }
