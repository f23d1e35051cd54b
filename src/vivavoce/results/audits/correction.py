"""Correction of judges' metrics by people who labelled a random draw of papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.results.logs.records import RowKey
from vivavoce.statistics import Estimate, corrected_mean
from vivavoce.statistics.corrected import LEAST
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row
from vivavoce.text.printing import counted

DRAWN = "{} of {} clusters at random, seed {}"
"""Record of a draw from all clusters of a task and setting of a round."""
_NOT_DRAWN = (
    "The labels are not from a reproducible random draw (viva annotate import --draw N makes "
    "one). If the items were hand-picked, the corrected values may be as wrong as the judge."
)


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """A metric of one row's answers, by a judge and, for some answers, by people."""

    judge: str
    contestant: str
    asked: RowKey
    """Row key without the judge."""
    metric: str
    by_judge: Sequence[float]
    """Value of each answer; NaN if undefined."""
    by_people: Sequence[float]
    """Value of each answer; NaN if not labelled."""
    clusters: Sequence[str]
    is_drawn: bool
    """True if the labels are from a reproducible random draw."""


def corrected_rows(found: Sequence[JudgedMetric], draws: Draws) -> tuple[list[Row], list[str]]:
    """One row per judge, contestant, task, setting and metric, and notes on the labels."""
    spelled = sorted(found, key=lambda one: (one.judge, repr(one.asked)))
    rows = [_row(one, draws) for one in spelled]
    notes = [] if all(one.is_drawn for one in found) else [_NOT_DRAWN]
    if alone := sum(bool(row["calibrated"] and row["lacking"]) for row in rows):
        notes.append(
            f"{counted(alone, 'value is', 'values are')} from human labels alone: fewer than "
            f"{LEAST} labels on either side of their mean do not show the judge's error."
        )
    return rows, notes


def _row(one: JudgedMetric, draws: Draws) -> Row:
    labelled = range(len(one.by_people))
    corrected = corrected_mean(
        one.by_judge, one.clusters, labelled, one.by_people, bounds=(0.0, 1.0)
    )
    return {
        "judge": one.judge,
        "contestant": one.contestant,
        "task": one.asked.task,
        "setting": one.asked.setting,
        "metric": one.metric,
        "raw": mean_estimate(one.by_judge, one.clusters, draws).fields(),
        "calibrated": _as_calibrated(corrected),
        "labels": corrected.labels,
        "weight": corrected.weight,
        "lacking": corrected.lacking,
        "key": one.asked,
    }


def _as_calibrated(rate: Estimate) -> Row | None:
    """Value for the column `calibrated`; None with labels in fewer than two clusters."""
    if rate.value is None or rate.low is None or rate.high is None:
        return None
    value, low, high = (min(1.0, max(0.0, each)) for each in (rate.value, rate.low, rate.high))
    return {"value": value, "ci": [low, high], "labels": rate.labels}


def is_drawn(names: Sequence[str], labelled: Iterable[tuple[str, str | None]]) -> bool:
    """True if each label's recorded draw, from clusters with these names, has its cluster."""
    for cluster, record in labelled:
        given = re.fullmatch(DRAWN.format(r"(\d{1,9})", r"(\d{1,9})", r"(\d{1,9})"), record or "")
        if given is None or int(given[2]) != len(names):
            return False
        if cluster not in draw_clusters(names, int(given[1]), int(given[3])):
            return False
    return True


def draw_clusters(clusters: Sequence[str], count: int, seed: int) -> set[str]:
    """Draw `count` of a row's sorted clusters at random."""
    order = np.random.default_rng(seed).permutation(len(clusters))
    return {clusters[place] for place in order[:count]}
