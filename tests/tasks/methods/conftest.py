"""A round with nothing but a library, and a run of the agent on it."""

from functools import partial
from pathlib import Path

import pytest
from tests.tasks.methods.agent_runs import Work, round_at, run_agent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return round_at(tmp_path_factory.mktemp("agent") / "round")


@pytest.fixture
def work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    return partial(run_agent, folder, monkeypatch)
