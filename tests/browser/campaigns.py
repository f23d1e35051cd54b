"""A campaign in browsers, from the first login to the export read back."""

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

from vivavoce.cli import annotate as commands
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Draft, Item

SMALL = {"width": 600, "height": 500}
"""Less to draw."""


def ann_says(number: int) -> str:
    return "i" if number % 3 else "e"


def ben_says(number: int) -> str:
    return ann_says(number) if number % 4 else {"i": "e", "e": "i"}[ann_says(number)]


def dan_says(number: int) -> str:
    return ann_says(number) if number % 8 else {"i": "e", "e": "i"}[ann_says(number)]


def work(desk: Desk, says: Callable[[int], str], most: int | None = None) -> int:
    """Decide items by key until there is none, or as many as allowed."""
    done = 0
    while done != most and (number := desk.item()) is not None:
        desk.press(says(number))
        done += 1
    return done


def annotate(
    url: str,
    folder: Path,
    desk_of: Callable[..., Desk],
    items: int,
    crash: Callable[[], None] | None = None,
) -> None:
    """Two people, then four, then a lead; the server is killed in between, and the database too."""
    # Ben and Ann part on numbers 0, 4, ...; of those Dan leaves Cat on 0, 8, ...
    split, settled = len(range(0, items, 4)), len(range(0, items, 8))
    by_ann, by_ben = items * 2 // 5, items // 5 - 1
    database = open_database(url)
    fill(database, FIVE, items=items, seed=7)
    with running_server(url, folder) as server:
        ann, ben = (desk_of(server, name, viewport=SMALL) for name in ("ann", "ben"))
        for desk in (ann, ben):
            desk.open("/c/pilot")
        assert work(ann, ann_says, by_ann) == by_ann
        assert work(ben, ben_says, by_ben) == by_ben
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
        assert decisions(database) == by_ann + by_ben
        server.start()
        ann.page.reload()
        assert ann.item() == number
        assert ann.page.locator("#note").input_value() == "a note typed before the crash"
        ben.open("/c/pilot")
        assert ben.page.url == before
        assert work(ann, ann_says) == items - by_ann
        assert work(ben, ben_says) == items - by_ben
        cat, dan, lea = (desk_of(server, name, viewport=SMALL) for name in ("cat", "dan", "lea"))
        for desk in (cat, dan):
            desk.is_watched = True
            desk.open("/c/pilot")
        assert work(cat, ann_says) == split
        assert work(dan, dan_says) == split
        for desk in (cat, dan):
            assert len(desk.seen) == split + 1
            # Nothing of anybody else was ever in a page of theirs.
            assert not any("typed before the crash" in page for page in desk.seen)
            assert not any("What each of them said" in page for page in desk.seen)
        lea.open("/c/pilot/lead")
        links = lea.page.get_by_role("link", name="See the four labels")
        assert links.count() == settled
        for _ in range(settled):
            lea.open("/c/pilot/lead")
            links.first.click()
            lea.page.get_by_role("button", name="Settle this item").click()
            lea.page.wait_for_url("**/a/*")
            assert lea.page.locator("table tbody th[scope=row]").count() >= 4
            lea.press("i")
            assert "What counts" in lea.page.content()
        lea.open("/c/pilot/lead")
        assert lea.page.get_by_text(f"{items} of {items} items done").is_visible()
        (shown,) = re.findall(
            r"(0\.\d{3})</td><td class=\"number\">0\.\d{3}</td>", lea.page.content()
        )[:1]
        for desk in (ann, ben, cat, dan, lea):
            assert desk.foreign == []
            assert [line for line in desk.complaints if "ERR_" not in line] == []
    assert decisions(database) == 2 * items + 2 * split + settled
    check_result(database, url, folder, shown, items)
    database.close()


def check_result(database: Database, url: str, folder: Path, shown: str, items: int) -> None:
    """What is settled, agreement against statsmodels, and the export read back."""
    with database.reading() as session:
        found = {row.key: row.final for row in session.scalars(select(Item))}
        assert session.scalar(select(func.count()).select_from(Draft)) == 0
    words = {"i": "include", "e": "exclude"}
    wanted = {
        f"main-{number:03d}": {"decision": words["i" if number % 8 == 0 else ann_says(number)]}
        for number in range(items)
    }
    assert found == wanted
    included = np.array([(ann_says(n) == "i") + (ben_says(n) == "i") for n in range(items)])
    kappa = fleiss_kappa(np.column_stack([included, 2 - included]))
    campaign = ("--campaign", "pilot")
    printed = viva("agreement", "--db", url, *campaign, "--resamples", "0", "--json")
    report = json.loads(printed)
    (decision,) = report["fields"]
    assert decision["fleiss"]["value"] == pytest.approx(kappa, abs=1e-12)
    assert decision["pairwise"]["value"] == pytest.approx(1 - len(range(0, items, 4)) / items)
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
    done = CliRunner().invoke(commands.app, [str(word) for word in words])
    assert done.exit_code == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
