"""Exposure of a model: dates of items against its cutoff, and the gap between both groups."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from vivavoce.models.cutoffs import STATUSES, UNKNOWN, Cutoffs, Status, status_of
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.statistics.intervals import Floats, Interval, Resample, percentile_interval
from vivavoce.store import Row

MIXED = "mixed"
"""Value of `contamination` for a row whose items differ in status."""


def statuses_of(log: RunLog, items: Sequence[str], cutoffs: Cutoffs) -> list[Status] | None:
    """Status of each item for a log's model; None without a model."""
    if log.key.model == NO_MODEL:
        return None
    published = {sample.id: sample.published for sample in log.samples}
    cutoff, margin = cutoffs.of(log.key.model), cutoffs.margin_days
    return [status_of(published[item], cutoff, margin) for item in items]


def exposure_fields(
    log: RunLog, statuses: Sequence[Status] | None, cutoffs: Cutoffs, gaps: Sequence[Row]
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
    return [{"contamination": status, "exposure": common | gap} for gap in gaps]


def find_gaps(values: Floats, statuses: Sequence[Status] | None, draws: Resample) -> list[Row]:
    """Means of seen and clean items in each column, and their gap, with 95% intervals.

    The groups have different items, so there are no pairs: whole clusters are drawn from all items.
    An interval needs values in two clusters of each group. `values` has shape (items, columns).
    """
    columns = values.shape[1]
    named = np.array(statuses or ["unknown"] * len(values), dtype=np.str_)
    both = np.hstack(
        [np.where((named == name)[:, None], values, np.nan) for name in ("seen", "clean")]
    )
    means = draws.mean(both)
    enough = np.flatnonzero((draws.by_cluster(both)[1] > 0).sum(axis=0) > 1)
    drawn = dict[int, Floats]()
    if len(enough) and draws.gives_intervals:
        drawn = dict(zip(enough.tolist(), draws.means(both[:, enough]).T, strict=True))
    counts = (~np.isnan(both)).sum(axis=0).tolist()
    gaps = []
    for seen, clean in ((k, columns + k) for k in range(columns)):
        before, after = means[seen], means[clean]
        is_drawn = seen in drawn and clean in drawn
        gaps.append(
            {
                "seen": before,
                "ci_seen": _interval(drawn.get(seen)),
                "clean": after,
                "ci_clean": _interval(drawn.get(clean)),
                "gap": None if before is None or after is None else before - after,
                "ci": _interval(drawn[seen] - drawn[clean]) if is_drawn else None,
                "n_seen": counts[seen],
                "n_clean": counts[clean],
            }
        )
    return gaps


def _interval(drawn: Floats | None) -> Interval | None:
    return None if drawn is None else percentile_interval(drawn)
