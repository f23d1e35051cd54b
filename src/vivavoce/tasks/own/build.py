"""Items of a round from tables of one's own, and the spec of a round of one table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import Field, field_serializer

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.metrics.own import TOLERANCE
from vivavoce.rounds.family import Exclusion, FamilyItems, gold_is_inside
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row
from vivavoce.tasks.own.items import read_questions
from vivavoce.text.dates import inside, period

FAMILY = "own"
TASK_OF = {
    "exact_match": "own_match",
    "number_match": "own_number",
    "list_f1": "own_list",
    "rougeL": "own_text",
}
"""The task of each metric that a table can be given for."""

_TEXTS = ("id", "cluster", "published", "category", "input", "gold")
ITEM = pa.schema([(name, pa.string()) for name in _TEXTS] + [("tolerance", pa.float64())])


class OwnOptions(Options):
    """The `[own]` table of a round spec: for each metric a CSV file of questions."""

    exact_match: str | None = None
    """Questions whose answer has to be the gold."""
    number_match: str | None = None
    """Questions for a number."""
    list_f1: str | None = None
    """Questions for a list, in any order."""
    rougeL: str | None = None
    """Questions for a running text."""
    tolerance: float = Field(default=TOLERANCE, ge=0, le=1)
    """Share of the gold that a number may be off."""

    @field_serializer(*TASK_OF)
    def _name_of(self, path: str | None) -> str | None:
        """A path without the folders of a machine: no round tells them, and none depends on it."""
        return Path(path).name if path and Path(path).is_absolute() else path


OPTIONS = OwnOptions


def build(corpus: Corpus, spec: RoundSpec, options: OwnOptions) -> FamilyItems:
    """Make items of the questions that are of the window; each table is one task."""
    named = {metric: path for metric in TASK_OF if (path := getattr(options, metric)) is not None}
    if not named:
        raise InputError(f"[{FAMILY}] names no table. Give one for {', '.join(TASK_OF)}.")
    tasks: dict[str, Sequence[Row]] = {}
    excluded: list[Exclusion] = []
    for metric, path in named.items():
        kept: dict[str, Row] = {}
        for row in read_questions(Path(path), metric):
            if reason := _reason(row, metric, kept, spec):
                excluded.append(Exclusion(TASK_OF[metric], row["id"], *reason))
            else:
                kept[row["input"]] = {**row, "tolerance": options.tolerance}
        tasks[TASK_OF[metric]] = sorted(kept.values(), key=lambda row: str(row["id"]))
    return FamilyItems(tasks, dict.fromkeys(tasks, ITEM), excluded)


def spec_of_table(
    path: Path, metric: str, name: str, tolerance: float, *, sealed: bool
) -> dict[str, Any]:
    """The spec of a round of one table, with a window that holds all of its dates.

    Raises:
        InputError: The table cannot be read, or no row has a date although there is a column.
    """
    days = [row["published"] for row in read_questions(path, metric)]
    spans = [period(day) for day in days if day]
    if not spans and "" in days:
        raise InputError(f"{path}: no row has a date. Leave the column out, or fill it.")
    start = min((first for first, _ in spans), default=date.min)
    end = max((after for _, after in spans), default=date.max)
    window = {"start": start.isoformat(), "end": end.isoformat()}
    head = {"id": name, "window": window, "families": [FAMILY], "sealed": sealed}
    return {"round": head, FAMILY: {metric: str(path), "tolerance": tolerance}}


def _reason(row: Row, metric: str, kept: dict[str, Row], spec: RoundSpec) -> tuple[str, ...]:
    """Reason, and its detail, that a question is no item; empty where it is one."""
    day = row["published"]
    if day == "":
        return ("undated",)
    if day is not None and not inside(day, spec.window):
        return "outside_window", day
    if metric == "rougeL" and gold_is_inside(row["gold"], [row["input"]]):
        return ("gold_in_input",)
    if row["input"] in kept:
        return "same_input", str(kept[row["input"]]["id"])
    return ()
