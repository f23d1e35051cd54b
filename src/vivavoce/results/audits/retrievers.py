"""Retrievers compared: one model, one task, one setting, and only the retriever differs.

Source: AcademicEval, section 4.4 (retrievers behind two models), which shows means alone. Here
each has an interval, its paired difference from the model without retrieval, and a rank with ties.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.errors import VivaError
from vivavoce.metrics import metrics_of
from vivavoce.results.logs.audited import (
    AuditedLog,
    item_clusters,
    item_values,
    read_audited,
)
from vivavoce.results.logs.records import RowKey
from vivavoce.results.reports import Table
from vivavoce.statistics.comparison import rank
from vivavoce.statistics.estimates import Draws, mean_estimate, paired_row
from vivavoce.statistics.intervals import resample
from vivavoce.store import Row

METHOD = "rag"
WITHOUT = "direct"

Group = tuple[RowKey, tuple[tuple[str, str], ...]]
"""What the logs of one comparison share: the key without its method, and the other arguments."""


def compare_retrievers(
    logs: Path | str, *, partial: bool = False, resamples: int = 10_000, seed: int = 0
) -> Table:
    """Every retriever that a model was run with, beside the same model without one.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete and `partial` was not asked for, or none has a retriever.
    """
    found, notes = read_audited(Path(logs), partial=partial)
    draws = Draws(resamples, seed)
    groups: dict[Group, dict[str, AuditedLog]] = defaultdict(dict)
    for audited in found:
        given = _retrieval(audited)
        if given is not None:
            retriever = str(given["retriever"])
            rest = {k: v for k, v in given.items() if k not in ("retriever", "context")}
            groups[_group(audited.key, rest)][retriever] = audited
    if not groups:
        raise VivaError(
            f"{logs} holds no log of the method {METHOD}. Make some with: viva run TASK "
            f"--method {METHOD} -S retriever=bm25 --logs {logs}"
        )
    plain = {replace(a.key, method=""): a for a in found if a.key.method == WITHOUT}
    rows = [
        row
        for (key, settings), members in sorted(groups.items())
        for metric in next(iter(members.values())).log.metrics
        for row in _rows(members, plain.get(key), metric, dict(settings), draws)
    ]
    return Table(tuple(rows), tuple(notes))


def _retrieval(audited: AuditedLog) -> Mapping[str, Any] | None:
    """Arguments of the step that retrieves."""
    return next((given for name, given in audited.steps if "retriever" in given), None)


def _group(key: RowKey, settings: Mapping[str, Any]) -> Group:
    named = tuple((name, str(value)) for name, value in settings.items())
    return replace(key, method=""), named


def _rows(
    members: Mapping[str, AuditedLog],
    plain: AuditedLog | None,
    metric: str,
    settings: Mapping[str, str],
    draws: Draws,
) -> list[Row]:
    values = {name: item_values(members[name].log, metric) for name in sorted(members)}
    standing = _standing(members, values, metric, draws)
    without = item_values(plain.log, metric) if plain else {}
    rows = []
    for name, of_items in values.items():
        clusters = item_clusters(members[name].log)
        labels = [clusters[item] for item in of_items]
        gained = paired_row(without, of_items, clusters, draws)
        rows.append(
            {
                **asdict(members[name].key),
                "retriever": name,
                "settings": dict(settings),
                "metric": metric,
                "headline": metric == members[name].log.metrics[0],
                **mean_estimate(list(of_items.values()), labels, draws).fields(),
                **standing[name],
                "without": {
                    "value": gained["a"],
                    "gain": gained["difference"],
                    "ci": gained["ci"],
                    "n": gained["n"],
                },
            }
        )
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"], row["retriever"]))


def _standing(
    members: Mapping[str, AuditedLog],
    values: Mapping[str, Mapping[str, float]],
    metric: str,
    draws: Draws,
) -> dict[str, Row]:
    """Ranks on the items that every retriever has answered."""
    shared = _shared(list(values.values()))
    first = next(iter(members.values()))
    clusters = item_clusters(first.log)
    drawn = resample([clusters[i] for i in shared], resamples=draws.resamples, seed=draws.seed)
    columns = {name: np.array([of[i] for i in shared]) for name, of in values.items()}
    directions = metrics_of(first.log.family)
    higher = metric not in directions or directions[metric].higher_is_better
    found = rank(columns, drawn, higher)
    return {
        name: {
            "rank": place.rank,
            "rank_interval": list(place.rank_interval) if place.rank_interval else None,
            "tied_with": list(place.tied_with),
        }
        for name, place in found.items()
    }


def _shared(columns: Sequence[Mapping[str, float]]) -> list[str]:
    return sorted(set.intersection(*(set(column) for column in columns)))
