"""Descriptions of the market for models: a dictionary in three levels, conventions, and notes.

Conventions settle what a reader cannot infer, such as the divisor of a deviation: every prompt
shows them. Notes say what the field knows, and are left out on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from vivavoce.errors import InputError
from vivavoce.metrics.factor import KEYS
from vivavoce.tasks.implementation.items.loading import unfold
from vivavoce.text.data import read_data

Level = Literal["none", "brief", "full"]
LEVELS: tuple[str, ...] = get_args(Level)
"""Amounts of detail about the columns, by name."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    meaning: str
    unit: str
    detail: str = ""
    """Adjustment, values to expect, what NaN means: only in a full dictionary."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table, stored as NAME.parquet."""

    title: str
    detail: tuple[str, ...]
    columns: Mapping[str, Column]


_GIVEN = read_data(__file__, "market_dictionary.toml")
_ROWS: Sequence[str] = _GIVEN["rows"]
"""Details that hold for all tables."""

DICTIONARY: Mapping[str, Table] = {
    name: Table(
        title=table["title"],
        detail=tuple(table["detail"]),
        columns={column: Column(**entry) for column, entry in table["columns"].items()},
    )
    for name, table in _GIVEN["tables"].items()
}


def _listed(notes: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}**: {unfold(text)}" for name, text in notes.items())


CONVENTIONS = _listed(_GIVEN["conventions"])
"""One reading of every operation, as a Markdown list."""
NOTES = _listed(_GIVEN["notes"])
"""Notes on the field, as a Markdown list."""


def describe(tables: Sequence[str], level: str) -> str:
    """The dictionary of some tables as Markdown; `InputError` for an unknown table or level."""
    if level not in LEVELS:
        raise InputError(f"There is no data level {level!r}; there are {', '.join(LEVELS)}.")
    if unknown := [name for name in tables if name not in DICTIONARY]:
        known = ", ".join(DICTIONARY)
        raise InputError(f"There is no market table {unknown[0]!r}; there are {known}.")
    chosen = {name: DICTIONARY[name] for name in tables}
    if level == "none":
        return "\n".join(
            f"- `{name}.parquet`: {_code(table.columns)}" for name, table in chosen.items()
        )
    if level == "brief":
        return "\n\n".join(_describe_briefly(name, table) for name, table in chosen.items())
    rows = "\n".join(f"- {line}" for line in _ROWS)
    parts = [_describe_fully(name, table) for name, table in chosen.items()]
    return "\n\n".join([*parts, f"All tables:\n\n{rows}"])


def texts(tables: Sequence[str]) -> dict[str, str]:
    """Descriptions of some tables by level, `conventions` and `notes`, as a round keeps them."""
    levels = {level: describe(tables, level) for level in LEVELS}
    return {**levels, "conventions": CONVENTIONS, "notes": NOTES}


def columns_among(words: Iterable[str]) -> list[str]:
    """Columns of tables that words name, as `table.column`, sorted.

    A column counts where its table is named too, alone or in the name of its file.
    """
    known = set(words)
    return sorted(
        f"{name}.{column}"
        for name, table in DICTIONARY.items()
        if any(name in word for word in known)
        for column in known.intersection(table.columns) - KEYS
    )


def _describe_briefly(name: str, table: Table) -> str:
    lines = [f"- `{column}`: {entry.meaning}." for column, entry in table.columns.items()]
    return "\n".join([f"`{name}.parquet`: {table.title}.", "", *lines])


def _describe_fully(name: str, table: Table) -> str:
    head = ["| column | unit | meaning | details |", "|---|---|---|---|"]
    rows = [
        f"| `{column}` | {entry.unit} | {entry.meaning} | {entry.detail} |"
        for column, entry in table.columns.items()
    ]
    details = [f"- {line}" for line in table.detail]
    title = f"`{name}.parquet`: {table.title}."
    return "\n".join([title, "", *head, *rows, "", *details])


def _code(columns: Iterable[str]) -> str:
    return ", ".join(f"`{column}`" for column in columns)
