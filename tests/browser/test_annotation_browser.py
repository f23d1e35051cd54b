"""The annotation app in a browser: by keys alone, on a phone, without scripts, attacked, killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.annotation import (
    EXCLUDE,
    INCLUDE,
    Made,
    Server,
    full_content,
    make,
    rows_of,
    running_server,
)
from tests.servers.commands import viva_here
from tests.support.pages import serious_rules

from vivavoce.web.annotation.kinds import KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from tests.conftest import Expect

pytestmark = pytest.mark.browser

XSS = "x</script><script>window.__xss=1</script><img src=x onerror='window.__xss=2;alert(1)'>"
NAMES = [f"p{number}" for number in range(6)]


@dataclass
class Desk:
    """Somebody at a browser of their own, and what the browser said meanwhile."""

    page: Page
    home: str
    """Address of the person's link."""
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def open(self, path: str = "/next") -> None:
        self.page.goto(self.home + path)

    def press(self, key: str) -> None:
        """Press a key that sends the page, and wait for the next one."""
        with self.page.expect_navigation(wait_until="domcontentloaded"):
            self.page.keyboard.press(key)

    def item(self) -> int | None:
        """The number of the item on the page, if there is one."""
        if not self.page.locator("form#work").count():
            return None
        return int(self.page.url.rpartition("/")[2])


DeskOf = Callable[..., Desk]


@pytest.fixture
def desk_of(browser: Browser) -> Iterator[DeskOf]:
    contexts = []

    def sit_down(server: Server, made: Made, name: str, **options: Any) -> Desk:
        context = browser.new_context(**options)
        contexts.append(context)
        desk = Desk(context.new_page(), f"{server.address}/{made.links[name]}")
        desk.page.on("console", lambda message: desk.complaints.append(message.text))
        desk.page.on("pageerror", lambda error: desk.complaints.append(str(error)))
        desk.page.on("dialog", lambda dialog: desk.complaints.append(dialog.message))
        desk.page.on(
            "request",
            lambda request: (
                None if request.url.startswith(server.address) else desk.foreign.append(request.url)
            ),
        )
        return desk

    yield sit_down
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, Made]]]:
    """A server with a campaign of each kind, that of distractors with hostile texts."""
    folder = tmp_path_factory.mktemp("small")
    paper = {"title": XSS, "abstract": XSS * 20, "link": "javascript:window.__xss=3"}
    hostile = {
        "demand": XSS,
        "references": [paper],
        "candidate": paper,
        "columns": [XSS, "=1+1"],
        "rows": [[XSS, "wide " * 60]],
    }
    made = {}
    for kind in KINDS:
        rows = [{"id": "full", "content": full_content(kind)}, *rows_of(kind, 5)]
        if kind == "distractors":
            rows[0] = {"id": "hostile", "content": hostile}
        made[kind] = make(folder, rows, NAMES, kind=kind, name=kind)
    with running_server(made["qa"]) as server:
        yield server, made


def test_two_people_label_by_keys_and_the_server_is_killed(tmp_path: Path, desk_of: DeskOf) -> None:
    """The third settles what they differ on; what was on screen goes on after a kill."""
    made = make(tmp_path, 8)
    with running_server(made) as server:
        ann, ben, cem = (desk_of(server, made, name) for name in made.links)
        for desk in (ann, ben):
            desk.open("")
            desk.press("Enter")
        for number in range(1, 5):
            assert ann.item() == number
            ann.press("i")
        assert ben.item() == 1
        ben.press("e")
        server.kill()
        with pytest.raises(Exception, match="ERR_CONNECTION"):
            ann.press("i")
        assert len(made.said()) == 5
        server.start()
        ann.open()
        for number in range(5, 9):
            assert ann.item() == number
            ann.press("i")
        assert ann.item() is None
        # The one before is corrected by keys as well.
        ben.open()
        ben.press("z")
        assert ben.item() == 1
        ben.press("i")
        while ben.item() is not None:
            ben.press("e" if ben.item() == 8 else "i")
        cem.open()
        assert cem.item() == 8
        cem.press("e")
        assert cem.item() is None
        for desk in (ann, ben, cem):
            assert desk.foreign == []
            assert [line for line in desk.complaints if "ERR_" not in line] == []
    finals = [item.final for item in made.items().values()]
    assert finals == [INCLUDE] * 7 + [EXCLUDE]


def test_every_kind_is_labelled_by_keys(
    small: tuple[Server, dict[str, Made]], desk_of: DeskOf
) -> None:
    server, campaigns = small
    for name, made in campaigns.items():
        one = desk_of(server, made, "p0")
        one.open()
        kind = KINDS[name]
        chosen = [asked.options[-1] for asked in kind.fields]
        if len(kind.fields) == 1:
            one.press(chosen[0].key)
        else:
            for option in chosen:
                one.page.keyboard.press(option.key)
            # Every key names its own option, and is shown on it.
            shown = one.page.locator("label.choice:has(:checked) kbd").all_inner_texts()
            assert shown == [option.key.upper() for option in chosen]
            one.page.keyboard.press("n")
            one.page.keyboard.type("1, q and s are letters here")
            one.page.keyboard.press("Escape")
            one.press("Enter")
        assert len(made.said()) == 1, name
        label = next(iter(made.items().values())).labels[0]
        if not kind.sides:
            names = [asked.name for asked in kind.fields]
            values = [option.value for option in chosen]
            assert label.value == dict(zip(names, values, strict=True))
        assert label.note == ("1, q and s are letters here" if len(kind.fields) > 1 else "")
        assert one.complaints == []


def test_hostile_texts_do_not_run(
    small: tuple[Server, dict[str, Made]], desk_of: DeskOf, expect: Expect
) -> None:
    server, made = small
    one = desk_of(server, made["distractors"], "p1")
    one.open()
    expect(one.page.locator(".paper-title")).to_have_text(XSS)
    one.page.keyboard.press("p")
    one.page.keyboard.press("b")
    expect(one.page.locator("details:not(.note):not([open])")).to_have_count(0)
    assert one.page.evaluate("window.__xss") is None
    assert one.page.locator("a[href^=javascript]").count() == 0
    one.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.__in = 1';"
        " document.body.append(s); }"
    )
    assert one.page.evaluate("window.__in") is None
    (complaint,) = one.complaints
    assert "Content Security Policy" in complaint
    for width in (320, 1280):
        one.page.set_viewport_size({"width": width, "height": 800})
        assert one.page.evaluate("document.documentElement.scrollWidth") == width


def test_a_double_click_labels_one_item(
    small: tuple[Server, dict[str, Made]], desk_of: DeskOf, expect: Expect
) -> None:
    server, campaigns = small
    made = campaigns["answers"]
    one = desk_of(server, made, "p2")
    one.open()
    before = len(made.said())
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Yes").dblclick()
    one.page.wait_for_load_state()
    assert len(made.said()) == before + 1
    expect(one.page.locator("form#work")).to_have_count(1)  # the next item
    assert one.complaints == []


def test_everything_works_without_scripts(
    small: tuple[Server, dict[str, Made]], desk_of: DeskOf, expect: Expect
) -> None:
    server, campaigns = small
    made = campaigns["qa"]
    one = desk_of(server, made, "p3", java_script_enabled=False)
    one.open("")
    expect(one.page.locator("kbd").first).to_be_hidden()
    one.page.get_by_role("link", name="Begin").click()
    for question in range(2):
        one.page.get_by_role("radio", name="Yes").nth(question).check()
    one.page.get_by_text("Note", exact=True).click()
    one.page.locator("#note").fill("no scripts")
    one.page.get_by_role("button", name="Save and continue").click()
    expect(one.page.get_by_text("1 of 6 items labelled by you")).to_be_visible()
    notes = [label.note for item in made.items().values() for label in item.labels]
    assert "no scripts" in notes


def test_pages_fit_a_phone_ask_nobody_else_and_break_no_serious_rule(
    small: tuple[Server, dict[str, Made]], desk_of: DeskOf
) -> None:
    server, campaigns = small
    for made in campaigns.values():
        # The policy of the pages keeps scripts out, this one as well.
        one = desk_of(server, made, "p4", bypass_csp=True, viewport={"width": 360, "height": 740})
        # What stands around an item is the same for every kind.
        for path in ("", "/next", "/items/99") if made is campaigns["qa"] else ("/next",):
            one.open(path)
            assert one.page.evaluate("document.documentElement.scrollWidth") == 360, path
            assert serious_rules(one.page) == [], path
        assert one.foreign == []
        assert [line for line in one.complaints if "404" not in line] == []


def test_the_page_of_agreement_shows_what_the_keys_said(
    tmp_path: Path, desk_of: DeskOf, expect: Expect
) -> None:
    made = make(tmp_path, 4)
    with running_server(made) as server:
        for name, keys in zip(made.links, ("iiee", "ieee"), strict=False):
            desk = desk_of(server, made, name, bypass_csp=True)
            desk.open()
            for key in keys:
                desk.press(key)
    command = ("annotate", "agreement", "--campaign", made.name, "--db", made.database.path)
    viva_here(*command, "--resamples", "0", "--out", tmp_path / "page")
    desk.page.goto((tmp_path / "page" / "index.html").as_uri())
    expect(
        desk.page.get_by_role("heading", name="Agreement of the first two labels")
    ).to_be_visible()
    expect(desk.page.get_by_role("row", name="decision 4 0.750")).to_be_visible()
    expect(desk.page.get_by_text("done 3, open 1, split 0")).to_be_visible()
    assert serious_rules(desk.page) == []
