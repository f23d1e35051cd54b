"""A campaign of ten tables with a hundred candidates, worked through with one key each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest
from tests.browser.desks import Desk, decisions
from tests.servers.annotation import content_of, fill, running_server

from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.storage import open_database

pytestmark = pytest.mark.browser
TABLES, CANDIDATES = 10, 10


def candidate(number: int) -> NewItem:
    """A candidate of a table of its own demand, with an abstract of 150 words."""
    table = number // CANDIDATES
    content = content_of("distractors", number) | {
        "demand": f"I want to compare kites of kind {table}."
    }
    content["candidate"] = content["candidate"] | {"abstract": "The wind was strong. " * 40}
    return NewItem(f"c{number:03d}", content, cluster=f"t{table}")


def test_a_hundred_items_take_a_hundred_keys_a_table_at_a_time(
    tmp_path: Path, desk_of: Callable[..., Desk]
) -> None:
    url = str(tmp_path / "annotation.db")
    database = open_database(url)
    items = [candidate(number) for number in range(TABLES * CANDIDATES)]
    fill(database, {"ann": "annotator"}, items=items)
    demands, keys = [], 0
    with running_server(url, tmp_path) as server:
        ann = desk_of(server, "ann", viewport={"width": 1024, "height": 700})
        ann.open("/c/pilot")
        while (number := ann.item()) is not None:
            demands.append(ann.page.locator("blockquote").inner_text())
            if len(demands) == CANDIDATES:
                told = ann.page.get_by_text("9 of 10 items of this table decided by you")
                assert told.is_visible()
                ann.page.mouse.wheel(0, 4_000)
                ann.page.wait_for_function("window.scrollY > 0")
                box = ann.page.locator("blockquote").bounding_box()
                assert box is not None
                assert 0 <= box["y"] <= 300
                ann.page.screenshot(path=tmp_path / "pinned.png")
            ann.press("i" if number % 3 else "e")
            keys += 1
        assert keys == decisions(database) == TABLES * CANDIDATES
        assert len(list(groupby(demands))) == TABLES
        ann.page.get_by_role("link", name="Your decisions").click()
        assert ann.page.get_by_role("link", name="Correct it").count() == keys
        ann.page.get_by_role("link", name="Correct it").last.click()
        assert ann.item() is not None
        assert (ann.foreign, ann.complaints) == ([], [])
    database.close()
