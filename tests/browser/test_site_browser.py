"""A board of the static site as a reader meets it: opened from disk in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.board.board_rows import make_board, make_row

from vivavoce.web.board.site import write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from tests.conftest import Expect

pytestmark = pytest.mark.browser

XSS = "x</script><script>window.__xss=1</script><img src=x onerror='window.__xss=2;alert(1)'>"
# model, method, rougeL, rouge1
CONTESTANTS = [
    ("none/none", "oracle", 1.0, 1.0),
    ("maker/steady", "direct", 0.44, 0.47),
    ("maker/brisk", "direct", 0.42, 0.51),
    ("extractive/lead", "direct", 0.2, None),
    (XSS, "direct", 0.1, 0.12),
    ("javascript:window.__xss=3", "rag", None, None),
]
BY_ROUGE_L = ["maker/steady", "maker/brisk", "extractive/lead", XSS, "javascript:window.__xss=3"]


def make_rows(task: str) -> list[dict[str, Any]]:
    return [
        make_row(
            model,
            value,
            place if value is not None and place else None,
            ci=None if value is None else [value - 0.03, value + 0.03],
            task=task,
            method=method,
            metric=metric,
        )
        for place, (model, method, *values) in enumerate(CONTESTANTS)
        for metric, value in zip(("rougeL", "rouge1"), values, strict=True)
    ]


@dataclass
class Visit:
    """A page with what the browser reported while it was open."""

    page: Page
    folder: Path
    board: Path
    complaints: list[str] = field(default_factory=list)

    def order(self) -> list[str]:
        rows = self.page.locator("tbody.ranked th.name > bdi").all()
        return [row.inner_text() for row in rows if row.is_visible()]

    def header(self, label: str) -> Any:
        return self.page.locator("thead th").filter(has_text=label)


def page_of(folder: Path, task: str) -> Path:
    (found,) = folder.glob(f"boards/*/{task}-*.html")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = make_rows("vivavoce/title") + make_rows("vivavoce/abstract")
    board = make_board(*rows, notes=[XSS])
    return write_site(board, tmp_path_factory.mktemp("site")).parent


@pytest.fixture
def visit(browser: Browser, folder: Path) -> Iterator[Visit]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        visit = Visit(page, folder, page_of(folder, "title"))
        page.on("console", lambda message: visit.complaints.append(message.text))
        page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        page.on("dialog", lambda dialog: visit.complaints.append(f"dialog: {dialog.message}"))
        page.goto(visit.board.as_uri())
        yield visit


def test_the_policy_stops_a_script_that_got_in(visit: Visit) -> None:
    visit.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.__in = 1';"
        " document.body.append(s); }"
    )
    assert visit.page.evaluate("window.__in") is None
    assert any("Content Security Policy" in complaint for complaint in visit.complaints)


def test_a_click_sorts_and_says_so(visit: Visit) -> None:
    assert visit.order() == BY_ROUGE_L
    header = visit.header("rouge1")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert visit.header("rougeL").get_attribute("aria-sort") is None
    # The two without a rouge1 stay last, in the order they had.
    missing = ["extractive/lead", "javascript:window.__xss=3"]
    assert visit.order() == ["maker/brisk", "maker/steady", XSS, *missing]
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert visit.order() == [XSS, "maker/steady", "maker/brisk", *missing]


def test_sorting_leaves_the_oracle_alone(visit: Visit) -> None:
    visit.header("rouge1").get_by_role("button").click()
    assert visit.page.locator("tbody.limits th.name > bdi").all_inner_texts() == ["oracle"]


def test_the_filter_keeps_the_rows_that_match(visit: Visit, expect: Expect) -> None:
    box = visit.page.get_by_label("Find a contestant")
    box.fill("BRISK")
    assert visit.order() == ["maker/brisk"]
    expect(visit.page.get_by_role("status")).to_have_text("1 of 6 rows")
    box.fill("baseline")
    assert visit.order() == ["extractive/lead"]
    box.fill("nobody")
    assert visit.order() == []
    expect(visit.page.locator(".nothing")).to_be_visible()
    box.fill("")
    assert visit.order() == BY_ROUGE_L


def test_columns_are_hidden_and_rows_with_gaps_left_out(visit: Visit, expect: Expect) -> None:
    visit.page.locator("#columns summary").click()
    visit.page.get_by_label("rouge1").uncheck()
    expect(visit.header("rouge1")).to_be_hidden()
    visit.page.get_by_label("Complete rows only").check()
    # Neither has a value in every metric.
    assert visit.order() == [n for n in BY_ROUGE_L if n[:4] not in ("extr", "java")]
