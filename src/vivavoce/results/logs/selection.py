"""Selection of a board's logs, one per row key, and their scores as a table.

Boards and audits are computed from these scores. Any tool that reads Arrow or Parquet can use the
table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.errors import VivaError
from vivavoce.requests import Reading
from vivavoce.results.logs.reading import read_logs
from vivavoce.results.logs.records import (
    NO_MODEL,
    ForeignLog,
    LogHeader,
    RowKey,
    RunLog,
    refuse_empty,
)
from vivavoce.statistics.estimates import Draws

if TYPE_CHECKING:
    import pyarrow as pa


Log = TypeVar("Log", bound=LogHeader)


def open_logs(folder: Path | str, **reading: Any) -> tuple[list[RunLog], list[str], Draws]:
    """Select the logs of a board, sorted by key; return logs, notes and draws.

    `reading` has fields of `Reading`.
    """
    asked = Reading(**reading)
    logs, notes = select_logs(Path(folder), partial=asked.partial, split=asked.split)
    return logs, notes, Draws(asked.resamples, asked.seed)


def select_logs(
    folder: Path, *, partial: bool = False, split: str | None = None
) -> tuple[list[RunLog], list[str]]:
    """Select the logs of a board, with notes on the others."""
    logs, foreign = read_logs(folder, split)
    refuse_empty(folder, logs, split)
    return choose(logs, foreign, partial=partial)


def choose(
    logs: Sequence[Log], foreign: Sequence[ForeignLog], *, partial: bool
) -> tuple[list[Log], list[str]]:
    """Choose the logs of a board from our logs, with notes on the others."""
    hashes: dict[str, set[str]] = defaultdict(set)
    for log in logs:
        hashes[log.key.round].add(log.round_sha256)
    mixed = sorted(round_id for round_id, known in hashes.items() if len(known) > 1)
    if mixed:
        raise VivaError(
            f"Different rounds have the name {', '.join(mixed)}. Put the logs of each round into a "
            "separate folder."
        )
    chosen, notes = _choose(logs)
    makers: dict[str, set[str]] = defaultdict(set)
    for log in chosen:
        for name, made_by in log.added.items():
            makers[name].add(made_by)
    for name, variants in makers.items():
        if len(variants) > 1:
            ways = " and ".join(sorted(variants))
            raise VivaError(
                f"{name} was computed with different settings: {ways}. Run viva board add-metric "
                "with the same settings on all folders of logs."
            )
    notes += [
        f"{name} was added after the runs{'' if made_by == name else f': {made_by}'}."
        for name, (made_by,) in makers.items()
    ]
    _refuse_partial(chosen, foreign, partial)
    notes += [f"{log.name} {log.reason}; left out." for log in foreign]
    notes += [
        f"{log.key.model} was judged by a model of its own family ({log.key.judge}), which may "
        f"favour it: {log.key.task}, {log.key.setting}."
        for log in chosen
        if log.is_own_judge
    ]
    notes += [
        f"{log.name} is partial: {log.answers} of {log.expected} answers are scored; "
        f"its rows are not ranked."
        for log in chosen
        if not log.is_complete
    ]
    return chosen, sorted(notes)


def _choose(logs: Sequence[Log]) -> tuple[list[Log], list[str]]:
    """Choose one log per row key: the newest complete log, or else the one with most answers."""
    by_key: dict[RowKey, list[Log]] = defaultdict(list)
    for log in logs:
        by_key[log.key].append(log)
    chosen, notes = [], []
    for key in sorted(by_key):
        ordered = sorted(
            by_key[key], key=lambda log: (log.is_complete, log.answers, log.created, log.name)
        )
        chosen.append(ordered[-1])
        notes += [
            f"{log.name} is an earlier log of the same row as {ordered[-1].name}; left out."
            for log in ordered[:-1]
            # Without a model, the answers are the same in every run.
            if log.is_complete and log.key.model != NO_MODEL
        ]
    return chosen, notes


def _refuse_partial(
    logs: Sequence[LogHeader], foreign: Sequence[ForeignLog], partial: bool
) -> None:
    if partial:
        return
    bad = [
        f"{log.name}: {log.answers} of {log.expected} answers, status {log.status}"
        for log in logs
        if not log.is_complete
    ]
    bad += [f"{log.name}: {log.reason}" for log in foreign if log.is_damaged]
    if bad:
        raise VivaError(
            "These logs are not complete:\n"
            + "\n".join(f"  {line}" for line in bad)
            + "\nRun the same viva run again to finish them, move away those of runs you gave up, "
            "or add --partial to show them as they are."
        )


_TEXTS = ("id", "cluster", "category", "difficulty", "published", "split", "fault")
_NUMBERS = ("epoch", "tokens", "cost", "seconds")
"""Facts of an answer that are numbers; those in `_TEXTS` are texts."""


def scores(logs: Path | str, *, partial: bool = False, split: str | None = None) -> pa.Table:
    """Scores from the logs of a board, as a table.

    Args:
        logs: Folder of Inspect logs.
        partial: Also read incomplete logs; by default they are refused.
        split: Only answers to items of this split; None for all.

    Returns:
        One row per log, item, attempt (`epoch`) and metric. Columns: the fields of a row key,
        `family`, facts of the answer, `metric`, `headline` (true if the metric ranks the task) and
        `value`, null if undefined. Tokens, dollars and seconds are those of the whole answer,
        repeated for each metric.

    Raises:
        InputError: There are no logs.
        VivaError: A log is incomplete or damaged without `partial`.
    """
    import pyarrow as pa

    chosen, _ = select_logs(Path(logs), partial=partial, split=split)
    names = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            *((name, names) for name in (*RowKey.__slots__, "family", *_TEXTS)),
            *zip(_NUMBERS, (pa.int32(), pa.int64(), pa.float64(), pa.float64()), strict=True),
            *(("metric", names), ("headline", pa.bool_()), ("value", pa.float64())),
        ]
    )
    rows = [
        {
            **asdict(log.key),
            "family": log.family,
            **{name: getattr(sample, name) for name in (*_TEXTS, *_NUMBERS)},
            "metric": metric,
            "headline": metric == log.metrics[0],
            "value": sample.values[metric],
        }
        for log in chosen
        for sample in log.samples
        for metric in (*log.metrics, *log.diagnostics)
    ]
    return pa.Table.from_pylist(rows, schema)
