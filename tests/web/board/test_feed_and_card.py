"""Words for those who do not open a page: the feed of changes, previews of links, the icon."""

from __future__ import annotations

from pathlib import Path

from lxml import etree, html
from tests.web.board.board_rows import HOSTILE, make_board, make_row

from vivavoce.web.board.site import write_site

ATOM = "{http://www.w3.org/2005/Atom}"
URL = "https://example.org/board/"


def board_of(*names: str) -> dict:
    return make_board(*(make_row(name, 0.5, place) for place, name in enumerate(names, 1)))


def test_dated_builds_are_in_a_feed_newest_first(tmp_path: Path) -> None:
    write_site(board_of("a/one"), tmp_path, date="2026-01-31")
    write_site(board_of("a/one", HOSTILE[0]), tmp_path, date="2026-02-28")
    feed = etree.fromstring((tmp_path / "changes.atom").read_bytes())
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}updated") for entry in entries] == [
        "2026-02-28T00:00:00Z",
        "2026-01-31T00:00:00Z",
    ]
    assert feed.findtext(f"{ATOM}updated") == "2026-02-28T00:00:00Z"
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "Build 2: 1 added",
        "Build 1: The first build: 1 row",
    ]
    # RFC 4287: every id is its own, and a link leads to the build.
    ids = [one.text for one in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids) == 3
    page = html.fromstring((tmp_path / "changes.html").read_bytes())
    anchor = entries[0].find(f"{ATOM}link").get("href").partition("#")[2]
    assert page.get_element_by_id(anchor).tag == "h2"
    assert page.xpath("//link[@type='application/atom+xml']/@href") == ["changes.atom"]


def test_without_a_day_there_is_no_feed_and_nothing_leads_to_one(tmp_path: Path) -> None:
    write_site(board_of("a/one"), tmp_path)
    assert not (tmp_path / "changes.atom").exists()
    assert "changes.atom" not in (tmp_path / "changes.html").read_text("utf-8")


def test_a_link_to_the_site_has_words_and_a_picture(tmp_path: Path) -> None:
    options = {"url": URL, "note": "Made-up papers."}
    index = html.fromstring(
        write_site(board_of("a/one", HOSTILE[0]), tmp_path, options=options).read_bytes()
    )
    told = dict(
        zip(index.xpath("//meta/@property"), index.xpath("//meta[@property]/@content"), strict=True)
    )
    assert told["og:url"] == URL
    assert told["og:image"] == f"{URL}card.png"
    assert told["og:description"].startswith("2 contestants on 1 boards")
    picture = (tmp_path / "card.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    # Width and height are the first fields of a PNG's header: 1200 by 630 pixels.
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (1200, 630)
    assert index.xpath("//link[@rel='icon']/@href") == ["icon.svg"]
    assert (tmp_path / "icon.svg").read_bytes().startswith(b"<svg")


def test_without_an_address_there_is_no_picture(tmp_path: Path) -> None:
    index = html.fromstring(write_site(board_of("a/one"), tmp_path).read_bytes())
    assert index.xpath("//meta[@property='og:title']")
    assert not index.xpath("//meta[@property='og:image']")
    assert not (tmp_path / "card.png").exists()
