"""A whole campaign in browsers, on PostgreSQL, with both servers killed in between.

It is a smaller one: every step is there, and fifty items are annotated on SQLite.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.campaigns import annotate
from tests.browser.desks import Desk
from tests.conftest import missing_system_package
from tests.servers.postgresql import find_initdb, running_postgresql

pytestmark = pytest.mark.browser


def test_the_same_campaign_on_postgresql_which_crashes_too(
    tmp_path: Path, desk_of: Callable[..., Desk]
) -> None:
    initdb = find_initdb()
    if initdb is None:
        missing_system_package("initdb", "postgresql")
        return
    with running_postgresql(initdb) as server:
        url = server.create("annotation")
        annotate(url, tmp_path, desk_of, items=16, crash=server.restart)
