"""Descriptions of the market for models: a data dictionary in three levels, and domain notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from vivavoce.errors import InputError
from vivavoce.metrics.factor import KEYS
from vivavoce.tasks.implementation.items.loading import unfold
from vivavoce.text.data import read_data

Level = Literal["none", "brief", "full"]
LEVELS: tuple[str, ...] = get_args(Level)
"""Amounts of detail about the columns, by name."""
_T = TypeVar("_T")


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
NOTES: Mapping[str, str] = {name: unfold(text) for name, text in _GIVEN["notes"].items()}
"""Notes on the field, by subject."""


def describe(tables: Sequence[str], level: str) -> str:
    """The dictionary of some tables as Markdown; `InputError` for an unknown table or level."""
    if level not in LEVELS:
        raise InputError(f"There is no data level {level!r}; there are {', '.join(LEVELS)}.")
    chosen = _choose(DICTIONARY, tables, "market table")
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
    """Descriptions of some tables by level, and the `notes`, as a round keeps them."""
    return {**{level: describe(tables, level) for level in LEVELS}, "notes": notes()}


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


def notes(names: Iterable[str] | None = None) -> str:
    """Domain notes of `NOTES` by name, all without names, as a Markdown list."""
    chosen = _choose(NOTES, NOTES if names is None else names, "domain note")
    return "\n".join(f"- **{name}**: {text}" for name, text in chosen.items())


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


def _choose(known: Mapping[str, _T], names: Iterable[str], what: str) -> dict[str, _T]:
    chosen: dict[str, _T] = {}
    for name in names:
        if name not in known:
            raise InputError(f"There is no {what} {name!r}; there are {', '.join(known)}.")
        chosen[name] = known[name]
    return chosen
