"""Rows of files checked against the records that they have to be, and arguments of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from vivavoce.errors import InputError
from vivavoce.store import read_jsonl

Record = TypeVar("Record")
Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(strict=True, ge=0)]
Ordinal = Annotated[int, Field(strict=True, ge=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_SHOWN = 80


def checked(kind: type[Record] | TypeAdapter[Record], value: Any, where: str) -> Record:
    """A value as a record; keys that the record does not have are skipped.

    Args:
        kind: A dataclass or a model of pydantic; its adapter, where many values are checked.
        value: Decoded JSON or TOML.
        where: Place of the value, for messages.

    Raises:
        InputError: Names the place, the first field that is not as it should be, and its value.
    """
    adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = f" {'.'.join(map(str, first['loc']))}:" if first["loc"] else ""
        given = repr(first["input"])[:_SHOWN]
        raise InputError(f"{where}:{field} {first['msg']}; got {given}.") from error


def check_numbers(given: Mapping[str, tuple[object, int, int | None]]) -> None:
    """Raise `InputError` for an argument that is not a whole number from its lowest to its highest.

    Args:
        given: By name the value, the lowest and the highest; None where there is no highest.
    """
    for name, (value, low, high) in given.items():
        if type(value) is not int or value < low or (high is not None and value > high):
            upper = "" if high is None else f" to {high}"
            raise InputError(f"{name}={value!r} is not a number from {low}{upper}.")


def read_records(path: Path, kind: type[Record]) -> Iterator[tuple[str, Record]]:
    """(place, record) of each line of a JSON Lines file; `InputError` as for `checked`."""
    adapter = TypeAdapter(kind)
    for number, row in read_jsonl(path):
        yield f"{path}:{number}", checked(adapter, row, f"{path}:{number}")
