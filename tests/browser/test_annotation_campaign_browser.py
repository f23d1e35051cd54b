"""A whole campaign in browsers, on SQLite, with a server that is killed in between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.campaigns import annotate
from tests.browser.desks import Desk

pytestmark = pytest.mark.browser


def test_fifty_items_from_two_people_to_a_consensus_with_a_killed_server(
    tmp_path: Path, desk_of: Callable[..., Desk]
) -> None:
    annotate(str(tmp_path / "annotation.db"), tmp_path, desk_of, items=50)
