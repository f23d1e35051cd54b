"""Human labels of lines that judges labelled, and correction of a judge's shares by them.

A file of labels has {id, contestant, question, line, label}, where `line` is the number in the
request. Answers whose lines are all labelled have a share by people. These correct the judge's mean
share, as human verdicts correct win rates.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import VITAL, Ruling, Values, nugget_values, support_values
from vivavoce.results.audits.human import as_calibrated
from vivavoce.results.audits.judgements import QUESTIONS, LabelledLines
from vivavoce.results.logs.records import RowKey
from vivavoce.statistics import corrected_mean
from vivavoce.statistics.estimates import Draws, agreement_estimates, mean_estimate
from vivavoce.store import Row, read_jsonl

Line: TypeAlias = tuple[str, str, str, int]
"""Key of a line: contestant, id, question and number."""
_SHARES: Mapping[str, Sequence[str]] = {
    "nuggets": ("nugget_coverage", "nugget_coverage_strict"),
    "claims": ("support", "contradicted"),
}
"""Metrics by question that follow from labels alone."""


class _Label(BaseModel):
    """A human label of one line."""

    model_config = ConfigDict(extra="ignore")
    id: str
    contestant: str
    question: str
    line: int
    label: str


def is_of_lines(path: Path) -> bool:
    """True if a file has labels of lines and not verdicts on two texts."""
    return path.is_file() and any("question" in row for _, row in read_jsonl(path))


def _read_people(path: Path, labelled: Sequence[LabelledLines]) -> dict[Line, str]:
    """Read the last label of each line; `InputError` names an invalid or unknown one."""
    people = {}
    for number, row in read_jsonl(path):
        label = checked(_Label, row, f"{path}:{number}")
        if label.label not in QUESTIONS.get(label.question, ()):
            known = ", ".join(QUESTIONS.get(label.question, ())) or f"none for {label.question!r}"
            raise InputError(
                f"{path}:{number} has the label {label.label!r}. Valid labels: {known}."
            )
        people[label.contestant, label.id, label.question, label.line] = (label.label, number)
    asked = {
        (one.contestant, one.id, one.question, line)
        for one in labelled
        for line in range(1, len(one.labels) + 1)
    }
    for key, (_, number) in people.items():
        if key not in asked:
            raise InputError(f"{path}:{number} names a line that no judge was asked about.")
    return {key: label for key, (label, _) in people.items()}


def human_rows_of_lines(path: Path, labelled: Sequence[LabelledLines], draws: Draws) -> list[Row]:
    """One row per judge and question: its agreement with human labels.

    Raises:
        InputError: A line is not a label, or names a line that no judge was asked about.
    """
    people = _read_people(path, labelled)
    pairs: dict[tuple[str, str], list[tuple[tuple[str, str], str]]] = defaultdict(list)
    for one in labelled:
        for line, given in enumerate(one.labels, 1):
            by_people = people.get((one.contestant, one.id, one.question, line))
            if given is not None and by_people is not None:
                pairs[one.judge, one.question].append(((by_people, given), one.cluster))
    rows = []
    for (judge, question), found in sorted(pairs.items()):
        estimates = agreement_estimates([p for p, _ in found], [c for _, c in found], draws)
        fields = {name: estimate.fields() for name, estimate in estimates.items()}
        rows.append(
            {
                "judge": judge,
                "criterion": question,
                "labels": len(people),
                "n": len(found),
                "indirect": 0,
                **fields,
                "decided": fields["agreement"],
                "people": {"value": None, "n": 0},
            }
        )
    return rows


def corrected_rows_of_lines(
    path: Path, labelled: Sequence[LabelledLines], draws: Draws
) -> list[Row]:
    """One row per judge, contestant, task, setting and share, corrected by human labels.

    Raises:
        InputError: See `human_rows_of_lines`.
    """
    people = _read_people(path, labelled)
    groups: dict[tuple[str, RowKey, str], list[LabelledLines]] = defaultdict(list)
    for one in labelled:
        groups[one.judge, one.asked, one.question].append(one)
    rows = []
    for (judge, asked, question), found in sorted(groups.items(), key=lambda g: repr(g[0])):
        of_judge = [_shares(question, one.labels) for one in found]
        of_people = [_shares(question, _labels_by_people(one, people)) for one in found]
        clusters = [one.cluster for one in found]
        for metric in _SHARES.get(question, ()):
            judged = [_number(values, metric) for values in of_judge]
            human = [_number(values, metric) for values in of_people]
            places = [place for place, value in enumerate(human) if not math.isnan(value)]
            corrected = corrected_mean(
                judged, clusters, places, [human[place] for place in places], bounds=(0.0, 1.0)
            )
            rows.append(
                {
                    "judge": judge,
                    "contestant": found[0].contestant,
                    "task": asked.task,
                    "setting": asked.setting,
                    "metric": metric,
                    "raw": mean_estimate(judged, clusters, draws).fields(),
                    "calibrated": as_calibrated(corrected),
                    "labels": corrected.labels,
                    "weight": corrected.weight,
                    "lacking": corrected.lacking,
                }
            )
    return rows


def _labels_by_people(one: LabelledLines, people: Mapping[Line, str]) -> list[str | None]:
    """Human labels of an answer's lines; empty unless every line has one."""
    numbers = range(1, len(one.labels) + 1)
    labels = [people.get((one.contestant, one.id, one.question, number)) for number in numbers]
    return [] if None in labels else labels


def _shares(question: str, labels: Sequence[str | None]) -> Values:
    rulings = [None if label is None else Ruling(label) for label in labels]
    if question == "nuggets":
        return nugget_values([VITAL] * len(rulings), rulings)
    return support_values(rulings) if question == "claims" else {}


def _number(values: Values, metric: str) -> float:
    value = values.get(metric)
    return math.nan if value is None else value
