"""A board cut into groups: the rows of one round, task, version and setting, loaded when asked for.

A large board has hundreds of groups and few of them change. Each tells by its key whether it did,
and holds one row of every contestant; the others are loaded only where they are shown.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vivavoce.errors import VivaError
from vivavoce.results.board.tables import table_of
from vivavoce.results.logs.records import CONTESTANT, PLACE, LogHeader, Place
from vivavoce.store import Row, canonical_json, hash_of, hash_rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

KEY = (*PLACE, *CONTESTANT)
"""Fields that tell one row from another, its metrics taken together."""
_NEW_OBJECTS, _ROUNDS = 1_000_000, 20


@dataclass(frozen=True)
class Group:
    """The rows of one round, task, version and setting."""

    place: Place
    key: str
    """Changes whenever a row does."""
    metrics: tuple[str, ...]
    """In the order of the task's card, the headline metric first."""
    leads: tuple[Row, ...]
    """One row of each contestant, in the order of the rows: that of the headline metric, or its
    first where it was not measured by that."""
    marks: tuple[str, ...]
    """Of each of the leads; changes whenever it does."""
    load: Callable[[], Sequence[Row]] = field(compare=False)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All of them; loaded when first asked for."""
        return tuple(self.load())


@dataclass(frozen=True, repr=False)
class Board:
    """A leaderboard, in groups."""

    groups: tuple[Group, ...]
    rounds: tuple[Row, ...]
    headlines: Mapping[str, str]
    """The metric each task is ranked by."""
    metrics: Mapping[str, Sequence[str]]
    """What answers of each task are measured by, in the order of its card, then their ceilings and
    what a judge said; the rows tell more than these."""
    notes: tuple[str, ...]
    """Logs left out, and rows that are not what they seem."""
    heads: tuple[LogHeader, ...] = field(default=(), compare=False)
    """The logs behind it, where it comes from logs."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all groups."""
        return tuple(row for group in self.groups for row in group.rows)

    def __repr__(self) -> str:
        """The content of the board in one line."""
        tasks = {group.place[1] for group in self.groups}
        rows = sum(len(group.leads) for group in self.groups)
        return f"<Board: {len(self.rounds)} rounds, {len(tasks)} tasks, {rows} contestants' rows>"

    def _repr_html_(self) -> str:
        """The rows of the metrics that tasks are ranked by, as a notebook shows them."""
        shown = ["round", "task", "setting", "method", "model", "metric"]
        values = ["value", "ci_low", "ci_high", "rank", "n", "valid"]
        frame = self.to_pandas(headline=True)[[*shown, *values]]
        return str(frame.to_html(index=False, float_format="{:.3f}".format, na_rep="–"))

    def to_arrow(self, *, headline: bool = False) -> pa.Table:
        """The rows as a typed table, with the columns of the CSV and Parquet files.

        With `headline` only the rows of the metrics that tasks are ranked by.
        """
        return table_of(
            [row for group in self.groups for row in (group.leads if headline else group.rows)]
        )

    def to_pandas(self, *, headline: bool = False) -> pd.DataFrame:
        """The rows as a data frame of pandas; see `to_arrow`."""
        frame: pd.DataFrame = self.to_arrow(headline=headline).to_pandas()
        return frame

    def to_polars(self, *, headline: bool = False) -> Any:
        """The rows as a data frame of Polars, which has to be installed; see `to_arrow`.

        Raises:
            VivaError: There is no Polars.
        """
        try:
            polars = import_module("polars")
        except ImportError as error:
            raise VivaError("Polars is not installed: pip install polars") from error
        return polars.from_arrow(self.to_arrow(headline=headline))

    def as_dict(self) -> Row:
        """The board as plain JSON values."""
        return {
            "rows": list(self.rows),
            "rounds": list(self.rounds),
            "headlines": self.headlines,
            "metrics": self.metrics,
            "notes": list(self.notes),
        }


def make_group(
    rows: Sequence[Row],
    headlines: Mapping[str, str],
    metrics: Mapping[str, Sequence[str]],
    key: str | None = None,
) -> Group:
    """A group of rows that are all there; its key is their hash where none is given."""
    task = rows[0]["task"]
    measured = dict.fromkeys(row["metric"] for row in rows)
    wanted = [headlines.get(task), *metrics.get(task, ())]
    ordered = tuple(dict.fromkeys(name for name in (*wanted, *measured) if name in measured))
    leads = [
        found.get(ordered[0]) or next(iter(found.values()))
        for found in by_contestant(rows).values()
    ]
    kept = tuple(rows)
    return Group(
        place_of(rows[0]),
        key or hash_of([hash_rows(rows), ordered]),
        ordered,
        tuple(leads),
        tuple(map(hash_of, leads)),
        lambda: kept,
    )


def complete_only(board: Board) -> Board:
    """The board without contestants that lack an answer or a value, or gave what is not valid.

    Ranks stay those among all: who is left out was still compared with.
    """
    groups = (_complete(group) for group in board.groups)
    return replace(board, groups=tuple(group for group in groups if group.leads))


def _complete(group: Group) -> Group:
    found = [pair for pair in zip(group.leads, group.marks, strict=True) if _is_complete(pair[0])]
    leads = tuple(row for row, _ in found)
    kept = {spelled(row, CONTESTANT) for row in leads}
    return replace(
        group,
        key=hash_of(["complete", group.key]),
        leads=leads,
        marks=tuple(mark for _, mark in found),
        load=lambda: [row for row in group.rows if spelled(row, CONTESTANT) in kept],
    )


def _is_complete(row: Row) -> bool:
    if row["value"] is None or row["missing"] or row["partial"]:
        return False
    return row["valid"] in (None, 1)


def by_contestant(rows: Iterable[Row]) -> dict[tuple[str, ...], dict[str, Row]]:
    """Each contestant's rows by metric, in the order given."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        found.setdefault(spelled(row, CONTESTANT), {})[row["metric"]] = row
    return found


def spelled(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    """Some fields of a row as text: what is no text is spelled as JSON."""
    values = (row[name] for name in names)
    return tuple(value if isinstance(value, str) else canonical_json(value) for value in values)


def place_of(row: Row) -> Place:
    """The place of a row's group."""
    return row["round"], row["task"], row["task_version"], row["setting"]


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """While rows are loaded and written, collect garbage a thousand times less often.

    Rows are dictionaries that stay and point at nothing but values: the collector would spend more
    time on walking through them than it takes to read them.
    """
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, _ROUNDS, _ROUNDS)
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # now all are old: otherwise the next collection would walk through them
        gc.set_threshold(*before)
