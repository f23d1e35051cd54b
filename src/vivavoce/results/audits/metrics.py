"""Agreement of metrics on the order of contestants, and on the order of answers to an item.

- Over contestants: Kendall's tau-b between their means over shared items in two metrics. Its
  interval comes from draws of whole clusters of items.
- Over items: the share of pairs of answers to an item that both metrics order alike, averaged over
  items. Pairs that are equal in either metric are left out.

A metric for which lower is better has its order reversed. Neither figure depends on scales.

Source: tau-b: Kendall 1945; system and summary level as in Deutsch et al. 2021.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.metrics import sense_of
from vivavoce.reports import Column, Sheet, Table, grouped, headlines, sheet
from vivavoce.results.audits.contrasts import Rows, report_of
from vivavoce.results.logs.records import PLACE, Place, RunLog
from vivavoce.statistics.estimates import Draws, kendall, mean_estimate
from vivavoce.statistics.intervals import Floats, defined, percentile_interval
from vivavoce.store import Row
from vivavoce.tasks import CEILING


def _parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per task and setting: the headline metric beside every other metric."""
    for rows in grouped(headlines(every), *PLACE):
        first = rows[0]
        title = f"{first['task']} · {first['setting']} · round {first['round']}"
        yield sheet(
            f"{title}: agreement of metrics",
            rows,
            *("first", "second"),
            Column("tau", "contestants: tau", ci="tau_ci"),
            Column("contestants", "n"),
            Column("agreement", "items: share of pairs", ci="agreement_ci"),
            Column("items", "n"),
        )
    yield (
        "tau: 1 if both rank the contestants alike, -1 if in reverse.\n"
        "share of pairs: answers to one item that both order alike; 0.5 is chance.\n"
        "value [95% interval]; --json also has the pairs of other metrics."
    )


def metric_agreement(logs: Path | str, **reading: Any) -> Table:
    """Agreement of each pair of metrics of a task, over contestants and over items."""
    lacking = "no task with two metrics, two contestants and a shared item."
    return report_of(_parts, logs, _rows, lacking, **reading)


def _rows(run_logs: Sequence[RunLog], draws: Draws) -> Rows:
    groups: dict[Place, list[RunLog]] = {}
    for log in run_logs:
        if log.key.method != CEILING:
            groups.setdefault(log.key.place, []).append(log)
    rows: list[Row] = []
    for place, logs in sorted(groups.items()):
        names = [(*log.metrics, *log.diagnostics) for log in logs]
        for first, second in combinations(
            [name for name in names[0] if all(name in others for others in names)], 2
        ):
            if row := _compare(logs, first, second, draws):
                rows.append({**dict(zip(PLACE, place, strict=True)), **row})
    return rows, []


def _compare(logs: Sequence[RunLog], first: str, second: str, draws: Draws) -> Row | None:
    items = sorted(set.intersection(*({*log.item_clusters()} for log in logs)))
    if len(logs) < 2 or not items:
        return None
    one, other = (_table(logs, name, items) for name in (first, second))
    # Use only items for which both metrics are defined for all contestants.
    kept = ~np.isnan(np.hstack([one, other])).any(axis=1)
    clusters = logs[0].item_clusters()
    labels = [clusters[item] for item in np.array(items)[kept].tolist()]
    one, other = one[kept], other[kept]
    if not labels:
        return None
    shares = [_share(a, b) for a, b in zip(one, other, strict=True)]
    agreement = mean_estimate(shares, labels, draws)
    means = [side.mean(axis=0, keepdims=True) for side in (one, other)]
    drawn = draws.of(labels)
    interval = None
    if drawn.gives_intervals:
        taus = kendall(drawn.means(one), drawn.means(other))
        interval = percentile_interval(taus[~np.isnan(taus)])
    return {
        "first": first,
        "second": second,
        "tau": defined(float(kendall(*means)[0])),
        "tau_ci": interval,
        "contestants": len(logs),
        "agreement": agreement.value,
        "agreement_ci": agreement.ci,
        "items": agreement.n,
        "headline": first == logs[0].metrics[0],
    }


def _table(logs: Sequence[RunLog], metric: str, items: Sequence[str]) -> Floats:
    """Values of shape (items, contestants), signed so that higher is always better."""
    higher, _ = sense_of(logs[0].family, metric)
    values = (log.item_values(metric) for log in logs)
    columns = [[one[item] for item in items] for one in values]
    return np.array(columns, np.float64).T * (1 if higher else -1)


def _share(one: Floats, other: Floats) -> float:
    """Share of pairs ordered alike, among the pairs that both order; NaN if there are none."""
    signs = [np.sign(side[:, None] - side[None, :]) for side in (one, other)]
    both = signs[0] * signs[1]
    ordered = np.count_nonzero(both)
    return np.count_nonzero(both > 0) / ordered if ordered else math.nan
