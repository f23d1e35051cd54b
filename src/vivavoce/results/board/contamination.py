"""Possible contamination of a model: its items by date against its cutoff, and the gap between.

A model that does better on papers from before its cutoff than on those after may have read them,
or the older papers may be easier. So the gap also stands against a yardstick that was not trained
at all: what that one loses from the older items to the newer ones is due to the items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

import numpy as np

from vivavoce.models.cutoffs import NEVER, Cutoffs
from vivavoce.reports import Column, Sheet, Table, grouped, sheet
from vivavoce.results.board.exposure import (
    contaminated_items,
    exposure_fields,
    find_gaps,
    mean_of,
    statuses_of,
)
from vivavoce.results.contrast import Rows, described, report_of
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row
from vivavoce.tasks import CEILING


class Contamination(Table):
    """Report of `viva board show --by cutoff`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round, task and setting."""
        for rows in grouped(self.headlines, "round", "task", "setting"):
            first = rows[0]
            yield sheet(
                f"{first['task']} · {first['setting']} · round {first['round']}",
                rows,
                *("contestant", "cutoff"),
                *(Column(f"items.{status}", head) for head, status in _STATUSES.items()),
                Column("seen", f"{first['metric']} seen"),
                "clean",
                Column("gap", ci="ci"),
                "yardstick",
                Column("lead_gap", "gap of the lead", ci="lead_ci"),
            )
        yield (
            "items that were there before the cutoff (seen), near it (possibly), after it "
            "(clean);\n"
            "gap: seen - clean [95% interval]; of the lead over the best untrained contestant too."
        )


_STATUSES = {"seen": "seen", "possibly": "possibly_seen", "clean": "clean", "unknown": "unknown"}


def contamination_report(
    logs: Path | str, cutoffs: Cutoffs, **reading: Unpack[Reading]
) -> Contamination:
    """Every model's gap in every metric, and the gap of its lead over an untrained yardstick.

    Raises:
        VivaError: As `report_of` says.
    """

    def make(found: list[RunLog], draws: Draws) -> Rows:
        trained = [one for one in found if not _is_untrained(one, cutoffs)]
        rows = [row for one in trained for row in _report_rows(one, found, cutoffs, draws)]
        unknown = {one.key.model for one in trained if cutoffs.of(one.key.model) is None}
        return rows, [
            f"Nothing is known of the training data of {model}: add it with --cutoffs FILE."
            for model in unknown
        ]

    lacking = "no log of a model that was trained: nothing to have seen."
    return report_of(Contamination, logs, make, lacking, **reading)


def _report_rows(
    one: RunLog, everyone: Sequence[RunLog], cutoffs: Cutoffs, draws: Draws
) -> list[Row]:
    clusters = one.item_clusters()
    items = sorted(clusters)
    statuses = statuses_of(one, items, cutoffs)
    drawn = draws.of([clusters[i] for i in items])
    values = [one.item_values(metric) for metric in one.metrics]
    table = np.array([[column[i] for column in values] for i in items]).reshape(-1, len(values))
    fields = exposure_fields(one, statuses, cutoffs, find_gaps(table, statuses, drawn))
    rows = []
    for k, (metric, told) in enumerate(zip(one.metrics, fields, strict=True)):
        yardstick = _yardstick(one, everyone, metric, cutoffs)
        against: Row = {"yardstick": None, "lead_gap": None, "lead_ci": None}
        if yardstick is not None:
            other = yardstick.item_values(metric)
            lead = table[:, k] - np.array([other.get(item, math.nan) for item in items])
            [found] = find_gaps(lead.reshape(-1, 1), statuses, drawn)
            name = yardstick.contestant
            against = {"yardstick": name, "lead_gap": found.gap, "lead_ci": found.ci}
        rows.append(
            {
                **described(one, metric),
                "contamination": told["contamination"],
                **(told["exposure"] or {}),
                **against,
                "contaminated": contaminated_items(one, items, statuses) if k == 0 else [],
            }
        )
    return rows


def _yardstick(
    one: RunLog, everyone: Sequence[RunLog], metric: str, cutoffs: Cutoffs
) -> RunLog | None:
    """The untrained contestant of the same task and setting that does best."""
    rivals = [
        other
        for other in everyone
        if other.key.place == one.key.place
        and other.key.method != CEILING
        and metric in other.metrics
        and _is_untrained(other, cutoffs)
    ]
    means = [mean_of(np.array(list(other.item_values(metric).values()))) for other in rivals]
    scored = [(mean, -i) for i, mean in enumerate(means) if mean is not None]
    return rivals[-max(scored)[1]] if scored else None


def _is_untrained(one: RunLog, cutoffs: Cutoffs) -> bool:
    cutoff = cutoffs.of(one.key.model)
    return one.key.model == NO_MODEL or (cutoff is not None and cutoff.date == NEVER)
