"""A campaign of fifty items, from the first login to the export read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select
from statsmodels.stats.inter_rater import fleiss_kappa
from tests.browser.desks import FIVE, Desk, decisions
from tests.servers.annotation import fill, running_server
from typer.testing import CliRunner

from vivavoce.cli import annotate
from vivavoce.web.annotation.storage import Database, Draft, Item, open_database

ITEMS = 50
SMALL = {"width": 600, "height": 500}
"""Less to draw."""


def ann_says(number: int) -> str:
    return "i" if number % 3 else "e"


def ben_says(number: int) -> str:
    return ann_says(number) if number % 4 else {"i": "e", "e": "i"}[ann_says(number)]


def dan_says(number: int) -> str:
    return ann_says(number) if number % 8 else {"i": "e", "e": "i"}[ann_says(number)]


def work(desk: Desk, says: Callable[[int], str], most: int = ITEMS) -> int:
    """Decide items by key until there is none, or as many as allowed."""
    for done in range(most):
        number = desk.item()
        if number is None:
            return done
        desk.press(says(number))
    return most


def annotate_fifty_items(
    url: str, folder: Path, desk_of: Callable[..., Desk], crash: Callable[[], None] | None = None
) -> None:
    """Two people, then four, then a lead; the server is killed in between, and the database too."""
    database = open_database(url)
    fill(database, FIVE, items=ITEMS, seed=7)
    with running_server(url, folder) as server:
        ann, ben = (desk_of(server, name, viewport=SMALL) for name in ("ann", "ben"))
        for desk in (ann, ben):
            desk.open("/c/pilot")
        assert work(ann, ann_says, 20) == 20
        assert work(ben, ben_says, 9) == 9
        # Ann types a note; the server dies under both, while Ben sends a decision.
        number = ann.item()
        ann.page.keyboard.press("n")
        ann.page.keyboard.type("a note typed before the crash")
        ann.page.get_by_text("Draft saved").wait_for()
        before = ben.page.url
        server.kill()
        with pytest.raises(Exception, match="ERR_CONNECTION"):
            ben.press("i")
        if crash is not None:
            crash()
        assert decisions(database) == 29
        server.start()
        ann.page.reload()
        assert ann.item() == number
        assert ann.page.locator("#note").input_value() == "a note typed before the crash"
        ben.open("/c/pilot")
        assert ben.page.url == before
        assert work(ann, ann_says) == ITEMS - 20
        assert work(ben, ben_says) == ITEMS - 9
        cat, dan, lea = (desk_of(server, name, viewport=SMALL) for name in ("cat", "dan", "lea"))
        for desk in (cat, dan):
            desk.is_watched = True
            desk.open("/c/pilot")
        # Numbers 0, 4, ... 48 were split: 13. Of those Dan leaves Cat on 0, 8, ... 48: 7.
        assert work(cat, ann_says) == 13
        assert work(dan, dan_says) == 13
        for desk in (cat, dan):
            assert len(desk.seen) == 14
            # Nothing of anybody else was ever in a page of theirs.
            assert not any("typed before the crash" in page for page in desk.seen)
            assert not any("What each of them said" in page for page in desk.seen)
        lea.open("/c/pilot/lead")
        links = lea.page.get_by_role("link", name="See the four labels")
        assert links.count() == 7
        for _ in range(7):
            lea.open("/c/pilot/lead")
            links.first.click()
            lea.page.get_by_role("button", name="Settle this item").click()
            lea.page.wait_for_url("**/a/*")
            assert lea.page.locator("table tbody th[scope=row]").count() >= 4
            lea.press("i")
            assert "What counts" in lea.page.content()
        lea.open("/c/pilot/lead")
        assert lea.page.get_by_text("50 of 50 items done").is_visible()
        (shown,) = re.findall(
            r"(0\.\d{3})</td><td class=\"number\">0\.\d{3}</td>", lea.page.content()
        )[:1]
        for desk in (ann, ben, cat, dan, lea):
            assert desk.foreign == []
            assert [line for line in desk.complaints if "ERR_" not in line] == []
    check_result(database, url, folder, shown)
    database.close()


def check_result(database: Database, url: str, folder: Path, shown: str) -> None:
    """Counts, agreement against statsmodels, and the export read back."""
    assert decisions(database) == 2 * ITEMS + 26 + 7
    with database.reading() as session:
        found = {row.key: row.final for row in session.scalars(select(Item))}
        assert session.scalar(select(func.count()).select_from(Draft)) == 0
    words = {"i": "include", "e": "exclude"}
    wanted = {
        f"main-{number:03d}": {"decision": words["i" if number % 8 == 0 else ann_says(number)]}
        for number in range(ITEMS)
    }
    assert found == wanted
    included = np.array([(ann_says(n) == "i") + (ben_says(n) == "i") for n in range(ITEMS)])
    kappa = fleiss_kappa(np.column_stack([included, 2 - included]))
    campaign = ("--campaign", "pilot")
    printed = viva("agreement", "--db", url, *campaign, "--resamples", "0", "--json")
    report = json.loads(printed)
    (decision,) = report["fields"]
    assert decision["fleiss"]["value"] == pytest.approx(kappa, abs=1e-12)
    assert decision["pairwise"]["value"] == pytest.approx(37 / 50)
    assert shown == f"{kappa:.3f}"
    first, second = folder / "first", folder / "second"
    viva("export", "--db", url, *campaign, "--out", first)
    anew = folder / "anew.db"
    viva("import", "--db", anew, *campaign, "--from-export", first)
    viva("export", "--db", anew, *campaign, "--out", second)
    for name in ("items.jsonl", "decisions.jsonl", "labels.jsonl"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def viva(*words: object) -> str:
    """What `viva annotate` prints; it must end well."""
    done = CliRunner().invoke(annotate.app, [str(word) for word in words])
    assert done.exit_code == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
