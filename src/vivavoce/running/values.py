"""Values of items as a log holds them, for looks at a run and plans of another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum, nan
from typing import Any

from vivavoce.statistics.ratios import spread


def item_values(
    path: str, metric: str, items: Collection[str] | None, pooling: Mapping[str, Any] | None
) -> dict[str, float]:
    """Each item's mean over its defined answers; NaN where none is defined.

    `pooling` says how the values of a metric add up that is no mean over items.
    """
    from inspect_ai.log import read_eval_log_sample_summaries

    from vivavoce.tasks.scoring.guard import our_scores

    answers: dict[str, list[Any]] = {}
    for summary in sorted(read_eval_log_sample_summaries(path), key=lambda each: each.epoch):
        item = str(summary.id)
        if summary.scores and not summary.error and (items is None or item in items):
            answers.setdefault(item, []).append(our_scores(summary.scores)[0])
    if pooling and answers:
        counts = [[(one.metadata or {})["counts"] for one in each] for each in answers.values()]
        found = spread(counts, pooling["how"], pooling["averages"])
        if metric in found:
            return dict(zip(answers, map(float, found[metric]), strict=True))
    return {item: _mean([one.as_dict()[metric] for one in each]) for item, each in answers.items()}


def _mean(values: list[Any]) -> float:
    known = [float(value) for value in values if value is not None and value == value]
    return fsum(known) / len(known) if known else nan
