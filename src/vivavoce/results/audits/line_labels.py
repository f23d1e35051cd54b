"""Human labels of lines that judges labelled, and metrics computed from these labels.

A file of labels has rows {id, contestant, question, line, label}. `line` is a number, counted in
the `lines` of the answer in its log. Labels of claims also have `works`, the numbers of the works
that support the claim. Optional fields are the answer's task, setting and epoch, and `draw`, the
record of a draw. If all lines of an answer are labelled, its metrics are computed from the labels.
Citation metrics need `works`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import QUESTIONS, Ruling
from vivavoce.results.audits.human import (
    HumanLabel,
    JudgedMetric,
    LabelPair,
    agreement_row,
    is_drawn,
)
from vivavoce.results.audits.judgements import AnswerKey, LabelledLines
from vivavoce.results.logs.records import RowKey
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row, read_jsonl


class _LineLabel(HumanLabel):
    """A human label of one line."""

    contestant: str
    question: str
    line: int
    label: str
    works: frozenset[int] | None = None
    epoch: int | None = None

    def is_of(self, one: LabelledLines) -> bool:
        """Check whether these lines are those of the label's answer and include its line."""
        return (
            (one.contestant, one.id, one.question) == (self.contestant, self.id, self.question)
            and 0 < self.line <= len(one.rulings)
            and self.epoch in (None, one.epoch)
            and self.fits(one)
        )


def is_of_lines(path: Path) -> bool:
    """Check whether a file has labels of lines, rather than verdicts on two texts."""
    return path.is_file() and any("question" in row for _, row in read_jsonl(path))


def _read_people(
    path: Path, labelled: Sequence[LabelledLines]
) -> dict[AnswerKey, dict[int, _LineLabel]]:
    """Read the last label of each line, by number; `InputError` names an unusable label."""
    by_id: dict[str, list[LabelledLines]] = defaultdict(list)
    for one in labelled:
        by_id[one.id].append(one)
    people: dict[AnswerKey, dict[int, _LineLabel]] = defaultdict(dict)
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        label = checked(_LineLabel, {**row, "where": where}, where)
        known = QUESTIONS[label.question].labels if label.question in QUESTIONS else ()
        if label.label not in known:
            named = ", ".join(known) or f"none for {label.question!r}"
            raise InputError(f"{where} has the label {label.label!r}. There are: {named}.")
        fitting = {one.key for one in by_id[label.id] if label.is_of(one)}
        if not fitting:
            raise InputError(f"{where} names a line that no judge was asked about.")
        if len(fitting) > 1:
            raise InputError(
                f"{where} may mean several answers of {label.contestant!r} to {label.id!r}: add "
                "the fields task, setting and epoch to the line, or put the logs of one of them "
                "into a folder of its own."
            )
        people[fitting.pop()][label.line] = label
    return people


def human_rows_of_lines(path: Path, labelled: Sequence[LabelledLines], draws: Draws) -> list[Row]:
    """One row per judge and question: its agreement with human labels."""
    people = _read_people(path, labelled)
    pairs: dict[tuple[str, str], list[LabelPair]] = defaultdict(list)
    for one in labelled:
        by_people = people.get(one.key, {})
        for line, given in enumerate(one.labels(one.question), 1):
            if given is not None and line in by_people:
                pair = by_people[line].label, given
                pairs[one.judge, one.question].append((pair, one.cluster))
    labels = sum(map(len, people.values()))
    return [
        agreement_row(judge, question, labels, label_pairs, draws)
        for (judge, question), label_pairs in sorted(pairs.items())
    ]


def line_metrics(path: Path, labelled: Sequence[LabelledLines]) -> list[JudgedMetric]:
    """All metrics of labelled lines, according to judges and to people."""
    people = _read_people(path, labelled)
    groups: dict[tuple[str, RowKey, str], list[LabelledLines]] = defaultdict(list)
    for one in labelled:
        groups[one.judge, one.asked, one.question].append(one)
    metrics = []
    for (judge, asked, question), group in groups.items():
        values_of = QUESTIONS[question].values
        of_judge = [values_of(one.about, one.rulings) for one in group]
        labels = [people.get(one.key, {}) for one in group]
        of_people = [
            values_of(one.about, rulings) if (rulings := _rulings(one, given)) else {}
            for one, given in zip(group, labels, strict=True)
        ]
        records = [
            (one.cluster, label.draw)
            for one, given in zip(group, labels, strict=True)
            for label in dict.fromkeys(given.values())
        ]
        metrics += [
            JudgedMetric(
                judge,
                group[0].contestant,
                asked,
                metric,
                [values.get(metric) for values in of_judge],
                [values.get(metric) for values in of_people],
                [one.cluster for one in group],
                is_drawn(group[0].clusters, records),
            )
            for metric in dict.fromkeys(name for values in of_judge for name in values)
        ]
    return metrics


def _rulings(one: LabelledLines, given: Mapping[int, _LineLabel]) -> list[Ruling]:
    """People's rulings on the lines; empty unless every line has one."""
    labels = [given[line] for line in range(1, len(one.rulings) + 1) if line in given]
    whole = len(labels) == len(one.rulings)
    return [Ruling(label.label, label.works) for label in labels] if whole else []
