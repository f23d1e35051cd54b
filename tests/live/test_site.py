"""The site of a live board, as others see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html
from tests.live.world import LEAD, Board, board, contestant
from tests.servers.scripted import answer, opening

from vivavoce.rounds import load_round
from vivavoce.store import hash_tree, read_json

pytestmark = pytest.mark.slow

FEBRUARY, MARCH = "2023-02-01", "2023-03-01"


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Board]:
    with board(tmp_path / "board") as made:
        yield made


def test_a_round_is_sealed_on_the_site_and_revealed_one_period_later(one: Board) -> None:
    one.write(LEAD)
    one.live(FEBRUARY)
    one.live(MARCH)
    shown = hash_tree(one.folder / "site" / "live")
    assert "live-2023-02-01.revealed.json" in shown
    assert "live-2023-03-01.revealed.json" not in shown
    assert "live-2023-03-01.sealed.json" in shown


def test_the_status_of_the_night_is_linked_from_every_page(one: Board) -> None:
    one.write(LEAD)
    one.live(FEBRUARY)
    site = one.folder / "site"
    pages = [page for page in site.rglob("*.html") if page.name != "status.html"]
    assert len(pages) >= 3
    for page in pages:
        links = html.fromstring(page.read_bytes()).xpath("//nav//a[.='Status']/@href")
        assert (page.parent / links[0]).resolve() == (site / "live" / "status.html").resolve()
    assert "The next round is due on 2023-03-01." in (site / "index.html").read_text()
    shown = hash_tree(site)
    assert "Nothing is due." in one.live("2023-02-20").stdout
    assert (
        "As of 2023-02-20, the next period is due on 2023-03-01."
        in (site / "live" / "status.html").read_text()
    )
    now = hash_tree(site)
    assert {name for name in now if now[name] != shown[name]} == {
        "live/status.html",
        "live/status.json",
    }


def test_rows_are_recomputed_and_no_page_names_an_item_that_is_sealed(one: Board) -> None:
    one.write(LEAD, contestant("one", 'cutoff = "2023-01"'), contestant("two"))
    one.models.script = lambda ask: answer("A Title") if ask.model == "two" else opening(ask)
    for until in (FEBRUARY, MARCH):
        one.live(until)
    site = one.folder / "site"
    assert {row["trust"] for row in read_json(site / "board.json")["rows"]} == {"recomputed"}
    before, newest = (
        {row["id"] for row in load_round(folder).items("writing", "title")}
        for folder in sorted((one.folder / "rounds").glob("live-*-01"))
    )
    assert newest - before
    published = "".join(page.read_text() for page in site.rglob("*.html"))
    assert [item for item in newest - before if item in published] == []
