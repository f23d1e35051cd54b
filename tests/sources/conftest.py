"""What tests of sources share: a clock for those that fetch."""

from __future__ import annotations

import pytest
from tests.servers.arxiv_replay import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still until somebody sleeps."""
    return FakeClock()
