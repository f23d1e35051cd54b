"""Tasks and methods of the registered families, as objects of Inspect's registry."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from typing import Any, TypeVar

from inspect_ai import Task
from inspect_ai._util.registry import registry_add
from inspect_ai.dataset import Sample
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create, registry_info

from vivavoce.errors import PluginError, VivaError
from vivavoce.plugins import described
from vivavoce.tasks import CARD, CONTESTANTS, Family, find_family, find_task
from vivavoce.tasks.engine import make_method, make_tasks
from vivavoce.tasks.methods import direct

Loaded = TypeVar("Loaded")

_COMMON = (*CONTESTANTS, "direct")


def register_family(name: str) -> None:
    """Register the tasks, scorers and methods of a family with Inspect.

    A task is also found with hyphens for underscores; logs have the registered name. `PluginError`
    if the family belongs to another package and cannot be used.
    """
    family = find_family(name)
    for maker in _tasks_of(family).values():
        info = registry_info(maker)
        registry_add(maker, info.model_copy(update={"name": info.name.replace("_", "-")}))
        registry_add(maker, info)
    _of(family, partial(family.part, "scorer"))
    for method in family.card.methods:
        find_method_maker(name, method)


def find_task_maker(task: str) -> Callable[..., Task]:
    """Find the `@task` function of a task.

    `InputError` if no family has this task, `PluginError` if its package does not define it.
    """
    family, short = find_task(task)
    return _tasks_of(find_family(family))[short]


def takes_judge(task: str) -> bool:
    """True if a model can compare answers to a task with the gold."""
    return "judge" in signature(find_task_maker(task)).parameters


def find_method_maker(family: str, method: str) -> Callable[..., Solver]:
    """Find the `@solver` function of a method: the family's own, or one shared by all families.

    A method without a model may be a plain function from a row to the answer. `InputError` if the
    family is unknown, `PluginError` if it does not define the method.
    """
    owner = find_family(family)
    module = direct if method in _COMMON else _of(owner, partial(owner.part, "solvers"))
    maker: Callable[..., Solver] | None = getattr(module, method, None)
    if maker is None:
        raise PluginError(
            f"{owner.folder / CARD} names the method {method!r}, but {module.__file__} does not "
            "define it. Define or import it there."
        )
    return make_method(family, method, maker) if module.__name__ == owner.module else maker


def create_task(task: str, arguments: Mapping[str, Any]) -> Task:
    """Make a task as Inspect would by its full name, so that its log names the arguments."""
    made: Task = registry_create("task", registry_info(find_task_maker(task)).name, **arguments)
    return made


def create_method(family: str, method: str, arguments: Mapping[str, Any]) -> Solver:
    """Make a method as Inspect would by its full name, so that its log names the arguments."""
    name = registry_info(find_method_maker(family, method)).name
    made: Solver = registry_create("solver", name, **arguments)
    return made


def check_samples(family: str, method: str, samples: Iterable[Sample]) -> None:
    """Refuse samples that a method cannot answer, before any request.

    A method's module may define `check_samples(samples)`, which raises `InputError`.
    """
    check = getattr(
        sys.modules[find_method_maker(family, method).__module__], "check_samples", None
    )
    if check is not None:
        check(samples)


def _tasks_of(family: Family) -> Mapping[str, Callable[..., Task]]:
    return _of(family, partial(make_tasks, family.name))


def _of(family: Family, load: Callable[[], Loaded]) -> Loaded:
    """Load something from a family; `PluginError` if its code fails."""
    try:
        return load()
    except VivaError:
        raise
    except Exception as error:  # the code of another package can raise anything
        raise PluginError(
            f"The package of the family {family.name} cannot be used: {described(error)}. "
            "Repair or uninstall it."
        ) from error
