"""What a model may have seen: its items by their dates against its cutoff, and the gap between.

A model that does better on papers from before its cutoff than on those after may have read them,
or the older papers may be easier. So the gap also stands against a yardstick that was not trained
at all: what that one loses from the older items to the newer ones is due to the items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from vivavoce.errors import VivaError
from vivavoce.models.cutoffs import NEVER, Cutoffs
from vivavoce.results.board.exposure import exposure_fields, find_gaps, mean_of, statuses_of
from vivavoce.results.logs.audited import AuditedLog, item_clusters, item_values, read_audited
from vivavoce.results.logs.records import CEILING, NO_MODEL, PLACE, contestant_label
from vivavoce.results.reports import Table
from vivavoce.statistics.intervals import resample
from vivavoce.store import Row


def contamination_report(
    logs: Path | str,
    cutoffs: Cutoffs,
    *,
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> Table:
    """Every model's gap in every metric, and the gap of its lead over an untrained yardstick.

    Args:
        logs: Folder of Inspect logs.
        cutoffs: What is known of the models.
        partial: Also read logs that lack samples.
        resamples: Bootstrap draws; 0 for no intervals.
        seed: Seed of the draws.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete and `partial` was not asked for, or there is no model.
    """
    found, notes = read_audited(Path(logs), partial=partial)
    trained = [one for one in found if not _is_untrained(one, cutoffs)]
    if not trained:
        raise VivaError(f"{logs} holds no log of a model that was trained: nothing to have seen.")
    rows: list[Row] = []
    for one in trained:
        rows += _report_rows(one, found, cutoffs, resamples, seed)
    unknown = {one.key.model for one in trained if cutoffs.of(one.key.model) is None}
    notes += [
        f"Nothing is known of the training data of {model}: add it with --cutoffs FILE."
        for model in sorted(unknown)
    ]
    return Table(tuple(rows), tuple(sorted(notes)))


def _report_rows(
    one: AuditedLog, everyone: Sequence[AuditedLog], cutoffs: Cutoffs, resamples: int, seed: int
) -> list[Row]:
    clusters = item_clusters(one.log)
    items = sorted(clusters)
    statuses = statuses_of(one.log, items, cutoffs)
    draws = resample([clusters[i] for i in items], resamples=resamples, seed=seed)
    metrics = one.log.metrics
    values = [item_values(one.log, metric) for metric in metrics]
    table = np.array([[column[i] for column in values] for i in items]).reshape(-1, len(metrics))
    gaps = find_gaps(table, statuses, draws)
    fields = exposure_fields(one.log, statuses, cutoffs, gaps)
    rows = []
    for k, (metric, told) in enumerate(zip(metrics, fields, strict=True)):
        yardstick = _yardstick(one, everyone, metric, cutoffs)
        against: Row = {"yardstick": None, "lead_gap": None, "lead_ci": None}
        if yardstick is not None:
            other = item_values(yardstick.log, metric)
            lead = table[:, k] - np.array([other.get(item, math.nan) for item in items])
            [found] = find_gaps(lead.reshape(-1, 1), statuses, draws)
            name = yardstick.contestant
            against = {"yardstick": name, "lead_gap": found.gap, "lead_ci": found.ci}
        rows.append(
            {
                **asdict(one.key),
                "contestant": contestant_label({"model": one.key.model, "method": one.key.method}),
                "metric": metric,
                "headline": k == 0,
                "contamination": told["contamination"],
                **(told["exposure"] or {}),
                **against,
            }
        )
    return rows


def _yardstick(
    one: AuditedLog, everyone: Sequence[AuditedLog], metric: str, cutoffs: Cutoffs
) -> AuditedLog | None:
    """The untrained contestant of the same task and setting that does best."""

    def place(log: AuditedLog) -> tuple[str, ...]:
        return tuple(getattr(log.key, name) for name in PLACE)

    rivals = [
        other
        for other in everyone
        if place(other) == place(one)
        and other.key.method != CEILING
        and metric in other.log.metrics
        and _is_untrained(other, cutoffs)
    ]
    means = [mean_of(np.array(list(item_values(other.log, metric).values()))) for other in rivals]
    scored = [(mean, -i) for i, mean in enumerate(means) if mean is not None]
    return rivals[-max(scored)[1]] if scored else None


def _is_untrained(one: AuditedLog, cutoffs: Cutoffs) -> bool:
    cutoff = cutoffs.of(one.key.model)
    return one.key.model == NO_MODEL or (cutoff is not None and cutoff.date == NEVER)
