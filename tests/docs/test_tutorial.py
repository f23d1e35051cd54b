"""The pages of docs/ print what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.commands import ROOT, read_steps, run_step

pytestmark = pytest.mark.slow

STEPS = read_steps(ROOT / "docs" / "tutorial.md")


def test_the_tutorial_prints_what_it_says(programs: Path, tmp_path: Path) -> None:
    steps = [step for step in STEPS if not step.is_real]
    assert len(steps) >= 8
    for step in steps:
        assert run_step(step, tmp_path, programs=programs) == step.output, step.commands


@pytest.mark.data
def test_the_tutorial_prints_what_it_says_of_real_papers(
    programs: Path, tmp_path: Path, data_dir: Path
) -> None:
    steps = [step for step in STEPS if step.is_real]
    assert len(steps) == 2
    for step in steps:
        assert run_step(step, tmp_path, data_dir, programs) == step.output, step.commands


def test_the_page_on_scoring_prints_what_it_says(programs: Path, tmp_path: Path) -> None:
    (step,) = read_steps(ROOT / "docs" / "scoring.md")
    assert run_step(step, tmp_path, programs=programs) == step.output
