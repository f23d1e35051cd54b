"""A whole campaign in browsers, on PostgreSQL, with both servers killed in between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.desks import Desk
from tests.browser.fifty_items import annotate_fifty_items
from tests.conftest import missing_system_package
from tests.servers.postgresql import find_initdb, running_postgresql

pytestmark = pytest.mark.browser


def test_the_same_fifty_items_on_postgresql_which_crashes_too(
    tmp_path: Path, desk_of: Callable[..., Desk]
) -> None:
    initdb = find_initdb()
    if initdb is None:
        missing_system_package("initdb", "postgresql")
        return
    with running_postgresql(initdb) as server:
        url = server.create("annotation")
        annotate_fifty_items(url, tmp_path, desk_of, crash=server.restart)
