"""Results judged as boards: which end of a metric is better, and which scores cannot be.

The results of one task, dataset and metric are judged together. Evidence for a direction is what
lists say, the name of the metric, the order of a list, and scores by date.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from vivavoce.readers.board_names import board_id, metric_key
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, off_scale
from vivavoce.store import Row

OF_ANOTHER_SCALE = "of another scale"
DISPUTED = "direction in dispute"
RESOURCE = "a resource"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a board on a result: columns of the table `results`."""

    higher_is_better: bool | None
    """None where nothing tells."""
    direction_from: tuple[str, ...]
    """Evidence for the direction, the surest first: `source`, `name`, `order`, `values`."""
    set_aside: str | None
    """Reason why the result is on no board."""


def judge_results(rows: Sequence[Row]) -> list[Judgement]:
    """Judge results, in their order.

    Args:
        rows: Rows with `task`, `dataset`, `metric`, `score`, `date`, `higher_is_better` as the
            list gives it, `listed_in` and `position`.
    """
    name_of = cache(board_id)
    boards: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        boards[name_of(row["task"], row["dataset"], row["metric"])].append(number)
    found: dict[int, Judgement] = {}
    for numbers in boards.values():
        judged = _judge_board([rows[number] for number in numbers])
        found.update(zip(numbers, judged, strict=True))
    return [found[number] for number in range(len(rows))]


def _judge_board(rows: Sequence[Row]) -> list[Judgement]:
    metric = most_frequent(row["metric"] for row in rows)
    reasons = [_reason(metric, row["score"]) for row in rows]
    sound = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    off = iter(off_scale(metric_key(metric), [row["score"] for row in sound]))
    reasons = [reason or (OF_ANOTHER_SCALE if next(off) else None) for reason in reasons]
    kept = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    direction = direction_of(
        metric,
        [row["higher_is_better"] for row in kept],
        _lists(kept),
        [(row["date"], row["score"]) for row in kept if row["date"]],
    )
    if direction.is_disputed:
        reasons = [reason or DISPUTED for reason in reasons]
    higher, sources = direction.higher_is_better, direction.sources
    return [Judgement(higher, sources, reason) for reason in reasons]


def _reason(metric: str, score: float | None) -> str | None:
    return RESOURCE if is_resource(metric_key(metric)) else impossible(metric, score)


def _lists(rows: Iterable[Row]) -> list[list[float]]:
    """The scores of each list that holds results of a board, in its order."""
    lists: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        if row["listed_in"] is not None and row["position"] is not None:
            lists[row["listed_in"]].append((row["position"], row["score"]))
    return [[score for _, score in sorted(scores)] for _, scores in sorted(lists.items())]


def most_frequent(names: Iterable[str]) -> str:
    """The most frequent spelling; of several the first in the alphabet."""
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], name), default="")


def judged(rows: Sequence[Row]) -> list[Row]:
    """Rows of results with what their boards say of them."""
    return [
        {
            **row,
            "higher_is_better": judgement.higher_is_better,
            "direction_from": list(judgement.direction_from),
            "set_aside": judgement.set_aside,
        }
        for row, judgement in zip(rows, judge_results(rows), strict=True)
    ]
