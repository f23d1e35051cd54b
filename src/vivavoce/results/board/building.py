"""The board: one row for each contestant and metric, with an interval on every value.

A row's value is the mean over items; an item answered several times counts with its mean. A
failed answer stays in n as 0. The bootstrap resamples the clusters the items come from.
Diagnostics are rows too, but nobody is ranked by them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.models.cutoffs import Cutoffs, load_cutoffs
from vivavoce.results.board.exposure import exposure_fields, find_gaps, statuses_of
from vivavoce.results.board.ranks import Contestant, add_standing
from vivavoce.results.logs.header import LogHead
from vivavoce.results.logs.ledger import count_runs
from vivavoce.results.logs.reading import (
    RowKey,
    RunLog,
    SampleScore,
    mean_value,
    read_logs,
)
from vivavoce.results.logs.selection import choose
from vivavoce.statistics.intervals import resample
from vivavoce.statistics.linearised import spread
from vivavoce.store import Row


@dataclass(frozen=True, slots=True)
class Board:
    """What `viva board` shows."""

    rows: tuple[Row, ...]
    rounds: tuple[Row, ...]
    headlines: dict[str, str]
    """The metric each task is ranked by."""
    metrics: dict[str, list[str]]
    """What answers of each task are measured by, in the order of its card, then their ceilings and
    what a judge said; the rows tell more than these."""
    notes: tuple[str, ...]
    """Logs left out, and rows that are not what they seem."""

    def as_dict(self) -> Row:
        """The board as plain JSON values."""
        return {
            "rows": list(self.rows),
            "rounds": list(self.rounds),
            "headlines": self.headlines,
            "metrics": self.metrics,
            "notes": list(self.notes),
        }


def leaderboard(
    logs: Path | str,
    *,
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    cutoffs: Cutoffs | None = None,
) -> Board:
    """Build a board from a folder of logs.

    Args:
        logs: Folder of Inspect logs.
        partial: Also show logs that lack samples; each such row is marked.
        resamples: Bootstrap draws; 0 for no intervals.
        seed: Seed of the draws.
        cutoffs: What is known of the models' training data; None for the shipped file.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete or damaged and `partial` was not asked for, or one round
            name stands for two rounds.
    """
    found, foreign = read_logs(Path(logs))
    chosen, notes = choose(found, foreign, partial=partial)
    known = cutoffs or load_cutoffs()
    runs = count_runs(Path(logs), found)
    contestants = [contestant_of(log, resamples, seed, known) for log in chosen]
    groups: dict[tuple[str, ...], list[Contestant]] = defaultdict(list)
    for log, contestant in zip(chosen, contestants, strict=True):
        groups[log.key.round, log.key.task, log.key.task_version, log.key.setting].append(
            contestant
        )
    for group in groups.values():
        add_standing(group, resamples=resamples, seed=seed)
    for log, contestant in zip(chosen, contestants, strict=True):
        for row in contestant.rows.values():
            row["runs"] = runs[log.key]
    rows = [row for contestant in contestants for row in contestant.rows.values()]
    rows.sort(key=order_of)
    return Board(
        rows=tuple(rows),
        rounds=tuple(rounds_of(chosen)),
        headlines={log.key.task: log.metrics[0] for log in chosen},
        metrics=metrics_of(chosen),
        notes=tuple(sorted([*notes, *removed_notes(chosen, runs)])),
    )


def removed_notes(logs: Sequence[LogHead], runs: Mapping[RowKey, Row]) -> list[str]:
    """Notes on rows of whose runs some are gone."""
    return [
        f"{log.key.method} with {log.key.model} ran {log.key.task} ({log.key.setting}) in "
        f"{count} more logs that are gone from the folder."
        for log in logs
        if (count := runs[log.key]["removed"])
    ]


def metrics_of(logs: Sequence[LogHead]) -> dict[str, list[str]]:
    """What answers of each task are measured by, in the order of its card."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for log in logs:
        names[log.key.task] |= dict.fromkeys(log.metrics)
    for log in logs:
        names[log.key.task] |= dict.fromkeys(
            name for name in log.diagnostics if name in log.judged or name.endswith("_ceiling")
        )
    return {task: list(found) for task, found in sorted(names.items())}


def contestant_of(log: RunLog, resamples: int, seed: int, cutoffs: Cutoffs) -> Contestant:
    """A log's values by item, and its rows but for their standing."""
    items: dict[str, list[SampleScore]] = defaultdict(list)
    for sample in log.samples:
        items[sample.id].append(sample)
    ids = sorted(items)
    clusters = {i: items[i][0].cluster for i in ids}
    shown = (*log.metrics, *log.diagnostics)
    values = {i: np.array([mean_value(items[i], name) for name in shown], dtype=float) for i in ids}
    table = np.array(list(values.values())).reshape(len(ids), len(shown))
    if log.pooling and ids:
        counts = [[sample.counts for sample in items[i]] for i in ids]
        pooled = spread(counts, log.pooling["how"], log.pooling["averages"])
        for column, name in enumerate(shown):
            table[:, column] = pooled.get(name, table[:, column])
        values = dict(zip(ids, table, strict=True))
    draws = resample(list(clusters.values()), resamples=resamples, seed=seed)
    means, intervals = draws.mean(table), draws.intervals(table)
    shared = _shared_fields(log, len(ids))
    statuses = statuses_of(log, ids, cutoffs)
    exposed = exposure_fields(log, statuses, cutoffs, find_gaps(table, statuses, draws))
    rows = {
        name: {
            **shared,
            "metric": name,
            "value": means[column],
            "value_valid": mean_value([s for s in log.samples if s.fault is None], name),
            "ci": list(interval) if (interval := intervals[column]) else None,
            "undefined": int(np.isnan(table[:, column]).sum()),
            **exposed[column],
        }
        for column, name in enumerate(shown)
    }
    diagnostics = frozenset(log.diagnostics)
    return Contestant(rows, log.family, clusters, values, diagnostics, log.judged)


def _shared_fields(log: RunLog, items: int) -> Row:
    """What the rows of one log have in common."""
    faults = Counter(sample.fault for sample in log.samples if sample.fault)
    costs = [sample.cost for sample in log.samples if sample.cost is not None]
    judge_costs = [sample.judge_cost for sample in log.samples if sample.judge_cost is not None]
    return {
        **asdict(log.key),
        "family": log.family,
        "judge": log.key.judge or None,
        "judge_own_family": log.is_own_judge,
        "judge_tokens": sum(sample.judge_tokens for sample in log.samples),
        "judge_cost": sum(judge_costs) if judge_costs else None,
        "n": items,
        "missing": faults["missing"],
        "valid": 1 - faults.total() / len(log.samples) if log.samples else None,
        "faults": dict(sorted(faults.items())),
        "partial": not log.is_complete,
        "rank": None,
        "rank_interval": None,
        "tied_with": None,
        "detectable": None,
        "tokens": sum(sample.tokens for sample in log.samples),
        "cost": sum(costs) if costs else None,
        "seconds": round(sum(sample.seconds for sample in log.samples), 3),
        "answers": len(log.samples),
    }


def order_of(row: Row) -> tuple[Any, ...]:
    """Sort key of a board's rows."""
    rank = row["rank"] if row["rank"] is not None else -1
    contestant = (row["method"], row["model"], row["decoding"], row["prompt_hash"])
    section = (row["round"], row["task"], row["task_version"], row["setting"])
    return (*section, row["metric"], rank, *contestant)


def rounds_of(logs: Sequence[LogHead]) -> list[Row]:
    """The rounds behind a board."""
    rounds: dict[str, Row] = {}
    for log in logs:
        entry = rounds.setdefault(
            log.key.round,
            {
                "id": log.key.round,
                "window": list(log.window),
                "manifest": log.round_sha256,
                "counts": {},
            },
        )
        entry["counts"][log.key.task] = max(log.items, entry["counts"].get(log.key.task, 0))
    return [rounds[name] for name in sorted(rounds)]
