"""Pages over rounds, and the card of the folder."""

from __future__ import annotations

import pytest
import yaml
from lxml import html
from tests.web.board.board_courses import scored, site_with
from tests.web.board.board_rows import HOSTILE

from vivavoce.web.board.model import Site
from vivavoce.web.board.pages import timeline
from vivavoce.web.board.site import card_of


def made(site: Site) -> html.HtmlElement:
    """The timeline's page."""
    return html.fromstring(timeline.page(site).make())


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def two_rounds() -> Site:
    return site_with(
        scored("a/one", 0.3, 2, round="2025-04"),
        scored("b/old", 0.5, 1, round="2025-04"),
        scored("a/one", 0.4, 2, round="2025-07"),
        scored("c/new", 0.6, 1, round="2025-07"),
    )


def test_the_timeline_lists_rounds_newest_first() -> None:
    page = made(two_rounds())
    heads = [words(head) for head in page.xpath("//h2")]
    assert heads == ["Tasks over the rounds", "2025-07", "2025-04"]
    assert len(page.xpath("//figure")) == 1
    links = {words(link): link.get("href") for link in page.xpath("//ul//a")}
    assert links["Title"].startswith("boards/")


def test_one_round_has_no_chart() -> None:
    page = made(site_with(scored("a/one", 0.3, 1)))
    assert "begins with the second round" in words(page)
    assert not page.xpath("//figure")


def test_the_card_makes_a_static_space() -> None:
    page = card_of(two_rounds())
    text = page.make().decode("utf-8")
    _, front, body = text.split("---\n", 2)
    card = yaml.safe_load(front)
    assert (card["sdk"], card["app_file"]) == ("static", "index.html")
    assert "3 contestants on 2 boards of 2 rounds" in body
    assert body.index("2025\\-07") < body.index("2025\\-04")


@pytest.mark.parametrize("name", HOSTILE[:-1])
def test_the_card_holds_no_markup_of_others(name: str) -> None:
    page = card_of(site_with(scored("a/one", 0.3, 1, round=name)))
    text = page.make().decode("utf-8")
    assert text.startswith("---\ntitle:")
    assert text.count("\n---\n") == 1
    assert "<script" not in text
    assert "<img" not in text
