"""Comparison of judges of texts with people, from a file of labels {id, a, b, verdict}.

`a` and `b` are contestants, named as on the board, or `reference`. A judge compares answers only
with the reference. Of two contestants, it prefers the one with the better result (won, tied, lost),
and neither if both are equal. Labels on such pairs are counted as `indirect`.

Labels between a contestant and the reference correct the judge's win rate: 1 for a win of the
contestant, 1/2 for a tie, 0 for a loss. Several people's labels of an item are averaged; if a
person labelled an item twice, the last label counts. Labels of a random draw correct the metrics.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import WIN_RATE
from vivavoce.results.audits.judgements import (
    OVERALL,
    REFERENCE,
    TIE,
    JudgedAnswer,
    LabelPair,
    coefficients,
)
from vivavoce.results.logs.records import RowKey
from vivavoce.statistics import Estimate, corrected_mean
from vivavoce.statistics.corrected import LEAST
from vivavoce.statistics.estimates import Draws, mean_estimate, pairwise_agreement
from vivavoce.store import Row, read_jsonl
from vivavoce.text.printing import counted

VERDICTS = ("a", "b", TIE)
_NEEDED = ("id", "a", "b", "verdict")
_NARROWING = ("task", "setting")
_ABOUT = ("person", "draw")


@dataclass(frozen=True, slots=True)
class Label:
    """One person's verdict on two texts of one item."""

    where: str
    id: str
    sides: tuple[str, str]
    """Sides in a fixed order: contestants by name, then the reference."""
    verdict: str
    """The side that won, or `tie`."""
    narrowed: Mapping[str, str]
    """Task and setting, if the row has them."""
    person: str | None = None
    """The person who gave the label, if the row names one."""
    draw: str | None = None
    """Record of the random draw that chose the item."""

    def fits(self, judged: JudgedAnswer) -> bool:
        """Check whether an answer has the label's task and setting."""
        return all(getattr(judged.asked, name) == value for name, value in self.narrowed.items())


def human_rows(
    path: Path, by_judge: Mapping[str, Sequence[JudgedAnswer]], draws: Draws
) -> tuple[list[Row], list[str]]:
    """One row per judge, its agreement with the labels on its items, and notes on the labels."""
    labels, notes = _last_labels(path)
    every = [judged for of_judge in by_judge.values() for judged in of_judge]
    check_labels(labels, every)
    by_pair: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for label in labels:
        narrowed = tuple(sorted(label.narrowed.items()))
        by_pair[label.id, label.sides, narrowed].append(label.verdict)
    several = [verdicts for verdicts in by_pair.values() if len(verdicts) > 1]
    people = {"value": pairwise_agreement(several), "n": len(several)}
    rows = []
    for judge in sorted(by_judge):
        points: dict[tuple[str, str], list[JudgedAnswer]] = defaultdict(list)
        for judged in by_judge[judge]:
            points[judged.id, judged.contestant].append(judged)
        rows.append(
            {
                "judge": judge,
                "criterion": OVERALL,
                "labels": len(labels),
                **_compare(labels, points, draws),
                "people": people,
            }
        )
    return rows, notes


def read_labels(path: Path) -> list[Label]:
    """Read a file of labels; `InputError` names an invalid line."""
    if not path.is_file():
        raise InputError(f"{path} is not a file.")
    labels = [_label(row, f"{path}:{number}") for number, row in read_jsonl(path)]
    if not labels:
        raise InputError(f"{path} has no labels.")
    return labels


def _last_labels(path: Path) -> tuple[list[Label], list[str]]:
    """Read the last label of each person on each pair; a note counts those left out."""
    entries = read_labels(path)
    last = {
        (label.id, label.sides, tuple(label.narrowed.items()), label.person or label.where): label
        for label in entries
    }
    repeated = len(entries) - len(last)
    left_out = counted(repeated, "label", "labels")
    notes = [f"{left_out} left out: the same person labelled the pair again later."]
    return list(last.values()), notes if repeated else []


def _label(row: Row, where: str) -> Label:
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise InputError(f"{where} has no {missing[0]!r}. A label is {{id, a, b, verdict}}.")
    if isinstance(row["id"], bool) or not isinstance(row["id"], str | int):
        raise InputError(f"{where} needs an id that is a string or an integer.")
    for name in ("a", "b", *(name for name in (*_NARROWING, *_ABOUT) if name in row)):
        if not isinstance(row[name], str):
            raise InputError(f"{where} needs {name!r} to be a name, not {row[name]!r}.")
    if row["a"] == row["b"]:
        raise InputError(f"{where} compares {row['a']!r} with itself.")
    verdict: Any = row["verdict"]
    if verdict not in VERDICTS:
        raise InputError(f"{where} has the verdict {verdict!r}. Write a, b or tie.")
    first, second = sorted((row["a"], row["b"]), key=lambda name: (name == REFERENCE, name))
    return Label(
        where=where,
        id=str(row["id"]),
        sides=(first, second),
        verdict=TIE if verdict == TIE else row[verdict],
        narrowed={name: row[name] for name in _NARROWING if name in row},
        **{name: row[name] for name in _ABOUT if name in row},
    )


def check_labels(labels: Sequence[Label], every: Sequence[JudgedAnswer]) -> None:
    """Refuse labels on answers that no judge saw; `InputError` names the line."""
    known = defaultdict(list)
    for judged in every:
        known[judged.id].append(judged)
    for label in labels:
        _check(label, known.get(label.id, []))


def _check(label: Label, known: Sequence[JudgedAnswer]) -> None:
    """Refuse a label whose id or contestant is unknown or ambiguous."""
    if not known:
        raise InputError(f"{label.where} has the id {label.id!r}, which no judge judged.")
    fitting = [judged for judged in known if label.fits(judged)]
    for side in label.sides:
        if side == REFERENCE:
            continue
        if not any(judged.contestant == side for judged in fitting):
            names = ", ".join(sorted({judged.contestant for judged in fitting} | {REFERENCE}))
            raise InputError(
                f"{label.where} names {side!r}, which no judge judged on {label.id!r}. Judged: "
                f"{names}."
            )
        rows = {judged.asked for judged in fitting if judged.contestant == side}
        if len(rows) > 1:
            raise InputError(
                f"{label.where} may mean several rows of {side!r} on {label.id!r}: add the fields "
                "task and setting to the line, or put the logs of one of them into a separate "
                "folder."
            )


def _compare(
    labels: Sequence[Label], judged: Mapping[tuple[str, str], Sequence[JudgedAnswer]], draws: Draws
) -> Row:
    pairs: list[LabelPair] = []
    indirect = 0
    for label in labels:
        judgement = _verdict(label, judged)
        if judgement is None:
            continue
        verdict, cluster = judgement
        pairs.append(((_side(label, label.verdict), _side(label, verdict)), cluster))
        indirect += REFERENCE not in label.sides
    decided = coefficients([case for case in pairs if TIE not in case[0]], draws)
    return {"indirect": indirect, **coefficients(pairs, draws), "decided": decided["agreement"]}


def _verdict(
    label: Label, judged: Mapping[tuple[str, str], Sequence[JudgedAnswer]]
) -> tuple[str, str] | None:
    """The judge's preferred side, or a tie, and the item's cluster; None if unjudged."""
    standing = []
    cluster = ""
    for side in label.sides:
        if side == REFERENCE:
            standing.append(0.5)
            continue
        answers = [each for each in judged.get((label.id, side), ()) if label.fits(each)]
        points = [value for each in answers if (value := each.points(OVERALL)) is not None]
        if not points:
            return None
        standing.append(sum(points) / len(points))
        cluster = answers[0].cluster
    if standing[0] == standing[1]:
        return TIE, cluster
    return label.sides[int(standing[1] > standing[0])], cluster


def _side(label: Label, verdict: str) -> str:
    """A verdict in terms of `a` and `b` instead of names."""
    return TIE if verdict == TIE else VERDICTS[label.sides.index(verdict)]


_POINTS = {TIE: 0.5, REFERENCE: 0.0}


def win_rates(path: Path, judged: Sequence[JudgedAnswer]) -> tuple[list[JudgedMetric], list[str]]:
    """Win rates according to judges and to people, and notes on the labels."""
    labels, notes = _last_labels(path)
    check_labels(labels, judged)
    groups: dict[tuple[str, RowKey], list[JudgedAnswer]] = defaultdict(list)
    for each in judged:
        groups[each.judge, each.asked].append(each)
    return [_win_rate(group, labels) for group in groups.values()], notes


def _win_rate(group: Sequence[JudgedAnswer], labels: Sequence[Label]) -> JudgedMetric:
    first = group[0]
    points: dict[str, list[float]] = defaultdict(list)
    clusters: dict[str, str] = {}
    for each in group:
        value = each.points(OVERALL)
        points[each.id] += [] if value is None else [value]
        clusters[each.id] = each.cluster
    of_row = [each for each in labels if first.contestant in each.sides and each.fits(first)]
    people: dict[str, list[float]] = defaultdict(list)
    for label in of_row:
        if label.sides == (first.contestant, REFERENCE):
            people[label.id].append(_POINTS.get(label.verdict, 1.0))
    items = sorted(points)
    return JudgedMetric(
        first.judge,
        first.contestant,
        first.asked,
        WIN_RATE,
        [fmean(points[item]) if points[item] else math.nan for item in items],
        [fmean(people[item]) if people[item] else math.nan for item in items],
        [clusters[item] for item in items],
        is_drawn(first.clusters, [(clusters[label.id], label.draw) for label in of_row]),
    )


DRAWN = "{} of {} clusters at random, seed {}"
"""Record of a draw from all clusters that a round has in one task and setting."""
_NOT_DRAWN = (
    "The labels are not from a reproducible random draw (viva annotate import --draw N makes "
    "one). If the items were hand-picked, the corrected values may be as wrong as the judge."
)


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """Values of a metric for one row's answers, from a judge and, for some, from people."""

    judge: str
    contestant: str
    asked: RowKey
    """Key of the row, without the judge."""
    metric: str
    by_judge: Sequence[float]
    """The judge's value for each answer; NaN if undefined."""
    by_people: Sequence[float]
    """People's value for each answer; NaN if not labelled."""
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
    """Value for the column `calibrated`; None if fewer than two clusters have labels."""
    if rate.value is None or rate.low is None or rate.high is None:
        return None
    value, low, high = (min(1.0, max(0.0, each)) for each in (rate.value, rate.low, rate.high))
    return {"value": value, "ci": [low, high], "labels": rate.labels}


def is_drawn(names: Sequence[str], labelled: Iterable[tuple[str, str | None]]) -> bool:
    """Check that each label records a draw from the named clusters that yields its cluster."""
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
