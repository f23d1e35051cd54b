"""Tasks of a run specification: one for each task, method, model and combination of a sweep."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, NoItemsError
from vivavoce.models import start_model
from vivavoce.models.cutoffs import take_clean
from vivavoce.requests.run import RunSpec
from vivavoce.running.journal import check_batches
from vivavoce.running.spec import (
    check_arguments,
    check_methods,
    check_numbers,
    combinations,
    cutoffs_of,
    needs_model,
    rename,
    rule_of,
    set_prices,
    subset_of,
)
from vivavoce.running.stopping import section_of
from vivavoce.store import Row
from vivavoce.tasks import find_task, list_families, open_round
from vivavoce.tasks.subsets import take_subset
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model

NO_MODEL = "none/none"
PATIENCE = {"max_retries": 6, "attempt_timeout": 600}
"""Default retries and seconds per request, used if neither the run nor the card sets them."""
_SET = frozenset(("round", "setting", "context", "prompts", "max_tokens", "pin", "judge"))
"""Task arguments that have an option of their own."""


def resolve(spec: RunSpec) -> tuple[list[Task], list[str]]:
    """Make an Inspect task for each (task, method, model); also return why tasks were skipped."""
    if "context" in spec.sweep:
        return _in_windows(spec)
    # Checks that need no Inspect come first: loading it takes seconds.
    named = [find_task(name) for name in dict.fromkeys(spec.tasks)]
    for family in dict.fromkeys(family for family, _ in named):
        open_round(spec.round, family)
    check_methods(spec, named)
    check_numbers(spec)
    rule_of(spec)

    from inspect_ai import task_with
    from inspect_ai.model import GenerateConfig

    from vivavoce.tasks.lookup import check_samples, create_method

    taken = _taken(spec, named)
    cards = list_families()
    aliases = {name: own for family, _ in named for name, own in cards[family].aliases.items()}
    spec = replace(
        spec,
        method_args=rename(spec.method_args, aliases, taken),
        sweep=rename(spec.sweep, aliases, taken),
    )
    check_arguments(spec, named, taken, {n for _, task in named for n in _task_parameters(task)})
    started = [start_model(name, spec.model_args) for name in dict.fromkeys(spec.models)]
    # Judges get model objects of their own.
    roles = {"judge": [start_model(name, {}) for name in spec.judge]} if spec.judge else {}
    own = None
    if spec.agent:
        from vivavoce.tasks.methods.custom_agent import custom_agent, identity_of

        own = custom_agent(spec.agent, identity_of(spec.agent))
    resolved, skipped = [], []
    for (family, task), setting in product(named, dict.fromkeys(spec.settings)):
        try:
            made = _make_tasks(spec, family, task, setting, taken)
        except NoItemsError as error:
            if len(named) == len(spec.settings) == 1:
                raise
            skipped.append(str(error))
            continue
        for created in made:
            if roles:
                created = task_with(created, model_roles={**(created.model_roles or {}), **roles})
            for method, given in _uses(spec, family):
                check_samples(family, method, created.dataset)
                for model in started if needs_model(family, method) else [NO_MODEL]:
                    # The copies share their samples, since no run changes them.
                    use = task_with(copy(created), model=model)
                    if method != "direct":
                        use = task_with(use, solver=create_method(family, method, given))
                    resolved.append(use)
            if own is not None:
                resolved += [task_with(copy(created), model=model, solver=own) for model in started]
    if not resolved:
        raise NoItemsError("\n".join(skipped))
    models = models_of(resolved)
    limit = spec.cost_limit if spec.budget is None else spec.budget
    set_prices([each for each in models if str(each) != NO_MODEL], spec.prices, limit)
    if spec.batch:
        check_batches(models)
    for model in {id(role): role for task in resolved for role in _roles_of(task)}.values():
        model.config = model.config.merge(GenerateConfig(cache=spec.cache is not False))
    return resolved, skipped


def _in_windows(spec: RunSpec) -> tuple[list[Task], list[str]]:
    """Make the tasks of a run for each swept window, an argument of both tasks and methods."""
    from vivavoce.tasks.methods.direct import check_context

    if spec.context is not None:
        raise InputError("context has one value and is swept too. Give it once.")
    others = {name: values for name, values in spec.sweep.items() if name != "context"}
    resolved, skipped = [], dict[str, None]()
    for window in spec.sweep["context"]:
        check_context(window)
        tasks, reasons = resolve(replace(spec, context=window, sweep=others))
        resolved += tasks
        skipped |= dict.fromkeys(reasons)
    return resolved, [*skipped]


def _make_tasks(
    spec: RunSpec, family: str, task: str, setting: str, taken: Collection[str]
) -> list[Task]:
    """Make a task in one setting for each combination of swept arguments that no method takes."""
    names = [name for name in _task_parameters(task) if name not in taken]
    made = []
    subset, cutoffs = subset_of(spec), cutoffs_of(spec)
    for swept in combinations(spec.sweep, names):
        created = _create_task(task, {**_task_args(spec, family, setting), **swept})
        if spec.alias:
            created.metadata = {**(created.metadata or {}), "alias": spec.alias}
        if subset:
            created = take_subset(created, subset)
        if cutoffs is not None:
            created = take_clean(created, spec.models, cutoffs)
        from inspect_ai.model import BatchConfig

        asked = {"max_retries": spec.max_retries, "attempt_timeout": spec.attempt_timeout}
        of_card = created.config.model_dump(include=set(PATIENCE), exclude_none=True)
        given = {name: value for name, value in asked.items() if value is not None}
        settings: dict[str, Any] = {**PATIENCE, **of_card, **given, "cache": spec.cache}
        if spec.batch:  # a batch takes hours
            batch = BatchConfig(tick=spec.batch_tick, send_delay=spec.batch_tick)
            settings |= {"attempt_timeout": None, "batch": batch}
        created.config = created.config.model_copy(update=settings)
        made.append(created)
    if len({section_of(created) for created in made}) < len(made):
        swept_names = ", ".join(name for name in spec.sweep if name in names)
        raise InputError(
            f"Several values of {swept_names} are the same setting of {task}, so a board would mix "
            "them. Run each into a folder of its own, with -T NAME=VALUE."
        )
    return made


def models_of(tasks: Iterable[Task]) -> list[Model]:
    """Every model that a run asks: contestants, judges and other roles, each once."""
    from inspect_ai.model import Model

    used = [model for task in tasks for model in (task.model, *_roles_of(task))]
    return list({id(model.api): model for model in used if isinstance(model, Model)}.values())


def count_answered(tasks: Iterable[Task]) -> Iterator[str]:
    """Yield how many items of each task a file of answers has; `InputError` if it has none."""
    from vivavoce.models.offline import ReplayAPI

    for task in tasks:
        api = getattr(task.model, "api", None)
        if not isinstance(api, ReplayAPI):
            continue
        items, answered = [sample.id for sample in task.dataset], api.ids()
        name, count = (task.metadata or {})["task"], len({*items} & {*answered})
        if not count:
            first = f"its first id is {answered[0]!r}" if answered else "it has no row"
            raise InputError(
                f"{api.model_name} answers no item of {name}: {first}, and the first item is "
                f"{items[0]!r}. Take the ids from the round, or leave out {name}."
            )
        yield f"{task.model} answers {count:,} of {counted(len(items), 'item')} of {name}."


def _roles_of(task: Task) -> list[Model]:
    named = (task.model_roles or {}).values()
    return [model for role in named for model in (role if isinstance(role, list) else [role])]


def describe_cache(tasks: Iterable[Task], spec: RunSpec) -> Row | None:
    """Settings of Inspect's cache for a run: models, expiry, folder and key."""
    from inspect_ai.model import CachePolicy, cache_path

    has_roles = any(_roles_of(task) for task in tasks)
    if spec.cache is False or (spec.cache is None and not has_roles):
        return None
    return {
        "of": "all models" if spec.cache else "judges and evaluators",
        "expiry": CachePolicy().expiry,
        "folder": str(cache_path()),
        "key": ["model", "address", "messages", "tools", "decoding settings", "epoch"],
    }


def _uses(spec: RunSpec, family: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every method with its arguments, once for each combination of a sweep."""
    for method in dict.fromkeys(spec.methods):
        known = _solver_parameters(family, method)
        given = {name: value for name, value in spec.method_args.items() if name in known}
        # `direct` gets the window from its task; other methods get it here.
        if "context" in known and spec.context is not None:
            given["context"] = spec.context
        for swept in combinations(spec.sweep, _solver_parameters(family, method)):
            yield method, given | swept


def _taken(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> set[str]:
    """Names of the arguments that the methods take, except the window, `context`."""
    uses = product({family for family, _ in tasks}, spec.methods)
    return {name for use in uses for name in _solver_parameters(*use)} - {"context"}


def _task_parameters(task: str) -> list[str]:
    """Arguments of a task that no option of a run sets."""
    from vivavoce.tasks.lookup import find_task_maker

    parameters = inspect.signature(find_task_maker(task)).parameters
    return [name for name in parameters if name not in _SET]


def _solver_parameters(family: str, method: str) -> list[str]:
    from vivavoce.tasks.lookup import find_method_maker

    return list(inspect.signature(find_method_maker(family, method)).parameters)


def _create_task(task: str, args: dict[str, Any]) -> Task:
    """Create the Inspect task; raises `InputError` for an argument that it does not take."""
    from inspect_ai._util.registry import registry_params

    from vivavoce.tasks.lookup import create_task, find_task_maker
    from vivavoce.tasks.scoring.asking import judge_named_later

    known = inspect.signature(find_task_maker(task)).parameters
    if unknown := [name for name in args if name not in known]:
        raise InputError(f"{task} takes no {unknown[0]!r}. There are: {', '.join(known)}.")
    with judge_named_later():
        created = create_task(task, args)
    # Inspect resumes logs by these arguments: folders may move, and `pin` is their content's hash.
    for name in ("round", "prompts"):
        registry_params(created).pop(name, None)
    return created


def _task_args(spec: RunSpec, family: str, setting: str) -> dict[str, Any]:
    """Arguments of a task; they decide which of the folder's logs a run resumes."""
    from vivavoce.tasks.family import fingerprint, open_prompts

    opened, shipped = open_round(spec.round, family), open_prompts(family, None)
    prompts = str(spec.prompts.resolve()) if spec.prompts else None
    if open_prompts(family, prompts).sha256 == shipped.sha256:
        prompts = None  # unchanged templates count as the shipped ones
    args = {
        "round": str(opened.folder.resolve()),
        "setting": setting,
        "context": spec.context,
        "prompts": prompts,
        "max_tokens": spec.max_tokens,
        "pin": fingerprint(opened, open_prompts(family, prompts)),
        "judge": True if spec.judge else None,
    }
    args = {name: value for name, value in args.items() if value is not None}
    for name, value in spec.task_args.items():
        if args.get(name, value) != value:
            raise InputError(
                f"-T {name}={value} has no effect here. Give --{name.replace('_', '-')} instead."
            )
    return {**spec.task_args, **args}
