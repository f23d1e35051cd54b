"""Verdicts of judges as the logs keep them, in both orders of answer and reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vivavoce.results.logs.records import LogHeader, RowKey

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample, EvalSampleSummary

ANSWER, REFERENCE, TIE = "answer", "reference", "tie"
FIRST, SECOND = "first", "second"
OVERALL = "overall"
_NOTE = "judge"


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer that a judge compared with the reference, in both orders."""

    contestant: str
    model: str
    asked: RowKey
    """The row's key without its judge: what two judges of the same answers share."""
    judge: str
    """The judge of the row: its name and the hash of its template."""
    judge_model: str
    id: str
    epoch: int
    cluster: str
    verdicts: Mapping[str, Mapping[str, str | None]]
    """By what stood first (`answer`, `reference`), then by criterion: `first`, `second`, None."""
    answer_words: int
    reference_words: int
    answer_hash: str
    clusters: tuple[str, ...] = ()
    """Those of all items of its log, sorted."""

    def places(self, criterion: str) -> tuple[str, str] | None:
        """The places that won, with the answer first and with the reference first.

        None unless the judge gave a verdict in both orders.
        """
        first, second = (
            self.verdicts.get(order, {}).get(criterion) for order in (ANSWER, REFERENCE)
        )
        if first not in (FIRST, SECOND) or second not in (FIRST, SECOND):
            return None
        return first, second

    def outcome(self, criterion: str) -> str | None:
        """The winner: `answer`, `reference`, or `tie` when the verdict changed with the order."""
        places = self.places(criterion)
        if places is None:
            return None
        if places[0] == places[1]:
            return TIE
        return ANSWER if places[0] == FIRST else REFERENCE

    def points(self, criterion: str) -> float | None:
        """1 for a win of the answer, 1/2 for a tie, 0 for a win of the reference."""
        outcome = self.outcome(criterion)
        return None if outcome is None else {ANSWER: 1.0, TIE: 0.5, REFERENCE: 0.0}[outcome]


def criteria_of(judged: Iterable[Judged]) -> list[str]:
    """Criteria that were asked for in either order, the overall one first."""
    names = {name for each in judged for order in each.verdicts.values() for name in order}
    return sorted(names, key=lambda name: (name != OVERALL, name))


def read_verdicts(logs: Sequence[LogHeader]) -> list[Judged]:
    """Every judged answer of the logs, in the order of the logs, the ids and the epochs."""
    return [
        judged
        for log in logs
        if log.key.judge
        for judged in sorted(_of_log(log), key=lambda judged: (judged.id, judged.epoch))
    ]


def _of_log(log: LogHeader) -> Iterator[Judged]:
    from inspect_ai.log import read_eval_log_sample_summaries, read_eval_log_samples

    import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task

    samples: Iterable[EvalSample | EvalSampleSummary] = read_eval_log_sample_summaries(log.path)
    clusters = tuple(sorted({str((one.metadata or {})["cluster"]) for one in samples}))
    if any(isinstance(_note(summary), str) for summary in samples):
        # Too long for the log's summaries: the samples themselves have it.
        samples = read_eval_log_samples(log.path, all_samples_required=False)
    for sample in samples:
        yield from _judged(log, sample, _note(sample), clusters)


def _note(sample: EvalSample | EvalSampleSummary) -> Any:
    notes = [(score.metadata or {}).get(_NOTE) for score in (sample.scores or {}).values()]
    return next((n for n in notes if isinstance(n, str) or (n and "orders" in n)), None)


def _judged(
    log: LogHeader,
    sample: EvalSample | EvalSampleSummary,
    note: Any,
    clusters: tuple[str, ...],
) -> Iterator[Judged]:
    """A judged answer, and each judge's own verdict where several voted; nothing without any."""
    if sample.error or not isinstance(note, dict):
        return
    words = note.get("words") or {}
    model = str(note.get("model") or log.key.judge)
    for vote in (note, *note.get("votes", ())):  # the verdict that counts, and of whom it is made
        yield Judged(
            contestant=log.contestant,
            model=log.key.model,
            asked=replace(log.key, judge=""),
            judge=log.key.judge.replace(model, str(vote.get("model") or model), 1),
            judge_model=str(vote.get("model") or model),
            id=str(sample.id),
            epoch=sample.epoch,
            cluster=str((sample.metadata or {})["cluster"]),
            verdicts={str(order["first"]): order["verdicts"] for order in vote["orders"]},
            answer_words=int(words.get(ANSWER) or 0),
            reference_words=int(words.get(REFERENCE) or 0),
            answer_hash=str(note.get("answer") or ""),
            clusters=clusters,
        )
