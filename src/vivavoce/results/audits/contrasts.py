"""Contrasts: comparisons of logs in a folder, item by item and metric by metric.

A contrast is a layout and a function from logs to rows. All contrasts select logs as a board does,
pair logs that differ in one field of their keys, and take differences over shared items.

- Gains from added context: a setting against the same contestant without the context. Source:
  AcademicEval, tables 3 and 4, which print separate means.
- Drift of contestants: their scores on the anchors, items that two rounds share.
- One number over the parts of a paper: each paper gets its mean headline metric over its tasks.
  Only tasks with the same headline metric are combined, and only contestants that ran all of them
  are compared. Source: AcademicEval has four parts of one paper and reports them separately.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.metrics import sense_of
from vivavoce.reports import Column, Layout, Sheet, Table, grouped, headlines, sheet
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import open_logs
from vivavoce.rounds import Round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.rounds.family import SPLIT_LABELS
from vivavoce.statistics.estimates import Draws, mean_estimate, paired_row
from vivavoce.store import Row
from vivavoce.tasks import CEILING

Rows = tuple[list[Row], list[str]]
"""Rows and notes of a report."""


def report_of(
    layout: Layout,
    logs: Path | str,
    make: Callable[[list[RunLog], Draws], Rows],
    lacking: str,
    **reading: Any,
) -> Table:
    """Make a report on the logs in a folder.

    Args:
        layout: Function from rows to sheets and lines.
        logs: Folder of logs.
        make: Function from a board's logs to rows and notes.
        lacking: If there are no rows: which logs are missing in the folder, and how to make them.
        reading: Fields of `Reading`.
    """
    run_logs, notes, draws = open_logs(logs, **reading)
    rows, more = make(run_logs, draws)
    if not rows:
        raise NothingToAuditError(f"{logs} has {lacking}")
    return Table(tuple(rows), tuple(sorted([*notes, *more])), layout)


def counterparts(
    logs: Sequence[RunLog], changed: Callable[[RowKey], dict[str, str] | None], note: str
) -> tuple[list[tuple[RunLog, RunLog]], list[str]]:
    """Pair each log with its counterpart; also return notes on logs without one.

    Args:
        logs: Logs; the ceiling has no counterpart.
        changed: Function from a key to the fields that its counterpart changes; None without one.
        note: Template of a note; it may use the fields of a key, `contestant`, and `other`, the
            changed value.
    """
    by_key = {log.key: log for log in logs}
    pairs, notes = [], []
    for log in logs:
        fields = None if log.key.method == CEILING else changed(log.key)
        if fields is None:
            continue
        if (other := by_key.get(replace(log.key, **fields))) is not None:
            pairs.append((log, other))
        else:
            names = {**asdict(log.key), "contestant": log.contestant}
            notes.append(note.format(**names, other=next(iter(fields.values()))))
    return pairs, notes


def described(log: RunLog, metric: str) -> Row:
    """Fields that identify a row: the log's key, its contestant, and the metric."""
    key = {**asdict(log.key), "contestant": log.contestant}
    return {**key, "metric": metric, "headline": metric == log.metrics[0]}


def contrast(
    first: RunLog,
    second: RunLog,
    metric: str,
    draws: Draws,
    only: Collection[str] | None = None,
) -> Row:
    """Second minus first over shared items, or only those in `only`: see `paired_row`."""
    values = second.item_values(metric)
    kept = {item: value for item, value in values.items() if only is None or item in only}
    _, span = sense_of(second.family, metric)
    return paired_row(first.item_values(metric), kept, second.item_clusters(), draws, span)


BASE = "base"


def _gain_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per round."""
    for rows in grouped(every, "round"):
        yield sheet(
            f"Round {rows[0]['round']}: gain over the setting without added context",
            [row for row in rows if row["headline"]],
            *("task", "contestant", "setting", "metric"),
            Column("value_base", "base"),
            Column("value", "with it"),
            Column("gain", ci="ci"),
            *("n", "undecided"),
        )
    yield (
        "base and with it: means over the n shared items; gain [95% interval of the difference]."
    )


def context_gains(logs: Path | str, **reading: Any) -> Table:
    """Gain of each setting over the base setting, by contestant, task and metric."""
    lacking = (
        f"no contestant that ran in the setting {BASE} and in another one. Run the task again with "
        "--setting into the same folder."
    )
    return report_of(_gain_parts, logs, _gain_rows, lacking, **reading)


def _gain_rows(logs: Sequence[RunLog], draws: Draws) -> Rows:
    """Rows for settings that have a base to compare with, and notes on the others."""

    def base_setting(key: RowKey) -> dict[str, str] | None:
        base = base_of(key.setting)
        return None if base == key.setting else {"setting": base}

    pairs, notes = counterparts(
        logs,
        base_setting,
        "{contestant} has no log of {task} in the setting {other} with the same decoding, prompts "
        "and judge to compare {setting} with.",
    )
    return [_gain(base, log, m, draws) for log, base in pairs for m in log.metrics], notes


def base_of(setting: str) -> str:
    """The base setting to compare a setting with, on the same track.

    `mixed+padded@1` is compared with `base+padded`, which is compared with `base`. A subset of the
    items, such as `mixed (60 of 400)` or `mixed+test`, is compared with the same subset.
    """
    shown, space, items = setting.partition(" ")
    name, *track = shown.partition("@")[0].split("+")
    kept = [part for part in track if name != BASE or part in SPLIT_LABELS]
    return "+".join([BASE, *kept]) + space + items


def _gain(base: RunLog, other: RunLog, metric: str, draws: Draws) -> Row:
    comparison = contrast(base, other, metric, draws)
    return {
        **described(other, metric),
        "base": base.key.setting,
        "value_base": comparison["a"],
        "value": comparison["b"],
        "gain": comparison["difference"],
        "ci": comparison["ci"],
        "n": comparison["n"],
        "n_base": base.items,
        "n_setting": other.items,
        "undecided": comparison["undecided"],
    }


def _drift_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table."""
    yield sheet(
        "",
        headlines(every),
        *("contestant", "task", "setting", "metric", "anchors"),
        Column("anchors_before", "before"),
        Column("anchors_now", "now"),
        Column("drift", ci="drift_ci"),
    )


def drift_of_anchors(logs: Path | str, opened: Round, **reading: Any) -> Table:
    """Compare each contestant on the anchors of a round and its parent.

    `drift` is a difference paired by anchor, so only the contestant can have caused it.
    """
    anchors = {task: set(ids) for task, ids in anchors_of(opened).items() if ids}
    if not anchors:
        raise InputError(
            f"Round {opened.id} has no anchors. Give [update] anchors in the spec of its parent."
        )
    before = str(opened.manifest["parent"]["id"])

    def make(logs: list[RunLog], draws: Draws) -> Rows:
        tasks = {log.key.task: f"{log.family}/{log.key.task}" for log in logs}

        def earlier(key: RowKey) -> dict[str, str] | None:
            is_later = key.round == opened.id and tasks[key.task] in anchors
            return {"round": before} if is_later else None

        pairs, notes = counterparts(
            logs,
            earlier,
            "{contestant} has no log of {task} ({setting}) on {other} with the same decoding, "
            "prompts and judge.",
        )
        rows = [
            _drift_row(sooner, later, anchors[tasks[later.key.task]], metric, draws)
            for later, sooner in pairs
            for metric in later.metrics
        ]
        return rows, notes

    lacking = (
        f"no contestant that ran on both {before} and {opened.id}. Run the same tasks, "
        "settings and contestants on both."
    )
    return report_of(_drift_parts, logs, make, lacking, **reading)


def _drift_row(
    sooner: RunLog, later: RunLog, kept: Collection[str], metric: str, draws: Draws
) -> Row:
    drift = contrast(sooner, later, metric, draws, kept)
    return {
        **described(later, metric),
        "before": sooner.key.round,
        "anchors": drift["n"],
        "anchors_before": drift["a"],
        "anchors_now": drift["b"],
        "drift": drift["difference"],
        "drift_ci": drift["ci"],
        "undecided": drift["undecided"],
    }


_MAX_ANSWER = re.compile(r"\bmax_tokens=\w+,?")

_Group = tuple[str, str, str, str]
"""Round, family, setting and headline metric."""
_Who = tuple[str, str, str, str, str]
"""Contestant, model, method, decoding and judge."""


def _overall_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per round, family and setting."""
    for rows in grouped(every, "round", "family", "setting"):
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
    yield "mean over papers of their means over tasks [95% interval over papers]."


def overall_scores(logs: Path | str, **reading: Any) -> Table:
    """Mean over papers of each paper's mean over tasks, for contestants that ran all the tasks."""
    lacking = (
        "no contestant that ran two tasks of a family in one setting. Run the family's other tasks "
        "into the same folder."
    )
    return report_of(_overall_parts, logs, _overall_rows, lacking, **reading)


def _overall_rows(logs: Sequence[RunLog], draws: Draws) -> Rows:
    groups: dict[_Group, dict[_Who, dict[str, RunLog]]] = defaultdict(dict)
    for log in logs:
        group = log.key.round, log.family, log.key.setting, log.metrics[0]
        # The maximum length of an answer belongs to the task, not to the contestant.
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
                f"{who[0]} did not run {', '.join(lacking)} in the setting {group[2]}; left out."
            )
            continue
        rows.append(_overall_row(group, who, [logs[task] for task in tasks], draws))
    return sorted(rows, key=lambda row: (-row["value"], row["contestant"], row["decoding"])), notes


def _overall_row(group: _Group, who: _Who, logs: Sequence[RunLog], draws: Draws) -> Row:
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
