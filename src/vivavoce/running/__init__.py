"""A run specification carried out by Inspect's eval_set: resumed, retried, and never half reported.

A run that was killed goes on where it stopped when the same run is asked for again: finished
samples are taken from the logs. A sample that keeps failing does not stop the others; its log
then counts as failed and is taken up again by the next run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, NoItemsError, VivaError
from vivavoce.models.cutoffs import Cutoffs, take_clean
from vivavoce.running.checks import (
    CONTESTANTS,
    check_arguments,
    check_methods,
    check_numbers,
    needs_model,
)
from vivavoce.running.journal import open_journal
from vivavoce.running.ledger import recording
from vivavoce.running.logs import Progress, listen, log_path, set_aside_damaged, why_incomplete
from vivavoce.running.prices import Price, set_prices
from vivavoce.running.stopping import Until, run_until
from vivavoce.running.sweeps import Sweep, combinations, rename
from vivavoce.store import Row, hash_file, lock
from vivavoce.tasks import find_task, list_families
from vivavoce.tasks.sample_round import open_round
from vivavoce.tasks.subsets import Subset, take_subset

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import GenerateConfig, Model

NO_MODEL = "none/none"
PATIENCE = {"max_retries": 6, "attempt_timeout": 600}
"""Further tries of a request and its seconds, where neither the run nor the card says otherwise."""


__all__ = ["CONTESTANTS", "RunReport", "RunSpec", "Until", "list_methods", "run", "start_models"]


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
    agent: str | None = None
    """An agent of the user's own as `FILE.py@NAME`, a method beside the others."""
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
    witness: str | None = None
    """A folder or an address where the head of the ledger is stated at the start and the end."""
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

    Raises:
        InputError: A task, method, setting or model is missing or unknown.
        VivaError: A model cannot be started, for want of a key or of a package.
        LockedError: Another run writes into the log folder.
    """
    tasks, skipped = _resolve(spec)
    sizes = [len(task.dataset) for task in tasks]
    listen(progress, spec.epochs * sum(min(size, spec.limit or size) for size in sizes))
    asked = {name: list(getattr(spec, name)) for name in ("tasks", "models", "methods")}
    with lock(spec.logs), recording(spec.logs, asked, spec.witness):
        set_aside = set_aside_damaged(spec.logs)
        journal = open_journal(spec.logs)
        journal.keep(_models_of(tasks))
        with redirect_stdout(sys.stderr):  # what Inspect prints; stdout is for results
            logs, stopped = _carry_out(tasks, spec)
        failed = tuple(sorted(line for log in logs if (line := why_incomplete(log))))
        journal.close(finished=not failed)
    return RunReport(
        logs=tuple(sorted(log_path(log) for log in logs)),
        failed=failed,
        skipped=tuple(skipped),
        set_aside=tuple(set_aside),
        stopped=tuple(stopped),
    )


def _carry_out(tasks: list[Task], spec: RunSpec) -> tuple[list[EvalLog], list[Row]]:
    if spec.until is None:
        return _eval_set(tasks, spec), []
    return run_until(tasks, spec.until, spec, lambda asked: _eval_set(asked, spec))


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


def _resolve(spec: RunSpec) -> tuple[list[Task], list[str]]:
    """One Inspect task for each (task, method, model), and why tasks were skipped."""
    # What needs no Inspect is said before it is loaded, which takes seconds.
    spec = replace(spec, round=open_round(spec.round).folder)
    found = [find_task(name) for name in dict.fromkeys(spec.tasks)]
    check_methods(spec, found)
    check_numbers(spec)

    from inspect_ai import task_with

    from vivavoce import _registry  # registers our tasks, solvers and models
    from vivavoce.tasks.lookup import check_samples, create_method

    spec = _with_own_names(spec, found)
    check_arguments(spec, found, _taken(spec, found))
    started = start_models(dict.fromkeys(spec.models), spec.model_args)
    # A judge is started anew for its role.
    roles = {"judge": start_models([spec.judge], {})[0]} if spec.judge else {}
    set_prices([*started, *roles.values()], spec.prices, spec.cost_limit)
    own = _registry.custom_agent(spec.agent, _agent_hash(spec.agent)) if spec.agent else None
    resolved, skipped = [], []
    for family, task in found:
        try:
            created = _create_task(task, _task_args(spec, family))
            if spec.subset:
                created = take_subset(created, spec.subset)
            if spec.clean_for is not None:
                created = take_clean(created, spec.models, spec.clean_for)
        except NoItemsError as error:
            if len(found) == 1:
                raise
            skipped.append(str(error))
            continue
        created.config = _with_patience(created.config, spec)
        if roles:
            created = task_with(created, model_roles=roles)
        for method, given in _uses(spec, family):
            check_samples(family, method, created.dataset)
            for model in started if needs_model(family, method) else [NO_MODEL]:
                # The samples are made once: no run changes them.
                use = task_with(copy(created), model=model)
                if method != "direct":
                    use = task_with(use, solver=create_method(family, method, given))
                resolved.append(use)
        if own is not None:
            resolved += [task_with(copy(created), model=model, solver=own) for model in started]
    if not resolved:
        raise NoItemsError("\n".join(skipped))
    return resolved, skipped


def _agent_hash(name: str) -> str:
    """First digits of the hash of the file in `FILE.py@NAME`; empty where there is none."""
    path = Path(name.rpartition("@")[0])
    return hash_file(path)[:12] if path.is_file() else ""


def _with_patience(config: GenerateConfig, spec: RunSpec) -> GenerateConfig:
    """A task's decoding settings with how long a request may take and how often it is tried."""
    from inspect_ai.model import GenerateConfig

    asked = {"max_retries": spec.max_retries, "attempt_timeout": spec.attempt_timeout}
    of_card = config.model_dump(include=set(PATIENCE), exclude_none=True)
    given = {name: value for name, value in asked.items() if value is not None}
    return config.merge(GenerateConfig(**{**PATIENCE, **of_card, **given}))


def _uses(spec: RunSpec, family: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every method with its arguments, once for each combination of a sweep."""
    for method in dict.fromkeys(spec.methods):
        given = _solver_args(spec, family, method)
        for swept in combinations(spec.sweep, _solver_parameters(family, method)):
            yield method, given | swept


def _with_own_names(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> RunSpec:
    """The same run with the methods' arguments by their own names, not by those of the papers."""
    cards = list_families()
    aliases = {name: own for family, _ in tasks for name, own in cards[family].aliases.items()}
    taken = _taken(spec, tasks)
    return replace(
        spec,
        solver_args=rename(spec.solver_args, aliases, taken),
        sweep=rename(spec.sweep, aliases, taken),
    )


def _taken(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> set[str]:
    """Names of the arguments that the methods take, but for the window: the same for all."""
    families = {family for family, _ in tasks}
    return {
        name
        for family in families
        for method in spec.methods
        for name in _solver_parameters(family, method)
    } - {"context"}


def _solver_args(spec: RunSpec, family: str, method: str) -> dict[str, Any]:
    """What a method is given; as with a task's arguments, a log is known by them."""
    known = _solver_parameters(family, method)
    given = {name: value for name, value in spec.solver_args.items() if name in known}
    # `direct` stands in the task, which hands the window on; other methods get it here.
    if "context" in known and spec.context is not None:
        given["context"] = spec.context
    return given


def _solver_parameters(family: str, method: str) -> list[str]:
    """Names of the arguments that a family's method takes."""
    import inspect

    from vivavoce.tasks.lookup import find_method_maker

    return list(inspect.signature(find_method_maker(family, method)).parameters)


def _create_task(task: str, args: dict[str, Any]) -> Task:
    """The Inspect task; `InputError` names an argument that it does not take."""
    import inspect

    from vivavoce.tasks.lookup import create_task, find_task_maker
    from vivavoce.tasks.scoring.judge import judge_named_later

    known = inspect.signature(find_task_maker(task)).parameters
    unknown = [name for name in args if name not in known]
    if unknown:
        raise InputError(f"{task} takes no {unknown[0]!r}. There are: {', '.join(known)}.")
    with judge_named_later():
        return create_task(task, args)


def start_models(names: Iterable[str], args: Mapping[str, Any]) -> list[Model]:
    """Start every model, so that a wrong name or a missing key is told before any work is done."""
    from inspect_ai.model import get_model

    started = []
    for name in names:
        try:
            # One kept from an earlier run would hold that run's connections, and its address.
            started.append(get_model(name, memoize=False, **args))
        except VivaError:
            raise
        except Exception as error:  # a provider raises what it likes while it starts
            kind = InputError if isinstance(error, ValueError) else VivaError
            cause = " ".join(re.sub(r"\[/?[a-z ]{1,20}\]", "", str(error)).split())
            raise kind(f"The model {name} cannot be used: {cause}") from error
    return started


def _task_args(spec: RunSpec, family: str) -> dict[str, Any]:
    """Arguments of a task; they decide which log of the folder a run goes on with."""
    from vivavoce.tasks.entry import fingerprint, open_prompts

    prompts = str(spec.prompts.resolve()) if spec.prompts else None
    opened = open_round(spec.round)
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
