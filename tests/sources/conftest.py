"""A clock for the tests of sources that fetch."""

import pytest
from tests.servers.arxiv_replay import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still until somebody sleeps."""
    return FakeClock()
