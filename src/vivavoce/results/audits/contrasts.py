"""Comparisons of the logs in a folder, which are selected as for a board.

- Gains from added context: a setting against the same contestant without the context. Source:
  AcademicEval, tables 3 and 4, which print separate means.
- Drift of contestants: their scores on the anchors, items that two rounds share.
- One number over the parts of a paper: each paper gets its mean headline metric over its tasks.
  Only tasks with the same headline metric are combined, and only contestants that ran all of them
  are compared. Source: AcademicEval has four parts of one paper and reports them separately.
- Agreement of two metrics. Over contestants: Kendall's tau-b between their means over shared items;
  its interval comes from draws of whole clusters. Over items: the share of pairs of answers to an
  item that both metrics order alike, averaged over items; pairs equal in either metric are left
  out. If lower is better, the order is reversed. Source: tau-b: Kendall 1945; system and summary
  level as in Deutsch et al. 2021.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.metrics import sense_of
from vivavoce.reports import Column, Layout, Sheet, Table, grouped, headlines, sheet
from vivavoce.results.logs.records import PLACE, Place, RowKey, RunLog
from vivavoce.results.logs.selection import open_logs
from vivavoce.rounds import Round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.rounds.family import SPLIT_LABELS
from vivavoce.statistics.estimates import Draws, kendall, mean_estimate, paired_row
from vivavoce.statistics.intervals import Floats, defined, percentile_interval
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
    """Make a report on a board's logs; `reading` has fields of `Reading`.

    If there are no rows, `lacking` says which logs are missing, and how to make them.

    Raises:
        NothingToAuditError: There are no rows.
    """
    run_logs, notes, draws = open_logs(logs, **reading)
    rows, more = make(run_logs, draws)
    if not rows:
        raise NothingToAuditError(f"{logs} has {lacking}")
    return Table(tuple(rows), tuple(sorted([*notes, *more])), layout)


def counterparts(
    logs: Sequence[RunLog], changed: Callable[[RowKey], dict[str, str]], note: str
) -> tuple[list[tuple[RunLog, RunLog]], list[str]]:
    """Pair each log with its counterpart; also return notes on logs without one.

    `changed` gives the fields that a key's counterpart changes; a log that stays the same has none,
    nor has the ceiling. The template `note` may use the fields of a key, `contestant`, and `other`,
    the changed value.
    """
    by_key = {log.key: log for log in logs}
    pairs, notes = [], []
    for log in logs:
        fields = changed(log.key)
        wanted = replace(log.key, **fields)
        if log.key.method == CEILING or wanted == log.key:
            continue
        if (other := by_key.get(wanted)) is not None:
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
    first: RunLog, second: RunLog, metric: str, draws: Draws, only: Collection[str] | None = None
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
    pairs, notes = counterparts(
        logs,
        lambda key: {"setting": base_of(key.setting)},
        "{contestant} has no log of {task} in the setting {other} with the same decoding, prompts "
        "and judge to compare {setting} with.",
    )
    rows = []
    for log, base in pairs:
        for metric in log.metrics:
            comparison = contrast(base, log, metric, draws)
            rows.append(
                {
                    **described(log, metric),
                    "base": base.key.setting,
                    "value_base": comparison["a"],
                    "value": comparison["b"],
                    "gain": comparison["difference"],
                    "ci": comparison["ci"],
                    "n": comparison["n"],
                    "n_base": base.items,
                    "n_setting": log.items,
                    "undecided": comparison["undecided"],
                }
            )
    return rows, notes


def base_of(setting: str) -> str:
    """The base setting to compare a setting with, on the same track.

    `mixed+padded@1` is compared with `base+padded`, which is compared with `base`. A subset of the
    items, such as `mixed (60 of 400)` or `mixed+test`, is compared with the same subset.
    """
    shown, space, items = setting.partition(" ")
    name, *track = shown.partition("@")[0].split("+")
    kept = [part for part in track if name != BASE or part in SPLIT_LABELS]
    return "+".join([BASE, *kept]) + space + items


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

        def earlier(key: RowKey) -> dict[str, str]:
            is_later = key.round == opened.id and tasks[key.task] in anchors
            return {"round": before} if is_later else {}

        pairs, notes = counterparts(
            logs,
            earlier,
            "{contestant} has no log of {task} ({setting}) on {other} with the same decoding, "
            "prompts and judge.",
        )
        rows = []
        for later, sooner in pairs:
            for metric in later.metrics:
                drift = contrast(sooner, later, metric, draws, anchors[tasks[later.key.task]])
                rows.append(
                    {
                        **described(later, metric),
                        "before": sooner.key.round,
                        "anchors": drift["n"],
                        "anchors_before": drift["a"],
                        "anchors_now": drift["b"],
                        "drift": drift["difference"],
                        "drift_ci": drift["ci"],
                        "undecided": drift["undecided"],
                    }
                )
        return rows, notes

    lacking = (
        f"no contestant that ran on both {before} and {opened.id}. Run the same tasks, "
        "settings and contestants on both."
    )
    return report_of(_drift_parts, logs, make, lacking, **reading)


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
    groups: dict[_Group, dict[_Who, dict[str, RunLog]]] = defaultdict(lambda: defaultdict(dict))
    for log in logs:
        group = log.key.round, log.family, log.key.setting, log.metrics[0]
        # The maximum length of an answer belongs to the task, not to the contestant.
        decoding = " ".join(_MAX_ANSWER.sub("", log.key.decoding).split())
        who = log.contestant, log.key.model, log.key.method, decoding, log.key.judge
        groups[group][who][log.key.task] = log
    rows: list[Row] = []
    notes = []
    for group in sorted(groups):
        tasks = sorted({task for of_tasks in groups[group].values() for task in of_tasks})
        of_group = []
        for who, of_tasks in groups[group].items() if len(tasks) > 1 else ():
            if lacking := [task for task in tasks if task not in of_tasks]:
                names = ", ".join(lacking)
                notes.append(f"{who[0]} did not run {names} in the setting {group[2]}; left out.")
            else:
                of_group.append(_overall_row(group, who, [of_tasks[t] for t in tasks], draws))
        rows += sorted(of_group, key=lambda r: (-r["value"], r["contestant"], r["decoding"]))
    return rows, notes


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


def _agreement_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per task and setting: the headline metric beside every other metric."""
    for rows in grouped(headlines(every), *PLACE):
        first = rows[0]
        title = f"{first['task']} · {first['setting']} · round {first['round']}"
        yield sheet(
            f"{title}: agreement of metrics",
            rows,
            *("first", "second"),
            Column("tau", "contestants: tau", ci="tau_ci"),
            Column("contestants", "n"),
            Column("agreement", "items: share of pairs", ci="agreement_ci"),
            Column("items", "n"),
        )
    yield (
        "tau: 1 if both rank the contestants alike, -1 if in reverse.\n"
        "share of pairs: answers to one item that both order alike; 0.5 is chance.\n"
        "value [95% interval]; --json also has the pairs of other metrics."
    )


def metric_agreement(logs: Path | str, **reading: Any) -> Table:
    """Agreement of each pair of metrics of a task, over contestants and over items."""
    lacking = "no task with two metrics, two contestants and a shared item."
    return report_of(_agreement_parts, logs, _agreement_rows, lacking, **reading)


def _agreement_rows(run_logs: Sequence[RunLog], draws: Draws) -> Rows:
    groups: dict[Place, list[RunLog]] = defaultdict(list)
    for log in run_logs:
        if log.key.method != CEILING:
            groups[log.key.place].append(log)
    rows: list[Row] = []
    for place, logs in sorted(groups.items()):
        names = [(*log.metrics, *log.diagnostics) for log in logs]
        shared = [name for name in names[0] if all(name in others for others in names)]
        for first, second in combinations(shared, 2):
            if row := _agreement_row(logs, first, second, draws):
                rows.append({**dict(zip(PLACE, place, strict=True)), **row})
    return rows, []


def _agreement_row(logs: Sequence[RunLog], first: str, second: str, draws: Draws) -> Row | None:
    items = sorted(set.intersection(*({*log.item_clusters()} for log in logs)))
    if len(logs) < 2 or not items:
        return None
    one, other = (_signed_values(logs, name, items) for name in (first, second))
    # Use only items for which both metrics are defined for all contestants.
    kept = ~np.isnan(np.hstack([one, other])).any(axis=1)
    clusters = logs[0].item_clusters()
    labels = [clusters[item] for item in np.array(items)[kept].tolist()]
    if not labels:
        return None
    one, other = one[kept], other[kept]
    shares = [_share_alike(a, b) for a, b in zip(one, other, strict=True)]
    agreement = mean_estimate(shares, labels, draws)
    means = [side.mean(axis=0, keepdims=True) for side in (one, other)]
    drawn = draws.of(labels)
    interval = None
    if drawn.gives_intervals:
        taus = kendall(drawn.means(one), drawn.means(other))
        interval = percentile_interval(taus[~np.isnan(taus)])
    return {
        "first": first,
        "second": second,
        "tau": defined(float(kendall(*means)[0])),
        "tau_ci": interval,
        "contestants": len(logs),
        "agreement": agreement.value,
        "agreement_ci": agreement.ci,
        "items": agreement.n,
        "headline": first == logs[0].metrics[0],
    }


def _signed_values(logs: Sequence[RunLog], metric: str, items: Sequence[str]) -> Floats:
    """Values of shape (items, contestants), signed so that higher is always better."""
    higher, _ = sense_of(logs[0].family, metric)
    values = (log.item_values(metric) for log in logs)
    columns = [[one[item] for item in items] for one in values]
    return np.array(columns, np.float64).T * (1 if higher else -1)


def _share_alike(one: Floats, other: Floats) -> float:
    """Share of pairs ordered alike, among the pairs that both order; NaN if there are none."""
    signs = [np.sign(side[:, None] - side[None, :]) for side in (one, other)]
    both = signs[0] * signs[1]
    ordered = np.count_nonzero(both)
    return np.count_nonzero(both > 0) / ordered if ordered else math.nan
