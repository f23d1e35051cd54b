"""Prompt luck: how far a score moves with the wording of a prompt that asks for the same.

The spread of a contestant is the range (highest minus lowest) of its means over the worded
variants, on the items that every variant has. A difference between two contestants that is
smaller than the larger of their spreads could have come out otherwise with another wording.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Unpack

import numpy as np

from vivavoce.errors import VivaError
from vivavoce.metrics import sense_of
from vivavoce.reports import Column, Report, Sheet, sheet, shown
from vivavoce.results.logs.records import PLACE, RowKey, RunLog
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.statistics.estimates import Draws, mean_estimate, paired_row
from vivavoce.statistics.intervals import percentile_interval
from vivavoce.store import Row
from vivavoce.tasks import CEILING

SMALLER = "smaller than the spread: prompt luck"
LARGER = "larger than the spread"
UNKNOWN = "spread not measured"

Variants = dict[int, RunLog]
Columns = dict[int, dict[str, float]]
"""Each variant's values by item."""
Measured = tuple[Row, Columns, dict[str, str], float]
"""A contestant's row, its values, the clusters of items, and the range that values may have."""


@dataclass(frozen=True, slots=True)
class PromptAudit(Report):
    """The report of `viva board show --by prompt`."""

    spreads: tuple[Row, ...]
    """One row a contestant, task, setting and metric."""
    differences: tuple[Row, ...]
    """One row a pair of contestants of one task, setting and judge, and metric."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Spreads, then differences, both by the headline metrics."""
        yield sheet(
            "Means over the items that every variant has, and their range",
            [row for row in self.spreads if row["headline"]],
            *("contestant", "task", "setting", "metric"),
            Column(
                lambda row: " · ".join(f"{v['variant']}: {shown(v)}" for v in row["variants"]),
                "means by variant",
            ),
            Column("spread", ci="spread_ci"),
            "n",
            Column(_undecided, "undecided"),
        )
        yield sheet(
            "Differences between contestants, held against the larger of their spreads",
            [row for row in self.differences if row["spread"] is not None and row["headline"]],
            *("a", "b", "task", "setting", "metric"),
            Column("difference", "a - b", ci="ci"),
            *("n", "spread"),
            Column(
                lambda row: row["verdict"] + ", changes its sign" * row["changes_sign"], "verdict"
            ),
        )
        yield "value [95% interval]; --json has every metric and every pair of variants."


def _undecided(row: Row) -> str:
    return " ".join("-".join(map(str, p["variants"])) for p in row["pairs"] if p["undecided"])


def audit_prompts(logs: Path | str, **reading: Unpack[Reading]) -> PromptAudit:
    """Measure the spread over worded variants, and hold the differences against it.

    Raises:
        VivaError: As `open_logs` says, or no contestant ran with two variants.
    """
    found, notes, draws = open_logs(logs, **reading)
    contestants, doubled = _contestants(found)
    if not any(len(variants) > 1 for variants in contestants.values()):
        raise VivaError(
            f"{logs} holds no contestant that ran with two worded variants of one prompt. Run the "
            "task again with -T variant=2 and -T variant=3, into the same folder."
        )
    spreads: list[Row] = []
    places: dict[tuple[tuple[str, ...], str], list[Measured]] = {}
    for (key, _), variants in sorted(contestants.items()):
        first = variants[min(variants)]
        clusters = {i: c for log in variants.values() for i, c in log.item_clusters().items()}
        for metric in first.metrics:
            columns = {n: variants[n].item_values(metric) for n in sorted(variants)}
            _, span = sense_of(first.family, metric)
            row = {
                **{name: value for name, value in asdict(key).items() if name != "prompt_hash"},
                "contestant": first.contestant,
                "metric": metric,
                "headline": metric == first.metrics[0],
                **_spread(columns, clusters, draws, span),
            }
            spreads.append(row)
            place = (tuple(str(row[name]) for name in PLACE), metric)
            places.setdefault(place, []).append((row, columns, clusters, span))
    differences = [
        _difference(a, b, draws) for members in places.values() for a, b in combinations(members, 2)
    ]
    return PromptAudit(tuple(spreads), tuple(differences), tuple(sorted([*notes, *doubled])))


def _contestants(
    found: Sequence[RunLog],
) -> tuple[dict[tuple[RowKey, str], Variants], list[str]]:
    """Logs by contestant and variant; the newest where a variant's wording has changed."""
    contestants: dict[tuple[RowKey, str], Variants] = defaultdict(dict)
    notes = []
    for log in sorted(found, key=lambda log: (log.created, log.name)):
        if log.key.method == CEILING:
            continue
        key = replace(log.key, prompt_hash="")
        variants = contestants[key, str(log.arguments.get("prompts") or "")]
        variant = int(log.arguments.get("variant") or 1)
        if variant in variants:
            notes.append(
                f"{variants[variant].name} has another wording of variant {variant} than the "
                f"newer {log.name}; left out."
            )
        variants[variant] = log
    return contestants, notes


def _spread(columns: Columns, clusters: Mapping[str, str], draws: Draws, span: float) -> Row:
    """Means by variant, their paired differences, and their range on the shared items."""
    shared = [
        item
        for item in sorted(set.intersection(*(set(column) for column in columns.values())))
        if not any(math.isnan(column[item]) for column in columns.values())
    ]
    labels = [clusters[item] for item in shared]
    variants = [
        {"variant": n, **mean_estimate([column[i] for i in shared], labels, draws).fields()}
        for n, column in columns.items()
    ]
    pairs = []
    for first, second in combinations(columns, 2):
        found = paired_row(columns[first], columns[second], clusters, draws, span)
        pairs.append(
            {
                "variants": [first, second],
                **{name: found[name] for name in ("difference", "ci", "n", "undecided")},
            }
        )
    spread, interval = _range(columns, shared, labels, draws)
    return {
        "variants": variants,
        "pairs": pairs,
        "spread": spread,
        "spread_ci": interval,
        "n": len(shared),
    }


def _range(
    columns: Columns, shared: Sequence[str], labels: Sequence[str], draws: Draws
) -> tuple[float | None, list[float] | None]:
    if len(columns) < 2 or not shared:
        return None, None
    table = np.array([[column[item] for column in columns.values()] for item in shared])
    drawn = draws.of(labels)
    means = [mean for mean in drawn.mean(table) if mean is not None]
    interval = None
    if drawn.gives_intervals:
        found = drawn.means(table)
        interval = percentile_interval(found.max(axis=1) - found.min(axis=1))
    return max(means) - min(means), list(interval) if interval else None


def _difference(a: Measured, b: Measured, draws: Draws) -> Row:
    """Two contestants by their means over the variants that both ran with."""
    (row_a, columns_a, clusters, span), (row_b, columns_b, *_) = a, b
    variants = sorted(columns_a.keys() & columns_b.keys())
    in_a, in_b = (_over_variants(columns, variants) for columns in (columns_a, columns_b))
    found = paired_row(in_b, in_a, clusters, draws, span)
    spreads = [row["spread"] for row in (row_a, row_b) if row["spread"] is not None]
    by_variant = {
        str(n): paired_row(columns_b[n], columns_a[n], clusters, Draws(0))["difference"]
        for n in variants
    }
    known = [value for value in by_variant.values() if value is not None]
    spread = max(spreads) if spreads else None
    return {
        **{name: row_a[name] for name in PLACE},
        "metric": row_a["metric"],
        "headline": row_a["headline"],
        "a": _name(row_a, row_b),
        "b": _name(row_b, row_a),
        "variants": variants,
        "difference": found["difference"],
        "ci": found["ci"],
        "n": found["n"],
        "undecided": found["undecided"],
        "spread": spread,
        "by_variant": by_variant,
        "changes_sign": min(known, default=0.0) < 0 < max(known, default=0.0),
        "verdict": _verdict(found["difference"], spread),
    }


def _over_variants(columns: Columns, variants: Sequence[int]) -> dict[str, float]:
    """Each item's mean over variants, for the items that all of them have."""
    chosen = [columns[n] for n in variants]
    if not chosen:
        return {}
    return {
        item: math.fsum(column[item] for column in chosen) / len(chosen)
        for item in chosen[0]
        if all(item in column for column in chosen)
    }


def _name(row: Row, other: Row) -> str:
    """A contestant's name, with what tells it from another of the same name."""
    name = str(row["contestant"])
    if name != other["contestant"]:
        return name
    return f"{name} ({row['decoding']})" if row["decoding"] != other["decoding"] else name


def _verdict(difference: float | None, spread: float | None) -> str:
    if difference is None or spread is None:
        return UNKNOWN
    return SMALLER if abs(difference) < spread else LARGER
