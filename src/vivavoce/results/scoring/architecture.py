"""Score family `architecture`: the outputs of a network's layers, as safetensors files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.metrics.architecture import score_architecture
from vivavoce.results.scoring import ScoreFamily, ScoreOptions
from vivavoce.statistics.ratios import Measured, means_of


def _measure(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    score = score_architecture(
        _read(gold), _read(predictions), gamma=options.gamma, legacy=options.legacy
    )
    layers = {
        name: {"tsc": layer.shape, "tvc": layer.value} for name, layer in score.layers.items()
    }
    return Measured(
        {name: means_of([value]) for name, value in score.values().items()},
        settings={"gamma": options.gamma, "legacy": options.legacy, "layers": layers},
    )


def _read(path: Path) -> dict[str, npt.NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    try:
        layers: dict[str, npt.NDArray[Any]] = load_file(path)
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} cannot be read as safetensors: {error}") from error
    return layers


FAMILY = ScoreFamily(
    name="architecture",
    summary="outputs of a network's layers: shapes and values, deeper layers weigh more",
    uses=("legacy", "gamma"),
    measure_files=_measure,
)
