"""Comparisons of a log with the task on its round, and with the scores made again from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
from inspect_ai.scorer import Score
from pydantic_core import to_jsonable_python

from vivavoce.results.integrity.rescoring import LOGGED, Recording, replies_of
from vivavoce.results.logs.records import where
from vivavoce.running.logs import COMPARISON, settled
from vivavoce.tasks.scoring.guard import REDUCERS
from vivavoce.tasks.scoring.marks import our_scores

_TOLERANCE = 1e-9
"""Relative: sums may be taken in another order on another machine."""
_NAMED = 10
"""Missing samples of a log that are listed."""
_READ_BY_BOARDS = (
    *("cluster", "category", "difficulty", "published", "published_from", "split"),
    *("board", "title"),
)
"""Metadata of a sample that a board reads, whether the task gives them or not."""
_NEWER = "title"
"""Metadata that logs of earlier versions lack, and no score rests on."""
_NOTED = ("fault", "counts", "fit", "judge")
"""Notes beside a score that boards read; others are compared where the log has them at all."""
_SUMMED_UP = ("metadata", "model_usage", "role_usage", "error", "working_time")


def compare_summary(sample: EvalSample, summary: EvalSampleSummary) -> Iterator[str]:
    """Differences between a sample and its summary, which boards read."""
    true = sample.summary()
    for name in _SUMMED_UP:
        if getattr(true, name) != getattr(summary, name):
            yield f"its summary says another {name.replace('_', ' ')}."
    right, told = our_scores(true.scores), our_scores(summary.scores)
    for score, said in zip(right, told, strict=False):
        yield from _compare_scores(said, score, "its summary")
    if len(right) != len(told):
        yield "its summary has other scores."


def compare_transcript(sample: EvalSample, header: EvalLog) -> Iterator[str]:
    """Contradictions between a sample's transcript and who the log says was asked at what cost."""
    roles = {role: getattr(m, "model", None) for role, m in (header.eval.model_roles or {}).items()}
    used = 0
    for event in replies_of(sample):
        asked = roles.get(event.role) if event.role else header.eval.model
        if asked and event.model != asked:
            yield f"its transcript asks {event.model}, the log names {asked}."
            return
        if event.output.usage and event.cache != "read":  # which nobody paid
            used += event.output.usage.total_tokens
    told = sum(usage.total_tokens for usage in sample.model_usage.values())
    if told < used:
        yield f"it says that it used {told} tokens, its transcript has {used}."


def compare_task(task: Task, header: EvalLog, recording: Recording, folder: Path) -> Iterator[str]:
    """Differences between what a log says that it asked and what its task asks.

    Where a log names the folder of its round, the receiver's own `folder` counts as the same.
    """
    its_own = str(header.eval.task_args.get("round"))

    def moved(text: str) -> str:
        return str(folder.resolve()) if text == its_own else text

    true, told = _plain(task.metadata or {}), header.eval.metadata or {}
    for name in sorted({*true, *told}):
        if told.get(name) != true.get(name):
            said, is_ = told.get(name), true.get(name)
            yield f"its {name} is not that of the task ({said!r}, not {is_!r})."
    if header.eval.dataset.samples != len(task.dataset):
        yield f"it claims {header.eval.dataset.samples} samples, the task has {len(task.dataset)}."
    if (reducers := header.eval.config.epochs_reducer) not in (None, list(REDUCERS)):
        yield f"its attempts are reduced by {reducers}, which no run of viva asks for."
    if settled(header) and COMPARISON not in told:
        yield "it says why its contestant was asked no more, and all of its task was asked."
    asked = {str(sample.id): sample for sample in task.dataset}
    epochs = header.eval.config.epochs or 1
    for (sample_id, epoch), answer in sorted(recording.answers.items()):
        place, item = where(sample_id, epoch), asked.get(sample_id)
        if item is None or not 1 <= epoch <= epochs:
            yield f"{place} is no item of the round."
            continue
        if answer.input != item.input:
            yield f"{place} was not asked what the task asks."
        if answer.target != item.target:
            yield f"{place} has another gold than the round."
        described = _plain(item.metadata or {})
        if _NEWER not in answer.metadata:
            described.pop(_NEWER, None)
        for name in sorted({*described, *_READ_BY_BOARDS}):
            if _changed(_plain(answer.metadata.get(name)), moved) != described.get(name):
                yield f"{place} has another {name} than the round."


def missing(task: Task, header: EvalLog, recording: Recording) -> str | None:
    """The samples of the task that a log has no score of, named; None when it has them all."""
    epochs = range(1, (header.eval.config.epochs or 1) + 1)
    whole = [(str(sample.id), epoch) for sample in task.dataset for epoch in epochs]
    lacking = [where(*address) for address in whole if address not in recording.answers]
    if not lacking and header.status == "success":
        return None
    if not lacking:
        return f"its run ended as {header.status}."
    rest = len(lacking) - _NAMED
    listed = ", ".join(lacking[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"{len(lacking)} of the {len(whole)} answers are missing: {listed}."


def compare_remade(
    place: str, answer: EvalSample, found: EvalSample, refused: list[str], unverified: list[str]
) -> None:
    """Hold an answer and its score against those that were made again of the replies."""
    scores = our_scores(found.scores)
    if not scores:
        cause = found.error.message if found.error else "no score"
        unverified.append(f"{place} cannot be made again: {cause}.")
        return
    if found.output.completion != answer.output.completion:
        refused.append(f"{place}: its answer is not what its method makes of the replies.")
    told = our_scores(answer.scores)[0]
    for true in scores:
        refused += [f"{place}: {what}" for what in _compare_scores(told, true, "the log")]


def compare_metrics(header: EvalLog, made: EvalLog) -> Iterator[str]:
    """Differences of means and standard errors in the log's header."""
    results = header.results.scores if header.results else []
    told = {(score.name, score.reducer): score.metrics for score in results}
    for score in made.results.scores if made.results else []:
        given = told.get((score.name, score.reducer))
        if given is None:
            yield f"its results lack {score.name}."
            continue
        for name, metric in score.metrics.items():
            if name not in given or not _equal(given[name].value, metric.value):
                said = _shown(given[name].value) if name in given else "nothing"
                yield f"its results say {score.name} {name} {said}, it is {_shown(metric.value)}."


def _compare_scores(told: Score, true: Score, who: str) -> Iterator[str]:
    values, right = told.as_dict(), true.as_dict()
    for name in sorted({*values, *right}):
        if name not in values or name not in right or not _equal(values[name], right[name]):
            said, is_ = (_shown(found.get(name)) for found in (values, right))
            yield f"{who} says {name} {said}, it is {is_}."
    notes = _plain(told.metadata or {})
    found = _changed(_plain(true.metadata or {}), lambda text: text.removeprefix(f"{LOGGED}/"))
    for name in sorted({*notes, *_NOTED}):
        if not _equal(notes.get(name), found.get(name)):
            yield f"{who} says another {name}."
    if told.answer != true.answer:
        yield f"{who} says another answer."


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """A value with all texts in it changed."""
    if isinstance(value, list):
        return [_changed(member, change) for member in value]
    if isinstance(value, dict):
        return {name: _changed(member, change) for name, member in value.items()}
    return change(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """A value as it comes back out of JSON."""
    return to_jsonable_python(value, serialize_unknown=True, inf_nan_mode="strings")


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    try:
        first, second = float(a), float(b)
    except (TypeError, ValueError):
        return bool(a == b)
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
