"""Earlier logs of a task: what contestants reached and what it cost, to plan a run by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.running.checks import CONTESTANTS
from vivavoce.running.logs import item_values, log_path
from vivavoce.tasks import short_name

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


@dataclass(frozen=True, slots=True)
class Contestant:
    """One contestant's answers to a task in earlier logs."""

    name: str
    """Method and model."""
    model: str
    values: Mapping[str, float]
    """By item, of the metric that the task is ranked by; NaN where undefined."""
    clusters: Mapping[str, str]
    """By item."""
    usage: Mapping[str, float]
    """Means of an answer: `input` and `output` tokens, judges' and all tries included."""


def contestant_name(method: str, model: str) -> str:
    """The name of a contestant, by which a planned one finds its earlier logs."""
    return f"{short_name(method)} {model}"


def earlier_contestants(folders: Sequence[Path], task: Task) -> list[Contestant]:
    """Contestants that have answered a task, on this round or another; the last log of each.

    Raises:
        InputError: A folder is not there.
    """
    facts = task.metadata or {}
    found: dict[str, Contestant] = {}
    for log in _logs_of(folders, str(facts["task"])):
        told = log.eval.metadata or {}
        if str(told["setting"]).partition(" (")[0] != str(facts["setting"]).partition(" (")[0]:
            continue
        method = "+".join(short_name(step.solver) for step in log.plan.steps)
        name = contestant_name(method, log.eval.model)
        values = item_values(log_path(log), told["metrics"][0], None, told.get("pooling"))
        if values:
            found[name] = Contestant(name, log.eval.model, values, *_of_samples(log))
    return [found[name] for name in sorted(found)]


def difficulty(folders: Sequence[Path], task: Task, models: Collection[str]) -> dict[str, float]:
    """Mean by item of what contestants other than those of these models have reached.

    Raises:
        InputError: There are fewer than two, or they have met none of the task's items.
    """
    others = [
        each
        for each in earlier_contestants(folders, task)
        if each.model not in models and each.name.split()[0] not in CONTESTANTS
    ]
    reached: dict[str, list[float]] = defaultdict(list)
    for each in others:
        for item, value in each.values.items():
            if value == value:
                reached[item].append(value)
    known = {
        str(sample.id): fsum(reached[str(sample.id)]) / len(reached[str(sample.id)])
        for sample in task.dataset
        if str(sample.id) in reached
    }
    if len(others) < 2 or not known:
        where = ", ".join(map(str, folders))
        raise InputError(
            f"{where}: {len(others)} other contestants have answered items of "
            f"{(task.metadata or {})['task']} there, and difficulty takes two. Name logs of theirs "
            "with --learn-from."
        )
    return known


def _logs_of(folders: Sequence[Path], task: str) -> Iterator[EvalLog]:
    """Headers of our logs of a task, the oldest first."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder of logs.")
        for info in sorted(list_eval_logs(str(folder)), key=lambda info: info.name):
            log = read_eval_log(info, header_only=True)
            if (log.eval.metadata or {}).get("task") == task and log.results:
                yield log


def _of_samples(log: EvalLog) -> tuple[dict[str, str], dict[str, float]]:
    """The cluster of each item, and the mean tokens of an answer."""
    from inspect_ai.log import read_eval_log_sample_summaries

    clusters: dict[str, str] = {}
    tokens: dict[str, Any] = {"input": 0.0, "output": 0.0}
    summaries = read_eval_log_sample_summaries(log_path(log))
    for summary in summaries:
        clusters[str(summary.id)] = str((summary.metadata or {}).get("cluster", summary.id))
        for usage in (summary.model_usage or {}).values():
            tokens["input"] += usage.input_tokens
            tokens["output"] += usage.output_tokens
    return clusters, {name: total / max(1, len(summaries)) for name, total in tokens.items()}
