"""Exposure of a model: dates of items against its cutoff, and the gap between both groups."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from vivavoce.models.cutoffs import STATUSES, UNKNOWN, Cutoffs, Status, status_of
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.statistics.intervals import Floats, Resample, mean_of, percentile_interval
from vivavoce.store import Row

MIXED = "mixed"
"""Value of `contamination` for a row whose items differ in status."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A metric's means over items that a model may have learnt, and over clean items."""

    seen: float | None
    clean: float | None
    gap: float | None
    """seen - clean; None if either group has no value."""
    ci: list[float] | None
    n_seen: int
    n_clean: int


def statuses_of(log: RunLog, items: Sequence[str], cutoffs: Cutoffs) -> list[Status] | None:
    """Status of each item for a log's model; None without a model."""
    if log.key.model == NO_MODEL:
        return None
    published = {sample.id: sample.published for sample in log.samples}
    cutoff, margin = cutoffs.of(log.key.model), cutoffs.margin_days
    return [status_of(published[item], cutoff, margin) for item in items]


def exposure_fields(
    log: RunLog, statuses: Sequence[Status] | None, cutoffs: Cutoffs, gaps: Sequence[Gap]
) -> list[Row]:
    """Fields `contamination` and `exposure` for a board's rows, one row per gap."""
    if statuses is None:
        return [{"contamination": None, "exposure": None}] * len(gaps)
    cutoff = cutoffs.of(log.key.model)
    counts = Counter(statuses)
    common = {
        "cutoff": cutoff.date if cutoff and cutoff.date != UNKNOWN else None,
        "source": cutoff.source if cutoff else None,
        "margin_days": cutoffs.margin_days,
        "items": {name: counts[name] for name in STATUSES},
        **(cutoff.about if cutoff else {}),
    }
    status = MIXED if len(counts) > 1 else next(iter(counts), "unknown")
    return [{"contamination": status, "exposure": {**common, **asdict(gap)}} for gap in gaps]


def find_gaps(values: Floats, statuses: Sequence[Status] | None, draws: Resample) -> list[Gap]:
    """Compute the gap of each column of values, with its 95% interval.

    The two groups have different items, so there are no pairs. Instead, whole clusters are drawn
    from all items, and a draw's gap is the difference of its two means. The interval is None unless
    both groups have values in two clusters.

    `values` has shape (items, columns), NaN if undefined; `statuses` is None without a model.
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
    before, after = mean_of(seen.tolist()), mean_of(clean.tolist())
    interval = percentile_interval(drawn) if drawn is not None else None
    return Gap(
        seen=before,
        clean=after,
        gap=None if before is None or after is None else before - after,
        ci=list(interval) if interval else None,
        n_seen=int((~np.isnan(seen)).sum()),
        n_clean=int((~np.isnan(clean)).sum()),
    )
