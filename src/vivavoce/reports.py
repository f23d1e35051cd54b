"""Reports: rows whose columns are declared once for the terminal, JSON and web pages.

A report is a dataclass. `as_dict` gives its fields as JSON. `parts` gives what a reader sees: lines
and sheets, which are tables of texts. The type of a value decides how its cell is printed.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from itertools import groupby
from operator import getitem
from typing import Any

from vivavoce.store import Row
from vivavoce.text.printing import bracket, visible

NOTHING = "–"
"""Printed in place of a missing value."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()
    """Lines below the table."""

    def is_figures(self, place: int) -> bool:
        """True if every cell of a column is a figure, an interval, a dash or empty."""
        cells = [row[place] for row in self.rows]
        return bool(cells) and all(not c or c[0].isdigit() or c[0] in "-–−[" for c in cells)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet."""

    of: str | Callable[[Any], Any]
    """Key of the value in a row, with dots for nested rows; or a function that makes the value."""
    head: str = ""
    """Heading; by default the key."""
    ci: str = ""
    """Key of the interval printed after the value."""
    form: str = ""
    """Format of a text or a fraction, such as `.60` or `.0%`; by default three decimals."""

    def text(self, row: Any) -> str:
        """The text of this column's cell in a row."""
        value = self.of(row) if callable(self.of) else _value(row, self.of)
        return shown({"value": value, "ci": _value(row, self.ci)} if self.ci else value, self.form)


def _value(row: Row, key: str) -> Any:
    return reduce(getitem, key.split("."), row)


def shown(value: Any, form: str = "") -> str:
    """Format a value by its type; a row of `value` and `ci` gives `0.412 [0.380, 0.441]`."""
    if isinstance(value, Mapping):
        ends = value["ci"] if value["value"] is not None else None
        interval = f" {bracket(ends)}" if ends else ""
        return shown(value["value"], form) + interval
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str) and not form:
        return value  # keeps its own type: markup stays markup
    if isinstance(value, float):
        return format(value, f"z{form or '.3f'}")  # no sign before a rounded 0
    return format(value, form)


def sheet(
    title: str, rows: Iterable[Any], *columns: Column | str, below: Iterable[str] = ()
) -> Sheet:
    """Make a sheet from rows; a column given only as a key has that key as its heading."""
    chosen = [Column(column) if isinstance(column, str) else column for column in columns]
    return Sheet(
        title,
        tuple(column.head or str(column.of) for column in chosen),
        tuple(tuple(column.text(row) for column in chosen) for row in rows),
        tuple(below),
    )


_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")


def markdown(parts: Iterable[Sheet | str]) -> Iterator[str]:
    """Lines and sheets as Markdown to paste; markup inside texts is escaped."""
    for part in parts:
        if isinstance(part, str):
            yield from (_escaped(part), "")
            continue
        yield f"| {' | '.join(map(_escaped, part.heads))} |"
        yield "|" + "".join(
            " ---: |" if part.is_figures(place) else " --- |" for place in range(len(part.heads))
        )
        yield from (f"| {' | '.join(map(_escaped, row))} |" for row in part.rows)
        yield ""
        for line in part.below:
            yield from (_escaped(line), "")


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", visible(text.strip(), limit=None))


def grouped(rows: Iterable[Row], *names: str) -> Iterator[list[Row]]:
    """Yield runs of consecutive rows that agree in the named fields."""
    for _, group in groupby(rows, key=lambda row: [row[name] for name in names]):
        yield list(group)


def rank_text(row: Row) -> str:
    """A rank with its interval, such as `2 (1-3)`."""
    if row["rank"] is None:
        return NOTHING
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def by_metric(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[Row]:
    """Join rows of the same key into one: the first row, plus all of them by metric under `of`."""
    lines: dict[Hashable, Row] = {}
    for row in rows:
        lines.setdefault(key(row), {**row, "of": {}})["of"][row["metric"]] = row
    return list(lines.values())


def metric_columns(rows: Iterable[Row], cell: Callable[[Row], str]) -> list[Column]:
    """A column for each metric of the lines that `by_metric` makes; some may lack a metric."""

    def column(metric: str) -> Column:
        def text(line: Row) -> str:
            return cell(line["of"][metric]) if metric in line["of"] else NOTHING

        return Column(text, metric)

    return [column(metric) for metric in dict.fromkeys(row["metric"] for row in rows)]


def counted_names(counts: Mapping[str, int]) -> str:
    """Counts as `name 3, other 2`, or `none`."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


UNLISTED = {"is_listed": False}
"""Metadata of a field that is for the program, and not a content of its report."""


class Report:
    """Base of dataclasses whose fields are the contents of a report, in order."""

    __slots__ = ()

    def as_dict(self) -> Row:
        """The fields as plain JSON values; a nested report's fields are added at this level."""
        plain: Row = {}
        for each in fields(self):  # type: ignore[arg-type]  # every report is a dataclass
            value = getattr(self, each.name)
            if not each.metadata.get("is_listed", True):
                continue
            if isinstance(value, Report):
                plain |= value.as_dict()
            else:
                plain[each.name] = list(value) if isinstance(value, tuple) else value
        return plain

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets and lines in reading order, without the notes."""
        raise NotImplementedError


Layout = Callable[[Sequence[Row]], Iterator[Sheet | str]]
"""Makes sheets and lines from rows."""


@dataclass(frozen=True, slots=True)
class Table(Report):
    """Rows of a comparison, with notes that a reader needs to understand them."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    layout: Layout = field(metadata=UNLISTED)

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets and lines that the layout makes."""
        return self.layout(self.rows)


def headlines(rows: Iterable[Row]) -> list[Row]:
    """The rows of the headline metrics, by which tasks are ranked."""
    return [row for row in rows if row["headline"]]
