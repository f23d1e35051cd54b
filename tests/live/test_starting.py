"""What `viva live init` writes: a configuration and a workflow that work."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.live.world import board
from tests.servers.commands import VIVA, viva_here
from tests.servers.living_arxiv import submissions

from vivavoce.store import hash_tree, read_json


def test_init_writes_files_that_are_ready_and_never_writes_over_one(tmp_path: Path) -> None:
    out = tmp_path / "my board"
    said = viva_here("live", "init", out).stdout
    assert said.endswith(f"viva live {out / 'board.toml'} --dry-run\n")
    written = sorted(hash_tree(out))
    assert written == [".github/workflows/live.yml", ".gitignore", "board.toml"]
    dry = viva_here("live", out / "board.toml", "--until", "2025-02-10", "--dry-run")
    assert dry.stdout.startswith("2025-02-01: listing, texts")
    before = hash_tree(out)
    assert "exists already" in viva_here("live", "init", out, expect=2).stderr
    assert hash_tree(out) == before


def test_every_option_that_the_configuration_comments_on_is_known(tmp_path: Path) -> None:
    viva_here("live", "init", tmp_path / "b")
    text = (tmp_path / "b" / "board.toml").read_text()
    whole = re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE)
    assert len(tomllib.loads(whole)["contestant"]) == 2
    (tmp_path / "b" / "board.toml").write_text(whole)
    done = viva_here("live", tmp_path / "b" / "board.toml", "--until", "2025-02-10", "--dry-run")
    assert "2025-02-01: listing" in done.stdout


@pytest.mark.slow
def test_the_steps_of_the_workflow_bring_a_board_up_to_date(tmp_path: Path) -> None:
    """Each step is run as it stands in a clone, with a loopback server in place of arXiv."""
    remote, clone = tmp_path / "remote.git", tmp_path / "clone"
    for words in (["init", "--quiet", "--bare", remote], ["clone", "--quiet", remote, clone]):
        subprocess.run(["git", *words], check=True, capture_output=True)
    with board(clone, submissions(4, 90)) as one:
        viva_here("live", "init", clone)
        text = (
            one.config.read_text()
            .replace("2025-01-01 ", "2023-01-01 ")
            .replace("wait_days = 3", "wait_days = 0")
        )
        one.config.write_text(
            text.replace('"month" ', '"quarter" ').replace("2025-02-01", "2023-04-01")
        )
        one.archive.today = one.archive.archive[-1].day.replace(month=4, day=1)
        _run_steps(clone, tmp_path, one.arxiv.origin)
        first = read_json(clone / "site" / "live" / "status.json")["periods"]
        assert [row["state"] for row in first] == ["done"]
        asked = one.requests
        _run_steps(clone, tmp_path, one.arxiv.origin)
        assert one.requests == asked
    files = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"],
        cwd=remote, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "ledger.jsonl" in files
    assert "site/index.html" in files
    assert "cache/" not in files


def _run_steps(clone: Path, folder: Path, origin: str) -> None:
    """Run the `run` steps; `viva` is told the day and the server, which no workflow names."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    viva = programs / "viva"
    viva.write_text(f'#!/bin/sh\nexec {VIVA} "$@" --until 2023-04-01 --base {origin}\n')
    viva.chmod(0o755)
    path = f"{programs}:{VIVA.parent}:{os.environ['PATH']}"
    workflow = yaml.safe_load((clone / ".github" / "workflows" / "live.yml").read_text())
    steps = workflow["jobs"]["live"]["steps"]
    [packed] = [step["with"]["path"] for step in steps if "upload-pages" in step.get("uses", "")]
    assert packed == "site"
    for step in steps:
        if "run" in step:
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]], cwd=clone, env={**os.environ, "PATH": path},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{step}\n{done.stdout}\n{done.stderr}"
