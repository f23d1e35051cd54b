"""README and the pages of docs/ print what the commands print."""

import re
from pathlib import Path

import pytest
from tests.docs.commands import ROOT, read_steps, run_commands, run_step
from tests.examining.papers import quality, save_pages
from tests.servers.scripted import KEY, scripted

pytestmark = pytest.mark.slow

STEPS = read_steps(ROOT / "docs" / "tutorial.md")


def test_the_tutorial_prints_what_it_says(programs: Path, tmp_path: Path) -> None:
    steps = [step for step in STEPS if not step.is_real]
    assert len(steps) >= 6
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


def test_the_verdict_in_the_readme_is_what_is_printed(programs: Path, tmp_path: Path) -> None:
    save_pages(tmp_path / "papers", 50)
    options = "".join(
        f" --model openai-api/scripted/{name} --price openai-api/scripted/{name}={price}"
        for name, price in (("strong", "10,40"), ("fine", "10,40"), ("weak", "1,4"))
    )
    with scripted(quality) as server:
        command = f"viva exam papers --tasks abstract --yes{options}"
        address = {"SCRIPTED_BASE_URL": server.url, "SCRIPTED_API_KEY": KEY}
        printed = run_commands(command, tmp_path, programs, address).splitlines()
    page = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S)[0].splitlines()
    assert len(shown) > 6
    assert [line for line in shown if line not in printed] == []
