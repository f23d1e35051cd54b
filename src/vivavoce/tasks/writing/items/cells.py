"""The file `cells.json`: what each task and setting holds, and why one holds nothing.

An empty cell names a paper that was rejected, and the reason: the demonstration that came closest,
or the target that was left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from vivavoce.corpus.fields import GATES
from vivavoce.rounds.family import EVERY_TASK, Exclusion
from vivavoce.store import Row
from vivavoce.tasks.writing.items.inputs import DEMONSTRATED, settings_of
from vivavoce.tasks.writing.items.papers import Reason

NAME = "cells.json"
NO_DEMONSTRATION = "no_demonstration"
_EARLY = frozenset({*GATES, "outside_window", "duplicate_title"})
"""Reasons for which a paper is a target of no task."""


@dataclass(frozen=True, slots=True)
class Missing:
    """An item that found no demonstration of a kind: the candidate that came closest."""

    task: str
    kind: str
    paper_id: str
    candidate: str
    reason: Reason

    @property
    def detail(self) -> str:
        """The candidate and what it lacks, as one phrase."""
        name, more = self.reason
        return f"{self.candidate}: {name}" + (f", {more}" if more else "")


def shown_demos(row: Row, setting: str) -> list[str]:
    """The demonstrations that an item shows in a setting, each paper once."""
    kinds = {"random": ("random",), "coauthor": ("coauthor",), "mixed": ("random", "coauthor")}
    return list(dict.fromkeys(n for kind in kinds[setting] for n in row[f"demos_{kind}"]))


def describe_cells(
    tasks: Mapping[str, Sequence[Row]],
    settings: Sequence[str],
    missing: Sequence[Missing],
    excluded: Sequence[Exclusion],
) -> list[Row]:
    """One row for each task and setting of the round."""
    return [
        _cell(task, setting, rows, missing, excluded)
        for task, rows in tasks.items()
        for setting in settings_of(task)
        if setting in settings
    ]


def as_bytes(report: Row) -> bytes:
    """The file's bytes, the same for the same report."""
    text = json.dumps(report, sort_keys=True, ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()


def _cell(
    task: str,
    setting: str,
    rows: Sequence[Row],
    missing: Sequence[Missing],
    excluded: Sequence[Exclusion],
) -> Row:
    items = [row for row in rows if setting in row["settings"]]
    cell: Row = {"task": task, "setting": setting, "items": len(items), "rejected": None}
    without: list[Missing] = []
    if setting in DEMONSTRATED:
        demos = [len(shown_demos(row, setting)) for row in items]
        without = [m for m in missing if m.task == task and setting in (m.kind, "mixed")]
        cell["demos_mean"] = fmean(demos) if demos else None
        cell["without_demonstrations"] = len({m.paper_id for m in without})
    if without:
        cell["rejected"] = {
            "paper_id": without[0].paper_id,
            "candidate": without[0].candidate,
            "reason": without[0].reason[0],
            "detail": without[0].reason[1],
        }
    elif not items:
        here = (e for e in excluded if e.task in (EVERY_TASK, task) and e.setting in ("", setting))
        cell["rejected"] = _left_out(here)
    return cell


def _left_out(excluded: Iterable[Exclusion]) -> Row | None:
    """The paper that came closest to being an item: one that was left out latest."""
    first = max(excluded, key=lambda e: (bool(e.setting), e.reason not in _EARLY), default=None)
    if first is None:
        return None
    return {
        "paper_id": first.paper_id,
        "candidate": first.paper_id,
        "reason": first.reason,
        "detail": first.detail,
    }
