"""Every page of a site in a browser, opened from disk: nothing hostile runs, all can read it."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.hostile_site import MODELS, SCRIPT, write_hostile_site
from tests.support.pages import serious_rules

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.conftest import Expect

pytestmark = pytest.mark.browser

WIDTHS = (390, 1024, 1900)
LARGEST_PAGE = 300_000


@dataclass
class Reader:
    """Somebody who goes through pages, and what the browser reported meanwhile."""

    page: Page
    site: Path
    foreign: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())

    def note_request(self, url: str) -> None:
        if not url.startswith(self.site.as_uri()):
            self.foreign.append(url)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hostile_site(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def reader_of(browser: Browser, site: Path) -> Iterator[Callable[..., Reader]]:
    contexts: list[BrowserContext] = []

    def make(width: int = 1280, **options: Any) -> Reader:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        reader = Reader(context.new_page(), site)
        reader.page.on("request", lambda request: reader.note_request(request.url))
        reader.page.on("console", lambda message: reader.complaints.append(message.text))
        reader.page.on("pageerror", lambda error: reader.complaints.append(str(error)))
        reader.page.on("dialog", lambda dialog: reader.complaints.append(dialog.message))
        return reader

    yield make
    for context in contexts:
        context.close()


def pages_of(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def kinds_of(site: Path) -> list[Path]:
    """One page of each kind: the largest of each folder, and all at the top."""
    folders: dict[str, Path] = {}
    for path in pages_of(site):
        parts = path.relative_to(site).parts
        kind = parts[0] if len(parts) > 1 else path.name
        if kind not in folders or path.stat().st_size > folders[kind].stat().st_size:
            folders[kind] = path
    return list(folders.values())


def test_the_site_has_every_kind_of_page(site: Path) -> None:
    kinds = {path.relative_to(site).parts[0] for path in kinds_of(site)}
    assert kinds >= {"index.html", "boards", "samples", "metrics.html"}
    boards = [path for path in pages_of(site) if path.relative_to(site).parts[0] == "boards"]
    assert len(boards) == 4  # two rounds of two tasks


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_runs_out_of_the_window_complains_or_asks_elsewhere(
    reader_of: Callable[..., Reader], site: Path, width: int
) -> None:
    reader = reader_of(width)
    for path in pages_of(site) if width == WIDTHS[0] else kinds_of(site):
        reader.open(path)
        for scheme in ("light", "dark"):
            reader.page.emulate_media(color_scheme=scheme)
            assert reader.page.evaluate("document.documentElement.scrollWidth") <= width, path
            # Images below the window are fetched when somebody comes near, or asks for pixels.
            reader.page.evaluate("Promise.all([...document.images].map(i => i.decode()))")
            drawn = "[...document.images].every(i => i.complete && i.naturalWidth > 0)"
            assert reader.page.evaluate(drawn), path
        assert reader.page.evaluate("window.__xss") is None, path
    assert reader.complaints == []
    assert reader.foreign == []


def test_pages_are_small_and_every_link_leads_somewhere(
    reader_of: Callable[..., Reader], site: Path
) -> None:
    reader = reader_of()
    for path in pages_of(site):
        assert path.stat().st_size < LARGEST_PAGE, path
        reader.open(path)
        links = "links => links.map(link => link.getAttribute('href'))"
        for href in set(reader.page.eval_on_selector_all("a[href]", links)):
            assert re.match(r"(https?://|#|[\w.%/~-]+(#.*)?$)", href), href
            if not href.startswith(("#", "http")):
                assert (path.parent / href.partition("#")[0]).is_file(), (path, href)


def test_hostile_names_are_shown_as_they_are_spelt(
    reader_of: Callable[..., Reader], site: Path
) -> None:
    reader = reader_of()
    board = next(path for path in kinds_of(site) if "boards" in path.parts)
    reader.open(board)
    shown = reader.page.locator("main").inner_text()
    assert SCRIPT.partition("<")[2].partition(">")[0] in shown
    assert "{{ 7 * 7 }}" in shown
    assert not [path.name for path in site.rglob("*") if not re.fullmatch(r"[\w.-]+", path.name)]


def test_spreadsheets_find_no_formula(site: Path) -> None:
    tables = sorted(site.rglob("*.csv"))
    assert tables
    for path in tables:
        with path.open(encoding="utf-8", newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-(?![\d.])", cell)], path


def test_by_keyboard_alone_one_filters_sorts_and_downloads(
    reader_of: Callable[..., Reader], site: Path, expect: Expect
) -> None:
    reader = reader_of(accept_downloads=True)
    page = reader.page
    reader.open(next(path for path in kinds_of(site) if "boards" in path.parts))
    everybody = len(MODELS)

    go_to(page, "input[type=search]")
    page.keyboard.type("maker")
    rows = page.locator("tbody.ranked tr:visible")
    expect(rows).to_have_count(2)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    expect(rows).to_have_count(everybody)

    go_to(page, "thead button")
    before = rows.all_inner_texts()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert rows.all_inner_texts() != before
    expect(page.locator("th[aria-sort]")).to_have_count(1)

    reader.open(site / "index.html")
    go_to(page, "a[download]")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.path().stat().st_size > 0
    assert reader.complaints == []


def go_to(page: Page, selector: str) -> None:
    """Press Tab until something like this has the focus, which has to be seen."""
    page.evaluate("document.activeElement.blur()")
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            outline = page.evaluate(
                "(() => { const s = getComputedStyle(document.activeElement);"
                " return s.outlineStyle !== 'none' || s.boxShadow !== 'none'; })()"
            )
            assert outline, f"{selector} does not show that it has the focus"
            return
    raise AssertionError(f"Tab never comes to {selector}")


def test_what_is_filtered_stands_in_the_address(
    reader_of: Callable[..., Reader], site: Path, expect: Expect
) -> None:
    reader = reader_of()
    reader.open(next(path for path in kinds_of(site) if "boards" in path.parts))
    reader.page.locator("input[type=search]").first.fill("brisk")
    reader.page.wait_for_function("location.hash.includes('brisk')")
    again = reader_of()
    again.page.goto(reader.page.url)
    expect(again.page.locator("tbody.ranked tr:visible")).to_have_count(1)
    expect(again.page.locator("input[type=search]").first).to_have_value("brisk")


def test_a_hostile_address_does_nothing(reader_of: Callable[..., Reader], site: Path) -> None:
    reader = reader_of()
    board = next(path for path in kinds_of(site) if "boards" in path.parts).as_uri()
    for hash_ in (SCRIPT, "q=" + SCRIPT, "sort=" + SCRIPT, "hide=" + "x," * 5000, "%E0%A4%A"):
        reader.page.goto("about:blank")
        reader.page.goto(f"{board}#{hash_}")
        assert reader.page.locator("tbody.ranked tr").count() == len(MODELS)
    assert reader.page.evaluate("window.__xss") is None
    assert reader.complaints == []


def test_accessibility_rules_find_nothing_serious(
    reader_of: Callable[..., Reader], site: Path
) -> None:
    # The policy of the pages keeps scripts out, this one as well.
    reader = reader_of(bypass_csp=True)
    for path in kinds_of(site):
        reader.open(path)
        assert serious_rules(reader.page) == [], path


def test_pages_are_whole_without_scripts(reader_of: Callable[..., Reader], site: Path) -> None:
    reader = reader_of(java_script_enabled=False)
    for path in kinds_of(site):
        reader.open(path)
        assert reader.page.locator("h1").inner_text()
    board = next(path for path in kinds_of(site) if "boards" in path.parts)
    reader.open(board)
    assert reader.page.locator("tbody.ranked tr").count() == len(MODELS)
    reader.open(site / "index.html")
    assert reader.page.locator("a[download]").first.is_visible()
