"""Reports as tables in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vivavoce.cli.output import print_json, print_table, say

Row = Mapping[str, Any]
Columns = list[tuple[str, Callable[[Row], str]]]
"""Headers, each with what makes the text of a row's cell below it."""


def print_rows(title: str, rows: Iterable[Row], *columns: Columns) -> None:
    """Print rows below a title, by the columns in order."""
    flat = [one for run in columns for one in run]
    lines = [[text_of(row) for _, text_of in flat] for row in rows]
    print_table([header for header, _ in flat], lines, title=title)


def cells(header: str, text_of: Callable[[Row], str]) -> Columns:
    """A column of a text made from the row."""
    return [(header, text_of)]


def texts(*names: str, **renamed: str) -> Columns:
    """Columns of plain values: by their own names, then as HEADER=name."""
    return _columns(names, renamed, lambda value: "" if value is None else str(value))


def numbers(*names: str, **renamed: str) -> Columns:
    """Columns of numbers without intervals."""
    return _columns(names, renamed, number)


def inner(*names: str, **renamed: str) -> Columns:
    """Columns of estimates that stand in the row as values of their own."""
    return _columns(names, renamed, estimate)


def interval(header: str, name: str = "value", ci: str = "ci") -> Columns:
    """A column of a number with its interval."""
    return cells(header, lambda row: estimate({"value": row[name], "ci": row[ci]}))


def rank_cell(row: Row) -> str:
    """A rank, with the ranks it may have: `2 (1-3)`."""
    if row["rank"] is None:
        return "–"
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def values_of(names: Sequence[str], text_of: Callable[[Any], str]) -> Columns:
    """Columns of rows that stand in the row by the names, where there is one."""

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: text_of(row.get(name))

    return [(name, column(name)) for name in names]


def tick(header: str) -> Columns:
    """A column that says yes or nothing."""
    return cells(header, lambda row: "yes" if row[header] else "")


def _columns(
    names: Sequence[str], renamed: Mapping[str, str], text_of: Callable[[Any], str]
) -> Columns:
    pairs = [*((name, name) for name in names), *renamed.items()]

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: text_of(row[name])

    return [(header, column(name)) for header, name in pairs]


def estimate(row: Row) -> str:
    """A value with its interval: `0.412 [0.380, 0.441]`."""
    if row["value"] is None:
        return "–"
    interval = f" [{row['ci'][0]:.3f}, {row['ci'][1]:.3f}]" if row["ci"] else ""
    return f"{row['value']:.3f}{interval}"


def number(value: float | None) -> str:
    """A value without interval."""
    return "–" if value is None else f"{value:.3f}"


def print_notes(notes: Sequence[str]) -> None:
    """Print what a reader has to know beside the numbers."""
    for note in notes:
        say(f"Note: {note}")


def print_section(title: str, rows: Sequence[Row], *columns: Columns) -> None:
    """Print the rows, where there are any, and an empty line."""
    if rows:
        print_rows(title, rows, *columns)
        say("")


def print_report(found: Any, show: Callable[[Any], None], *, as_json: bool) -> None:
    """Print a report as one JSON document, or for people."""
    if as_json:
        print_json(found.as_dict())
    else:
        show(found)
