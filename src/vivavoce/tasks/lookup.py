"""Tasks and methods of the registered families, as objects of Inspect's registry."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from types import ModuleType
from typing import Any, Literal

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create, registry_info

from vivavoce.errors import InputError, PluginError
from vivavoce.tasks import CONTESTANTS, Family, find_family, find_task, list_families
from vivavoce.tasks.methods import direct

Part = Literal["task", "solvers", "scorer"]
PARTS: tuple[Part, ...] = ("task", "solvers", "scorer")
"""Modules of a family that register something with Inspect."""


def import_families() -> dict[str, PluginError]:
    """Import the parts of every family that Inspect knows by name.

    Returns:
        The error of each family of another package that cannot be imported, by name.
    """
    unusable: dict[str, PluginError] = {}
    for name in list_families():
        family = find_family(name)
        try:
            for part in PARTS:
                _part(family, part)
        except PluginError as error:
            if family.namespace == "vivavoce":
                raise
            unusable[name] = error
    return unusable


def find_task_maker(task: str) -> Callable[..., Task]:
    """The `@task` function of a task.

    Raises:
        InputError: No family has it.
        PluginError: Its family names it in the card and does not define it.
    """
    family, short = find_task(task)
    return _named(find_family(family), "task", short)


def takes_judge(task: str) -> bool:
    """Check whether a model may compare answers to a task with the gold."""
    return "judge" in signature(find_task_maker(task)).parameters


def find_method_maker(family: str, method: str) -> Callable[..., Solver]:
    """The `@solver` function of a method: the family's own, or a contestant of every family.

    Raises:
        InputError: No such family.
        PluginError: The family does not define the method.
    """
    if method in CONTESTANTS:
        maker: Callable[..., Solver] = getattr(direct, method)
        return maker
    return _named(find_family(family), "solvers", method)


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
    """Refuse samples that a method cannot answer, before anything is asked.

    A method's module may define `check_samples`, which takes samples and raises `InputError`.
    """
    check = getattr(
        sys.modules[find_method_maker(family, method).__module__], "check_samples", None
    )
    if check is not None:
        check(samples)


def _part(family: Family, part: Part) -> ModuleType:
    try:
        return family.part(part)
    except InputError:
        raise
    except Exception as error:  # the code of another package raises what it likes
        raise PluginError(
            f"{family.module}.{part} of the family {family.name} cannot be imported: "
            f"{type(error).__name__}: {error}. Repair or uninstall its package."
        ) from error


def _named(family: Family, part: Part, name: str) -> Callable[..., Any]:
    maker = getattr(_part(family, part), name, None)
    if maker is None:
        raise PluginError(
            f"The card of {family.name} names {name!r}, and {family.module}.{part} does not define "
            "it. Define or import it there."
        )
    found: Callable[..., Any] = maker
    return found
