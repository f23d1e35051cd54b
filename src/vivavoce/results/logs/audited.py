"""Logs opened for an audit: the board's choice of logs, with the arguments they were run with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import list_eval_logs, read_eval_log

from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import select_logs
from vivavoce.tasks import short_name


@dataclass(frozen=True, slots=True)
class AuditedLog:
    """One log of a board, and what it was run with."""

    log: RunLog
    location: str
    arguments: Mapping[str, Any]
    """The task's, defaults included."""
    steps: tuple[tuple[str, Mapping[str, Any]], ...]
    """Solvers and their arguments, defaults included."""

    @property
    def key(self) -> RowKey:
        """The row of the board it makes."""
        return self.log.key

    @property
    def contestant(self) -> str:
        """The contestant's name on the board."""
        return self.key.contestant


def read_audited(folder: Path, *, partial: bool = False) -> tuple[list[AuditedLog], list[str]]:
    """The logs that make the rows of a board, in the order of their keys, and notes.

    Raises:
        InputError: No logs there.
        VivaError: As `vivavoce.results.board.building.leaderboard` says.
    """
    chosen, notes = select_logs(folder, partial=partial)
    wanted = {(log.name, log.created): log for log in chosen}
    names = {name for name, _ in wanted}
    found = []
    for info in sorted(list_eval_logs(str(folder), recursive=True), key=lambda info: info.name):
        if Path(info.name).name not in names:
            continue
        header = read_eval_log(info, header_only=True)
        log = wanted.pop((Path(info.name).name, str(header.eval.created)), None)
        if log is not None:
            steps = tuple(
                (short_name(step.solver), step.params or {}) for step in header.plan.steps
            )
            found.append(AuditedLog(log, info.name, header.eval.task_args, steps))
    return sorted(found, key=lambda each: each.key), notes


def item_values(log: RunLog, metric: str) -> dict[str, float]:
    """Each item's mean over its defined attempts; NaN where none is defined."""
    attempts: dict[str, list[float]] = {}
    for sample in sorted(log.samples, key=lambda sample: (sample.id, sample.epoch)):
        value = sample.values[metric]
        attempts.setdefault(sample.id, []).extend([] if value is None else [value])
    return {
        item: math.fsum(values) / len(values) if values else math.nan
        for item, values in attempts.items()
    }


def item_clusters(log: RunLog) -> dict[str, str]:
    """The cluster of each item."""
    return {sample.id: sample.cluster for sample in log.samples}
