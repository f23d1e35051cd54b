"""A run specification carried out by Inspect's eval_set: resumed, retried, and never half reported.

A run that was killed goes on where it stopped when the same run is asked for again: finished
samples are taken from the logs. A sample that keeps failing does not stop the others; its log
then counts as failed and is taken up again by the next run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from vivavoce.models.cutoffs import Cutoffs
from vivavoce.running.journal import open_journal
from vivavoce.running.ledger import recording
from vivavoce.running.logs import Progress, listen, log_path, set_aside_damaged, why_incomplete
from vivavoce.running.prices import Price
from vivavoce.running.resolving import CONTESTANTS, Contestant, resolve
from vivavoce.running.stopping import Until, run_until
from vivavoce.running.sweeps import Sweep
from vivavoce.store import Row, lock
from vivavoce.tasks import list_families
from vivavoce.tasks.subsets import Subset

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

_OF_ANSWERS = (
    *("context", "task_args", "max_tokens", "generate", "model_args", "judge"),
    *("time_limit", "cost_limit", "clean_for"),
)
"""Parts of a specification on which answers depend, beside a task's name, method and model."""

__all__ = ["CONTESTANTS", "RunReport", "RunSpec", "Until", "list_methods", "run"]


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What to run."""

    tasks: Sequence[str]
    """Names such as `title` or `vivavoce/title`."""
    round: Path
    """The folder of the round."""
    logs: Path
    """Folder for the logs; a run goes on with what is in it."""
    models: Sequence[str] = ()
    """`provider/model`, as Inspect names them; none for methods that need no model."""
    methods: Sequence[str] = ("direct",)
    """How each model is used, and contestants without one; `list_methods` has all."""
    judge: str | None = None
    """A model that compares every answer with the gold, for tasks that take a judge."""
    setting: str = "base"
    """What the models see, by the card of the family."""
    context: int | None = None
    """Every model's window in tokens; None for what is known of each."""
    task_args: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the tasks, such as `data_info` of formula."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the methods that take them, such as `rounds` of self_refine."""
    sweep: Sweep = field(default_factory=dict)
    """Values of such arguments: a method is run with every combination of those it takes."""
    subset: Subset | None = None
    """Only some items of each task, the same ones for every contestant."""
    clean_for: Cutoffs | None = None
    """Only items that are clean for every model of the run by these cutoffs."""
    prompts: Path | None = None
    """Folder of templates to use instead of the family's."""
    epochs: int = 1
    """Answers asked for each sample."""
    limit: int | None = None
    """Only the first so many samples; a board then calls the log partial."""
    until: Until | None = None
    """A question that ends the run when it is answered; None to ask everything of everyone."""
    max_tokens: int | None = None
    """The longest answer, in tokens; None for what the task's card says."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Decoding settings for Inspect's GenerateConfig, such as temperature."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for every model's provider, such as `n_ctx` of a local model."""
    max_connections: int | None = None
    """Requests to a model at one time; None for what its provider takes."""
    max_retries: int | None = None
    """Further tries of one request; None for what the task's card says, else 6."""
    attempt_timeout: int | None = None
    """Seconds after which one request counts as failed and is tried again; None for what the
    task's card says, else 600."""
    retry_on_error: int = 3
    """Further tries of a sample that ended in an error."""
    task_tries: int = 3
    """Tries of a task some of whose samples still have no score."""
    time_limit: int | None = None
    """Seconds that one sample may take."""
    cost_limit: float | None = None
    """Dollars that one try of a sample may cost; the prices of all its models must be known."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """What models cost, by their names: Inspect knows no price by itself."""
    display: str | None = None
    """How Inspect shows the run: `none`, `plain`, `rich`, `full` or `log`."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended."""

    logs: tuple[str, ...]
    """One log a (task, method, model) and combination of a sweep."""
    failed: tuple[str, ...]
    """Logs that are not complete, each with the reason."""
    skipped: tuple[str, ...] = ()
    """Tasks without an item in the setting, each with the reason."""
    set_aside: tuple[str, ...] = ()
    """Damaged logs that lay in the folder, by their new names."""
    stopped: tuple[Row, ...] = ()
    """How each comparison ended, of a run that ends when its question is answered."""


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


def _carry_out(contestants: Sequence[Contestant], spec: RunSpec) -> tuple[list[EvalLog], list[Row]]:
    if spec.until is None:
        return _eval_set([each.task for each in contestants], spec), []
    given = [getattr(spec, name) for name in _OF_ANSWERS]
    identity = to_jsonable_python(given, serialize_unknown=True)
    return run_until(contestants, spec.until, spec, identity, lambda tasks: _eval_set(tasks, spec))


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
