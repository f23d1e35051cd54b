"""Facts of a row with several parts: their types and their computation from a log."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TypedDict

import numpy as np

from vivavoce.metrics.tables.table_questions import BIASES
from vivavoce.models.cutoffs import STATUSES, UNKNOWN, Cutoffs, Status, status_of
from vivavoce.results.logs.records import NO_MODEL, RunLog, mean_value
from vivavoce.statistics.intervals import Floats, Resample, percentile_interval
from vivavoce.store import Row
from vivavoce.text.printing import share

MAX_WRONG = 0.5
"""Limit on the sum of `BIASES`, which is 1 for a constant or random answerer."""


class Exposure(TypedDict, total=False):
    """Facts about a row's items in its model's training data, and about the model."""

    cutoff: str | None
    source: str | None
    margin_days: int | None
    items: dict[str, int]
    seen: float | None
    clean: float | None
    gap: float | None
    ci: list[float] | None
    n_seen: int
    n_clean: int
    maker: str
    open_weights: bool
    size: str
    released: str


def fit_of(log: RunLog) -> Fit | None:
    """Shares of a setting's added parts over all answers: whole, cut and dropped."""
    counts = sum((Counter(sample.fit) for sample in log.samples), Counter[str]())
    if not (parts := counts.total()):
        return None
    whole, cut, dropped = (counts[name] / parts for name in ("whole", "cut", "dropped"))
    return {"whole": whole, "cut": cut, "dropped": dropped}


def truncated_of(log: RunLog) -> float | None:
    """Share of a log's replies cut off at the token limit; None if none is."""
    count = sum(sample.truncated for sample in log.samples)
    return count / len(log.samples) if count else None


def fit_text(fit: Mapping[str, float]) -> str:
    """Print the shares of a setting's added parts: whole, then cut and left out if not 0."""
    rest = (("cut", "cut"), ("dropped", "left out"))
    parts = [f"{word} {share(fit[name])}" for name, word in rest if fit[name]]
    return ", ".join([share(fit["whole"]), *parts])


def work_of(log: RunLog) -> Work | None:
    """Mean steps and calls of an agent per answer; None without an agent."""
    counts = [sample.agent for sample in log.samples if sample.agent]
    if not counts:
        return None
    steps, searches, reads = (
        fmean(each[name] for each in counts) for name in ("steps", "searches", "reads")
    )
    return {"steps": steps, "searches": searches, "reads": reads}


def why_set_aside(log: RunLog) -> str | None:
    """Reason why a log's values do not represent its setting; None if they do."""
    if (fit := fit_of(log)) is not None and fit["dropped"] >= 1:
        return "no part that the setting adds fits into the model's window"
    asked = [name for name in BIASES if all(name in sample.values for sample in log.samples)]
    wrong = {name: mean_value(log.samples, name) or 0.0 for name in asked}
    if sum(wrong.values()) <= MAX_WRONG:
        return None
    yes, no = (wrong.get(name, 0.0) for name in BIASES)
    return (
        f"its answerer says yes to {yes:.0%} of control questions with the answer no, and no to "
        f"{no:.0%} of those with the answer yes"
    )


class Fit(TypedDict):
    """Shares of the parts that a setting adds to prompts, by their state after cutting."""

    whole: float
    cut: float
    dropped: float


class Work(TypedDict):
    """Mean steps and calls of an agent per answer."""

    steps: float
    searches: float
    reads: float


class CalibratedMean(TypedDict):
    """Corrected mean over all items, with its interval and number of labels."""

    value: float
    ci: list[float]
    labels: int


MIXED = "mixed"
"""Contamination of a row whose items differ in status."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A metric's means over items that a model may have learnt, and over clean ones."""

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
    """Fields `contamination` and `exposure` of a board's rows, one per metric's gap."""
    if statuses is None:
        return [{"contamination": None, "exposure": None}] * len(gaps)
    cutoff = cutoffs.of(log.key.model)
    found = Counter(statuses)
    common = {
        "cutoff": cutoff.date if cutoff and cutoff.date != UNKNOWN else None,
        "source": cutoff.source if cutoff else None,
        "margin_days": cutoffs.margin_days,
        "items": {name: found[name] for name in STATUSES},
        **(cutoff.about if cutoff else {}),
    }
    status = MIXED if len(found) > 1 else next(iter(found), "unknown")
    return [{"contamination": status, "exposure": {**common, **asdict(gap)}} for gap in gaps]


def find_gaps(values: Floats, statuses: Sequence[Status] | None, draws: Resample) -> list[Gap]:
    """Compute the gap of each column of values, with its 95% interval.

    The two groups have different items, so there are no pairs: whole clusters are drawn from all
    items, and a draw's gap is the difference of its two means. The interval is None unless both
    groups have values in two clusters.

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
    before, after = _mean_of(seen), _mean_of(clean)
    interval = percentile_interval(drawn) if drawn is not None else None
    return Gap(
        seen=before,
        clean=after,
        gap=None if before is None or after is None else before - after,
        ci=list(interval) if interval else None,
        n_seen=int((~np.isnan(seen)).sum()),
        n_clean=int((~np.isnan(clean)).sum()),
    )


def _mean_of(column: Floats) -> float | None:
    """Mean of the defined values of a column of shape (items,); None without any."""
    defined = column[~np.isnan(column)].tolist()
    return math.fsum(defined) / len(defined) if defined else None
