"""A board cut into groups: the rows of one round, task, version and setting, loaded when asked for.

A large board has hundreds of groups and few of them change. Each tells by its key whether it did,
and holds one row of every contestant; the others are loaded only where they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.store import Row, hash_of, hash_rows

if TYPE_CHECKING:
    from vivavoce.results.logs.header import StoredHead

PLACE = ("round", "task", "task_version", "setting")
"""What tells one group from another."""
CONTESTANT = ("method", "model", "decoding", "prompt_hash", "judge")
"""What tells one contestant of a group from another."""


@dataclass(frozen=True)
class Group:
    """The rows of one round, task, version and setting."""

    place: tuple[str, str, str, str]
    key: str
    """Changes whenever a row does."""
    metrics: tuple[str, ...]
    """In the order of the task's card, the headline metric first."""
    leads: tuple[Row, ...]
    """One row of each contestant, in the order of the rows: that of the headline metric, or its
    first where it was not measured by that."""
    marks: tuple[str, ...]
    """Of each of the leads; changes whenever it does."""
    load: Callable[[], Sequence[Row]]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All of them; loaded when first asked for."""
        return tuple(self.load())


@dataclass(frozen=True)
class GroupedBoard:
    """A board in groups."""

    groups: tuple[Group, ...]
    rounds: tuple[Row, ...]
    headlines: Mapping[str, str]
    metrics: Mapping[str, Sequence[str]]
    notes: tuple[str, ...]
    heads: tuple[StoredHead, ...] = ()
    """The logs behind it, where it comes from logs."""


def cut(
    rows: Sequence[Row], headlines: Mapping[str, str], metrics: Mapping[str, Sequence[str]]
) -> tuple[Group, ...]:
    """The groups of rows that are all there, in the order in which they begin."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault(place_of(row), []).append(row)
    return tuple(make_group(found, headlines, metrics) for found in groups.values())


def make_group(
    rows: Sequence[Row],
    headlines: Mapping[str, str],
    metrics: Mapping[str, Sequence[str]],
    key: str | None = None,
) -> Group:
    """A group of rows that are all there; its key is the hash of the rows where none is given."""
    task = rows[0]["task"]
    measured = dict.fromkeys(row["metric"] for row in rows)
    wanted = [headlines.get(task), *metrics.get(task, ())]
    ordered = tuple(dict.fromkeys(name for name in (*wanted, *measured) if name in measured))
    leads: dict[tuple[str, ...], Row] = {}
    for row in rows:
        contestant = _contestant(row)
        if contestant not in leads or row["metric"] == ordered[0]:
            leads[contestant] = row
    kept = tuple(rows)
    return Group(
        place_of(rows[0]),
        key or hash_rows(rows),
        ordered,
        tuple(leads.values()),
        tuple(map(hash_of, leads.values())),
        lambda: kept,
    )


def complete_only(board: GroupedBoard) -> GroupedBoard:
    """The board without contestants that lack an answer or a value, or gave what is not valid.

    Ranks stay those among all: who is left out was still compared with.
    """
    groups = (_complete(group) for group in board.groups)
    return replace(board, groups=tuple(group for group in groups if group.leads))


def _complete(group: Group) -> Group:
    found = [pair for pair in zip(group.leads, group.marks, strict=True) if _is_complete(pair[0])]
    leads = tuple(row for row, _ in found)
    kept = {_contestant(row) for row in leads}
    return replace(
        group,
        key=hash_of(["complete", group.key]),
        leads=leads,
        marks=tuple(mark for _, mark in found),
        load=lambda: [row for row in group.rows if _contestant(row) in kept],
    )


def _is_complete(row: Row) -> bool:
    if row["value"] is None or row["missing"] or row.get("partial"):
        return False
    return row["valid"] in (None, 1)


def _contestant(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in CONTESTANT)


def place_of(row: Row) -> tuple[str, str, str, str]:
    """The place of a row's group."""
    return row["round"], row["task"], row["task_version"], row["setting"]
