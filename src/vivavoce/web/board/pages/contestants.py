"""The page of one model or method: how it stands wherever it was measured."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from vivavoce.results.board.columns import page_columns
from vivavoce.web.board.model import Measured, ModelOf, Site, newest_of


def inputs_of(one: ModelOf, site: Site) -> list[Any]:
    """What the contestant's page depends on, as JSON values."""
    found = site.appearances.get(one.identity, [])
    shown = [[board.path, board.headline, len(board.ranked), mark] for board, _, mark in found]
    return [one.kind, one.name, site.round_names, shown]


def contestant_page(one: ModelOf, site: Site) -> dict[str, Any]:
    """Everything that `model.html.j2` prints."""
    found = site.appearances.get(one.identity, [])
    held = {board.round for board, _, _ in found}
    rounds = [name for name in site.round_names if name in held]
    has_costs = any(row["cost"] is not None for _, row, _ in found)
    hidden = ("faults",) if has_costs else ("faults", "cost")
    # Each way it was run at one task and setting is a line through the rounds.
    courses: dict[tuple[str, ...], dict[str, Measured]] = defaultdict(dict)
    for measured in found if len(rounds) > 1 else ():
        board, row, _ = measured
        facts = (str(row[name]) for name in ("method", "decoding", "judge"))
        courses[board.task, board.setting, *facts][board.round] = measured
    return {
        "one": one,
        "rounds": rounds,
        "appearances": newest_of(one, site),
        "courses": courses,
        "count": len({board.path for board, _, _ in found}),
        "columns": [column for column in page_columns() if column.name not in hidden],
    }
