"""The annotation app in a browser, at a server that is killed in between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select
from tests.browser.desks import FIVE, decisions
from tests.servers.annotation import START, Server, fill, items_of, running_server

from vivavoce.web.annotation.campaigns import NewItem, add_items, make_campaign
from vivavoce.web.annotation.people import enrol, find_person
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Decision

pytestmark = pytest.mark.browser

XSS = "x</script><script>window.__xss=1</script><img src=x onerror='window.__xss=2;alert(1)'>"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Database]]:
    """A server with a campaign of each kind, one of hostile texts."""
    folder = tmp_path_factory.mktemp("small")
    database = open_database(str(folder / "annotation.db"))
    people = {**FIVE, **{f"one{number}": "annotator" for number in range(6)}}
    paper = {"title": XSS, "abstract": XSS * 20, "link": "javascript:window.__xss=3"}
    hostile = {
        "demand": XSS,
        "references": [paper],
        "candidate": paper,
        "columns": [XSS, "=1+1"],
        "rows": [[XSS, "wide " * 60]],
    }
    fill(database, people, items=[NewItem("hostile", hostile, "x"), *items_of("distractors", 9)])
    with database.writing() as session:
        for kind in ("demands", "qa", "preference"):
            campaign = make_campaign(session, kind, kind, START)
            add_items(session, campaign, items_of(kind, 3))
            for name, role in people.items():
                person = find_person(session, name)
                assert person is not None
                part = enrol(session, campaign, person, role, START)
                part.guidelines_read_at = START
    with running_server(str(folder / "annotation.db"), folder) as server:
        yield server, database
    database.close()


def test_hostile_texts_do_not_run(small, desk_of):
    server, _ = small
    ann = desk_of(server, "ann")
    ann.open("/c/pilot")
    for _ in range(10):
        if XSS in ann.page.locator(".paper-title").inner_text():
            break
        ann.press("s")
    assert ann.page.locator(".paper-title").inner_text() == XSS
    for fold in ann.page.locator("details:not(.note) > summary").all():
        fold.click()
    assert ann.page.evaluate("window.__xss") is None
    assert ann.page.locator("a[href^=javascript]").count() == 0
    ann.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.__in = 1';"
        " document.body.append(s); }"
    )
    assert ann.page.evaluate("window.__in") is None
    (complaint,) = ann.complaints
    assert "Content Security Policy" in complaint
    for width in (320, 1280):
        ann.page.set_viewport_size({"width": width, "height": 800})
        assert ann.page.evaluate("document.documentElement.scrollWidth") == width


def test_a_double_click_decides_one_item(small, desk_of):
    server, database = small
    one = desk_of(server, "one0")
    one.open("/c/pilot")
    before = decisions(database)
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Include").dblclick()
    one.page.wait_for_load_state()
    assert decisions(database) == before + 1
    assert one.page.locator("form#work").count() == 1  # the next item, whatever its title
    assert one.complaints == []


def test_keys_answer_question_after_question(small, desk_of):
    server, database = small
    one = desk_of(server, "one1")
    one.open("/c/demands")
    for key in "1w3r":
        one.page.keyboard.press(key)
    # Every key names its own option, and is shown on it.
    assert one.page.locator("label.choice:has(:checked) kbd").all_inner_texts() == list("1W3R")
    one.page.keyboard.press("n")
    one.page.keyboard.type("t and s are letters here")
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("f")
    one.page.get_by_text("Draft saved").wait_for()
    one.page.reload()
    assert one.page.locator("label.choice:has(:checked) kbd").all_inner_texts() == list("1W3R")
    one.page.keyboard.press("t")
    assert one.page.evaluate("document.activeElement.value") == "decide"
    one.press("Enter")
    with database.reading() as session:
        row = session.scalars(select(Decision).order_by(Decision.id.desc()).limit(1)).one()
    assert row.label == {
        "self_contained": "yes",
        "goal_oriented": "no",
        "one_or_two_sentences": "yes",
        "non_leaking": "no",
        "offensive": "no",
    }
    assert (row.note, row.flag) == ("t and s are letters here", True)


def test_everything_works_without_scripts(small, desk_of):
    server, database = small
    one = desk_of(server, "one2", java_script_enabled=False)
    before = decisions(database)
    one.open("/c/qa")
    assert one.page.locator("kbd").first.is_hidden()
    for question in range(2):
        one.page.get_by_role("radio", name="Yes").nth(question).check()
    one.page.get_by_text("Note or flag").click()
    one.page.locator("#note").fill("no scripts")
    one.page.get_by_role("button", name="Save and go on").click()
    assert one.page.get_by_text("1 by you").is_visible()
    one.open("/c/pilot")
    one.page.get_by_role("button", name="Exclude").click()
    assert decisions(database) == before + 2
    one.page.get_by_role("button", name="Log out").click()
    assert one.page.get_by_role("heading", name="Log in").is_visible()


def test_a_page_of_another_site_can_neither_send_nor_frame(small, desk_of):
    server, database = small
    one = desk_of(server, "one3")
    one.open("/c/pilot")
    target = one.page.url
    before = decisions(database)
    body = (
        f'<iframe src="{server.address}/campaigns"></iframe>'
        f'<form id="f" method="post" action="{target}">'
        '<input name="decision" value="include"><input name="revision" value="1"></form>'
    )
    evil = one.page.context.new_page()
    evil.route(
        "http://evil.example/", lambda route: route.fulfill(body=body, content_type="text/html")
    )
    evil.goto("http://evil.example/")
    assert "Your campaigns" not in "".join(frame.content() for frame in evil.frames[1:])
    with evil.expect_response(target) as answer:
        evil.evaluate("document.getElementById('f').submit()")
    assert answer.value.status == 403
    evil.get_by_text("came from elsewhere").wait_for()
    assert decisions(database) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone_and_can_be_read(small, desk_of, scheme):
    server, _ = small
    options = {"color_scheme": scheme, "viewport": {"width": 360, "height": 740}}
    one, lea = desk_of(server, "one4", **options), desk_of(server, "lea", **options)
    paths = ["/campaigns", *(f"/c/{name}" for name in ("pilot", "demands", "qa", "preference"))]
    for desk, path in [
        *((one, path) for path in (*paths, "/c/pilot/guidelines")),
        (lea, "/c/pilot/lead"),
    ]:
        desk.open(path)
        assert desk.page.evaluate("document.documentElement.scrollWidth") == 360, path
        assert desk.page.evaluate(LOW_CONTRAST) == [], path
        small_targets = desk.page.evaluate(SMALL_TARGETS)
        assert small_targets == [], path
        assert desk.complaints == []


# Every text against the ground it stands on, by WCAG 2.2 AA: 4.5 to 1.
LOW_CONTRAST = """
() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || !e.checkVisibility() || e.closest(".unseen, .jump")) continue;
    const colours = [parse(getComputedStyle(e).color).slice(0, 3), ground(e)];
    const [high, low] = colours.map(light).sort((x, y) => y - x);
    if ((high + 0.05) / (low + 0.05) < 4.5) found.push(text);
  }
  return found;
}
"""
# WCAG 2.2 AA asks for 24 by 24 pixels.
SMALL_TARGETS = """
() => [...document.querySelectorAll("button, .button, select, textarea, .choice, .check")]
  .filter((e) => e.checkVisibility() && !e.matches(".unseen"))
  .map((e) => [e.textContent, e.getBoundingClientRect()])
  .filter(([, box]) => box.width < 24 || box.height < 24)
  .map(([text]) => text)
"""
