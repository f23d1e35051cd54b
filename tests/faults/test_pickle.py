"""Nothing of ours ever unpickles."""

import gzip
import json
import pickle
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli import app

pytestmark = pytest.mark.slow

NAMES = [
    "x.parquet",
    "x.safetensors",
    "x.jsonl",
    "x.jsonl.gz",
    "x.json",
    "x.csv",
    "x.npz",
    "x.npy",
    "x.pkl",
    "x.pt",
    "x.h5",
]


class Trap:
    """Unpickled, it writes a file."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, ...]:
        return Path.write_text, (self.canary, "executed")


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_by_any_name_is_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    trap = pickle.dumps(Trap(tmp_path / "canary"))
    path = tmp_path / name
    path.write_bytes(gzip.compress(trap) if name.endswith(".gz") else trap)
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": 1, "reference": "words", "gold": ["A"], "entries": []}))
    runner, corpus = CliRunner(), str(tmp_path / "c")
    for family in ("writing", "ranking", "leaderboards", "tables"):
        done = runner.invoke(
            app, ["score", family, "--gold", str(gold), "--predictions", str(path)]
        )
        assert done.exit_code == 2, done.output
    for family in ("factor", "architecture"):
        done = runner.invoke(
            app, ["score", family, "--gold", str(path), "--predictions", str(path)]
        )
        assert done.exit_code == 2, done.output
    for kind in ("metadata", "pwc", "unarxive", "s2orc", "digestables", "pdf", "tei"):
        done = runner.invoke(app, ["ingest", kind, str(path), "--corpus", corpus])
        assert done.exit_code in {1, 2}, (kind, done.output)
        assert "Traceback" not in done.output
    assert not (tmp_path / "canary").exists()
