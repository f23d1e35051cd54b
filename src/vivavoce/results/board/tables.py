"""Rows of a board as a typed table: the columns that CSV and Parquet files and data frames have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vivavoce.results.board.columns import columns
from vivavoce.store import Row, dumps_fast

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN = (str, int, float, bool)
"""Types that stand in a cell as they are; everything else stands there as JSON."""


def table_of(rows: Iterable[Row]) -> pa.Table:
    """The rows as a table of typed columns; text as it is."""
    import pyarrow as pa

    kept = rows if isinstance(rows, Sequence) else list(rows)
    types = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    names, arrays = [], []
    for column in columns():
        values = [row.get(column.name) for row in kept]
        for place, (part, kind) in enumerate(column.files):
            cells = values if column.parts is None else [_part(v, place, part) for v in values]
            names.append(part)
            arrays.append(_texts(cells) if kind == "text" else pa.array(cells, types[kind]))
    return pa.Table.from_arrays(arrays, names=names)


def _part(value: Any, place: int, name: str) -> Any:
    """One of the columns that a value is split into: the end of a span, or an entry by its name."""
    if not value:
        return None
    return value.get(name) if isinstance(value, Mapping) else value[place]


def _texts(values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    values = [
        value if value is None or type(value) in _PLAIN else dumps_fast(value).decode()
        for value in values
    ]
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a cell is a number, or holds half a pair
        return pa.array([_storable(value) for value in values], pa.string())


def _storable(value: Any) -> str | None:
    """Parquet has no place for half a surrogate pair."""
    if value is None:
        return None
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")
