"""Scores as one tidy table: a row for each answer of a folder of logs and each metric.

Whatever a board or an audit shows is computed from these values, and so can be computed again, or
otherwise, with any tool that reads Arrow or Parquet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import select_logs

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = ("id", "cluster", "category", "difficulty", "published", "split", "fault")
_NUMBERS = ("epoch", "tokens", "cost", "seconds")
"""Facts of an answer."""


def scores(logs: Path | str, *, partial: bool = False, split: str | None = None) -> pa.Table:
    """Scores of the logs that make the rows of a board.

    Args:
        logs: Folder of Inspect logs.
        partial: Also those of logs that lack samples; else such a log is refused.
        split: Only answers to items of this split; None for all.

    Returns:
        A row for each log, item, attempt (`epoch`) and metric. Its columns are those that name a
        row of a board, `family`, facts of the answer, `metric`, `headline` (true if the task is
        ranked by it) and `value`, null where the metric is undefined. Tokens, dollars and seconds
        are those of the whole answer, repeated for each of its metrics.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete or damaged and `partial` was not asked for.
    """
    return score_table(select_logs(Path(logs), partial=partial, split=split)[0])


def score_table(logs: Sequence[RunLog]) -> pa.Table:
    """Scores of logs, in their order; see `scores`."""
    import pyarrow as pa

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
        for log in logs
        for sample in log.samples
        for metric in (*log.metrics, *log.diagnostics)
    ]
    return pa.Table.from_pylist(rows, schema)
