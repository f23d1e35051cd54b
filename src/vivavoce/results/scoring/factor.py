"""Score family `factor`: one computed factor against its ground truth, as Parquet files."""

from __future__ import annotations

from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.metrics.factor import (
    FactorFrame,
    frame_from_columns,
    score_factor,
)
from vivavoce.results.scoring import ScoreFamily, ScoreOptions
from vivavoce.statistics.ratios import Measured, means_of


def _measure(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    truth = _read(gold)
    if truth is None:
        raise InputError(f"{gold} cannot be read as Parquet.")
    if not predictions.is_file():
        raise InputError(f"{predictions} does not exist.")
    is_readable, produced = True, None
    try:
        produced = _read(predictions)
        is_readable = produced is not None
    except InputError:  # readable, but without the index columns: nothing can be compared
        produced = None
    score = score_factor(truth, produced, is_readable=is_readable)
    return Measured(
        {name: means_of([value]) for name, value in score.values().items()},
        settings={
            "rows": score.rows,
            "index": score.index,
            "days": score.days,
            "undefined_days": score.undefined_days,
        },
    )


def _read(path: Path) -> FactorFrame | None:
    """A file's frame, or None when it is not Parquet; `InputError` when columns are missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException):
        return None
    try:
        return frame_from_columns(
            {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


FAMILY = ScoreFamily(
    name="factor",
    summary="one computed factor: does it run, its form, correlation and exact values",
    measure_files=_measure,
)
