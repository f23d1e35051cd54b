"""Answers to the table task as the logs keep them, with the gold that they are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalSample, read_eval_log_samples

from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.results.logs.reading import our_scores
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.results.logs.selection import select_logs
from vivavoce.tasks.scoring.guard import VALID
from vivavoce.tasks.subsets import Candidate, Subset, choose
from vivavoce.tasks.tables.items.answers import NOTHING, read_answer, read_gold
from vivavoce.tasks.tables.items.table_items import TASK, answer_text

BOUNDS = ("oracle", "null", "copycat")
"""Contestants that bound the metrics: any evaluator ranks them alike, which would flatter all."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """One answer."""

    contestant: str
    """Its name on the board."""
    model: str
    """Empty where it used none."""
    item: str
    epoch: int
    cluster: str
    fault: str | None
    """Why it is none; such an answer is worth 0."""
    gold: LiteratureTable
    system: LiteratureTable
    names: Mapping[str, str]
    """Titles of the pool's papers, by the label that both tables know them by."""


def read_table_answers(
    folder: Path, *, setting: str | None = None, partial: bool = False
) -> tuple[list[TableAnswer], list[str]]:
    """Every answer of a folder of logs to one setting of the task, and notes.

    The contestants in `BOUNDS` are left out. Of several logs of one contestant the first counts.

    Args:
        folder: The logs.
        setting: Of the task, as a board calls it; needed where there are several.
        partial: Also read logs that lack samples.

    Raises:
        InputError: The logs are of several rounds or settings, or of none that was asked for.
        VivaError: A log is incomplete and `partial` was not asked for, or none has an answer.
    """
    found, notes = select_logs(folder, partial=partial)
    logs = [log for log in found if log.key.task == TASK and log.key.method not in BOUNDS]
    if not logs:
        raise VivaError(
            f"{folder} holds no answers to the task {TASK}. Make some with: viva run {TASK} "
            f"--model MODEL --logs {folder}"
        )
    logs = _of_one_setting(logs, setting)
    by_contestant: dict[str, RunLog] = {}
    for log in logs:
        if by_contestant.setdefault(log.contestant, log) is not log:
            notes.append(f"{log.name} is another log of {log.contestant}; left out.")
    return [answer for log in by_contestant.values() for answer in _answers(log)], notes


def take_items(answers: Sequence[TableAnswer], size: int | None, seed: int) -> list[TableAnswer]:
    """The answers to so many items, chosen by a seed across all sizes of tables; None for all."""
    if size is None:
        return list(answers)
    golds = {answer.item: answer for answer in answers}
    candidates = [
        Candidate(item, answer.cluster, size=len(answer_text(answer.gold)))
        for item, answer in sorted(golds.items())
    ]
    if size >= len(candidates):
        return list(answers)
    chosen = choose(candidates, Subset(size, seed, stratify=True))
    return [answer for answer in answers if answer.item in chosen]


def _of_one_setting(logs: Sequence[RunLog], setting: str | None) -> list[RunLog]:
    chosen = [log for log in logs if setting is None or log.key.setting == setting]
    places = {log.key.place for log in chosen or logs}
    if not chosen or len(places) > 1:
        found = "; ".join(" · ".join(place) for place in sorted(places))
        reason = "Name one with --setting" if setting is None else "Give logs of one of them"
        raise InputError(f"Contestants are compared on one round and setting. {reason}: {found}.")
    return chosen


def _answers(log: RunLog) -> list[TableAnswer]:
    """The answers of a log; its samples hold long prompts, so that one is read at a time."""
    samples = read_eval_log_samples(log.path, all_samples_required=False)
    found = [_answer(log, one) for one in samples if not one.error and one.scores]
    return sorted(found, key=lambda answer: (answer.item, answer.epoch))


def _answer(log: RunLog, sample: EvalSample) -> TableAnswer:
    titles = {str(one["label"]): str(one["title"]) for one in sample.metadata["pool"]}
    fault = _fault(sample)
    system = None if fault else read_answer(sample.output.completion, titles)
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
    )


def _fault(sample: EvalSample) -> str | None:
    """The fault that our scorer saw; scorers that others ran over the log say nothing of it."""
    for score in our_scores(sample.scores):
        if not score.as_dict()[VALID]:
            return str((score.metadata or {}).get("fault") or "malformed")
    return None
