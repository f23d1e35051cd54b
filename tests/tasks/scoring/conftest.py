"""A court for the tests of judges."""

from collections.abc import Iterator

import pytest
from tests.servers.commands import small_round
from tests.servers.scripted import scripted
from tests.tasks.scoring.court import ITEMS, Court


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    folder = tmp_path_factory.mktemp("court")
    opened = small_round(folder, papers=ITEMS)
    with scripted() as server, pytest.MonkeyPatch.context() as patch:
        server.serve_here(patch)
        yield Court(server, opened, folder / "logs")
