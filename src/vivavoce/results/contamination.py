"""What a model may have seen: its items by their dates against its cutoff, and the gap between.

A model that does better on papers from before its cutoff than on those after may have read them,
or the older papers may be easier. So the gap also stands against a yardstick that was not trained
at all: what that one loses from the older items to the newer ones is due to the items.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.errors import VivaError
from vivavoce.models.cutoffs import NEVER, STATUSES, Cutoffs, Status
from vivavoce.results.bootstrap import Floats, Resample, percentile_interval, resample
from vivavoce.results.logs import NO_MODEL, RunLog
from vivavoce.results.standing import CEILING, contestant_label
from vivavoce.store import Row

if TYPE_CHECKING:
    from vivavoce.results.audits.reading import AuditedLog

MIXED = "mixed"
"""The contamination of a row whose items differ in it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A metric's mean over the items a model may have learnt, and over those it cannot have."""

    seen: float | None
    clean: float | None
    gap: float | None
    """seen - clean; None when either has no item with a value."""
    ci: list[float] | None
    n_seen: int
    n_clean: int


@dataclass(frozen=True, slots=True)
class ContaminationReport:
    """What `viva board contamination` shows."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> Row:
        """The report as plain JSON values."""
        return {"rows": list(self.rows), "notes": list(self.notes)}


def statuses_of(log: RunLog, items: Sequence[str], cutoffs: Cutoffs) -> list[Status] | None:
    """The status of each item for a log's model; None for a contestant without a model."""
    if log.key.model == NO_MODEL:
        return None
    published = {sample.id: sample.published for sample in log.samples}
    return [cutoffs.status(published[item], log.key.model) for item in items]


def exposure_fields(
    log: RunLog, statuses: Sequence[Status] | None, cutoffs: Cutoffs, gaps: Sequence[Gap]
) -> list[Row]:
    """`contamination` and `exposure` of a board's rows, one for each gap, which is a metric's."""
    if statuses is None:
        return [{"contamination": None, "exposure": None}] * len(gaps)
    cutoff = cutoffs.of(log.key.model)
    found = Counter(statuses)
    common = {
        "cutoff": cutoff.date if cutoff else None,
        "source": cutoff.source if cutoff else None,
        "margin_days": cutoffs.margin_days,
        "items": {name: found[name] for name in STATUSES},
    }
    status = MIXED if len(found) > 1 else next(iter(found), "unknown")
    return [{"contamination": status, "exposure": {**common, **asdict(gap)}} for gap in gaps]


def find_gaps(values: Floats, statuses: Sequence[Status] | None, draws: Resample) -> list[Gap]:
    """The gap of each column of values, with its 95% interval.

    The two groups hold different items, so nothing is paired: whole clusters are drawn from all
    items, and a draw's gap is the difference of its two means. None for the interval unless
    either group has values in two clusters.

    Args:
        values: One row an item, in the order of the draws; NaN where undefined.
        statuses: Each item's; None for a contestant without a model.
        draws: Resamples of the items' clusters.
    """
    columns = values.shape[1]
    named = np.array(statuses or ["unknown"] * len(values), dtype=np.str_)
    halves = [np.where((named == name)[:, None], values, np.nan) for name in ("seen", "clean")]
    both = np.hstack(halves)
    enough = (draws.by_cluster(both)[1] > 0).sum(axis=0) > 1
    has_both = bool((enough[:columns] & enough[columns:]).any())
    means = draws.means(both) if has_both and draws.gives_intervals else None
    return [
        _gap(
            halves[0][:, k],
            halves[1][:, k],
            means[:, k] - means[:, columns + k]
            if means is not None and enough[k] and enough[columns + k]
            else None,
        )
        for k in range(columns)
    ]


def _gap(seen: Floats, clean: Floats, drawn: Floats | None) -> Gap:
    before, after = _mean(seen), _mean(clean)
    interval = percentile_interval(drawn) if drawn is not None else None
    return Gap(
        seen=before,
        clean=after,
        gap=None if before is None or after is None else before - after,
        ci=list(interval) if interval else None,
        n_seen=int((~np.isnan(seen)).sum()),
        n_clean=int((~np.isnan(clean)).sum()),
    )


def _mean(column: Floats) -> float | None:
    defined = column[~np.isnan(column)].tolist()
    return math.fsum(defined) / len(defined) if defined else None


def contamination_report(
    logs: Path | str,
    cutoffs: Cutoffs,
    *,
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> ContaminationReport:
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
    from vivavoce.results.audits.reading import read_audited

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
    return ContaminationReport(tuple(rows), tuple(sorted(notes)))


def _report_rows(
    one: AuditedLog, everyone: Sequence[AuditedLog], cutoffs: Cutoffs, resamples: int, seed: int
) -> list[Row]:
    from vivavoce.results.audits.reading import item_clusters, item_values

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
    from vivavoce.results.audits.reading import PLACE, item_values

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
    means = [_mean(np.array(list(item_values(other.log, metric).values()))) for other in rivals]
    scored = [(mean, -i) for i, mean in enumerate(means) if mean is not None]
    return rivals[-max(scored)[1]] if scored else None


def _is_untrained(one: AuditedLog, cutoffs: Cutoffs) -> bool:
    cutoff = cutoffs.of(one.key.model)
    return one.key.model == NO_MODEL or (cutoff is not None and cutoff.date == NEVER)
