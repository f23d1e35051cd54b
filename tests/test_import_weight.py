"""What a command does not load: importing Inspect or torch costs seconds."""

import subprocess
import sys
from pathlib import Path

from vivavoce.corpus import ingest

HEAVY = {"inspect_ai", "torch", "transformers", "ray", "daft", "pandas", "numpy"}
NEVER_IN_CORPUS_AND_METRICS = {"inspect_ai", "torch", "transformers", "ray", "daft"}

LOADED = """
import sys
{code}
print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""
COMMAND = """
from vivavoce.cli import app
for command in {commands!r}:
    try:
        app([str(word) for word in command])
    except SystemExit as end:
        assert not end.code, (command, end.code)
"""
SPEC = """
[round]
id = "small"
window = {start = 2023-01-01, end = 2025-01-01}
families = ["writing"]
"""


def loaded(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after some code."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(code=code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def commands(*lines: list[str]) -> str:
    return COMMAND.format(commands=[list(line) for line in lines])


HELPS = [
    ["--help"], ["ingest", "--help"], ["corpus", "--help"], ["round", "build", "--help"],
    ["run", "--help"], ["board", "show", "--help"], ["score", "--help"], ["demo", "--help"],
    ["fetch", "texts", "--help"], ["network", "build", "--help"],
    ["annotate", "serve", "--help"], ["round", "update", "--help"],
    ["board", "verify", "--help"], ["round", "demands", "--help"],
]  # fmt: skip


def test_help_loads_nothing_heavy() -> None:
    """One process prints them all, as none is to load anything."""
    assert loaded(commands(*HELPS)) & HEAVY == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded("import vivavoce") & (HEAVY | {"pyarrow", "pydantic", "typer"}) == set()


def test_corpus_and_round_verbs_never_load_inspect_or_torch(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(SPEC)
    corpus = ["--corpus", str(tmp_path / "c")]
    built = str(tmp_path / "rounds" / "small")
    found = loaded(
        commands(
            ["ingest", "sample", "30", *corpus],
            ["corpus", "stats", *corpus],
            ["corpus", "verify", *corpus],
            ["corpus", "export", "papers", *corpus, "--out", str(tmp_path / "papers.jsonl")],
            ["round", "build", str(tmp_path / "spec.toml"), *corpus, "--out", f"{tmp_path}/rounds"],
            ["round", "verify", built],
            ["round", "stats", built],
            ["list", "tasks"],
            ["list", "sources"],
            ["list", "metrics"],
            ["list", "rounds", "--in", str(tmp_path / "rounds")],
            ["doctor"],
        )
    )
    assert "pyarrow" in found  # the commands did run
    assert found & NEVER_IN_CORPUS_AND_METRICS == set()


def test_building_a_network_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    """A co-author network of some ten thousand papers takes less time than these do to load.

    Arrow loads pandas by itself where that is installed.
    """
    ingest("sample", Path("5"), tmp_path)
    build = commands(["network", "build", "--only", "coauthor", "--corpus", str(tmp_path)])
    unneeded = {"vivavoce.corpus.build", "vivavoce.networks.citation"}
    found = loaded(f"{build}\nassert not {unneeded!r} & sys.modules.keys()")
    assert "pyarrow" in found
    assert found & (HEAVY | {"scipy", "rich", "lxml"}) <= {"numpy", "pandas"}


def test_metrics_never_load_inspect_or_torch() -> None:
    code = (
        "import importlib, pkgutil, vivavoce.metrics as home\n"
        "for module in pkgutil.walk_packages(home.__path__, home.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "from vivavoce.metrics import list_metrics; list_metrics()"
    )
    assert loaded(code) & NEVER_IN_CORPUS_AND_METRICS == set()
