"""Nothing of ours ever unpickles."""

import ast
import gzip
import json
import pickle
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vivavoce
from vivavoce.cli import app

pytestmark = pytest.mark.slow

SOURCES = Path(vivavoce.__file__).parent
UNPICKLING = {
    *("pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"),
    *("h5py", "tables", "jsonpickle"),
}
CALLS = {"read_pickle", "read_hdf", "unsafe_load", "full_load", "HDFStore", "fromfile"}
LOADERS = {"load", "from_pretrained"}
"""What may unpickle or not: it depends on whose it is and on its arguments."""
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


def test_nothing_in_the_package_can_unpickle() -> None:
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        file = path.relative_to(SOURCES)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            place = f"{file}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {str(node.module).partition(".")[0]}
            else:
                names = set()
            found += [f"{place} imports {name}" for name in sorted(names & UNPICKLING)]
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in CALLS | LOADERS
            ):
                called = ast.unparse(node.func)
                options = {key.arg: ast.unparse(key.value) for key in node.keywords}
                is_bad = (
                    node.func.attr in CALLS
                    or (called == "torch.load" and options.get("weights_only") != "True")
                    or (
                        called in {"np.load", "numpy.load"}
                        and options.get("allow_pickle") != "False"
                    )
                    or (called == "yaml.load")
                    or (
                        node.func.attr == "from_pretrained"
                        and "Model" in called
                        and options.get("use_safetensors") != "True"
                    )
                )
                found += [f"{place} calls {called}"] if is_bad else []
    assert found == []


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
