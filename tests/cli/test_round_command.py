"""viva round build, verify and stats."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import SPEC
from tests.servers.commands import viva_here
from typer.testing import Result

Viva = Callable[..., Result]


@pytest.fixture
def build(viva: Viva, sample: Path, spec: Path, tmp_path: Path) -> Callable[..., Result]:
    def run(*more: object, out: str = "rounds") -> Result:
        return viva("round", "build", spec, "--corpus", sample, "--out", tmp_path / out, *more)

    return run


@pytest.fixture(scope="module")
def whole(forty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The round that the command builds, to copy."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "spec.toml").write_text(SPEC)
    viva_here("round", "build", folder / "spec.toml", "--corpus", forty, "--out", folder)
    return folder / "small"


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A round to do with as one likes."""
    return Path(shutil.copytree(whole, tmp_path / "rounds" / "small"))


def test_the_last_line_is_the_rounds_folder(build: Callable[..., Result], tmp_path: Path) -> None:
    result = build()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[-1] == str(tmp_path / "rounds" / "small")
    assert any(line.startswith("  title: ") for line in lines)


def test_json_names_the_round_and_its_counts(build: Callable[..., Result], tmp_path: Path) -> None:
    summary = json.loads(build("--json").stdout)
    assert (summary["round"], summary["path"]) == ("small", str(tmp_path / "rounds" / "small"))
    assert len(summary["manifest"]) == 64
    assert summary["counts"]["writing"]["title"]["items"] > 10


def test_a_window_without_papers_is_1_with_why(build: Callable[..., Result], spec: Path) -> None:
    spec.write_text(
        spec.read_text(encoding="utf-8")
        .replace("2023-07-01", "1999-01-01")
        .replace("2025", "2000"),
        encoding="utf-8",
    )
    result = build()
    assert result.exit_code == 1
    assert "would have no items" in result.stderr
    assert "outside_window" in result.stderr


def test_verify_and_stats(folder: Path, viva: Viva) -> None:
    assert viva("round", "verify", folder).stdout == f"{folder} is sound\n"
    stats = json.loads(viva("round", "stats", folder, "--json").stdout)
    assert stats["tasks"]["writing/title"]["items"] > 10
    shown = viva("round", "stats", folder).stdout
    assert "writing/title" in shown
    assert "Lengths in tokens" in shown
    (folder / "card.md").write_text("changed")
    damaged = viva("round", "verify", folder, "--json")
    assert damaged.exit_code == 1
    assert json.loads(damaged.stdout) == {
        "sound": False,
        "problems": [f"{folder}/card.md differs from the manifest"],
    }
