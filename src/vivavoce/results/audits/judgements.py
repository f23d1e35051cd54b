"""Judgements in logs: verdicts on two texts in both orders, and labels of lines.

Both give labels by criterion (a criterion of a comparison, or a question about lines), and points:
1 for the best label, 0 for the worst. The measures of a judge are means of the values that its
judgements give.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import QUESTIONS, Ruling
from vivavoce.results.logs.records import LogHeader, RowKey
from vivavoce.tasks.scoring import our_scores

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

ANSWER, REFERENCE, TIE = "answer", "reference", "tie"
FIRST, SECOND = "first", "second"
OVERALL = "overall"
POINTS = {ANSWER: 1.0, TIE: 0.5, REFERENCE: 0.0}
"""Points of an answer by the outcome of a comparison."""
_SHUFFLED = ("nuggets", "relevance")
AnswerKey: TypeAlias = tuple[RowKey, str, int, str]
"""Row key without the judge, item, epoch, and question; the same for all judges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """An answer and its judge."""

    judge: str
    """Judge of the row: its name and the hash of its template."""
    contestant: str
    asked: RowKey
    """Row key without the judge, the same for all judges of an answer."""
    id: str
    epoch: int
    cluster: str
    clusters: tuple[str, ...]
    """Clusters of all items in the answer's log, sorted."""
    doublings: float
    """Base-2 logarithm of (the answer's words / the reference's words); NaN if one has none."""
    question: str = ""
    """Question about lines; empty for a comparison."""

    @property
    def key(self) -> AnswerKey:
        """Key of the judged answer and the question."""
        return self.asked, self.id, self.epoch, self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(_Judged):
    """Verdicts on an answer and the reference, in both orders."""

    verdicts: Mapping[str, Mapping[str, str | None]]
    """Verdicts (`first`, `second` or None) by the text shown first, then by criterion."""
    text: str
    """Hash of the answer."""

    def criteria(self) -> Iterable[str]:
        """Criteria judged in either order."""
        return (name for verdicts in self.verdicts.values() for name in verdicts)

    def places(self, criterion: str) -> list[str]:
        """The position that won with the answer first, and with the reference first.

        Empty unless the judge gave a verdict in both orders.
        """
        given = [self.verdicts.get(order, {}).get(criterion) for order in (ANSWER, REFERENCE)]
        places = [place for place in given if place in (FIRST, SECOND)]
        return places if len(places) == len(given) else []

    def labels(self, criterion: str) -> list[str | None]:
        """The winner: `answer`, `reference`, or `tie` if the verdict changed with the order."""
        places = self.places(criterion)
        if not places:
            return [None]
        return [TIE if places[0] == places[1] else ANSWER if places[0] == FIRST else REFERENCE]

    def points(self, criterion: str) -> list[float]:
        """Points for the winner."""
        return [POINTS[winner] for winner in self.labels(criterion) if winner]

    def measures(self, criterion: str) -> dict[str, list[float]]:
        """Values of the measures, by name."""
        [winner] = self.labels(criterion)
        return {
            "first_share": [place == FIRST for place in self.places(criterion)],
            "win_rate": self.points(criterion),
            "flip_rate": [winner == TIE] if winner else [],
            "unjudged": [winner is None],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLines(_Judged):
    """Labels for the lines of one question about an answer."""

    about: Any
    """Subject of the lines, which the metrics need."""
    rulings: tuple[Ruling | None, ...]

    @property
    def text(self) -> int:
        """Number of the lines."""
        return len(self.rulings)

    def criteria(self) -> Iterable[str]:
        """The question."""
        return (self.question,)

    def labels(self, criterion: str) -> list[str | None]:
        """Labels of the lines; empty for another question."""
        rulings = self.rulings if criterion == self.question else ()
        return [None if ruling is None else ruling.label for ruling in rulings]

    def points(self, criterion: str) -> list[float]:
        """Points for the best label of the question, per labelled line."""
        best = QUESTIONS[self.question].best
        return [float(label in best) for label in self.labels(criterion) if label is not None]

    def measures(self, criterion: str) -> dict[str, list[float]]:
        """Values of the measures, by name; none for another question."""
        if criterion != self.question:
            return {}
        best = self.points(criterion)
        half = len(best) // 2
        early = [sum(best[:half]) / half - sum(best[-half:]) / half] if half else []
        return {
            "silent": [label is None for label in self.labels(criterion)],
            "best": best,
            **({"early": early} if criterion in _SHUFFLED else {}),
        }


Judgement: TypeAlias = Comparison | LabelledLines


def criteria_of(judged: Iterable[Judgement]) -> list[str]:
    """All criteria of judgements, the overall criterion first."""
    names = {name for each in judged for name in each.criteria()}
    return sorted(names, key=lambda name: (name != OVERALL, name))


def read_judgements(logs: Sequence[LogHeader]) -> tuple[list[Comparison], list[LabelledLines]]:
    """All judgements in the order of logs, ids and epochs: joint ones, then those of each judge."""
    judged = [one for log in logs if log.key.judge for one in sorted(_judged(log), key=_order)]
    return (
        [one for one in judged if isinstance(one, Comparison)],
        [one for one in judged if isinstance(one, LabelledLines)],
    )


def _order(judged: Judgement) -> tuple[str, int, str]:
    return judged.id, judged.epoch, judged.question


def _judged(log: LogHeader) -> Iterator[Judgement]:
    from inspect_ai.log import read_eval_log_sample_summaries, read_eval_log_samples

    import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task

    summaries = read_eval_log_sample_summaries(log.path)
    clusters = tuple(sorted({str((one.metadata or {})["cluster"]) for one in summaries}))
    for sample in read_eval_log_samples(log.path, all_samples_required=False):
        shared = {
            "contestant": log.contestant,
            "asked": replace(log.key, judge=""),
            "id": str(sample.id),
            "epoch": sample.epoch,
            "cluster": str((sample.metadata or {})["cluster"]),
            "clusters": clusters,
        }
        for score in our_scores(sample.scores) if not sample.error else ():
            yield from _compared(log, score.metadata or {}, shared)
            yield from _labelled(log, sample, score.metadata or {}, shared)


def _compared(
    log: LogHeader, note: Mapping[str, Any], shared: Mapping[str, Any]
) -> Iterator[Comparison]:
    verdicts = note.get("judge")
    if not isinstance(verdicts, dict) or "orders" not in verdicts:
        return
    words = verdicts.get("words") or {}
    model = str(verdicts.get("model") or log.key.judge)
    for vote in (verdicts, *verdicts.get("votes", ())):
        yield Comparison(
            judge=log.key.judge.replace(model, str(vote.get("model") or model), 1),
            verdicts={str(order["first"]): order["verdicts"] for order in vote["orders"]},
            doublings=_doublings(int(words.get(ANSWER) or 0), int(words.get(REFERENCE) or 0)),
            text=str(verdicts.get("answer") or ""),
            **shared,
        )


def _labelled(
    log: LogHeader, sample: EvalSample, note: Mapping[str, Any], shared: Mapping[str, Any]
) -> Iterator[LabelledLines]:
    answer = len(str(note.get("read_as") or note.get("answer") or "").split())
    names = log.key.judge.partition(" template=")[0]
    for question, labelling in (note.get("rulings") or {}).items():
        if "about" not in labelling:
            raise InputError(
                f"{log.name} has labels of an earlier version, which do not say what they are "
                "about. Move it away, and run it again."
            )
        votes = {names: labelling, **(labelling.get("votes") or {})}
        for name, vote in votes.items() if question in QUESTIONS else ():
            yield LabelledLines(
                judge=log.key.judge.replace(names, name, 1),
                question=question,
                about=labelling["about"],
                rulings=tuple(
                    label and Ruling(label, frozenset(works))
                    for label, works in zip(vote["labels"], vote["works"], strict=True)
                ),
                doublings=_doublings(answer, len("".join(sample.target).split())),
                **shared,
            )


def _doublings(answer: int, reference: int) -> float:
    return math.log2(answer / reference) if answer > 0 and reference > 0 else math.nan
