"""The round of two surveys that several modules read."""

import pytest
from tests.tasks.tables.table_rounds import round_of

from vivavoce.rounds import Round


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("tables"))
