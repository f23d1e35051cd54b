"""Logs verified: every score worked out again, and everything a board reads held against it.

What is compared, from the outside in: the log's bytes with the ledger of its run; what the log says
it asked with the round; its summaries, which boards read, with its samples; every answer that a
model gave at once with the reply in the transcript; every score with a new one; every metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
)
from inspect_ai.scorer import Score

from vivavoce.errors import VivaError
from vivavoce.results.integrity.rescoring import (
    Recording,
    logged_task,
    open_rounds,
    reopen,
    rescore,
)
from vivavoce.results.logs.ledger import LedgerCheck, check_ledgers
from vivavoce.results.logs.reading import find_logs, our_scores
from vivavoce.rounds import Round
from vivavoce.store import Row
from vivavoce.tasks import short_name

Progress = Callable[[int, int], None]

VERIFIED, REFUSED, UNVERIFIED = "verified", "refused", "unverified"
_TOLERANCE = 1e-9
"""Relative: sums may be taken in another order on another machine."""
_TOLD = ("cluster", "published", "split", "category", "difficulty")
"""What a board reads of an item beside its scores."""
_SUMMED_UP = ("metadata", "model_usage", "role_usage", "error", "working_time")
_DESCRIBED = ("round", "window", "family", "task", "setting", "metrics", "diagnostics", "judged")
_MAX_PROBLEMS = 20
"""Of a log, that are listed."""


@dataclass(slots=True)
class LogCheck:
    """What was found of one log."""

    name: str
    samples: int = 0
    refused: list[str] = field(default_factory=list)
    """What cannot be, each with the sample it is in where it is in one."""
    unverified: str = ""
    """Why the scores could not be worked out again; empty when they were."""
    notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """`verified`, `refused` or `unverified`."""
        if self.refused:
            return REFUSED
        return UNVERIFIED if self.unverified else VERIFIED

    def as_dict(self) -> Row:
        """As plain JSON values."""
        return {
            "log": self.name,
            "status": self.status,
            "samples": self.samples,
            "refused": self.refused,
            "unverified": self.unverified or None,
            "notes": self.notes,
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found of a folder of logs."""

    logs: tuple[LogCheck, ...]
    ledger: LedgerCheck

    @property
    def is_sound(self) -> bool:
        """Whether every log is verified and the ledger holds."""
        return not self.ledger.problems and all(log.status == VERIFIED for log in self.logs)

    def as_dict(self) -> Row:
        """As plain JSON values."""
        return {
            "verified": self.is_sound,
            "logs": [log.as_dict() for log in self.logs],
            "ledger": self.ledger.as_dict(),
        }


def verify_logs(
    folder: Path, rounds: Sequence[Path] = (), progress: Progress | None = None
) -> Verification:
    """Verify every log of our tasks below a folder.

    Args:
        folder: The folder of logs.
        rounds: Folders of rounds, for logs whose round is not where it was when they were made.
        progress: Called with (logs done, logs in all).

    Raises:
        InputError: No logs there, or a round cannot be opened.
    """
    found = find_logs(folder)
    opened = open_rounds(rounds)
    checks = []
    for place, name in enumerate(found):
        if progress:
            progress(place, len(found))
        path = Path(name)
        checks.append(_check_log(path, path.relative_to(folder.absolute()).as_posix(), opened))
    return Verification(
        tuple(check for check in checks if check is not None), check_ledgers(folder)
    )


def _check_log(path: Path, name: str, rounds: Mapping[str, Round]) -> LogCheck | None:
    """What is found of one log; None for a log of another's task."""
    check = LogCheck(name)
    try:
        header = read_eval_log(str(path), header_only=True)
        if "round_sha256" not in (header.eval.metadata or {}):
            return None
        recording = _read(path, header, check)
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect
        check.refused.append(f"cannot be read ({type(error).__name__}: {error})")
        return check
    check.samples = len(recording.answers)
    try:
        _score_again(header, recording, rounds, check)
    except Exception as error:  # whatever stops a task or a scorer, the log is not verified
        cause = str(error) if isinstance(error, VivaError) else f"{type(error).__name__}: {error}"
        check.unverified = cause
    if len(check.refused) > _MAX_PROBLEMS:
        rest = len(check.refused) - _MAX_PROBLEMS
        check.refused[_MAX_PROBLEMS:] = [f"and {rest} more."]
    return check


def _read(path: Path, header: EvalLog, check: LogCheck) -> Recording:
    """Take in the samples, and hold the summaries against them."""
    recording = Recording()
    summaries = {(s.id, s.epoch): s for s in read_eval_log_sample_summaries(str(path))}
    is_direct = [short_name(step.solver) for step in header.plan.steps] == ["direct"]
    for sample in read_eval_log_samples(
        str(path), all_samples_required=False, resolve_attachments=True
    ):
        where = _where(sample.id, sample.epoch)
        summary = summaries.pop((sample.id, sample.epoch), None)
        if summary is None:
            check.refused.append(f"{where} stands twice, or is in no summary.")
            continue
        check.refused += [f"{where}: {what}" for what in _compare_summary(sample, summary)]
        if is_direct and not _was_said(sample):
            check.refused.append(f"{where}: its answer is not what the model said.")
        if sample.error is None and our_scores(sample.scores):
            recording.add(sample)
    check.refused += [f"{_where(*left)} has a summary and no sample." for left in summaries]
    return recording


def _where(sample: str | int, epoch: int) -> str:
    return f"sample {sample}" + (f" (attempt {epoch})" if epoch > 1 else "")


def _compare_summary(sample: EvalSample, summary: EvalSampleSummary) -> Iterator[str]:
    """What the summary, which boards read, says otherwise than the sample."""
    true = sample.summary()
    for name in _SUMMED_UP:
        if getattr(true, name) != getattr(summary, name):
            yield f"its summary says another {name.replace('_', ' ')}."
    right, told = our_scores(true.scores), our_scores(summary.scores)
    for score, said in zip(right, told, strict=False):
        yield from _compare_scores(said, score, "its summary")
    if len(right) != len(told):
        yield "its summary has other scores."


def _compare_scores(told: Score, true: Score, who: str) -> Iterator[str]:
    """Where a score is not the true one."""
    values, right = told.as_dict(), true.as_dict()
    for name in sorted({*values, *right}):
        if name not in values or name not in right or not _equal(values[name], right[name]):
            said, is_ = (_shown(found.get(name)) for found in (values, right))
            yield f"{who} says {name} {said}, it is {is_}."
    if (told.metadata or {}).get("fault") != (true.metadata or {}).get("fault"):
        yield f"{who} says another fault."


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    try:
        first, second = float(a), float(b)
    except (TypeError, ValueError):
        return bool(a == b)
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _was_said(sample: EvalSample) -> bool:
    """Whether the answer of one request is the model's last reply; a log may have no transcript."""
    replies = [e for e in sample.events if isinstance(e, ModelEvent) and not e.role]
    return not replies or replies[-1].output.completion == sample.output.completion


def _score_again(
    header: EvalLog, recording: Recording, rounds: Mapping[str, Round], check: LogCheck
) -> None:
    task = reopen(header, rounds)
    if task is None:
        check.notes.append(
            "Its round is not here: scored against the gold that the log itself holds. Name the "
            "round with --round to compare that too."
        )
        task = logged_task(header, recording)
    else:
        _compare_task(task, header, recording, check)
    if not recording.answers or check.unverified:
        return
    made = rescore(task, header, recording)
    again = {(str(sample.id), sample.epoch): sample for sample in made.samples or []}
    for address, answer in sorted(recording.answers.items()):
        where = _where(*address)
        scores = our_scores(again[address].scores)
        if not scores:
            error = again[address].error
            check.refused.append(
                f"{where} cannot be scored again: {error.message if error else 'no score'}."
            )
        for true in scores:
            check.refused += [
                f"{where}: {what}" for what in _compare_scores(answer.score, true, "the log")
            ]
    if header.status == "success" and len(again) == len(recording.answers):
        check.refused += _compare_metrics(header, made)


def _compare_task(task: Task, header: EvalLog, recording: Recording, check: LogCheck) -> None:
    """Hold what the log says it asked against the task itself."""
    if str(task.version) != str(header.eval.task_version):
        check.unverified = (
            f"it is of version {header.eval.task_version} of its task, which is {task.version} "
            "here: verify it with the vivavoce it was made with."
        )
        return
    metadata, told = task.metadata or {}, header.eval.metadata or {}
    check.refused += [
        f"its {name} is not that of the task ({told.get(name)!r}, not {metadata.get(name)!r})."
        for name in _DESCRIBED
        if told.get(name) != metadata.get(name)
    ]
    if header.eval.dataset.samples != len(task.dataset):
        check.refused.append(
            f"it claims {header.eval.dataset.samples} samples, the task has {len(task.dataset)}."
        )
    asked = {str(sample.id): sample for sample in task.dataset}
    for (sample_id, epoch), answer in sorted(recording.answers.items()):
        where, true = _where(sample_id, epoch), asked.get(sample_id)
        if true is None:
            check.refused.append(f"{where} is no item of the round.")
            continue
        if answer.input != true.input:
            check.refused.append(f"{where} was not asked what the task asks.")
        if answer.target != true.target:
            check.refused.append(f"{where} has another gold than the round.")
        check.refused += [
            f"{where} has another {name} than the round."
            for name in _TOLD
            if answer.metadata.get(name) != (true.metadata or {}).get(name)
        ]


def _compare_metrics(header: EvalLog, made: EvalLog) -> Iterator[str]:
    """Means and standard errors as the log's header gives them."""
    told = {
        (s.name, s.reducer): s.metrics for s in (header.results.scores if header.results else [])
    }
    for score in made.results.scores if made.results else []:
        given = told.get((score.name, score.reducer))
        if given is None:
            yield f"its results lack {score.name}."
            continue
        for name, metric in score.metrics.items():
            if name not in given or not _equal(given[name].value, metric.value):
                said = _shown(given[name].value) if name in given else "nothing"
                yield f"its results say {score.name} {name} {said}, it is {_shown(metric.value)}."
