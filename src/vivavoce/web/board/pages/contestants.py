"""The page of one model or method: how it stands wherever it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.results.board.columns import page_columns
from vivavoce.store import Row
from vivavoce.web.board.entries import bounds_of, facts_of_row, rank_note, tie_note
from vivavoce.web.board.model import BoardOf, Measured, ModelOf, Site, newest_of
from vivavoce.web.board.names import (
    NO_MODEL,
    TAGS,
    facts_of,
    kind_of,
    name_and_details,
    title_of,
    tries_of,
)
from vivavoce.web.printing import figure, interval, visible

_NAMED_TIES = 6


@dataclass(frozen=True, slots=True)
class Appearance:
    """One headline row of the contestant."""

    title: str
    setting: str
    path: str
    metric: str
    rank: int | None
    ranked: int
    """How many are ranked there."""
    rank_note: str
    tied: str
    """Whom it is tied with, in names; the rest as a number."""
    value: str
    interval: str
    facts: Mapping[str, str]
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """One way the contestant was run at one task and setting, through the rounds."""

    title: str
    setting: str
    method: str
    cells: tuple[tuple[str, str, str] | None, ...]
    """By round: path, value, and rank in words; None where it was not measured."""


def inputs_of(one: ModelOf, site: Site) -> list[Any]:
    """What the contestant's page depends on, as JSON values."""
    found = site.appearances.get(one.identity, [])
    shown = [[board.path, board.headline, len(board.ranked), mark] for board, _, mark in found]
    return [one.kind, one.name, site.round_names, shown]


def contestant_page(one: ModelOf, site: Site) -> dict[str, Any]:
    """What `model.html.j2` prints."""
    found = site.appearances.get(one.identity, [])
    held = {board.round for board, _, _ in found}
    rounds = [name for name in site.round_names if name in held]
    has_costs = any(row["cost"] is not None for _, row, _ in found)
    hidden = ("faults",) if has_costs else ("faults", "cost")
    return {
        "name": visible(one.name),
        "tag": TAGS[one.kind],
        "is_own": one.is_own,
        "newest": visible(rounds[-1]) if rounds else "",
        "rounds": [visible(name) for name in rounds],
        "appearances": [_appearance(board, row) for board, row, _ in newest_of(one, site)],
        "courses": _courses(found, rounds) if len(rounds) > 1 else [],
        "count": len({board.path for board, _, _ in found}),
        "columns": [column for column in page_columns() if column.name not in hidden],
    }


def _appearance(board: BoardOf, row: Row) -> Appearance:
    _, details = name_and_details(row)
    facts = facts_of_row(row)
    has_model = row["model"] not in NO_MODEL
    return Appearance(
        title=board.title,
        setting=visible(board.setting),
        path=board.path,
        metric=visible(board.headline),
        rank=None if kind_of(row) == "ceiling" else row["rank"],
        ranked=len(board.ranked),
        rank_note=rank_note(row, kind_of(row)),
        tied=_ties(row),
        value="" if row["value"] is None else figure(row["value"]),
        interval="no interval" if row["ci"] is None else interval(bounds_of(row)),
        facts={**facts, "valid": facts["valid"] or "not recorded"},
        details=(*details, *(facts_of(row) if has_model else ()), *tries_of(row)),
    )


def _ties(row: Row) -> str:
    if not tie_note(row):
        return ""
    named = [visible(name, 60) for name in row["tied_with"][:_NAMED_TIES]]
    rest = len(row["tied_with"]) - len(named)
    return ", ".join(named) + (f" and {rest:,} more" if rest else "")


def _courses(found: Sequence[Measured], rounds: Sequence[str]) -> list[Course]:
    lines: dict[tuple[str, ...], dict[str, tuple[BoardOf, Row]]] = {}
    for board, row, _ in found:
        facts = (str(row[name]) for name in ("method", "decoding", "judge"))
        lines.setdefault((board.task, board.setting, *facts), {})[board.round] = (board, row)
    return [
        Course(
            title_of(key[0]),
            visible(key[1]),
            visible(key[2]),
            tuple(_course_cell(*by_round[name]) if name in by_round else None for name in rounds),
        )
        for key, by_round in lines.items()
    ]


def _course_cell(board: BoardOf, row: Row) -> tuple[str, str, str]:
    value = "–" if row["value"] is None else figure(row["value"])
    rank = f"{row['rank']} of {len(board.ranked)}" if row["rank"] is not None else "not ranked"
    return board.path, value, rank
