"""Judgements in logs: verdicts on two texts in both orders, and labels of lines.

Measures of judges that label lines, per judge and question (nuggets, claims, relevance):

- `silent` = lines without a label / lines;
- `best` = lines with the best label / labelled lines;
- `early` = share of the best label in the first half of a request's lines minus the share in the
  second half, for lines in random order; 0 without a position bias;
- `length_slope` = change of `best` for each doubling of the answer's length relative to the
  reference, by least squares within each contestant, task and setting.

Judges of the same lines are compared by their agreement.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import QUESTIONS, Ruling
from vivavoce.results.logs.records import LogHeader, RowKey
from vivavoce.statistics.estimates import (
    Draws,
    Estimate,
    agreement_estimates,
    estimate_from_sums,
    mean_estimate,
)
from vivavoce.statistics.intervals import Floats
from vivavoce.store import Row

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample, EvalSampleSummary


ANSWER, REFERENCE, TIE = "answer", "reference", "tie"
FIRST, SECOND = "first", "second"
OVERALL = "overall"
_NOTE = "judge"


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer that a judge compared with the reference, in both orders."""

    contestant: str
    model: str
    asked: RowKey
    """Row key without the judge, the same for all judges of an answer."""
    judge: str
    """Judge of the row: its name and the hash of its template."""
    id: str
    epoch: int
    cluster: str
    verdicts: Mapping[str, Mapping[str, str | None]]
    """Verdicts (`first`, `second` or None) by the text shown first, then by criterion."""
    answer_words: int
    reference_words: int
    answer_hash: str
    clusters: tuple[str, ...] = ()
    """Clusters of all items in the answer's log, sorted."""

    def places(self, criterion: str) -> tuple[str, str] | None:
        """The position that won with the answer first, and with the reference first.

        None unless the judge gave a verdict in both orders.
        """
        first, second = (
            self.verdicts.get(order, {}).get(criterion) for order in (ANSWER, REFERENCE)
        )
        if first not in (FIRST, SECOND) or second not in (FIRST, SECOND):
            return None
        return first, second

    def outcome(self, criterion: str) -> str | None:
        """The winner: `answer`, `reference`, or `tie` if the verdict changed with the order."""
        places = self.places(criterion)
        if places is None:
            return None
        if places[0] == places[1]:
            return TIE
        return ANSWER if places[0] == FIRST else REFERENCE

    def points(self, criterion: str) -> float | None:
        """Points of the answer: 1 for a win, 1/2 for a tie, 0 for a loss; None if unjudged."""
        outcome = self.outcome(criterion)
        return None if outcome is None else {ANSWER: 1.0, TIE: 0.5, REFERENCE: 0.0}[outcome]


def criteria_of(judged: Iterable[JudgedAnswer]) -> list[str]:
    """Criteria judged in either order of the texts, the overall criterion first."""
    names = {name for each in judged for order in each.verdicts.values() for name in order}
    return sorted(names, key=lambda name: (name != OVERALL, name))


def read_verdicts(logs: Sequence[LogHeader]) -> list[JudgedAnswer]:
    """All judged answers, in the order of logs, ids and epochs."""
    return [
        judged
        for log in logs
        if log.key.judge
        for judged in sorted(_verdicts_of(log), key=lambda judged: (judged.id, judged.epoch))
    ]


def _verdicts_of(log: LogHeader) -> Iterator[JudgedAnswer]:
    from inspect_ai.log import read_eval_log_sample_summaries, read_eval_log_samples

    import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task

    samples: Iterable[EvalSample | EvalSampleSummary] = read_eval_log_sample_summaries(log.path)
    clusters = _clusters_of(log)
    if any(isinstance(_note(summary), str) for summary in samples):
        # A note that is too long for the summaries is in the samples.
        samples = read_eval_log_samples(log.path, all_samples_required=False)
    for sample in samples:
        yield from _judged(log, sample, _note(sample), clusters)


def _clusters_of(log: LogHeader) -> tuple[str, ...]:
    from inspect_ai.log import read_eval_log_sample_summaries

    summaries = read_eval_log_sample_summaries(log.path)
    return tuple(sorted({str((one.metadata or {})["cluster"]) for one in summaries}))


def _note(sample: EvalSample | EvalSampleSummary) -> Any:
    notes = [(score.metadata or {}).get(_NOTE) for score in (sample.scores or {}).values()]
    return next((n for n in notes if isinstance(n, str) or (n and "orders" in n)), None)


def _judged(
    log: LogHeader,
    sample: EvalSample | EvalSampleSummary,
    note: Any,
    clusters: tuple[str, ...],
) -> Iterator[JudgedAnswer]:
    """Yield a judged answer with the joint verdict, then one per judge if several voted."""
    if sample.error or not isinstance(note, dict):
        return
    words = note.get("words") or {}
    model = str(note.get("model") or log.key.judge)
    for vote in (note, *note.get("votes", ())):  # the joint verdict, then the single votes
        yield JudgedAnswer(
            contestant=log.contestant,
            model=log.key.model,
            asked=replace(log.key, judge=""),
            judge=log.key.judge.replace(model, str(vote.get("model") or model), 1),
            id=str(sample.id),
            epoch=sample.epoch,
            cluster=str((sample.metadata or {})["cluster"]),
            verdicts={str(order["first"]): order["verdicts"] for order in vote["orders"]},
            answer_words=int(words.get(ANSWER) or 0),
            reference_words=int(words.get(REFERENCE) or 0),
            answer_hash=str(note.get("answer") or ""),
            clusters=clusters,
        )


_SHUFFLED = ("nuggets", "relevance")
UNBIASED = {"first_share": 0.5, "flip_rate": 0.0, "length_slope": 0.0, "early": 0.0}
"""Measures of an unbiased judge; the other measures depend on the answers."""
Lengthened: TypeAlias = tuple[RowKey, float, float, str]
"""An answer's row, doublings of its length, points and cluster."""
LabelPair: TypeAlias = tuple[tuple[Any, Any], str]
"""Two labels of one case, and the case's cluster."""


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """One judge's labels for the lines of one question about an answer."""

    judge: str
    contestant: str
    asked: RowKey
    id: str
    epoch: int
    cluster: str
    question: str
    about: Any
    """Subject of the lines, which the metrics need."""
    rulings: tuple[Ruling | None, ...]
    doublings: float
    """Base-2 logarithm of (the answer's words / the reference's words)."""
    clusters: tuple[str, ...] = ()
    """Clusters of all items in the answer's log, sorted."""

    @property
    def labels(self) -> list[str | None]:
        """Labels of the lines; None for an unlabelled line."""
        return [None if ruling is None else ruling.label for ruling in self.rulings]

    @property
    def best(self) -> list[bool]:
        """For each labelled line, True if it has the best label."""
        best = QUESTIONS[self.question].best
        return [label in best for label in self.labels if label is not None]


def read_rulings(logs: Sequence[LogHeader]) -> list[LabelledLines]:
    """All labelled answers in the logs: labels by vote, and per judge if several voted."""
    return [
        labelled
        for log in logs
        if log.key.judge
        for labelled in sorted(_labels_of(log), key=lambda one: (one.id, one.epoch, one.question))
    ]


def _labels_of(log: LogHeader) -> Iterator[LabelledLines]:
    from inspect_ai.log import read_eval_log_samples

    import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task

    clusters = _clusters_of(log)
    for sample in read_eval_log_samples(log.path, all_samples_required=False):
        scores = (sample.scores or {}).values()
        note = next((m for s in scores if (m := s.metadata or {}).get("rulings")), None)
        if sample.error or note is None:
            continue
        answer = len(str(note.get("read_as") or note.get("answer") or "").split())
        reference = len("".join(sample.target).split())
        names = log.key.judge.partition(" template=")[0]
        for question, labelling in note["rulings"].items():
            if "about" not in labelling:
                raise InputError(
                    f"{log.name} has labels of an earlier version, which do not say what they are "
                    "about. Move it away, and run it again."
                )
            votes = {names: labelling, **(labelling.get("votes") or {})}
            for name, vote in votes.items() if question in QUESTIONS else ():
                yield LabelledLines(
                    judge=log.key.judge.replace(names, name, 1),
                    contestant=log.contestant,
                    asked=replace(log.key, judge=""),
                    id=str(sample.id),
                    epoch=sample.epoch,
                    cluster=str((sample.metadata or {})["cluster"]),
                    question=question,
                    about=labelling["about"],
                    rulings=tuple(
                        label and Ruling(label, frozenset(works))
                        for label, works in zip(vote["labels"], vote["works"], strict=True)
                    ),
                    doublings=math.log2(answer / reference) if answer and reference else math.nan,
                    clusters=clusters,
                )


def measured(
    judge: str,
    criterion: str,
    cases: Mapping[str, Sequence[tuple[float, str]]],
    lengths: Sequence[Lengthened],
    draws: Draws,
) -> list[Row]:
    """Rows of a judge's measures: means of named values with clusters, and the length slope."""
    estimates = {
        name: mean_estimate([value for value, _ in pairs], [c for _, c in pairs], draws)
        for name, pairs in cases.items()
    }
    estimates["length_slope"] = slope_within(lengths, draws)
    return [
        {
            "judge": judge,
            "judge_model": judge.partition(" template=")[0],
            "criterion": criterion,
            "measure": name,
            **estimate.fields(),
            "unbiased": UNBIASED.get(name),
        }
        for name, estimate in sorted(estimates.items())
    ]


def measure_rows(labelled: Sequence[LabelledLines], draws: Draws) -> list[Row]:
    """One row per judge, question and measure."""
    groups: dict[tuple[str, str], list[LabelledLines]] = defaultdict(list)
    for one in labelled:
        groups[one.judge, one.question].append(one)
    rows = []
    for (judge, question), group in sorted(groups.items()):
        cases: dict[str, list[tuple[float, str]]] = {
            "silent": [(label is None, one.cluster) for one in group for label in one.labels],
            "best": [(best, one.cluster) for one in group for best in one.best],
        }
        if question in _SHUFFLED:
            cases["early"] = [(early(one.best), one.cluster) for one in group]
        lengths = [
            (one.asked, one.doublings, sum(one.best) / len(one.best), one.cluster)
            for one in group
            if one.best and not math.isnan(one.doublings)
        ]
        rows += measured(judge, question, cases, lengths, draws)
    return rows


def early(best: Sequence[bool]) -> float:
    """Share of best labels in the first half minus the second; NaN for fewer than two lines."""
    half = len(best) // 2
    if not half:
        return math.nan
    return sum(best[:half]) / half - sum(best[-half:]) / half


def slope_within(cases: Sequence[Lengthened], draws: Draws) -> Estimate:
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


def agreement_rows(labelled: Sequence[LabelledLines], draws: Draws) -> list[Row]:
    """One row per question and pair of judges of the same lines."""
    by_judge: dict[tuple[str, str], dict[tuple[Any, ...], LabelledLines]] = defaultdict(dict)
    for one in labelled:
        by_judge[one.question, one.judge][one.asked, one.id, one.epoch] = one
    rows = []
    for (question, first), (other, second) in combinations(sorted(by_judge), 2):
        if question != other:
            continue
        pairs = [
            (labels, one.cluster)
            for key, one in by_judge[question, first].items()
            if (also := by_judge[question, second].get(key)) and len(also.labels) == len(one.labels)
            for labels in zip(one.labels, also.labels, strict=True)
            if None not in labels
        ]
        if pairs:
            agreement = coefficients(pairs, draws)
            rows.append({"judges": [first, second], "criterion": question, **agreement})
    return rows


def coefficients(pairs: Sequence[LabelPair], draws: Draws) -> Row:
    """Coefficients of agreement between the two labels of each case, and the number of cases."""
    estimates = agreement_estimates([pair for pair, _ in pairs], [c for _, c in pairs], draws)
    return {"n": len(pairs), **{name: estimate.fields() for name, estimate in estimates.items()}}
