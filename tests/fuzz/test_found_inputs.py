"""Inputs that once made a reader fail are read, and so is what fuzzing starts from."""

from pathlib import Path

import pytest
from tests.fuzz.judging import judge
from tests.fuzz.seeds import seeds_of
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).with_name("found")
INPUTS = sorted(path for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_was_a_finding_is_none(path: Path) -> None:
    target = TARGETS[path.parent.name]
    assert judge(target, path.read_bytes()).error == ""


@pytest.mark.parametrize("name", TARGETS)
def test_hand_made_hostile_inputs_are_no_findings(name: str) -> None:
    for content in seeds_of(name):
        assert judge(TARGETS[name], content).error == "", content[:200]
