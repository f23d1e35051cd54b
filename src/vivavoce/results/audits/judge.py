"""Biases of a judge, measured from its own verdicts.

A judge compares an answer with the reference twice, in both orders. Per judge:

- `first_share` = verdicts for the text shown first / verdicts, over answers judged in both orders;
  1/2 without a position bias, whatever the quality of the answers;
- `win_rate` = mean points of the answers (1 won, 1/2 tied, 0 lost), for comparison;
- `flip_rate` = answers whose winner changes with the order / answers judged in both orders;
- `length_slope` = points that an answer gains for each doubling of its length relative to the
  reference, by least squares. It is fitted within each contestant, task and setting, so that a
  contestant which writes more and better does not look like a bias;
- `unjudged` = answers without a verdict in one order or in both / answers.

A judge labels the lines of a question (nuggets, claims, relevance). Per judge and question:

- `silent` = lines without a label / lines;
- `best` = lines with the best label / labelled lines;
- `early` = share of the best label in the first half of a request's lines minus the share in the
  second half, for lines in random order; 0 without a position bias;
- `length_slope` = as above, of the share of `best`.

Two judges of the same answers or lines are compared by their agreement.

Source: Shi et al. 2024, "Judging the Judges" (position); Dubois et al. 2024, "Length-Controlled
AlpacaEval" (length).
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.audits.human import coefficients, corrected_rows, human_rows, win_rates
from vivavoce.results.audits.judgements import (
    AnswerKey,
    Comparison,
    Judgement,
    LabelledLines,
    criteria_of,
    read_judgements,
)
from vivavoce.results.audits.line_labels import human_rows_of_lines, is_of_lines, line_metrics
from vivavoce.results.logs.records import LogHeader, RowKey
from vivavoce.results.logs.selection import open_logs
from vivavoce.statistics.estimates import Draws, Estimate, estimate_from_sums, mean_estimate
from vivavoce.statistics.intervals import Floats
from vivavoce.store import Row

UNBIASED = {"first_share": 0.5, "flip_rate": 0.0, "length_slope": 0.0, "early": 0.0}
"""Measures of an unbiased judge; the other measures depend on the answers."""
Lengthened: TypeAlias = tuple[RowKey, float, float, str]
"""An answer's row, doublings of its length, points and cluster."""


@dataclass(frozen=True, slots=True)
class JudgeAudit(Report):
    """The report of `viva audit judge`."""

    measures: tuple[Row, ...]
    """One row per judge, criterion or question, and measure."""
    agreement: tuple[Row, ...]
    """One row per pair of judges and criterion."""
    human: tuple[Row, ...]
    """One row per judge and question: agreement with human labels."""
    corrected: tuple[Row, ...]
    """One row per judge, contestant, task, setting and metric: values corrected by human labels."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets on biases, agreement of judges, agreement with people, and corrected values."""
        coefficients = ("agreement", "kappa", "alpha", "n")
        yield sheet(
            "Biases of judges",
            self.measures,
            *("judge", "criterion", "measure"),
            Column("value", ci="ci"),
            "n",
            Column("unbiased", form="g"),
        )
        yield sheet(
            "Judges of the same answers",
            self.agreement,
            Column(lambda row: " / ".join(row["judges"]), "judges"),
            *("criterion", *coefficients),
        )
        yield sheet(
            "Judges and people",
            self.human,
            *("judge", "criterion", *coefficients),
            Column("decided", "without ties"),
            *(Column("decided.n", "n"), "indirect"),
            below=[
                f"People agree with each other on {people['value']:.3f} (n {people['n']})."
                for people in (row["people"] for row in self.human[:1])
                if people["n"]
            ],
        )
        yield sheet(
            "Judges corrected by people",
            self.corrected,
            *("judge", "contestant", "task", "setting", "metric", "raw"),
            Column(lambda row: row["calibrated"] or "not calibrated", "corrected"),
            *("labels", "weight"),
        )
        yield "value [95% interval]; docs/audits.md explains the numbers."


def audit_judge(
    logs: Path | str,
    *,
    human: Path | None = None,
    correct: bool = False,
    **reading: Any,
) -> JudgeAudit:
    """Audit all judges in a folder of logs.

    `human` is a file of verdicts, {id, a, b, verdict: a|b|tie}, or a file of labels of lines, {id,
    contestant, question, line, label}.
    """
    run_logs, notes, draws = open_logs(logs, **reading)
    compared, labelled = read_judgements(run_logs)
    if not (compared or labelled):
        raise NothingToAuditError(
            f"{logs} has no verdicts of a judge. Make some with: viva run TASK "
            f"--judge MODEL --logs {logs}"
        )
    corrected: list[Row] = []
    if correct:
        if human is None:
            raise InputError("Correcting a judge needs human labels: --human FILE --correct.")
        corrected, remarks = _corrected(human, compared, labelled, draws)
        notes += remarks
    people: list[Row] = []
    if human is not None and is_of_lines(human):
        people = human_rows_of_lines(human, labelled, draws)
    elif human is not None:
        people, remarks = human_rows(human, compared, draws)
        notes += remarks
    measures: list[Row] = []
    agreement: list[Row] = []
    for judged in (compared, labelled):
        measures += _measures(judged, draws)
        rows, remarks = _agreement(judged, draws)
        agreement += rows
        notes += remarks
    return JudgeAudit(
        measures=tuple(measures),
        agreement=tuple(agreement),
        human=tuple(people),
        corrected=tuple({k: v for k, v in row.items() if k != "key"} for row in corrected),
        notes=tuple(sorted(set(notes))),
    )


def _corrected(
    human: Path, compared: Sequence[Comparison], labelled: Sequence[LabelledLines], draws: Draws
) -> tuple[list[Row], list[str]]:
    """Corrected rows, and notes, from a file of labels of either kind."""
    if is_of_lines(human):
        return corrected_rows(line_metrics(human, labelled), draws)
    metrics, notes = win_rates(human, compared)
    rows, remarks = corrected_rows(metrics, draws)
    return rows, notes + remarks


def calibrations(
    human: Path, logs: Sequence[LogHeader], draws: Draws
) -> tuple[Mapping[tuple[RowKey, str], Row | None], list[str]]:
    """Corrected values by (key of a board's row, metric), and notes on the labels."""
    rows, notes = _corrected(human, *read_judgements(logs), draws)
    keyed = {(replace(row["key"], judge=row["judge"]), row["metric"]): row for row in rows}
    return {key: row["calibrated"] for key, row in keyed.items()}, notes


def _measures(judgements: Sequence[Judgement], draws: Draws) -> list[Row]:
    """One row per judge, criterion and measure."""
    by_judge: dict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        by_judge[one.judge].append(one)
    rows = []
    for judge, judged in sorted(by_judge.items()):
        for criterion in criteria_of(judged):
            for name, estimate in sorted(_estimates(judged, criterion, draws).items()):
                rows.append(
                    {
                        "judge": judge,
                        "judge_model": judge.partition(" template=")[0],
                        "criterion": criterion,
                        "measure": name,
                        **estimate.fields(),
                        "unbiased": UNBIASED.get(name),
                    }
                )
    return rows


def _estimates(judged: Sequence[Judgement], criterion: str, draws: Draws) -> dict[str, Estimate]:
    """Measures of a judge by one criterion: means, and the slope of points over length."""
    values: dict[str, list[float]] = defaultdict(list)
    clusters: dict[str, list[str]] = defaultdict(list)
    lengths: list[Lengthened] = []
    for one in judged:
        for name, of_answer in one.measures(criterion).items():
            values[name] += of_answer
            clusters[name] += [one.cluster] * len(of_answer)
        points = one.points(criterion)
        if points and not math.isnan(one.doublings):
            lengths.append((one.asked, one.doublings, fmean(points), one.cluster))
    means = {name: mean_estimate(values[name], clusters[name], draws) for name in values}
    return {**means, "length_slope": _slope_within(lengths, draws)}


def _slope_within(cases: Sequence[Lengthened], draws: Draws) -> Estimate:
    """Slope of y on x by least squares within groups; cases are (group, x, y, cluster).

    Each group has five columns, whose sums are those of 1, x, y, x² and x y.
    """
    groups = {asked: n for n, asked in enumerate(sorted({asked for asked, *_ in cases}))}
    table = np.zeros((len(cases), len(groups), 5))
    for row, (asked, x, y, _) in enumerate(cases):
        table[row, groups[asked]] = 1.0, x, y, x * x, x * y

    def slope(sums: Floats) -> Floats:
        n, x, y, xx, xy = np.moveaxis(sums.reshape(-1, len(groups), 5), 2, 0)
        n = np.maximum(n, 1.0)  # a group missing from a draw has sums of 0
        across, along = (xy - x * y / n).sum(axis=1), (xx - x * x / n).sum(axis=1)
        slopes = np.full(across.shape, np.nan)
        np.divide(across, along, out=slopes, where=along > 1e-12)
        return slopes

    clusters = [cluster for *_, cluster in cases]
    return estimate_from_sums(table.reshape(len(cases), 5 * len(groups)), clusters, slope, draws)


def _agreement(judgements: Sequence[Judgement], draws: Draws) -> tuple[list[Row], list[str]]:
    """One row per pair of judges and criterion, and notes on answers that differ between them."""
    by_judge: dict[str, dict[AnswerKey, Judgement]] = defaultdict(dict)
    for one in judgements:
        by_judge[one.judge][one.key] = one
    rows, notes = [], []
    for first, second in combinations(sorted(by_judge), 2):
        others = by_judge[second]
        shared = [(one, others[key]) for key, one in by_judge[first].items() if key in others]
        same = [(one, other) for one, other in shared if one.text == other.text]
        for criterion in criteria_of(each for pair in same for each in pair):
            pairs = [
                (labels, one.cluster)
                for one, other in same
                for labels in zip(one.labels(criterion), other.labels(criterion), strict=True)
                if None not in labels
            ]
            agreement = coefficients(pairs, draws)
            rows.append({"judges": [first, second], "criterion": criterion, **agreement})
        if differing := len(shared) - len(same):
            notes.append(
                f"{first} and {second} judged {differing} answers with different texts; left out "
                "of their agreement."
            )
    return rows, notes
