"""Rounds of the sample papers that many tests read: made once for all processes."""

import importlib.util
from pathlib import Path

import pytest
from tests.support.once import make_once
from tests.tasks.own.tables import write_tables

from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_sample, demo_spec

NEURAL = importlib.util.find_spec("torch_geometric") is not None


def full_round(factory: pytest.TempPathFactory) -> Round:
    """The demo's round, with one's own questions and, where PyTorch is there, an architecture."""
    [folder] = (make_once(factory, "full", _make) / "round").glob("[!.]*")
    return load_round(folder)


def _make(folder: Path) -> None:
    spec = demo_spec()
    spec["own"] = write_tables(folder)
    spec["round"]["families"] = sorted([*spec["round"]["families"], "own"])
    if NEURAL:
        spec["implementation"] = spec["implementation"] | {"architectures": ["PMLP"]}
    build_sample(folder, spec)
