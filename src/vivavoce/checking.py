"""Checks of rows in files against record types, and of task arguments."""

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
    """Convert a value to a record; keys that the record does not have are skipped.

    Args:
        kind: A dataclass or a pydantic model, or its adapter if many values are checked.
        value: Decoded JSON or TOML.
        where: Location of the value, for error messages.

    Raises:
        InputError: The message names `where`, the first invalid field, and its value.
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
    """Raise `InputError` for an argument that is not a whole number within its bounds.

    `given` maps each name to its value, lower bound and upper bound; None for no upper bound.
    """
    for name, (value, low, high) in given.items():
        if type(value) is not int or value < low or (high is not None and value > high):
            upper = "" if high is None else f" to {high}"
            raise InputError(f"{name}={value!r} is not a number from {low}{upper}.")


def read_records(path: Path, kind: type[Record]) -> Iterator[tuple[str, Record]]:
    """Yield (location, record) for each line of a JSON Lines file; `InputError` as in `checked`."""
    adapter = TypeAdapter(kind)
    for number, row in read_jsonl(path):
        yield f"{path}:{number}", checked(adapter, row, f"{path}:{number}")
