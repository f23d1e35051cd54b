"""Hostile inputs, some of which once made a reader fail, are read or refused with a reason."""

import contextlib
from pathlib import Path

import pytest
from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS

from vivavoce.errors import VivaError

FOUND = Path(__file__).with_name("found")
INPUTS = sorted(path for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_made_a_reader_fail_does_so_no_more(path: Path) -> None:
    with contextlib.suppress(VivaError):
        TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_inputs_made_by_hand_fail_no_reader(name: str) -> None:
    for content in SEEDS[name]():
        with contextlib.suppress(VivaError):
            TARGETS[name](content)
