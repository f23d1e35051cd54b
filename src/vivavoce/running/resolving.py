"""Resolution of a run specification into Inspect tasks, one for each task, method and model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, NoItemsError, VivaError
from vivavoce.models.cutoffs import take_clean
from vivavoce.running.prices import set_prices
from vivavoce.running.sweeps import combinations, rename
from vivavoce.tasks import find_task, list_families
from vivavoce.tasks.sample_round import open_round
from vivavoce.tasks.subsets import take_subset

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import GenerateConfig, Model

    from vivavoce.running import RunSpec


NO_MODEL = "none/none"
PATIENCE = {"max_retries": 6, "attempt_timeout": 600}
"""Further tries of a request and its seconds, where neither the run nor the card says otherwise."""
CEILING = "oracle"
"""The method that answers with the gold: it is asked, and compared with nobody."""
CONTESTANTS = {
    CEILING: "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods that need no model."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A task to be answered by one model in one way."""

    task: Task
    method: str
    arguments: Mapping[str, Any]


def resolve(spec: RunSpec) -> tuple[list[Contestant], list[str]]:
    """One contestant for each (task, method, model), and why tasks were skipped."""
    # What needs no Inspect is said before it is loaded, which takes seconds.
    spec = replace(spec, round=open_round(spec.round).folder)
    found = [find_task(name) for name in dict.fromkeys(spec.tasks)]
    _check_methods(spec, found)
    _check_numbers(spec)

    from inspect_ai import task_with

    from vivavoce import _registry  # noqa: F401  # registers our tasks, solvers and models
    from vivavoce.tasks.lookup import check_samples, create_method

    spec = _with_own_names(spec, found)
    _check_arguments(spec, found)
    started = _start_models(dict.fromkeys(spec.models), spec.model_args)
    # A judge is started anew for its role.
    roles = {"judge": _start_models([spec.judge], {})[0]} if spec.judge else {}
    set_prices([*started, *roles.values()], spec.prices, spec.cost_limit)
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
            for model in started if _needs_model(family, method) else [NO_MODEL]:
                # The samples are made once: no run changes them.
                use = task_with(copy(created), model=model)
                if method != "direct":
                    use = task_with(use, solver=create_method(family, method, given))
                resolved.append(Contestant(use, method, given))
    if not resolved:
        raise NoItemsError("\n".join(skipped))
    return resolved, skipped


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


def _start_models(names: Iterable[str], args: Mapping[str, Any]) -> list[Model]:
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


def _check_methods(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> None:
    cards = list_families()
    for family, task in tasks:
        offered = cards[family].tasks[task].methods
        for method in spec.methods:
            if method not in (*offered, *CONTESTANTS):
                known = ", ".join((*offered, *CONTESTANTS))
                raise InputError(f"{task} has no method {method!r}. There are: {known}.")


def _check_numbers(spec: RunSpec) -> None:
    """A limit that is NaN is never reached, and a setting that is, no provider understands."""
    for name, value in {**spec.generate, "cost_limit": spec.cost_limit}.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{name} is {value}. Give a number.")


def _check_arguments(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> None:
    taken = _taken(spec, tasks)
    for name in (*spec.solver_args, *spec.sweep):
        if name not in taken:
            methods, there = ", ".join(spec.methods), ", ".join(sorted(taken)) or "none"
            raise InputError(f"{name!r} is no argument of {methods}. There are: {there}.")
    for name in spec.sweep:
        if name in spec.solver_args:
            raise InputError(f"{name} has one value and is swept too. Give it once.")
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
