"""Checks of a run specification before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from vivavoce.errors import InputError
from vivavoce.tasks import list_families

if TYPE_CHECKING:
    from vivavoce.running.spec import RunSpec

CEILING = "oracle"
"""The method that answers with the gold: it is asked, and compared with nobody."""
CONTESTANTS = {
    CEILING: "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods that need no model."""


def check_methods(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> None:
    """Raise `InputError` for a method that a task does not have."""
    cards = list_families()
    for family, task in tasks:
        offered = cards[family].tasks[task].methods
        for method in spec.methods:
            if method not in (*offered, *CONTESTANTS):
                known = ", ".join((*offered, *CONTESTANTS))
                raise InputError(f"{task} has no method {method!r}. There are: {known}.")


def check_numbers(spec: RunSpec) -> None:
    """Raise `InputError` for NaN: no such limit is ever reached, no provider takes it."""
    if spec.batch is not None and spec.attempt_timeout is not None:
        raise InputError("A batch takes hours: leave out --attempt-timeout or --batch.")
    limits = {"cost_limit": spec.cost_limit, "budget": spec.budget}
    for name, value in {**spec.generate, **limits}.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{name} is {value}. Give a number.")


def check_arguments(
    spec: RunSpec, tasks: Sequence[tuple[str, str]], taken: Collection[str]
) -> None:
    """Raise `InputError` for arguments that no method takes, and for want of a model or judge."""
    for name in (*spec.solver_args, *spec.sweep):
        if name not in taken:
            methods, there = ", ".join(spec.methods), ", ".join(sorted(taken)) or "none"
            raise InputError(f"{name!r} is no argument of {methods}. There are: {there}.")
    for name in spec.sweep:
        if name in spec.solver_args:
            raise InputError(f"{name} has one value and is swept too. Give it once.")
    if bool(spec.judge) != bool(spec.task_args.get("judge", spec.judge)):
        raise InputError("A judge is asked for with --judge MODEL, which means -T judge=true too.")
    if not spec.models and (
        spec.agent
        or any(needs_model(family, method) for family, _ in tasks for method in spec.methods)
    ):
        raise InputError("Name at least one --model, such as --model extractive/lead.")


def needs_model(family: str, method: str) -> bool:
    """True if a method of a family asks a model."""
    return method not in (*CONTESTANTS, *list_families()[family].without_model)
