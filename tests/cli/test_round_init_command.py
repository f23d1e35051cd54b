"""`viva round init`: a spec from options or from answers, with every option as a comment."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from tests.servers.commands import VIVA, only_json, viva_here

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
    told = re.findall(r"^# (\w+) =", text, re.M)
    for model in OPTIONS.values():
        assert set(model.model_fields) <= set(told)
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
