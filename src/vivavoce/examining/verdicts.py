"""Verdicts of an exam: who is better at what, by how much, for what cost, and in plain words.

Of several models a verdict is what the run decided when it stopped. One model is held against the
baselines by the ranks of their board. Nothing else is called a difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from vivavoce.examining.planning import Chosen, compare_values, sureness, total, words
from vivavoce.examining.request import Request
from vivavoce.metrics.judgement import WIN_RATE
from vivavoce.results.board.head_to_head import duel
from vivavoce.results.board.pairing import Pair, Side
from vivavoce.results.logs.records import NO_MODEL, RunLog, contestant_label
from vivavoce.statistics.intervals import DEFAULT_RESAMPLES
from vivavoce.store import Row

_MAX_PAPERS = 10_000
"""A verdict that would take more papers is not worth naming their number."""
_SHOWN_MISSES = 5
_SIDE_METRICS = 3
"""Further metrics that a verdict tells the values of."""


def log_of(logs: Sequence[RunLog], task: str, model: str, method: str) -> RunLog | None:
    """The newest complete log of a contestant on a task."""
    wanted = contestant_label({"model": model, "method": method})
    mine = [
        log
        for log in logs
        if (log.key.task, log.key.contestant) == (task, wanted) and log.is_complete
    ]
    return max(mine, key=lambda log: log.created, default=None)


def compare(
    request: Request, chosen: Chosen, logs: Sequence[RunLog], board: Sequence[Row]
) -> list[Row]:
    """Verdicts on every pair of several models, or on one model and each of the baselines."""
    ask = [(name, name, chosen.method) for name in request.models]
    if len(request.models) == 1:
        ask += [(name, NO_MODEL, name) for name in chosen.baselines]
    found = [
        Side(name, log, request.logs)
        for name, model, method in ask
        if (log := log_of(logs, chosen.task, model, method))
    ]
    pairs = list(combinations(found, 2))
    if len(request.models) == 1:
        pairs = [pair for pair in pairs if pair[0].name in request.models]
    rows = []
    for pair in pairs:
        row = duel(*pair, resamples=DEFAULT_RESAMPLES, seed=0)
        lead = next(one for one in row["metrics"] if one["metric"] == chosen.metric)
        if len(request.models) == 1:
            better = _better_on(board, chosen, pair, lead)
        else:
            better = {"a": pair[0].name, "b": pair[1].name, None: None}[lead["better"]]
        rows.append(_verdict(chosen, pair, row, lead, better, len(pairs)))
    return rows


def _better_on(board: Sequence[Row], chosen: Chosen, pair: Pair, lead: Row) -> str | None:
    """The better of two by the ties of their board; None where it does not tell."""
    [mine] = (
        row
        for row in board
        if (row["headline"], row["task"]) == (True, chosen.task)
        and contestant_label(row) == pair[0].log.key.contestant
    )
    ahead = (lead["difference"] or 0.0) * (1 if lead["higher_is_better"] else -1)
    if pair[1].name in mine["tied_with"] or not ahead:
        return None
    return pair[0].name if ahead > 0 else pair[1].name


def _verdict(
    chosen: Chosen, sides: Pair, row: Row, lead: Row, better: str | None, pairs: int
) -> Row:
    """A verdict; the difference is that of the better less the worse, else a less b."""
    names = [side.name for side in sides]
    is_turned = better == names[1]
    sign = -1 if is_turned else 1
    ci = lead["ci"] and sorted(sign * end for end in lead["ci"])
    judged = sides[0].log.judged
    further = [
        one
        for one in row["metrics"]
        if None not in (one["a"], one["b"], one["higher_is_better"])
        and (one["metric"] == WIN_RATE or not (one["ranks"] or one["metric"] in judged))
    ]
    verdict = {
        "task": chosen.task,
        "metric": chosen.metric,
        "better": better,
        "worse": next((name for name in names if better and name != better), None),
        "between": names,
        "difference": None if lead["difference"] is None else sign * lead["difference"],
        "ci": ci,
        "decided": better is not None,
        "items": row["items"],
        "of": chosen.items,
        "papers": row["clusters"],
        "more_papers_needed": None if better else _more_papers(chosen.metric, sides, pairs),
        "values": dict(zip(names, (lead["a"], lead["b"]), strict=True)),
        "also": [
            {"metric": one["metric"], **dict(zip(names, (one["a"], one["b"]), strict=True))}
            for one in further[:_SIDE_METRICS]
        ],
        "invalid": {
            side.name: sum(s.fault is not None for s in side.log.samples) for side in sides
        },
        "cost": {side.name: cost_of(side.log) for side in sides},
    }
    return verdict | {"words": words(verdict)}


def cost_of(log: RunLog) -> float | None:
    """Dollars of a log's answers and of their judge; None where prices are not known."""
    costs = [sample.cost for sample in log.samples]
    judged = [sample.judge_cost for sample in log.samples if sample.judge_cost is not None]
    return total([*costs, *judged])


def _more_papers(metric: str, sides: Sequence[Side], pairs: int) -> int | None:
    """Papers beside these that would show the difference seen, four times out of five.

    None where the two are so near that nobody will have so many papers.
    """
    gap, least, clusters = compare_values([side.log for side in sides], metric)
    if not least or not gap:
        return None
    needed = clusters * (least * sureness(pairs) / gap) ** 2
    return max(1, math.ceil(needed) - clusters) if needed <= _MAX_PAPERS else None


def worst_items(
    request: Request, chosen: Chosen, logs: Sequence[RunLog], titles: Mapping[str, str | None]
) -> list[Row]:
    """The items on which the one model did worst, the worst first."""
    log = log_of(logs, chosen.task, request.models[0], chosen.method)
    if log is None:
        return []
    values = log.item_values(chosen.metric)
    samples = {sample.id: sample for sample in reversed(log.samples)}
    worst = sorted(values, key=lambda item: (not math.isnan(values[item]), values[item], item))
    return [
        {
            "task": chosen.task,
            "id": item,
            "title": titles.get(samples[item].cluster),
            "value": None if math.isnan(values[item]) else values[item],
            "fault": samples[item].fault,
        }
        for item in worst[:_SHOWN_MISSES]
    ]


def baseline_rows(chosen: Sequence[Chosen], board: Sequence[Row]) -> list[Row]:
    """Values of the baselines by the metric that each task is ranked by, best first."""
    tasks = {each.task: each for each in chosen}
    rows = [
        {name: row[name] for name in ("task", "method", "metric", "value", "ci")}
        for row in board
        if row["headline"]
        and row["task"] in tasks
        and row["method"] in tasks[row["task"]].baselines
    ]
    return sorted(rows, key=lambda row: (row["task"], -(row["value"] or 0.0), row["method"]))
