"""Drift of contestants: their scores on the items that two rounds share on purpose."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Unpack

from vivavoce.errors import InputError
from vivavoce.reports import Column, Sheet, Table, sheet
from vivavoce.results.contrast import Rows, contrast, counterparts, described, report_of
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.rounds import Round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.statistics.estimates import Draws
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
        )


def drift_of_anchors(logs: Path | str, opened: Round, **reading: Unpack[Reading]) -> Drift:
    """Each contestant on the anchors of a round and its parent.

    `drift` is the difference on the anchors, paired by item: the contestant changed.

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
    drift = contrast(sooner, later, metric, draws, kept)
    return {
        **described(later, metric),
        "before": sooner.key.round,
        "anchors": drift["n"],
        "anchors_before": drift["a"],
        "anchors_now": drift["b"],
        "drift": drift["difference"],
        "drift_ci": drift["ci"],
        "undecided": drift["undecided"],
    }
