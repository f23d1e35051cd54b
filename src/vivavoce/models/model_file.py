"""TOML files that tell something of models, a `[[model]]` each."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from vivavoce.errors import InputError

_Entry = TypeVar("_Entry")


def read_models(
    path: Path, entry: Callable[[dict[str, Any], int], _Entry], what: str
) -> list[_Entry]:
    """What each `[[model]]` of a file tells, in order.

    Args:
        path: The file.
        entry: Makes an entry out of a table and its place, from 1.
        what: What the file should be, for messages.

    Raises:
        InputError: The file cannot be read, or is nothing of the kind.
    """
    try:
        rows = tomllib.loads(path.read_text("utf-8"))["model"]
        if not isinstance(rows, list):
            raise TypeError("[model] is one table; write [[model]]")
        return [entry(_table(row), place) for place, row in enumerate(rows, 1)]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not {what}: {error}") from error


def _table(row: object) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise TypeError(f"{row!r} is not a table; write [[model]]")
    return row
