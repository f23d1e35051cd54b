"""The first page of a site in a browser: contestants by tasks, chosen and sorted by a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.board.board_rows import make_board, make_row

from vivavoce.web.board.site import write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from tests.conftest import Expect

pytestmark = pytest.mark.browser

TASKS = [("writing", "title", "base"), ("writing", "title", "cited"), ("tables", "table", "base")]


def row_at(place: tuple[str, str, str], model: str, rank: int, **more: Any) -> dict[str, Any]:
    family, task, setting = place
    more = {"rank_interval": [rank, rank], **more}
    found = make_row(model, more.pop("value", 0.5 - rank / 10), rank, **more)
    return found | {"family": family, "task": f"vivavoce/{task}", "setting": setting}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    late = {"cutoff": "2026-02", "items": {"clean": 60, "seen": 60}}
    rows = [
        row
        for place in TASKS
        for row in (
            row_at(place, "a/dear", 1, cost=2.4, contamination="mixed", exposure=late),
            row_at(place, "b/cheap", 2, cost=0.12),
            row_at(place, "none", 3, method="null"),
        )
    ]
    return write_site(make_board(*rows), tmp_path_factory.mktemp("site"))


@pytest.fixture
def page(browser: Browser, index: Path) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        opened = context.new_page()
        opened.goto(index.as_uri())
        yield opened


def shown(page: Page, selector: str) -> list[str]:
    found = page.locator(selector).all()
    return [" ".join(each.inner_text().split()) for each in found if each.is_visible()]


def test_a_family_a_setting_and_a_kind_of_contestant_are_chosen(page: Page) -> None:
    page.select_option("#family", "writing")
    assert shown(page, ".matrix .task a") == ["Title", "Title"]
    assert shown(page, ".matrix [scope=colgroup]") == ["Writing"]
    page.select_option("#setting", "cited")
    assert shown(page, ".matrix .task a") == ["Title"]
    assert len(shown(page, ".matrix tbody tr:first-child td")) == 5  # four facts and one task
    page.select_option("#kind", "model")
    assert shown(page, ".matrix tbody th > bdi") == ["a/dear", "b/cheap"]


def test_a_limit_of_price_and_of_training_data(page: Page) -> None:
    page.fill("#price", "0.01")  # a/dear costs 2.4 / 120 = 0.02 an answer, b/cheap 0.001
    assert shown(page, ".matrix tbody th > bdi") == ["b/cheap", "null"]
    page.fill("#price", "")
    page.fill("#cutoff", "2026-01")
    assert shown(page, ".matrix tbody th > bdi") == ["b/cheap", "null"]
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.input_value("#cutoff") == "2026-01"
    assert shown(page, ".matrix tbody th > bdi") == ["b/cheap", "null"]


def test_intervals_and_ranks_are_in_view(page: Page) -> None:
    cell = ".matrix tbody tr:first-child td:last-child"
    page.select_option("#family", "")
    assert shown(page, cell) == ["0.400 0.380–0.420 rank 1"]


def test_the_page_begins_with_who_may_be_best(page: Page) -> None:
    box = page.locator(".contenders").first.bounding_box()
    assert box["y"] < 450
    first = page.locator(".contenders").first
    lines = [" ".join(line.inner_text().split()) for line in first.locator("tr").all()[1:]]
    assert lines[0].startswith("Title base · rougeL one is best a/dear 0.400 0.380–0.420 100% 120")
    assert lines[1] == "null Floor 0.200 0.180–0.220 0% 120"
    assert first.locator(".range").count() == len(lines)
    assert first.locator(".range").first.is_visible()


def test_a_task_is_sorted_by_and_its_page_opened(page: Page, expect: Expect) -> None:
    page.get_by_role("button", name="Title, cited").click()
    page.get_by_role("button", name="Title, cited").click()
    assert shown(page, ".matrix tbody th > bdi") == ["null", "b/cheap", "a/dear"]
    page.locator(".matrix .task a").first.click()
    expect(page.locator("h1")).to_have_text(re.compile(r"^Title"))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of 500 contestants on 8 tasks."""
    rows = [
        row_at((f"family{task // 3}", f"task{task}", "base"), f"lab/model-{place}", place, cost=1.2)
        for task in range(8)
        for place in range(1, 501)
    ]
    out = tmp_path_factory.mktemp("large")
    return write_site(make_board(*rows), out)


def test_500_contestants_on_8_tasks_are_all_there(
    browser: Browser, large: Path, expect: Expect
) -> None:
    assert large.stat().st_size < 300_000
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(large.as_uri())
        assert page.locator(".matrix tbody tr").count() == 500
        assert len(shown(page, ".matrix .task a")) == 3  # the first family's
        page.select_option("#family", "")
        assert len(shown(page, ".matrix .task a")) == 8
        assert "8 columns of tasks" in page.locator(".key-line").inner_text()
        page.fill("#filter", "model-49")
        expect(page.locator("#status")).to_have_text("11 of 500 rows")
        page.select_option("#family", "family0")
        expect(page.locator("#status")).to_have_text("11 of 500 rows, 5 columns hidden")


def test_on_a_phone_500_contestants_are_searched_from_the_top(
    browser: Browser, large: Path, expect: Expect
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(large.as_uri())
        page.get_by_text("Search, filter").click()
        page.keyboard.type("model-49")
        expect(page.locator("#status")).to_have_text("11 of 500 rows, 5 columns hidden")
        # The last of them is less than a screen away, once the browser has scrolled.
        page.wait_for_function(
            """() => {
              const rows = document.querySelectorAll(".matrix tbody tr:not([hidden])");
              return Math.abs(rows[rows.length - 1].getBoundingClientRect().y) < 844;
            }"""
        )


def test_price_and_trust_stay_in_view_while_tasks_are_scrolled(
    browser: Browser, large: Path
) -> None:
    with browser.new_context(viewport={"width": 1100, "height": 700}) as context:
        page = context.new_page()
        page.goto(large.as_uri())
        page.select_option("#family", "")
        cells = [
            page.locator(f".matrix tbody tr:first-child .{name}") for name in ("name", "at0", "at1")
        ]
        before = [cell.bounding_box() for cell in cells]
        box = page.locator(".overview .scroll")
        box.evaluate("box => box.scrollLeft = 200")
        assert box.evaluate("box => box.scrollLeft") > 0
        assert [cell.bounding_box() for cell in cells] == before


def test_who_took_no_task_of_a_family_is_not_shown_with_it(
    browser: Browser, tmp_path: Path
) -> None:
    rows = [row_at(TASKS[0], "a/writes", 1), row_at(TASKS[2], "b/tables", 1)]
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(write_site(make_board(*rows), tmp_path).as_uri())
        assert shown(page, ".matrix tbody th > bdi") == ["a/writes"]
        page.select_option("#family", "tables")
        assert shown(page, ".matrix tbody th > bdi") == ["b/tables"]
        page.select_option("#family", "")
        assert shown(page, ".matrix tbody th > bdi") == ["a/writes", "b/tables"]


EMPTY = {
    "one contestant": ([row_at(TASKS[0], "a/only", 1)], "a/only reaches 0.400"),
    "nothing decided": (
        [
            row_at(TASKS[0], name, 1, value=0.5)
            | {"rank_interval": [1, 2], "undecided_with": [other], "more_papers_needed": [30]}
            for name, other in (("a/one", "b/two"), ("b/two", "a/one"))
        ],
        "Undecided against",
    ),
    "no valid answer": (
        [row_at(TASKS[0], "a/one", 1, value=0.0, valid=0.0)],
        "Nobody gave a valid answer.",
    ),
    "everything failed": (
        [row_at(TASKS[0], "a/one", 1) | {"value": None, "ci": None, "rank": None, "valid": 0.0}],
        "No contestant is ranked; the table says why.",
    ),
}


@pytest.mark.parametrize("case", EMPTY)
def test_a_board_with_little_to_show_says_so(browser: Browser, tmp_path: Path, case: str) -> None:
    rows, words = EMPTY[case]
    first = write_site(make_board(*rows), tmp_path)
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(first.as_uri())
        assert len(shown(page, ".matrix tbody tr")) == len(rows)
        # The values of one task are near the names.
        value = page.locator(".matrix tbody td:last-child").first
        assert (value.bounding_box() or {"x": 1280})["x"] < 500
        assert value.evaluate("cell => getComputedStyle(cell).textAlign") == "left"
        # Who stands alone is ahead of nobody.
        ahead = ["0.500 0.480–0.520 ranks 1–2"] * 2 if case == "nothing decided" else []
        assert shown(page, ".matrix .ahead") == ahead
        page.locator(".matrix .task a").click()
        assert words in page.locator(".verdict").first.inner_text()
        assert complaints == []


def test_on_a_phone_the_first_answer_is_in_view(browser: Browser, index: Path) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(index.as_uri())
        box = page.locator(".contenders tbody tr").first.bounding_box()
        assert box["y"] < 500
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        # A value is in view too, and price and trust stand below the name.
        value = page.locator(".matrix tbody tr").first.locator(".s1, .s2, .s3, .s4").first
        assert (value.bounding_box() or {"x": 390})["x"] < 300
        told = page.locator(".matrix tbody .name").first.get_attribute("data-brief")
        assert (
            told == "better than 100% of the others · $0.0200 each · 100% valid · 50% seen before"
        )
        assert shown(page, ".matrix .fact") == []
        # The name stays in view while the tasks are scrolled.
        page.locator(".scroll").first.evaluate("box => box.scrollLeft = 300")
        name = page.locator(".matrix tbody th").first.bounding_box()
        assert 0 <= name["x"] < 40
