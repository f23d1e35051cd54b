"""A run specification carried out by Inspect's eval_set: resumed, retried, and never half reported.

A run that was killed goes on where it stopped when the same run is asked for again: finished
samples are taken from the logs. A sample that keeps failing does not stop the others; its log
then counts as failed and is taken up again by the next run.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, VivaError
from vivavoce.rounds import load_round
from vivavoce.store import lock
from vivavoce.tasks import find_task, list_families

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

Progress = Callable[[int, int], None]

NO_MODEL = "none/none"
CONTESTANTS = {
    "oracle": "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods that need no model."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What to run."""

    tasks: Sequence[str]
    round: Path
    logs: Path
    models: Sequence[str] = ()
    methods: Sequence[str] = ("direct",)
    judge: str | None = None
    """A model that compares every answer with the gold, for tasks that take a judge."""
    setting: str = "base"
    context: int | None = None
    task_args: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the tasks, such as `data_info` of formula."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the methods that take them, such as `rounds` of self_refine."""
    prompts: Path | None = None
    epochs: int = 1
    limit: int | None = None
    """Only the first so many samples; a board then calls the log partial."""
    max_tokens: int | None = None
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Decoding settings for Inspect's GenerateConfig, such as temperature."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for every model's provider, such as `n_ctx` of a local model."""
    max_connections: int | None = None
    """Requests to a model at one time; None for what its provider takes."""
    max_retries: int = 6
    attempt_timeout: int | None = 600
    """Seconds after which one request counts as failed and is tried again."""
    retry_on_error: int = 3
    """Further tries of a sample that ended in an error."""
    time_limit: int | None = None
    cost_limit: float | None = None
    display: str | None = None


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended."""

    logs: tuple[str, ...]
    """One log a (task, method, model)."""
    failed: tuple[str, ...]
    """Logs that are not complete, each with the reason."""
    set_aside: tuple[str, ...] = ()
    """Damaged logs that lay in the folder, by their new names."""


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
    tasks = _resolve(spec)
    _listen(progress, spec.epochs * sum(_count(task, spec.limit) for task in tasks))
    with lock(spec.logs):
        set_aside = _set_aside_damaged(spec.logs)
        logs = _evaluate(tasks, spec)
    return RunReport(
        logs=tuple(sorted(_path(log) for log in logs)),
        failed=tuple(sorted(line for log in logs if (line := _failure(log)))),
        set_aside=tuple(set_aside),
    )


def _evaluate(tasks: list[Task], spec: RunSpec) -> list[EvalLog]:
    """Carry the tasks out; what Inspect prints goes to stderr, since stdout is for results."""
    with redirect_stdout(sys.stderr):
        return _eval_set(tasks, spec)


def _eval_set(tasks: list[Task], spec: RunSpec) -> list[EvalLog]:
    from inspect_ai import Epochs, eval_set

    from vivavoce.tasks.shared.statistics import REDUCERS

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
        retry_attempts=2,
        retry_immediate=True,
        # A log that another run takes up, say with more epochs, is a row of its own: it stays.
        retry_cleanup=False,
        max_connections=spec.max_connections,
        max_retries=spec.max_retries,
        attempt_timeout=spec.attempt_timeout,
        time_limit=spec.time_limit,
        cost_limit=spec.cost_limit,
        display=spec.display,  # type: ignore[arg-type]  # a Literal that Inspect checks itself
        log_level="warning",
        score_display=False,
        **spec.generate,
    )
    return logs


def _set_aside_damaged(folder: Path) -> list[str]:
    """Rename logs that cannot be read, such as one whose writing was killed: they stop a run."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    renamed = []
    for info in list_eval_logs(str(folder)):
        try:
            read_eval_log(info, header_only=True)
        except Exception:  # a damaged archive fails in many ways, inside Inspect
            path = Path(info.name.removeprefix("file://"))
            renamed.append(str(path.rename(path.with_name(f"{path.name}.damaged"))))
    return renamed


def list_methods() -> dict[str, str]:
    """Every method with a summary: those some family offers, then the contestants."""
    offered = {
        name: summary for card in list_families().values() for name, summary in card.methods.items()
    }
    return {**dict(sorted(offered.items())), **CONTESTANTS}


def _resolve(spec: RunSpec) -> list[Task]:
    """One Inspect task for each (task, method, model)."""
    from inspect_ai import task_with
    from inspect_ai.util import registry_create

    from vivavoce import _registry  # noqa: F401  # registers our tasks, solvers and models

    found = [find_task(name) for name in dict.fromkeys(spec.tasks)]
    _check(spec, found)
    started = _start_models(dict.fromkeys(spec.models), spec.model_args)
    roles = _roles(spec)
    resolved = []
    for family, task in found:
        for method in dict.fromkeys(spec.methods):
            models = started if _needs_model(family, method) else [NO_MODEL]
            for model in models:
                created = _create_task(task, _task_args(spec, family))
                if roles:
                    created = task_with(created, model_roles=roles)
                if method != "direct":
                    given = _solver_args(spec, method)
                    solver = registry_create("solver", f"vivavoce/{method}", **given)
                    created = task_with(created, solver=solver)
                resolved.append(task_with(created, model=model))
    return resolved


def _roles(spec: RunSpec) -> dict[str, Model]:
    """The models that take part beside the contestants; each is started anew for its role."""
    return {"judge": _start_models([spec.judge], {})[0]} if spec.judge else {}


def _solver_args(spec: RunSpec, method: str) -> dict[str, Any]:
    """What a method is given; as with a task's arguments, a log is known by them."""
    known = _solver_parameters(method)
    given = {name: value for name, value in spec.solver_args.items() if name in known}
    # `direct` stands in the task, which hands the window on; other methods get it here.
    if "context" in known and spec.context is not None:
        given["context"] = spec.context
    return given


def _solver_parameters(method: str) -> list[str]:
    """Names of the arguments that a method takes."""
    import inspect

    from vivavoce import _registry

    return list(inspect.signature(getattr(_registry, method)).parameters)


def _create_task(task: str, args: dict[str, Any]) -> Task:
    """The Inspect task; `InputError` names an argument that it does not take."""
    import inspect

    from inspect_ai.util import registry_create

    from vivavoce import _registry
    from vivavoce.tasks.shared.judge import judge_named_later

    known = inspect.signature(getattr(_registry, task)).parameters
    unknown = [name for name in args if name not in known]
    if unknown:
        raise InputError(f"{task} takes no {unknown[0]!r}. There are: {', '.join(known)}.")
    with judge_named_later():
        return registry_create("task", f"vivavoce/{task}", **args)


def _start_models(names: Iterable[str], args: Mapping[str, Any]) -> list[Model]:
    """Start every model, so that a wrong name or a missing key is told before any work is done."""
    from inspect_ai.model import get_model

    started = []
    for name in names:
        try:
            started.append(get_model(name, **args))
        except VivaError:
            raise
        except Exception as error:  # a provider raises what it likes while it starts
            kind = InputError if isinstance(error, ValueError) else VivaError
            cause = " ".join(re.sub(r"\[/?[a-z ]{1,20}\]", "", str(error)).split())
            raise kind(f"The model {name} cannot be used: {cause}") from error
    return started


def _count(task: Task, limit: int | None) -> int:
    """Samples of a task that a run with this limit answers."""
    return min(len(task.dataset), limit or len(task.dataset))


def _listen(progress: Progress | None, total: int) -> None:
    """Tell `progress` of every sample that ends from now on; None to stop telling."""
    from inspect_ai.hooks import Hooks, SampleEnd, hooks

    ended: set[tuple[str, str]] = set()

    # Hooks cannot be taken back, but one of the same name replaces the one before.
    @hooks(name="vivavoce/progress", description="Counts samples for a progress bar.")
    class ProgressHooks(Hooks):
        async def on_sample_end(self, data: SampleEnd) -> None:
            ended.add((data.eval_id, data.sample_id))
            if progress:
                progress(min(len(ended), total), total)


def _check(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> None:
    cards = list_families()
    for family, task in tasks:
        offered = cards[family].tasks[task].methods
        for method in spec.methods:
            if method not in (*offered, *CONTESTANTS):
                known = ", ".join((*offered, *CONTESTANTS))
                raise InputError(f"{task} has no method {method!r}. There are: {known}.")
    taken = {name for method in spec.methods for name in _solver_parameters(method)}
    # The window is an argument of its own, and the same for every method.
    taken.discard("context")
    for name in spec.solver_args:
        if name not in taken:
            methods, there = ", ".join(spec.methods), ", ".join(sorted(taken)) or "none"
            raise InputError(f"{name!r} is no argument of {methods}. There are: {there}.")
    if bool(spec.judge) != bool(spec.task_args.get("judge", spec.judge)):
        raise InputError("A judge is asked for with --judge MODEL, which means -T judge=true too.")
    if not spec.models and any(
        _needs_model(family, method) for family, _ in tasks for method in spec.methods
    ):
        raise InputError("Name at least one --model, such as --model extractive/lead.")


def _needs_model(family: str, method: str) -> bool:
    return method not in (*CONTESTANTS, *list_families()[family].without_model)


def _task_args(spec: RunSpec, family: str) -> dict[str, Any]:
    """Arguments of a task; they decide which log of the folder a run goes on with."""
    from vivavoce.tasks.shared.entry import fingerprint, open_prompts

    prompts = str(spec.prompts.resolve()) if spec.prompts else None
    opened = load_round(spec.round)
    args = {
        "round": str(spec.round.resolve()),
        "setting": spec.setting,
        "context": spec.context,
        "prompts": prompts,
        "max_tokens": spec.max_tokens,
        "pin": fingerprint(opened, open_prompts(family, prompts)),
        "judge": True if spec.judge else None,
    }
    return {**spec.task_args, **{name: value for name, value in args.items() if value is not None}}


def _failure(log: EvalLog) -> str | None:
    """Why a log is not complete; None when every sample of it has a score."""
    results = log.results
    missing = results.total_samples - results.completed_samples if results else 0
    if log.status == "success" and not missing:
        return None
    lacks = f", lacks {missing} of {results.total_samples} answers" if results else ""
    cause = log.error.message if log.error else _sample_error(log.location)
    return f"{_path(log)} ended as {log.status}{lacks}{f': {cause}' if cause else ''}"


def _path(log: EvalLog) -> str:
    """Where a log lies; Inspect names a log it found, unlike one it made, by an address."""
    return log.location.removeprefix("file://")


def _sample_error(location: str) -> str | None:
    """The error that most samples of a log ended with."""
    from inspect_ai.log import read_eval_log_sample_summaries

    summaries = read_eval_log_sample_summaries(location)
    errors = Counter(summary.error for summary in summaries if summary.error)
    return errors.most_common(1)[0][0] if errors else None
