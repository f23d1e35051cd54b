"""Answers to the table task in logs, to be scored again or shown to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log_samples
from inspect_ai.scorer import Score

import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task
from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.results.logs.selection import select_logs
from vivavoce.tasks.scoring import VALID, our_scores
from vivavoce.tasks.scoring.guard import answer_of
from vivavoce.tasks.tables.family import NOTHING, read_answer, read_gold
from vivavoce.tasks.tables.item import TASK

BOUNDS = ("oracle", "null", "copycat")
"""Contestants that bound the metrics; all evaluators rank them alike, which inflates agreement."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """One answer."""

    contestant: str
    """Name on the board."""
    model: str
    """Name of the model; empty without one."""
    item: str
    epoch: int
    cluster: str
    fault: str | None
    """Fault of the answer, which then scores 0; None if valid."""
    gold: LiteratureTable
    system: LiteratureTable
    names: Mapping[str, str]
    """Titles of the pool's papers, by their label in both tables."""
    use: Mapping[str, Any] | None = None
    """Questions and answers recorded by the scorer by use; None with another scorer."""


def read_table_answers(
    folder: Path, *, setting: str | None = None, partial: bool = False
) -> tuple[list[TableAnswer], list[str]]:
    """Read all answers in a folder of logs to one setting of the task, with notes.

    The contestants in `BOUNDS` are left out. If a contestant has several logs, the first is used.

    Raises:
        InputError: The logs are of several rounds or settings, or none has the given setting.
        VivaError: A log is incomplete without `partial`, or none has an answer.
    """
    found, notes = select_logs(folder, partial=partial)
    logs = [log for log in found if log.key.task == TASK and log.key.method not in BOUNDS]
    if not logs:
        raise VivaError(
            f"{folder} has no answers to the task {TASK}. Make some with: viva run {TASK} "
            f"--model MODEL --logs {folder}"
        )
    logs = _of_one_setting(logs, setting)
    by_contestant: dict[str, RunLog] = {}
    for log in logs:
        if by_contestant.setdefault(log.contestant, log) is not log:
            notes.append(f"{log.name} is a further log of {log.contestant}; left out.")
    answers: list[TableAnswer] = []
    for log in by_contestant.values():
        # Samples have long prompts, so they are read one at a time.
        samples = read_eval_log_samples(log.path, all_samples_required=False)
        of_log = [_answer(log, one) for one in samples if not one.error and one.scores]
        answers += sorted(of_log, key=lambda answer: (answer.item, answer.epoch))
    return answers, notes


def _of_one_setting(logs: Sequence[RunLog], setting: str | None) -> list[RunLog]:
    chosen = [log for log in logs if setting is None or log.key.setting == setting]
    places = {log.key.place for log in chosen or logs}
    if not chosen or len(places) > 1:
        found = "; ".join(" · ".join(place) for place in sorted(places))
        reason = "Name one with --setting" if setting is None else "Give logs of one of them"
        raise InputError(f"Contestants are compared on one round and setting. {reason}: {found}.")
    return chosen


def _answer(log: RunLog, sample: EvalSample) -> TableAnswer:
    titles = {str(one["label"]): str(one["title"]) for one in sample.metadata["pool"]}
    fault = _fault(sample)
    system = None if fault else read_answer(answer_of(sample.output), titles)
    return TableAnswer(
        contestant=log.contestant,
        model="" if log.key.model == NO_MODEL else log.key.model,
        item=str(sample.id),
        epoch=sample.epoch,
        cluster=str(sample.metadata["cluster"]),
        fault=fault or ("malformed" if system is None else None),
        gold=read_gold("".join(sample.target), titles),
        system=system or NOTHING,
        names=titles,
        use=next(filter(None, (_noted(score, "use") for score in our_scores(sample.scores))), None),
    )


def _noted(score: Score, name: str) -> Any:
    return (score.metadata or {}).get(name)


def _fault(sample: EvalSample) -> str | None:
    """The fault reported by our scorer; scores added by others do not have it."""
    for score in our_scores(sample.scores):
        if not score.as_dict()[VALID]:
            return str(_noted(score, "fault") or "malformed")
    return None
