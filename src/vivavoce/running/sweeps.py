"""Sweeps: methods run with every combination of the values that their arguments may take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import yaml

from vivavoce.errors import InputError

Sweep = Mapping[str, Sequence[Any]]
"""The values an argument takes, by its name."""

_MAX_VALUES = 1_000
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")


def parse_sweep(words: Iterable[str]) -> dict[str, list[Any]]:
    """Read `batch=2,4,6` and `rounds=2..5`, a range with both its ends, into values by name.

    A value is read as YAML, so that 4 is a number and true a truth.

    Raises:
        InputError: A word is not of this form, or a name or a value stands twice.
    """
    sweep: dict[str, list[Any]] = {}
    for word in words:
        name, separator, listed = word.partition("=")
        if not (name and separator):
            raise InputError(f"{word!r} is no sweep. Write NAME=VALUES, such as rounds=2..5.")
        if name in sweep:
            raise InputError(f"{name} is swept twice. Write all its values once: {name}=1,2,3.")
        sweep[name] = _values(name, listed)
    return sweep


def _values(name: str, listed: str) -> list[Any]:
    values: list[Any] = []
    for part in listed.split(","):
        span = _RANGE.fullmatch(part.strip())
        values += _span(name, *map(int, span.groups())) if span else [_scalar(name, part)]
    shown = [repr(value) for value in values]
    if len(set(shown)) < len(shown):
        raise InputError(f"{name}={listed} holds a value twice.")
    return values


def _span(name: str, first: int, last: int) -> list[int]:
    if not 0 <= last - first < _MAX_VALUES:
        raise InputError(
            f"{name}={first}..{last} is no range of up to {_MAX_VALUES} numbers, the least first."
        )
    return list(range(first, last + 1))


def _scalar(name: str, text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{name}: {text!r} has no readable value.") from error
    if not isinstance(value, bool | int | float | str):
        raise InputError(f"{name}: {text!r} is no value. Write {name}=VALUE,VALUE.")
    return value


def rename(
    given: Mapping[str, Any], aliases: Mapping[str, str], taken: Iterable[str]
) -> dict[str, Any]:
    """Arguments by the methods' own names; an alias is one where no method takes it itself.

    Raises:
        InputError: An argument is given under both its names.
    """
    own = set(taken)
    renamed: dict[str, Any] = {}
    for name, value in given.items():
        chosen = aliases.get(name, name) if name not in own else name
        if chosen in renamed:
            raise InputError(f"{chosen} is given twice, once as {name}.")
        renamed[chosen] = value
    return renamed


def combinations(sweep: Sweep, known: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every combination of the swept arguments that a method takes; one empty one for none."""
    names = [name for name in sweep if name in known]
    for values in product(*(sweep[name] for name in names)):
        yield dict(zip(names, values, strict=True))
