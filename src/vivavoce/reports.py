"""Reports: rows whose columns are declared once, for the terminal, for JSON and for pages.

A report is a dataclass. `as_dict` gives its fields as JSON, and `parts` what a reader sees: sheets,
which are tables of texts, and lines. A cell is printed by the type of its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import groupby
from operator import getitem
from typing import Any

from vivavoce.store import Row
from vivavoce.text.printing import bracket, visible

NOTHING = "–"
"""Printed where there is no value."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()
    """Lines below it."""

    def is_figures(self, place: int) -> bool:
        """True if every cell of a column is a figure, an interval, a dash or empty."""
        cells = [row[place] for row in self.rows]
        return bool(cells) and all(not c or c[0].isdigit() or c[0] in "-–−[" for c in cells)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet."""

    of: str | Callable[[Any], Any]
    """Key of the value in a row, or what makes it; keys of rows inside a row follow a dot."""
    head: str = ""
    """The key by default."""
    ci: str = ""
    """Key of the interval that stands beside the value."""
    form: str = ""
    """Format of a text or a fraction, such as `.60` or `.0%`; else three decimals."""

    def text(self, row: Any) -> str:
        """The cell of a row."""
        value = self.of(row) if callable(self.of) else _value(row, self.of)
        return shown({"value": value, "ci": _value(row, self.ci)} if self.ci else value, self.form)


def _value(row: Row, key: str) -> Any:
    return reduce(getitem, key.split("."), row)


def shown(value: Any, form: str = "") -> str:
    """Print a value by its type; `0.412 [0.380, 0.441]` for a row of `value` and `ci`."""
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
        return value  # of its own type: markup stays markup
    if isinstance(value, float):
        return format(value, f"z{form or '.3f'}")  # what rounds to 0 has no sign
    return format(value, form)


def sheet(
    title: str, rows: Iterable[Any], *columns: Column | str, below: Iterable[str] = ()
) -> Sheet:
    """Rows below a title; a column that is only a key has the key as its head."""
    chosen = [Column(column) if isinstance(column, str) else column for column in columns]
    return Sheet(
        title,
        tuple(column.head or str(column.of) for column in chosen),
        tuple(tuple(column.text(row) for column in chosen) for row in rows),
        tuple(below),
    )


_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")


def markdown(parts: Iterable[Sheet | str]) -> Iterator[str]:
    """Lines and sheets as Markdown to paste; a text cannot mark up anything."""
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
    """Rows that follow each other and agree in some fields."""
    for _, group in groupby(rows, key=lambda row: [row[name] for name in names]):
        yield list(group)


def rank_text(row: Row) -> str:
    """A rank, with the ranks it may have: `2 (1-3)`."""
    if row["rank"] is None:
        return NOTHING
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def by_metric(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[Row]:
    """Rows of one key as one line: the first of them, with all of them under `of` by metric."""
    lines: dict[Hashable, Row] = {}
    for row in rows:
        lines.setdefault(key(row), {**row, "of": {}})["of"][row["metric"]] = row
    return list(lines.values())


def metric_columns(rows: Iterable[Row], cell: Callable[[Row], str]) -> list[Column]:
    """A column for each metric of the lines that `by_metric` makes."""

    def column(metric: str) -> Column:
        return Column(lambda line: cell(line["of"][metric]), metric)

    return [column(metric) for metric in dict.fromkeys(row["metric"] for row in rows)]


def counted_names(counts: Mapping[str, int]) -> str:
    """Counts as `name 3, other 2`, or `none`."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


class Report:
    """Base of dataclasses whose fields are what a report shows, in this order."""

    __slots__ = ()

    def as_dict(self) -> Row:
        """The fields as plain JSON values; those of a report inside it stand among them."""
        plain: Row = {}
        for field in fields(self):  # type: ignore[arg-type]  # every report is a dataclass
            value = getattr(self, field.name)
            if isinstance(value, Report):
                plain |= value.as_dict()
            else:
                plain[field.name] = list(value) if isinstance(value, tuple) else value
        return plain

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets and lines in the order in which they are read; notes are none of them."""
        raise NotImplementedError


Layout = Callable[[Sequence[Row]], Iterator[Sheet | str]]
"""Makes the sheets and lines of rows."""


@dataclass(frozen=True, slots=True)
class Table(Report):
    """Rows of a comparison, and what a reader has to know beside them."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    layout: Layout

    def as_dict(self) -> Row:
        """The rows and notes as plain JSON values."""
        return {"rows": list(self.rows), "notes": list(self.notes)}

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets and lines as the layout has them."""
        return self.layout(self.rows)


def headlines(rows: Iterable[Row]) -> list[Row]:
    """The rows of the metrics that tasks are ranked by."""
    return [row for row in rows if row["headline"]]
