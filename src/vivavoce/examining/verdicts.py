"""Verdicts of an exam: who is better at what, by how much, for what cost, and in plain words.

Of several models a verdict is what the run decided when it stopped. One model is held against the
baselines by the ranks of all contestants. Nothing else is called a difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from vivavoce.examining.planning import ExamTask, total, words
from vivavoce.examining.request import Request
from vivavoce.examining.standings import Standing, log_of
from vivavoce.metrics.judged_text import SUPPORT, WIN_RATE
from vivavoce.results.board.head_to_head import Pair, Side, duel
from vivavoce.results.logs.records import RunLog
from vivavoce.statistics.intervals import DEFAULT_RESAMPLES
from vivavoce.store import Row

_SHOWN_MISSES = 5
_SIDE_METRICS = 3
"""Further metrics that a verdict tells the values of."""


def compare(request: Request, standing: Standing) -> list[Row]:
    """Verdicts on every pair of several models, or on one model and each of the baselines."""
    sides = [
        Side(name, log)
        for name, log in standing.logs.items()
        if name in (request.models if len(request.models) > 1 else standing.rivals)
    ]
    pairs = list(combinations(sides, 2))
    if len(request.models) <= 1:
        pairs = [pair for pair in pairs if pair[0].name in request.models]
    rows = []
    for pair in pairs:
        row = duel(
            *pair, resamples=DEFAULT_RESAMPLES, seed=0, judged_alike=[standing.chosen.metric]
        )
        lead = next(one for one in row["metrics"] if one["metric"] == standing.chosen.metric)
        names = (pair[0].name, pair[1].name)
        if len(request.models) == 1:
            better = next((a for a, b in (names, names[::-1]) if (a, b) in standing.beats), None)
        else:
            better = {"a": names[0], "b": names[1], None: None}[lead["better"]]
        rows.append(_verdict(standing, pair, row, lead, better, len(pairs)))
    return rows


def _verdict(
    standing: Standing, sides: Pair, row: Row, lead: Row, better: str | None, pairs: int
) -> Row:
    """A verdict; the difference is that of the better less the worse, else a less b."""
    chosen, rival = standing.chosen, standing.best_baseline
    names = [side.name for side in sides]
    is_turned = better == names[1]
    sign = -1 if is_turned else 1
    ci = lead["ci"] and sorted(sign * end for end in lead["ci"])
    judged = sides[0].log.judged
    further = [
        one
        for one in row["metrics"]
        if None not in (one["a"], one["b"], one["higher_is_better"])
        and (one["metric"] in (WIN_RATE, *SUPPORT) or not (one["ranks"] or one["metric"] in judged))
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
        "beaten_by": rival if (rival, better) in standing.beats else None,
        "items": row["items"],
        "of": chosen.items,
        "papers": row["clusters"],
        "more_papers_needed": None if better else standing.more_papers((names[0], names[1]), pairs),
        "values": dict(zip(names, (lead["a"], lead["b"]), strict=True)),
        "also": [
            {"metric": one["metric"], **dict(zip(names, (one["a"], one["b"]), strict=True))}
            for one in further[:_SIDE_METRICS]
        ],
        "invalid": {
            side.name: sum(s.fault is not None for s in side.log.samples) for side in sides
        },
        "cost": {side.name: total(s.cost for s in side.log.samples) for side in sides},
    }
    return verdict | {"words": words(verdict)}


def worst_items(
    request: Request, chosen: ExamTask, logs: Sequence[RunLog], titles: Mapping[str, str | None]
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
