"""viva round build, verify and stats."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import SPEC
from typer.testing import Result

Viva = Callable[..., Result]


@pytest.fixture
def folder(small: Path, tmp_path: Path) -> Path:
    """A round to do with as one likes."""
    return Path(shutil.copytree(small, tmp_path / "rounds" / "small"))


def test_the_last_line_is_the_rounds_folder_and_json_has_counts(
    viva: Viva, small: Path, sample_papers: Path, spec: Path, tmp_path: Path
) -> None:
    *lines, last = (small.parent.parent / "said.txt").read_text().splitlines()
    assert last == str(small)
    assert any(line.startswith("  title: ") for line in lines)
    done = viva("round", "build", spec, "--corpus", sample_papers, "--out", tmp_path, "--json")
    summary = json.loads(done.stdout)
    assert (summary["round"], summary["path"]) == ("small", str(tmp_path / "small"))
    assert len(summary["manifest"]) == 64
    assert summary["counts"]["writing"]["title"]["items"] > 10


def test_a_window_without_papers_is_1_with_why(
    viva: Viva, sample_papers: Path, spec: Path, tmp_path: Path
) -> None:
    spec.write_text(SPEC.replace("2023", "1999").replace("2025", "2000"), "utf-8")
    result = viva("round", "build", spec, "--corpus", sample_papers, "--out", tmp_path)
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
