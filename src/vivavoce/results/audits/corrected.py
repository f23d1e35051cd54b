"""A judge's win rates corrected by people who labelled a random draw of the items.

A label counts where it holds a contestant against the reference, as the judge does: 1 for a win of
the contestant, 1/2 for a tie, 0 for a loss. Several people of one item count with their mean; of
one person who labelled an item twice, the last label.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from vivavoce.results.audits.human import Label, check_labels, read_labels
from vivavoce.results.audits.verdicts import OVERALL, REFERENCE, TIE, Judged
from vivavoce.results.logs.records import RowKey
from vivavoce.statistics import Estimate, corrected_mean
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row

NOT_DRAWN = (
    "The labels do not say that their items were drawn at random (viva annotate import --draw N "
    "does): if somebody chose them, the corrected values may be as wrong as the judge."
)
_POINTS = {TIE: 0.5, REFERENCE: 0.0}


def corrected_rows(
    path: Path, judged: Sequence[Judged], draws: Draws
) -> tuple[list[Row], list[str]]:
    """One row for each judge, contestant, task and setting, and notes on the labels.

    Raises:
        InputError: A line of the file is no label, or names what no judge has judged.
    """
    labels, repeated = _last_of_each_person(read_labels(path))
    check_labels(labels, judged)
    groups: dict[tuple[str, RowKey], list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.judge, each.asked].append(each)
    rows = [_row(group, labels, draws) for _, group in sorted(groups.items(), key=_spelled)]
    notes = [] if all(label.draw for label in labels) else [NOT_DRAWN]
    if repeated:
        notes.append(f"{repeated} labels left out: the same person labelled the pair again.")
    return rows, notes


def calibrations(
    path: Path, judged: Sequence[Judged], draws: Draws
) -> tuple[Mapping[RowKey, Row | None], list[str]]:
    """By the key of a board's row: its corrected win rate, None with too few labels."""
    rows, notes = corrected_rows(path, judged, draws)
    return {replace(row["key"], judge=row["judge"]): row["calibrated"] for row in rows}, notes


def _spelled(group: tuple[tuple[str, RowKey], list[Judged]]) -> tuple[str, str]:
    judge, asked = group[0]
    return judge, repr(asked)


def _last_of_each_person(labels: Sequence[Label]) -> tuple[list[Label], int]:
    kept = {
        (label.id, label.sides, tuple(label.narrowed.items()), label.person or label.where): label
        for label in labels
    }
    return list(kept.values()), len(labels) - len(kept)


def _row(group: Sequence[Judged], labels: Sequence[Label], draws: Draws) -> Row:
    first = group[0]
    points: dict[str, list[float]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for each in group:
        found = each.points(OVERALL)
        points[each.id] += [] if found is None else [found]
        clusters[each.id] = each.cluster
    people: dict[str, list[float]] = defaultdict(list)
    for label in labels:
        if label.sides == (first.contestant, REFERENCE) and label.fits(first):
            people[label.id].append(_POINTS.get(label.verdict, 1.0))
    items = sorted(points)
    places = {item: place for place, item in enumerate(items)}
    labelled = [item for item in sorted(people) if item in places]
    of_judge = [_mean(points[item]) for item in items]
    order = [clusters[item] for item in items]
    corrected = corrected_mean(
        of_judge, order, [places[item] for item in labelled], [_mean(people[i]) for i in labelled]
    )
    return {
        "judge": first.judge,
        "contestant": first.contestant,
        "task": first.asked.task,
        "setting": first.asked.setting,
        "raw": mean_estimate(of_judge, order, draws).fields(),
        "calibrated": _calibrated(corrected),
        "labels": corrected.labels,
        "weight": corrected.weight,
        "key": first.asked,
    }


def _calibrated(found: Estimate) -> Row | None:
    """The column of boards; None with labels in fewer than two clusters."""
    if found.value is None or found.low is None or found.high is None:
        return None
    value, low, high = (min(1.0, max(0.0, each)) for each in (found.value, found.low, found.high))
    return {"value": value, "ci": [low, high], "labels": found.labels}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
