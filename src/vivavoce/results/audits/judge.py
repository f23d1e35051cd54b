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

Two judges of the same answers are compared by their agreement.

Source: Shi et al. 2024, "Judging the Judges" (position); Dubois et al. 2024, "Length-Controlled
AlpacaEval" (length).
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Unpack

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.audits.human import corrected_rows, human_rows, win_rates
from vivavoce.results.audits.judgements import (
    FIRST,
    JudgedAnswer,
    LabelledLines,
    agreement_rows,
    coefficients,
    criteria_of,
    measure_rows,
    measured,
    read_rulings,
    read_verdicts,
)
from vivavoce.results.audits.line_labels import human_rows_of_lines, is_of_lines, line_metrics
from vivavoce.results.logs.records import LogHeader, RowKey
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row

Answer = tuple[object, str, int]
"""Key of an answer: row, item and epoch."""
Case = tuple[float, str]
"""A value and its cluster."""


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
    **reading: Unpack[Reading],
) -> JudgeAudit:
    """Audit all judges in a folder of logs.

    `human` is a file of verdicts, {id, a, b, verdict: a|b|tie}, or a file of labels of lines, {id,
    contestant, question, line, label}.
    """
    run_logs, notes, draws = open_logs(logs, **reading)
    judged, labelled = read_verdicts(run_logs), read_rulings(run_logs)
    if not (judged or labelled):
        raise NothingToAuditError(
            f"{logs} has no verdicts of a judge. Make some with: viva run TASK "
            f"--judge MODEL --logs {logs}"
        )
    by_judge: dict[str, list[JudgedAnswer]] = defaultdict(list)
    for each in judged:
        by_judge[each.judge].append(each)
    corrected: list[Row] = []
    if correct:
        if human is None:
            raise InputError("Correcting a judge needs human labels: --human FILE --correct.")
        corrected, remarks = _corrected(human, judged, labelled, draws)
        notes += remarks
    agreement = []
    for first, second in combinations(sorted(by_judge), 2):
        rows, differing = _agreement(by_judge[first], by_judge[second], draws)
        agreement += rows
        if differing:
            notes.append(
                f"{first} and {second} judged {differing} answers with different texts; left out "
                "of their agreement."
            )
    people: list[Row] = []
    if human is not None:
        if is_of_lines(human):
            people = human_rows_of_lines(human, labelled, draws)
        else:
            people, remarks = human_rows(human, by_judge, draws)
            notes += remarks
    measures = [
        row
        for judge in sorted(by_judge)
        for criterion in criteria_of(by_judge[judge])
        for row in _measures(judge, criterion, by_judge[judge], draws)
    ]
    return JudgeAudit(
        measures=(*measures, *measure_rows(labelled, draws)),
        agreement=(*agreement, *agreement_rows(labelled, draws)),
        human=tuple(people),
        corrected=tuple({k: v for k, v in row.items() if k != "key"} for row in corrected),
        notes=tuple(sorted(set(notes))),
    )


def _corrected(
    human: Path, judged: Sequence[JudgedAnswer], labelled: Sequence[LabelledLines], draws: Draws
) -> tuple[list[Row], list[str]]:
    """Corrected rows, and notes, from a file of labels of either kind."""
    if is_of_lines(human):
        return corrected_rows(line_metrics(human, labelled), draws)
    metrics, notes = win_rates(human, judged)
    rows, remarks = corrected_rows(metrics, draws)
    return rows, notes + remarks


def calibrations(
    human: Path, logs: Sequence[LogHeader], draws: Draws
) -> tuple[Mapping[tuple[RowKey, str], Row | None], list[str]]:
    """Corrected values by (key of a board's row, metric), and notes on the labels."""
    of_lines = is_of_lines(human)
    judged, labelled = ([], read_rulings(logs)) if of_lines else (read_verdicts(logs), [])
    rows, notes = _corrected(human, judged, labelled, draws)
    keyed = {(replace(row["key"], judge=row["judge"]), row["metric"]): row for row in rows}
    return {key: row["calibrated"] for key, row in keyed.items()}, notes


def _measures(
    judge: str, criterion: str, judged: Sequence[JudgedAnswer], draws: Draws
) -> list[Row]:
    both = [(each, places) for each in judged if (places := each.places(criterion))]
    cases: dict[str, list[Case]] = {
        "first_share": [
            (place == FIRST, each.cluster) for each, places in both for place in places
        ],
        "win_rate": [(each.points(criterion) or 0.0, each.cluster) for each, _ in both],
        "flip_rate": [(places[0] == places[1], each.cluster) for each, places in both],
        "unjudged": [(each.places(criterion) is None, each.cluster) for each in judged],
    }
    lengths = [
        (each.asked, math.log2(each.answer_words / each.reference_words), points, each.cluster)
        for each in judged
        if (points := each.points(criterion)) is not None
        and min(each.answer_words, each.reference_words) > 0
    ]
    return measured(judge, criterion, cases, lengths, draws)


def _by_answer(judged: Sequence[JudgedAnswer]) -> dict[Answer, JudgedAnswer]:
    return {(each.asked, each.id, each.epoch): each for each in judged}


def _agreement(
    first: Sequence[JudgedAnswer], second: Sequence[JudgedAnswer], draws: Draws
) -> tuple[list[Row], int]:
    """One row per criterion, and the number of answers whose texts differ between the judges."""
    by_first, by_second = _by_answer(first), _by_answer(second)
    shared = [(each, by_second[key]) for key, each in by_first.items() if key in by_second]
    same = [(a, b) for a, b in shared if a.answer_hash == b.answer_hash]
    rows = []
    for criterion in criteria_of(each for pair in same for each in pair):
        labelled = [
            ((first_winner, second_winner), a.cluster)
            for a, b in same
            if (first_winner := a.outcome(criterion)) and (second_winner := b.outcome(criterion))
        ]
        judges = [first[0].judge, second[0].judge]
        rows.append({"judges": judges, "criterion": criterion, **coefficients(labelled, draws)})
    return rows, len(shared) - len(same)
