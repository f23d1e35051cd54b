"""Files that `viva score factor` and `viva score architecture` read: one item each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.metrics.architecture import score_architecture
from vivavoce.metrics.factor import (
    FactorFrame,
    frame_from_columns,
    score_factor,
)
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, means_of
from vivavoce.tasks.scoring.files import ScoreFamily

_SHAPE = "A factor is a Parquet file with the columns datetime, instrument and one of values."


def _measure_factor(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    truth = _read_factor(gold)
    if truth is None:
        raise InputError(f"{gold} cannot be read as Parquet.")
    if not predictions.is_file():
        raise InputError(f"{predictions} does not exist.")
    produced = _read_factor(predictions)
    score = score_factor(truth, produced, is_readable=produced is not None)
    return Measured(
        {name: means_of([value]) for name, value in score.values().items()},
        settings={
            "rows": score.rows,
            "index": score.index,
            "days": score.days,
            "undefined_days": score.undefined_days,
        },
    )


def _read_factor(path: Path) -> FactorFrame | None:
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
        return frame_from_columns({name: _on_the_clock(table[name]) for name in table.column_names})
    except InputError as error:
        raise InputError(f"{path}: {error} {_SHAPE}") from error


def _on_the_clock(column: Any) -> npt.NDArray[Any]:
    """A column's values; time stamps of a zone as the day and minute on its clock."""
    import pyarrow as pa
    import pyarrow.compute as pc

    zone = column.type.tz if pa.types.is_timestamp(column.type) else None
    if zone in ("UTC", "Etc/UTC", "Z"):
        zone = "+00:00"
    if zone:
        column = pc.local_timestamp(column.cast(pa.timestamp(column.type.unit, zone)))
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _measure_architecture(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    score = score_architecture(
        _read_layers(gold), _read_layers(predictions), gamma=options.gamma, legacy=options.legacy
    )
    layers = {
        name: {"tsc": layer.shape, "tvc": layer.value} for name, layer in score.layers.items()
    }
    return Measured(
        {name: means_of([value]) for name, value in score.values().items()},
        settings={"gamma": options.gamma, "legacy": options.legacy, "layers": layers},
    )


def _read_layers(path: Path) -> dict[str, npt.NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    try:
        layers: dict[str, npt.NDArray[Any]] = load_file(path)
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} cannot be read as safetensors: {error}") from error
    return layers


SCORE_FAMILIES = (
    ScoreFamily(
        name="factor",
        summary="one computed factor: does it run, its form, correlation and exact values",
        gold="Parquet with the columns datetime, instrument and one of values",
        prediction="the same, the column of values under any name",
        measure_files=_measure_factor,
    ),
    ScoreFamily(
        name="architecture",
        summary="outputs of a network's layers: shapes and values, deeper layers weigh more",
        gold="safetensors, a tensor a layer",
        prediction="the same",
        uses=("legacy", "gamma"),
        measure_files=_measure_architecture,
    ),
)
