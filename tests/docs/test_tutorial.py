"""The pages of docs/ print what the commands print."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("commands", Path(__file__).with_name("commands.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
commands = importlib.util.module_from_spec(_SPEC)
sys.modules["commands"] = commands
_SPEC.loader.exec_module(commands)

STEPS = commands.read_steps(ROOT / "docs" / "tutorial.md")


def test_the_tutorial_prints_what_it_says(tmp_path):
    steps = [step for step in STEPS if not step.is_real]
    assert len(steps) >= 8
    for step in steps:
        assert commands.run_step(step, tmp_path) == step.output, step.commands


@pytest.mark.data
def test_the_tutorial_prints_what_it_says_of_real_papers(tmp_path, data_dir):
    steps = [step for step in STEPS if step.is_real]
    assert len(steps) == 2
    for step in steps:
        assert commands.run_step(step, tmp_path, data_dir) == step.output, step.commands


def test_the_page_on_scoring_prints_what_it_says(tmp_path):
    (step,) = commands.read_steps(ROOT / "docs" / "scoring.md")
    assert commands.run_step(step, tmp_path) == step.output
