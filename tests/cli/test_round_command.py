"""viva round init, build, verify and stats."""

import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import SPEC
from tests.servers.commands import VIVA, only_json, viva, viva_here

from vivavoce import build_round
from vivavoce.errors import InputError
from vivavoce.rounds.spec import read_spec
from vivavoce.tasks import builders

DAYS = ("--start", "2024-07-01", "--end", "2025-01-01")
OPTIONS = {name: builder.OPTIONS for name, builder in builders().items()}


def test_the_written_spec_is_the_default_one(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    done = viva_here("round", "init", file, "--id", "mine", *DAYS, "--json")
    assert only_json(done.stdout)["path"] == str(file)
    spec = read_spec(file, OPTIONS)
    assert (spec.round.id, spec.round.window.start.isoformat()) == ("mine", "2024-07-01")
    assert set(spec.round.families) == set(OPTIONS)
    assert spec.families == {name: model.model_validate({}) for name, model in OPTIONS.items()}


def test_a_comment_that_is_made_a_line_sets_its_option_to_the_default(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    viva_here("round", "init", file, "--id", "mine", *DAYS)
    text = file.read_text("utf-8")
    explained = re.findall(r"^# (\w+) =", text, re.M)
    for model in OPTIONS.values():
        assert set(model.model_fields) <= set(explained)
    before = read_spec(file, OPTIONS)
    file.write_text(re.sub(r"^# (\w+ = .)", r"\1", text, flags=re.M), "utf-8")
    after = read_spec(file, OPTIONS)
    assert after.sha256 == before.sha256
    assert "min_entries = 3" in file.read_text("utf-8").splitlines()


def test_only_the_families_that_are_named(tmp_path: Path) -> None:
    viva_here(
        "round", "init", tmp_path / "s.toml", "--id", "w", *DAYS, "--family", "writing", "--seed", 7
    )
    spec = read_spec(tmp_path / "s.toml", OPTIONS)
    assert (spec.round.families, spec.round.seed) == (("writing",), 7)


@pytest.mark.slow
def test_it_asks_on_a_terminal(tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    os.write(keyboard, b"typed\n2024-07-01\n2025-01-01\n")
    done = subprocess.run(
        [VIVA, "round", "init", "s.toml", "--family", "writing", "--json"],
        cwd=tmp_path,
        stdin=terminal,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(keyboard)
    os.close(terminal)
    assert done.returncode == 0, done.stderr
    assert "Name of the round" in done.stderr
    assert only_json(done.stdout)["path"] == "s.toml"
    assert read_spec(tmp_path / "s.toml", OPTIONS).round.id == "typed"


@pytest.fixture
def folder(small: Path, tmp_path: Path) -> Path:
    """A round to do with as one likes."""
    return Path(shutil.copytree(small, tmp_path / "rounds" / "small"))


def test_the_last_line_is_the_rounds_folder_and_json_has_counts(
    small: Path, sample_papers: Path, spec: Path, tmp_path: Path
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
    sample_papers: Path, spec: Path, tmp_path: Path
) -> None:
    spec.write_text(SPEC.replace("2023", "1999").replace("2025", "2000"), "utf-8")
    result = viva_here(
        "round", "build", spec, "--corpus", sample_papers, "--out", tmp_path, expect=1
    )
    assert "would have no items" in result.stderr
    assert "outside_window" in result.stderr


def test_verify_and_stats(folder: Path) -> None:
    assert viva("round", "verify", folder).stdout == f"{folder} is sound\n"
    stats = json.loads(viva("round", "stats", folder, "--json").stdout)
    assert stats["tasks"]["writing/title"]["items"] > 10
    shown = viva("round", "stats", folder).stdout
    assert "writing/title" in shown
    assert "Lengths in tokens" in shown
    (folder / "card.md").write_text("changed")
    damaged = viva_here("round", "verify", folder, "--json", expect=1)
    assert json.loads(damaged.stdout) == {
        "sound": False,
        "problems": [f"{folder}/card.md differs from the manifest"],
    }


def test_calls_from_python_take_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is an address"):
        build_round("corpus", {}, "s3://bucket/folder")
    assert not list(tmp_path.iterdir())
