"""Drift told from difficulty: what two rounds share on purpose, and what only the later one has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Unpack

import numpy as np

from vivavoce.errors import InputError
from vivavoce.reports import Column, Sheet, Table, sheet
from vivavoce.results.contrast import Rows, contrast, counterparts, described, report_of
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.rounds import Round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.statistics.estimates import Draws, Estimate, estimate_from_sums
from vivavoce.statistics.intervals import Floats
from vivavoce.store import Row


class Drift(Table):
    """Report of `viva board show --by drift`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table."""
        yield sheet(
            "",
            self.headlines,
            *("contestant", "task", "setting", "metric", "anchors"),
            Column("anchors_before", "before"),
            Column("anchors_now", "now"),
            Column("drift", ci="drift_ci"),
            "others",
            Column("difficulty", "others less anchors", ci="difficulty_ci"),
        )


def drift_and_difficulty(logs: Path | str, opened: Round, **reading: Unpack[Reading]) -> Drift:
    """Each contestant on the anchors of a round and its parent, and on the round's other items.

    `drift` is the difference on the anchors, paired by item: the contestant changed. `difficulty`
    is the mean of the other items less that of the anchors in the same round: the items did.

    Raises:
        InputError: The round has no anchors, or there are no logs.
        VivaError: As `open_logs` says.
        NothingToAuditError: Nobody ran on both.
    """
    anchors = {task: set(ids) for task, ids in anchors_of(opened).items() if ids}
    if not anchors:
        raise InputError(
            f"Round {opened.id} has no anchors. Give [update] anchors in the spec of its parent."
        )
    before = str(opened.manifest["parent"]["id"])

    def make(found: list[RunLog], draws: Draws) -> Rows:
        tasks = {log.key.task: f"{log.family}/{log.key.task}" for log in found}

        def earlier(key: RowKey) -> dict[str, str] | None:
            is_later = key.round == opened.id and tasks[key.task] in anchors
            return {"round": before} if is_later else None

        pairs, notes = counterparts(
            found,
            earlier,
            "{contestant} has no log of {task} ({setting}) on {other} with the same decoding, "
            "prompts and judge.",
        )
        rows = [
            _row(sooner, later, anchors[tasks[later.key.task]], metric, draws)
            for later, sooner in pairs
            for metric in later.metrics
        ]
        return rows, notes

    lacking = (
        f"no contestant that ran on {before} and on {opened.id} alike. Run the same tasks, "
        "settings and contestants on both."
    )
    return report_of(Drift, logs, make, lacking, **reading)


def _row(sooner: RunLog, later: RunLog, kept: Collection[str], metric: str, draws: Draws) -> Row:
    now, clusters = later.item_values(metric), later.item_clusters()
    drift = contrast(sooner, later, metric, draws, kept)
    items = [item for item in sorted(now) if not np.isnan(now[item])]
    # Sums of an item: the others' values and number, the anchors' values and number.
    table = [
        (0.0, 0.0, now[item], 1.0) if item in kept else (now[item], 1.0, 0.0, 0.0) for item in items
    ]
    harder = estimate_from_sums(table, [clusters[i] for i in items], _gap, draws)
    others = [now[item] for item in items if item not in kept]
    if not others:
        harder = Estimate(None, None, 0)
    return {
        **described(later, metric),
        "before": sooner.key.round,
        "anchors": drift["n"],
        "anchors_before": drift["a"],
        "anchors_now": drift["b"],
        "drift": drift["difference"],
        "drift_ci": drift["ci"],
        "undecided": drift["undecided"],
        "others": len(others),
        "others_now": float(np.mean(others)) if others else None,
        "difficulty": harder.value,
        "difficulty_ci": harder.fields()["ci"],
    }


def _gap(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        gap: Floats = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return gap
