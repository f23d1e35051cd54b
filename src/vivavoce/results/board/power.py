"""Clusters that a difference needs to be seen, from what earlier logs say of its size by chance."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

from vivavoce.errors import InputError, VivaError
from vivavoce.results.logs.records import CEILING, PLACE, Place, RunLog
from vivavoce.results.logs.selection import open_logs
from vivavoce.statistics.comparison import smallest_detectable_difference
from vivavoce.statistics.intervals import resample
from vivavoce.store import Row

_MIN_CLUSTERS = 6
"""Fewer decide nothing (see `vivavoce.statistics.ranks`)."""


def clusters_needed(logs: Path | str, difference: float) -> list[Row]:
    """Clusters that show a difference four times out of five, for each task of earlier logs.

    The difference that n clusters show shrinks as the square root of n grows. So for as many
    contestants as the logs have, needed = n x (the smallest they show / the difference asked for)².

    Raises:
        InputError: The difference is not above 0, or there are no logs.
        VivaError: As `open_logs` says, or no two contestants differ anywhere.
    """
    if not 0.0 < difference < math.inf:
        raise InputError(f"--power {difference} is no difference. Give one above 0, such as 0.05.")
    places: dict[Place, list[RunLog]] = defaultdict(list)
    for log in open_logs(logs, partial=True)[0]:
        if log.key.method != CEILING and log.stopped is None:
            places[log.key.place].append(log)
    rows = [row for place in sorted(places) if (row := _row(place, places[place], difference))]
    if not rows:
        raise VivaError(
            f"{logs} holds no task on which two contestants differ: run two of them on some items "
            "first."
        )
    return rows


def _row(place: Place, logs: list[RunLog], difference: float) -> Row | None:
    metric = logs[0].metrics[0]
    values = [log.item_values(metric) for log in logs]
    shared = sorted(set.intersection(*(set(each) for each in values)))
    clusters = {item: label for log in logs for item, label in log.item_clusters().items()}
    drawn = resample([clusters[item] for item in shared], resamples=0)
    columns = {str(n): [each[item] for item in shared] for n, each in enumerate(values)}
    seen = smallest_detectable_difference(columns, drawn)
    if seen is None:
        return None
    return {
        **dict(zip(PLACE, place, strict=True)),
        "metric": metric,
        "contestants": len(logs),
        "clusters": drawn.clusters,
        "items": len(shared),
        "detectable": seen,
        "difference": difference,
        "clusters_needed": max(
            _MIN_CLUSTERS, math.ceil(drawn.clusters * (seen / difference) ** 2 - 1e-9)
        ),
    }
