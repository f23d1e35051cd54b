"""What is public is documented: name, errors that it raises, shapes and units that it deals in."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.docstrings import reading
from tests.docstrings.reading import modules, public_names

from vivavoce.metrics import list_metrics

SNIPPET = """
from a.b import LIMIT
__all__ = ["LIMIT"]
Floats = npt.NDArray[float]

def read(x: Floats) -> None:
    '''Read it.

    Raises:
        NoSuchThing: Always.
    '''
    raise InputError("no")

def fail() -> None:
    raise _error()

def _error() -> VivaError: ...

def catch() -> None:
    '''Catch it.'''
    try:
        raise FileNotFoundError
    except OSError:
        pass

class Spec:
    '''A spec.'''
    time_limit: int | None = None

def wait(timeout: float) -> None:
    '''Wait.'''
"""


def over_all(check: Callable[[ast.Module, str], list[str]], without: str = "none") -> str:
    """What a check finds in all modules, a line each."""
    trees = {where: tree for where, tree in modules().items() if not where.startswith(without)}
    return "\n".join(line for where, tree in trees.items() for line in check(tree, where))


def test_every_public_name_is_documented() -> None:
    def bare(tree: ast.Module, where: str) -> list[str]:
        return [found.where for found in public_names(tree, where) if not found.doc]

    assert len(modules()) > 300
    assert over_all(bare) == ""


def test_constants_that_a_package_exports_are_documented() -> None:
    def bare(tree: ast.Module, where: str) -> list[str]:
        if not where.endswith("__init__.py"):
            return []
        homes = reading.exported_constants(tree).items()
        found = [(name, home, reading.module_of(home)) for name, home in homes]
        return [
            f"{where}: {name} of {home}"
            for name, home, source in found
            if source is not None and name not in reading.documented_constants(source)
        ]

    assert over_all(bare) == ""


def test_an_error_that_a_public_function_raises_is_named() -> None:
    # A command's docstring is its help, and how commands end is the same for all of them.
    assert over_all(reading.unnamed_errors, without="cli/") == ""


def test_what_stands_under_raises_is_an_error() -> None:
    known = reading.known_errors()
    assert over_all(lambda tree, where: reading.errors_that_are_none(tree, where, known)) == ""


def test_arrays_are_documented_with_their_shape() -> None:
    assert over_all(reading.arrays_without_shape) == ""


def test_amounts_are_documented_with_their_unit() -> None:
    assert over_all(reading.amounts_without_unit, without="cli/") == ""


def test_every_metric_tells_its_range_and_where_it_comes_from() -> None:
    metrics = list_metrics()
    assert len(metrics) > 80
    bare = [
        f"{metric.family} {metric.name}"
        for metric in metrics
        if not (metric.summary and metric.source)
        or (metric.high is not None and metric.low >= metric.high)
    ]
    assert bare == []
    names = [(metric.family, metric.name) for metric in metrics]
    assert len(names) == len(set(names))


HELPERS_OF_METRICS = {
    "cell_matching.py",
    "likeness.py",
    "literature_answers.py",
    "meaning.py",
    "quantities.py",
    "question_wording.py",
    "wording.py",
}
"""Modules of `metrics/` that read or compare for others and define no metric of their own."""


def test_a_module_of_metrics_says_where_they_are_defined() -> None:
    def without(tree: ast.Module, where: str) -> list[str]:
        name = where.rpartition("/")[2]
        if not where.startswith("metrics/") or name in HELPERS_OF_METRICS | {"__init__.py"}:
            return []
        return [] if "Source:" in (ast.get_docstring(tree) or "") else [where]

    assert len([where for where in modules() if where.startswith("metrics/")]) > 20
    assert over_all(without) == ""


def test_each_of_these_checks_finds_what_it_is_for() -> None:
    tree = ast.parse(SNIPPET)
    bare = [found.where for found in public_names(tree, "m") if not found.doc]
    assert bare == ["m", "m:14 fail"]
    assert reading.unnamed_errors(tree, "m") == ["m:6 read: InputError", "m:14 fail: VivaError"]
    assert reading.errors_that_are_none(tree, "m", {"InputError"}) == ["m:6 read: NoSuchThing"]
    assert reading.arrays_without_shape(tree, "m") == ["m:6 read"]
    assert reading.amounts_without_unit(tree, "m") == [
        "m:26 Spec.time_limit",
        "m:30 wait(timeout)",
    ]
    assert reading.exported_constants(tree) == {"LIMIT": "a.b"}
    assert reading.documented_constants(ast.parse("A = 1\n'''One.'''\nB = 2\n")) == {"A"}
