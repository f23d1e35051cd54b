"""A run of a method for tables, with a folder and a server of its own."""

from functools import partial
from pathlib import Path

import pytest
from tests.tasks.tables.methods.method_runs import Work, run_method


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    return partial(run_method, tmp_path, monkeypatch)
