"""One world for all pages: commands that start at once, papers, a round, logs and servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.forking import forking
from tests.docs.world import World, make_world


@pytest.fixture(scope="session")
def programs() -> Iterator[Path]:
    """A folder with `viva`, `inspect` and `python` that need no time to start."""
    with forking() as folder:
        yield folder


@pytest.fixture(scope="session")
def world(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """What the examples of the pages take for given."""
    with make_world(tmp_path_factory, programs) as made:
        yield made
