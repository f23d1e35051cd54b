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


def made(site: Site) -> dict[str, html.HtmlElement]:
    return {page.path: html.fromstring(page.make()) for page in timeline.pages(site)}


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def two_rounds() -> Site:
    return site_with(
        scored("a/one", 0.3, 2, round="2025-04"),
        scored("b/old", 0.5, 1, round="2025-04"),
        scored("a/one", 0.4, 2, round="2025-07"),
        scored("c/new", 0.6, 1, round="2025-07"),
    )


def test_a_course_shows_each_contestant_in_each_round() -> None:
    (path,) = (path for path in made(two_rounds()) if path.startswith("timeline/"))
    page = made(two_rounds())[path]
    rows = [[words(cell) for cell in row] for row in page.xpath("//tbody/tr")]
    # Those of the newest round first; who left it comes last.
    assert rows == [
        ["c/new", "–", "0.600 0.580–0.620"],
        ["a/one", "0.300 0.280–0.320", "0.400 0.380–0.420"],
        ["b/old", "0.500 0.480–0.520", "–"],
    ]
    assert page.xpath("//figure//img/@src") == [f"../charts/rounds/{path[9:-5]}.svg"]


def test_the_timeline_lists_courses_and_rounds_newest_first() -> None:
    page = made(two_rounds())["timeline.html"]
    assert [words(head) for head in page.xpath("//h3")] == ["2025-07", "2025-04"]
    assert len(page.xpath("//figure")) == 1
    links = {words(link): link.get("href") for link in page.xpath("//ul//a")}
    assert links["Title"].startswith("boards/")


def test_one_round_is_no_course() -> None:
    pages = made(site_with(scored("a/one", 0.3, 1)))
    assert list(pages) == ["timeline.html"]
    assert "begins with the second round" in words(pages["timeline.html"])
    assert not pages["timeline.html"].xpath("//figure")


def test_the_course_of_another_version_is_left_out() -> None:
    site = site_with(
        scored("a/one", 0.3, 1, round="2025-04", task_version="1"),
        scored("a/one", 0.4, 1, round="2025-07", task_version="2"),
    )
    assert list(made(site)) == ["timeline.html"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_of_rounds_and_tasks_are_text(name: str) -> None:
    rows = [
        scored(name, 0.3, 1, round=f"{name}{end}", task=name, setting=name) for end in ("a", "b")
    ]
    for path, page in made(site_with(*rows)).items():
        assert ".." not in path
        assert not page.xpath(
            "//img[not(starts-with(@src, '../charts/rounds/')"
            " or starts-with(@src, 'charts/rounds/'))]"
        )
        assert not page.xpath("//script[not(@src)]")
        assert not any("javascript:" in link for link in page.xpath("//@href"))


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
