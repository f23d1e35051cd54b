"""A run specification carried out by Inspect's eval_set: resumed, retried, and never half reported.

A run that was killed goes on where it stopped when the same run is asked for again: finished
samples are taken from the logs. A sample that keeps failing does not stop the others; its log
then counts as failed and is taken up again by the next run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from pydantic_core import to_jsonable_python

from vivavoce.running.journal import open_journal
from vivavoce.running.ledger import recording
from vivavoce.running.logs import Progress, listen, log_path, set_aside_damaged, why_incomplete
from vivavoce.running.resolving import Contestant, resolve
from vivavoce.running.specs import CONTESTANTS, RunReport, RunSpec, Stopped
from vivavoce.running.stopping import run_until
from vivavoce.running.until import Until
from vivavoce.store import lock
from vivavoce.tasks import list_families

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

_OF_ANSWERS = (
    *("context", "task_args", "max_tokens", "generate", "model_args", "judge"),
    *("time_limit", "cost_limit", "clean_for"),
)
"""Parts of a specification on which answers depend, beside a task's name, method and model."""

__all__ = ["CONTESTANTS", "RunReport", "RunSpec", "Stopped", "Until", "list_methods", "run"]


def run(spec: RunSpec, progress: Progress | None = None) -> RunReport:
    """Run every task with every method and model, resuming what the log folder already holds.

    Args:
        spec: What to run.
        progress: Called with (samples done, samples in all) whenever a sample ends.

    Raises:
        InputError: A task, method, setting or model is missing or unknown.
        VivaError: A model cannot be started, for want of a key or of a package.
        LockedError: Another run writes into the log folder.
    """
    contestants, skipped = resolve(spec)
    tasks = [each.task for each in contestants]
    sizes = [len(task.dataset) for task in tasks]
    listen(progress, spec.epochs * sum(min(size, spec.limit or size) for size in sizes))
    asked = {name: list(getattr(spec, name)) for name in ("tasks", "models", "methods")}
    with lock(spec.logs), recording(spec.logs, asked):
        set_aside = set_aside_damaged(spec.logs)
        journal = open_journal(spec.logs)
        journal.keep(_models_of(tasks))
        with redirect_stdout(sys.stderr):  # what Inspect prints; stdout is for results
            logs, stopped = _carry_out(contestants, spec)
        failed = tuple(sorted(line for log in logs if (line := why_incomplete(log))))
        journal.close(finished=not failed)
    return RunReport(
        logs=tuple(sorted(log_path(log) for log in logs)),
        failed=failed,
        skipped=tuple(skipped),
        set_aside=tuple(set_aside),
        stopped=tuple(stopped),
    )


def _carry_out(
    contestants: Sequence[Contestant], spec: RunSpec
) -> tuple[list[EvalLog], list[Stopped]]:
    if spec.until is None:
        return _eval_set([each.task for each in contestants], spec), []
    identity = {
        name: to_jsonable_python(getattr(spec, name), serialize_unknown=True)
        for name in _OF_ANSWERS
    }
    return run_until(
        contestants,
        spec.until,
        epochs=spec.epochs,
        identity=identity,
        logs=spec.logs,
        ask=lambda tasks: _eval_set(tasks, spec),
    )


def _models_of(tasks: Iterable[Task]) -> list[Model]:
    """Every model that a run asks: contestants, judges and other roles, each once."""
    from inspect_ai.model import Model

    used = [model for task in tasks for model in (task.model, *(task.model_roles or {}).values())]
    return list({id(model.api): model for model in used if isinstance(model, Model)}.values())


def _eval_set(tasks: list[Task], spec: RunSpec) -> list[EvalLog]:
    from inspect_ai import Epochs, eval_set

    from vivavoce.tasks.scoring.guard import REDUCERS

    _, logs = eval_set(
        tasks,
        log_dir=str(spec.logs),
        log_dir_allow_dirty=True,
        model=None,
        epochs=Epochs(spec.epochs, list(REDUCERS)) if spec.epochs > 1 else spec.epochs,
        limit=spec.limit,
        fail_on_error=True,
        continue_on_fail=True,
        retry_on_error=spec.retry_on_error,
        retry_attempts=spec.task_tries - 1,
        retry_immediate=spec.task_tries > 1,
        # A log that another run takes up, say with more epochs, is a row of its own: it stays.
        retry_cleanup=False,
        max_connections=spec.max_connections,
        time_limit=spec.time_limit,
        cost_limit=spec.cost_limit,
        display=spec.display,  # type: ignore[arg-type]  # a Literal that Inspect checks itself
        # Nobody watches a silent run, and what lets one watch takes a third of a small one's time.
        log_realtime=spec.display != "none",
        ctl_server=False if spec.display == "none" else None,
        log_level="warning",
        score_display=False,
        **spec.generate,
    )
    return logs


def list_methods() -> dict[str, str]:
    """Every method with a summary: those some family offers, then the contestants."""
    offered = {
        name: summary for card in list_families().values() for name, summary in card.methods.items()
    }
    return {**dict(sorted(offered.items())), **CONTESTANTS}
