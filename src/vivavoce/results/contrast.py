"""Contrasts: logs of a folder held against each other, item by item and metric by metric.

A contrast is a class of report and a function from logs to rows. All of them choose the logs as a
board does, pair a log with the one that differs from it in one field of its key, and take
differences over the items that both have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar, Unpack

from vivavoce.errors import NothingToAuditError
from vivavoce.metrics import sense_of
from vivavoce.reports import Table
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.statistics.estimates import Draws, paired_row
from vivavoce.store import Row
from vivavoce.tasks import CEILING

Kind = TypeVar("Kind", bound=Table)
Rows = tuple[list[Row], list[str]]
"""Rows of a report, and notes."""


def report_of(
    kind: type[Kind],
    logs: Path | str,
    make: Callable[[list[RunLog], Draws], Rows],
    lacking: str,
    **reading: Unpack[Reading],
) -> Kind:
    """Report of the logs of a folder.

    Args:
        kind: Class of the report.
        logs: Folder of logs.
        make: Makes rows and notes from the logs of a board.
        lacking: Logs that a folder without a row does not hold, and how to make them.
        reading: Settings of `open_logs`.

    Raises:
        InputError: No logs there.
        VivaError: As `open_logs` says.
        NothingToAuditError: There is no row.
    """
    found, notes, draws = open_logs(logs, **reading)
    rows, more = make(found, draws)
    if not rows:
        raise NothingToAuditError(f"{logs} holds {lacking}")
    return kind(tuple(rows), tuple(sorted([*notes, *more])))


def counterparts(
    logs: Sequence[RunLog], changed: Callable[[RowKey], dict[str, str] | None], note: str
) -> tuple[list[tuple[RunLog, RunLog]], list[str]]:
    """Pairs of a log and the one it is held against, and notes on logs without one.

    Args:
        logs: Of these, the ceiling is held against nothing.
        changed: Fields of the other log's key that differ; None for a log with no counterpart.
        note: Filled in with the contestant, its fields, and `other`, the changed value.
    """
    by_key = {log.key: log for log in logs}
    pairs, notes = [], []
    for log in logs:
        fields = None if log.key.method == CEILING else changed(log.key)
        if fields is None:
            continue
        if (other := by_key.get(replace(log.key, **fields))) is not None:
            pairs.append((log, other))
        else:
            names = {**asdict(log.key), "contestant": log.contestant}
            notes.append(note.format(**names, other=next(iter(fields.values()))))
    return pairs, notes


def described(log: RunLog, metric: str) -> Row:
    """Fields that name a row: the log's key, its contestant, and the metric."""
    key = {**asdict(log.key), "contestant": log.contestant}
    return {**key, "metric": metric, "headline": metric == log.metrics[0]}


def contrast(
    first: RunLog,
    second: RunLog,
    metric: str,
    draws: Draws,
    only: Collection[str] | None = None,
) -> Row:
    """Second less first over the items of both, or over those of `only`: see `paired_row`."""
    values = second.item_values(metric)
    kept = {item: value for item, value in values.items() if only is None or item in only}
    _, span = sense_of(second.family, metric)
    return paired_row(first.item_values(metric), kept, second.item_clusters(), draws, span)
