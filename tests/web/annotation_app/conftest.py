"""A database of SQLite and a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.annotation import Clock

from vivavoce.web.annotation.storage import Database, open_database


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(str(tmp_path / "annotation.db"))
    yield database
    database.close()
