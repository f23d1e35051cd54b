"""Execution of a run specification by Inspect's eval_set, with retries and resumption.

Starting a killed run again resumes it: finished samples are taken from the logs.
A sample that keeps failing does not stop the others; its log then counts as failed, and the next
run resumes it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import packages_distributions
from io import StringIO
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.reports import Report
from vivavoce.requests.run import RunSpec as RunSpec
from vivavoce.running.journal import kept_batches, open_journal
from vivavoce.running.logs import (
    Progress,
    listen,
    log_path,
    mark_contents,
    read_headers,
    recording,
    why_incomplete,
)
from vivavoce.running.meter import Meter
from vivavoce.running.provider_errors import Gate
from vivavoce.running.resolving import count_answered, describe_cache, models_of, resolve
from vivavoce.running.spec import decoding_of, rule_of
from vivavoce.running.stopping import comparisons_of, run_to_decision
from vivavoce.store import Row, lock
from vivavoce.tasks import CONTESTANTS, list_families

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


@dataclass(frozen=True, slots=True)
class RunReport(Report):
    """Outcome of a run."""

    logs: tuple[str, ...]
    """Paths of logs: one for each (task, method, model) and combination of a sweep."""
    failed: tuple[str, ...]
    """Incomplete logs, each with the reason."""
    answered: tuple[str, ...] = ()
    """Count the items of each task that each file of answers covers."""
    skipped: tuple[str, ...] = ()
    """Tasks without an item in the setting, each with the reason."""
    refused: tuple[str, ...] = ()
    """Entries of `failed` that say why nothing more was sent to a model."""
    set_aside: tuple[str, ...] = ()
    """New names of the damaged logs in the folder."""
    stopped: tuple[Row, ...] = ()
    """Outcome of each comparison, for a run that ends once its question is answered."""
    spent: Row | None = None
    """Dollars that the folder's requests cost, and the budget; None without prices and budget."""
    cache: Row | None = None
    """Settings of the cache of replies: models, expiry, folder and key; None without a cache."""

    def parts(self) -> Iterator[str]:
        """Lines on comparisons that were decided early, on incomplete logs, and on the cost."""
        for each in self.stopped:
            yield (
                f"{each['task']}, {each['setting']}: {each['reason']}, after {each['items']:,} of "
                f"{each['of']:,} items and {each['answers']:,} of {each['of_answers']:,} answers."
            )
        for line in self.failed:
            yield line if line in self.refused else f"Not complete: {line}"
        if self.spent:
            budget = self.spent["budget"]
            of = "." if budget is None else f", of {budget:g}."
            yield f"{self.spent['usd']:.4f} dollars spent in this folder{of}"

    def left_out(self) -> Iterator[str]:
        """Lines on files of answers, skipped tasks, damaged logs and cached replies."""
        yield from self.answered
        yield from (f"Skipped: {line}" for line in self.skipped)
        yield from (f"Set aside an unreadable log: {name}" for name in self.set_aside)
        if self.cache:
            yield (
                f"Replies of {self.cache['of']} are cached for {self.cache['expiry']} in "
                f"{self.cache['folder']}, keyed by {', '.join(self.cache['key'])}; --no-cache "
                "asks again."
            )


def run(spec: RunSpec | None = None, progress: Progress | None = None, **given: Any) -> RunReport:
    """Run every task with every method and model, resuming what the log folder already holds.

    `run(RunSpec(tasks=["title"], ...))` and `run(tasks=["title"], ...)` are equivalent.

    Args:
        spec: Specification of the run.
        progress: Called with (answers received, answers in all).
        given: Fields of `RunSpec`, instead of a specification.

    Raises:
        InputError: A task, method, setting or model is missing or unknown.
        VivaError: A model cannot be started, for instance for lack of a key or a package.
        LockedError: Another run writes into the log folder.
    """
    if spec is None:
        spec = RunSpec(**given)
    elif given:
        raise InputError(f"Give either a specification or {', '.join(given)}, not both.")
    tasks, skipped = resolve(spec)
    answered = tuple(dict.fromkeys(count_answered(tasks)))
    sizes = [len(task.dataset) for task in tasks]
    planned = spec.epochs * sum(min(size, spec.limit or size) for size in sizes)
    count = listen(progress, planned)
    asked = {name: list(getattr(spec, name)) for name in ("tasks", "models", "methods")}
    with lock(spec.logs), ExitStack() as stack:
        headers, set_aside = read_headers(spec.logs)
        models = models_of(tasks)
        mark_contents(models, headers)
        rule = rule_of(spec)
        comparisons = comparisons_of(tasks, rule, spec) if rule else {}
        stack.enter_context(recording(spec.logs, asked))
        gates = [Gate(model, is_batched=spec.batch) for model in models]
        meter = Meter(spec.logs, spec.budget, is_batched=spec.batch)
        if is_metered := bool(spec.prices) or spec.budget is not None:
            meter.watch(models)
        journal = open_journal(spec.logs, meter)
        for model in models:
            journal.keep(model)
        batches = stack.enter_context(kept_batches(spec.logs)) if spec.batch else None
        screen = unseen() if spec.display == "none" else nullcontext()
        # What Inspect prints goes to stderr; stdout is for results.
        with redirect_stdout(sys.stderr), screen:
            if comparisons:
                ask = partial(_eval_set, spec=spec)
                logs, stopped = run_to_decision(comparisons, spec.logs, ask)
            else:
                logs, stopped = _eval_set(tasks, spec), []
        refused = {gate.model: gate.line for gate in gates if gate.line}
        reasons = (why_incomplete(log, refused) for log in logs)
        failed = tuple(sorted({line for line in reasons if line}))
        if progress and not failed and count() < planned:
            # The other answers come from earlier runs or are no longer needed.
            whole = planned - sum(row["of_answers"] - row["answers"] for row in stopped)
            progress(whole, whole)
        journal.close(finished=not failed)
        if batches:
            batches.close(finished=not failed)
    return RunReport(
        logs=tuple(sorted(log_path(log) for log in logs)),
        failed=failed,
        answered=answered,
        skipped=tuple(skipped),
        refused=tuple(sorted(set(refused.values()))),
        set_aside=tuple(set_aside),
        stopped=tuple(stopped),
        spent={"usd": meter.spent, "budget": meter.budget} if is_metered else None,
        cache=describe_cache(tasks, spec),
    )


_installed = cache(packages_distributions)


@contextmanager
def unseen() -> Iterator[None]:
    """Skip work that Inspect does in vain or repeatedly in a silent run.

    Otherwise Inspect lays out tables of all results, and lists all installed packages for each log.
    """
    from inspect_ai._display.core.display import TaskScreen, TaskSpec
    from inspect_ai._display.rich.display import RichDisplay
    from inspect_ai._util import package

    @asynccontextmanager
    async def without_tables(
        self: RichDisplay, tasks: list[TaskSpec], parallel: bool
    ) -> AsyncIterator[TaskScreen]:
        self.tasks, self.progress_ui = [], None
        yield TaskScreen()

    screen, RichDisplay.task_screen = RichDisplay.task_screen, without_tables  # type: ignore[method-assign]
    listing, package.packages_distributions = package.packages_distributions, _installed  # type: ignore[attr-defined]
    try:
        yield
    finally:
        RichDisplay.task_screen = screen  # type: ignore[method-assign]
        package.packages_distributions = listing  # type: ignore[attr-defined]


def run_quietly(task: Task, **settings: Any) -> EvalLog:
    """Run a task without output or log files, whatever happens to its samples; return its log."""
    from inspect_ai import eval
    from inspect_ai.log import read_eval_log

    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), unseen():
        [made] = eval(
            task,
            log_dir=folder,
            fail_on_error=False,
            display="none",
            log_realtime=False,
            ctl_server=False,
            log_level="error",
            score_display=False,
            **settings,
        )
        # Samples are read from the file on first use.
        return read_eval_log(made.location)


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
        # Keep a log that another run continues, say with more epochs: it is a row of its own.
        retry_cleanup=False,
        max_connections=spec.max_connections,
        time_limit=spec.time_limit,
        cost_limit=spec.cost_limit,
        display=spec.display,  # type: ignore[arg-type]  # a Literal, which Inspect checks
        # A silent run needs no live view, which takes a third of the time of a small run.
        log_realtime=spec.display != "none",
        ctl_server=False if spec.display == "none" else None,
        log_level="warning",
        score_display=False,
        **decoding_of(spec),
    )
    if not logs:  # a signal stopped Inspect, which kept the answers so far
        raise KeyboardInterrupt
    return logs


def list_methods() -> dict[str, str]:
    """Every method with its summary: first the methods of families, then the contestants."""
    offered = {
        name: summary for card in list_families().values() for name, summary in card.methods.items()
    }
    return {**dict(sorted(offered.items())), **CONTESTANTS}
