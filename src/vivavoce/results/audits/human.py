"""Comparison of judges of texts with people, from a file of labels {id, a, b, verdict}.

`a` and `b` are contestants, named as on the board, or `reference`. A judge compares answers only
with the reference. Of two contestants, it prefers the one with the better result (won, tied, lost),
and neither if both are equal. Labels on such pairs are counted as `indirect`.

Labels between a contestant and the reference correct the judge's win rate: 1 for a win of the
contestant, 1/2 for a tie, 0 for a loss. Several people's labels of an item are averaged; if a
person labelled an item twice, the last label counts. Labels of a random draw correct the metrics.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict

from vivavoce.checking import Name, checked
from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import WIN_RATE
from vivavoce.results.audits.judgements import (
    FIRST,
    OVERALL,
    REFERENCE,
    SECOND,
    TIE,
    Comparison,
    Judgement,
)
from vivavoce.results.logs.records import RowKey
from vivavoce.statistics import Estimate, corrected_mean
from vivavoce.statistics.corrected import LEAST
from vivavoce.statistics.estimates import (
    Draws,
    agreement_estimates,
    mean_estimate,
    pairwise_agreement,
)
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row, read_jsonl
from vivavoce.text.printing import counted

LabelPair: TypeAlias = tuple[tuple[Any, Any], str]
"""Two labels of one case, and the case's cluster."""


class HumanLabel(BaseModel):
    """A person's label, from a line of a file."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)
    where: str
    """Location of the line."""
    id: str
    task: str | None = None
    setting: str | None = None
    draw: str | None = None
    """Record of the random draw that chose the item."""

    def fits(self, judged: Judgement) -> bool:
        """Check whether an answer has the label's task and setting, if the label has them."""
        return self.task in (None, judged.asked.task) and self.setting in (
            None,
            judged.asked.setting,
        )


class PairLabel(HumanLabel):
    """One person's verdict on two texts of one item."""

    a: Name
    b: Name
    verdict: Literal["a", "b", "tie"]
    person: str | None = None

    @property
    def sides(self) -> tuple[str, str]:
        """Sides in a fixed order: contestants by name, then the reference."""
        first, second = sorted((self.a, self.b), key=lambda name: (name == REFERENCE, name))
        return first, second

    @property
    def winner(self) -> str:
        """The side that won, `first` or `second`, or `tie`."""
        if self.verdict == TIE:
            return TIE
        return FIRST if (self.a if self.verdict == "a" else self.b) == self.sides[0] else SECOND

    @property
    def pair(self) -> tuple[Any, ...]:
        """Key of the labelled answers."""
        return self.id, self.sides, self.task, self.setting


def human_rows(
    path: Path, judged: Sequence[Comparison], draws: Draws
) -> tuple[list[Row], list[str]]:
    """One row per judge, its agreement with the labels on its items, and notes on the labels."""
    labels, notes = _last_labels(path, judged)
    by_pair: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for label in labels:
        by_pair[label.pair].append(label.winner)
    several = [verdicts for verdicts in by_pair.values() if len(verdicts) > 1]
    people = {"value": pairwise_agreement(several), "n": len(several)}
    answers: dict[str, dict[tuple[str, str], list[Comparison]]] = defaultdict(dict)
    for each in judged:
        answers[each.judge].setdefault((each.id, each.contestant), []).append(each)
    rows = []
    for judge, of_judge in sorted(answers.items()):
        pairs = []
        indirect = 0
        for label in labels:
            if judgement := _verdict(label, of_judge):
                winner, cluster = judgement
                pairs.append(((label.winner, winner), cluster))
                indirect += REFERENCE not in label.sides
        row = agreement_row(judge, OVERALL, len(labels), pairs, draws)
        rows.append({**row, "indirect": indirect, "people": people})
    return rows, notes


def agreement_row(
    judge: str, criterion: str, labels: int, pairs: Sequence[LabelPair], draws: Draws
) -> Row:
    """Row on a judge's agreement with people; `decided` leaves out pairs with a tie."""
    decided = coefficients([case for case in pairs if TIE not in case[0]], draws)
    return {
        "judge": judge,
        "criterion": criterion,
        "labels": labels,
        "indirect": 0,
        **coefficients(pairs, draws),
        "decided": decided["agreement"],
        "people": {"value": None, "n": 0},
    }


def coefficients(pairs: Sequence[LabelPair], draws: Draws) -> Row:
    """Coefficients of agreement between the two labels of each case, and the number of cases."""
    estimates = agreement_estimates([pair for pair, _ in pairs], [c for _, c in pairs], draws)
    return {"n": len(pairs), **{name: estimate.fields() for name, estimate in estimates.items()}}


def read_labels(path: Path) -> list[PairLabel]:
    """Read a file of labels; `InputError` names an invalid line."""
    if not path.is_file():
        raise InputError(f"{path} is not a file.")
    labels = []
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        label = checked(PairLabel, {**row, "where": where}, where)
        if label.a == label.b:
            raise InputError(f"{where} compares {label.a!r} with itself.")
        labels.append(label)
    if not labels:
        raise InputError(f"{path} has no labels.")
    return labels


def _last_labels(path: Path, judged: Sequence[Comparison]) -> tuple[list[PairLabel], list[str]]:
    """Read the last label of each person on each pair; a note counts those left out."""
    entries = read_labels(path)
    last = {(label.pair, label.person or label.where): label for label in entries}
    known = defaultdict(list)
    for each in judged:
        known[each.id].append(each)
    for label in last.values():
        _check(label, known.get(label.id, []))
    repeated = len(entries) - len(last)
    left_out = counted(repeated, "label", "labels")
    notes = [f"{left_out} left out: the same person labelled the pair again later."]
    return list(last.values()), notes if repeated else []


def _check(label: PairLabel, known: Sequence[Comparison]) -> None:
    """Refuse a label whose id or contestant is unknown or ambiguous."""
    if not known:
        raise InputError(f"{label.where} has the id {label.id!r}, which no judge judged.")
    fitting = [judged for judged in known if label.fits(judged)]
    for side in label.sides:
        if side == REFERENCE:
            continue
        rows = {judged.asked for judged in fitting if judged.contestant == side}
        if not rows:
            names = ", ".join(sorted({judged.contestant for judged in fitting} | {REFERENCE}))
            raise InputError(
                f"{label.where} names {side!r}, which no judge judged on {label.id!r}. Judged: "
                f"{names}."
            )
        if len(rows) > 1:
            raise InputError(
                f"{label.where} may mean several rows of {side!r} on {label.id!r}: add the fields "
                "task and setting to the line, or put the logs of one of them into a separate "
                "folder."
            )


def _verdict(
    label: PairLabel, judged: Mapping[tuple[str, str], Sequence[Comparison]]
) -> tuple[str, str] | None:
    """The side that the judge prefers, or a tie, and the item's cluster; None if unjudged."""
    points = []
    cluster = ""
    for side in label.sides:
        answers = [each for each in judged.get((label.id, side), ()) if label.fits(each)]
        given = [value for each in answers for value in each.points(OVERALL)]
        if side == REFERENCE:
            given = [_POINTS[TIE]]
        elif not given:
            return None
        else:
            cluster = answers[0].cluster
        points.append(fmean(given))
    if points[0] == points[1]:
        return TIE, cluster
    return FIRST if points[0] > points[1] else SECOND, cluster


_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}


def win_rates(path: Path, judged: Sequence[Comparison]) -> tuple[list[JudgedMetric], list[str]]:
    """Win rates according to judges and to people, and notes on the labels."""
    labels, notes = _last_labels(path, judged)
    groups: dict[tuple[str, RowKey], list[Comparison]] = defaultdict(list)
    for each in judged:
        groups[each.judge, each.asked].append(each)
    return [_win_rate(group, labels) for group in groups.values()], notes


def _win_rate(group: Sequence[Comparison], labels: Sequence[PairLabel]) -> JudgedMetric:
    first = group[0]
    points: dict[str, list[float]] = defaultdict(list)
    for each in group:
        points[each.id] += each.points(OVERALL)
    clusters = {each.id: each.cluster for each in group}
    of_row = [
        label
        for label in labels
        if label.id in clusters and first.contestant in label.sides and label.fits(first)
    ]
    people: dict[str, list[float]] = defaultdict(list)
    for label in of_row:
        if label.sides == (first.contestant, REFERENCE):
            people[label.id].append(_POINTS[label.winner])
    items = sorted(points)
    return JudgedMetric(
        first.judge,
        first.contestant,
        first.asked,
        WIN_RATE,
        [mean_of(points[item]) for item in items],
        [mean_of(people[item]) for item in items],
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
    by_judge: Sequence[float | None]
    """The judge's value for each answer; None if undefined."""
    by_people: Sequence[float | None]
    """People's value for each answer; None if not labelled."""
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
