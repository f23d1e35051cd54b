"""What a row of a board has to hold before anything is drawn from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vivavoce.errors import InputError
from vivavoce.results.board.columns import columns
from vivavoce.results.logs.records import CONTESTANT, PLACE
from vivavoce.store import Row, canonical_json
from vivavoce.web.printing import visible

ROW_KEY = (*PLACE, *CONTESTANT, "metric")


def checked(rows: Sequence[Row]) -> list[Row]:
    """The rows as they are.

    Raises:
        InputError: A row lacks a field or stands twice.
    """
    seen: set[tuple[str, ...]] = set()
    fields = [column.name for column in columns() if column.is_everywhere]
    for number, row in enumerate(rows):
        where = f"Row {number} of the board"
        lacking = [key for key in fields if key not in row]
        if lacking:
            raise InputError(f"{where} lacks {', '.join(lacking)}. Build the board again.")
        key = tuple(_spelled(row[name]) for name in ROW_KEY)
        if key in seen:
            raise InputError(
                f"{where} repeats an earlier one, {canonical_json(key)}. Merge their logs first."
            )
        seen.add(key)
    return list(rows)


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def refuse_endless(value: object, where: str = "board") -> None:
    """Refuse NaN and infinity: no score is endless, and a missing one is null.

    Raises:
        InputError: Names the value by the keys that lead to it.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} is {value}. Write null where there is no value.")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            refuse_endless(inner, f"{where}.{visible(key)}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            refuse_endless(inner, f"{where}[{index}]")
