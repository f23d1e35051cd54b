"""The pages of the annotation app, as somebody without scripts meets them."""

from __future__ import annotations

import re

import pytest
from lxml import html as lxml_html
from lxml.html import HtmlElement
from sqlalchemy import select
from tests.servers.annotation import ANSWERS, PASSWORD, Clock, Person, app_people, content_of, fill

from vivavoce.web.annotation.app import guidelines_html
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.people import find_person, set_password
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Decision, Enrolment, Item

FOUR = {"ann": "annotator", "ben": "annotator", "cat": "adjudicator", "dan": "adjudicator"}
FIVE = {**FOUR, "lea": "lead"}
WORK = "/c/pilot"
LEAD = "/c/pilot/lead"
HOSTILE = "</textarea><script>window.__xss=1</script><img src=x onerror=alert(1)>"


def without_tokens(page: str) -> str:
    return re.sub(r'name="csrf" value="[^"]*"', "", page)


def judge(person: Person, **fields: str) -> None:
    """Open the next item and decide it."""
    person.open(WORK)
    assert "/a/" in person.address, person.text
    person.send(**fields)
    assert person.status == 200, person.text


def labels(database: Database) -> list[object]:
    with database.reading() as session:
        return [row.label for row in session.scalars(select(Decision).order_by(Decision.id))]


def test_the_guidelines_are_confirmed_before_the_first_item(database, clock):
    fill(database, {"ann": "annotator"})
    with database.writing() as session:
        session.scalars(select(Enrolment)).one().guidelines_read_at = None
    with app_people(database, clock, "ann") as (ann,):
        assert "Read the guidelines to begin." in ann.text
        ann.open(WORK)
        assert ann.address == "/c/pilot/guidelines"
        ann.send()
        assert ann.status == 422
        assert "Tick the box" in ann.text
        ann.send(read="yes")
        assert ann.address == "/c/pilot/a/1"
        ann.open("/c/pilot/guidelines")
        assert "You confirmed these guidelines." in ann.text


def test_a_trial_shows_its_solutions_when_it_is_over(database, clock):
    fill(database, {"ann": "annotator"}, trial=5)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        assert "This is a trial item" in ann.text
        assert "0 of 5 trial items" in ann.text
        ann.open("/c/pilot/review")
        # The solutions have to wait, so the page leads back to the work.
        assert "/a/" in ann.address
        for decision in ("exclude", "include", "include", "include"):
            ann.send(decision=decision)
            assert "Because the demand says so." not in ann.text
        ann.send(decision="include")
        assert ann.address == "/c/pilot/review"
        # Four of five, and the pass mark is 0.8.
        assert "You passed the trial" in ann.text
        assert "You were right on 4 of 5 items; 4 are needed." in ann.text
        assert ann.text.count("Because the demand says so.") == 5
        assert ann.text.count("Not right.") == 1
        ann.open(WORK)
        assert "0 of 4 items done · 0 by you" in ann.text


def test_who_fails_the_trial_gets_no_item_until_a_lead_admits_them(database, clock):
    fill(database, {"ann": "annotator", "lea": "lead"}, trial=2)
    with app_people(database, clock, "ann", "lea") as (ann, lea):
        ann.open(WORK)
        for _ in range(2):
            ann.send(decision="exclude")
        assert "You did not pass the trial" in ann.text
        ann.open(WORK)
        assert ann.address == WORK
        assert "You did not pass the trial" in ann.text
        lea.open(LEAD)
        lea.send("/c/pilot/lead/people/1", action="admit")
        assert lea.status == 200
        ann.open(WORK)
        assert "/a/" in ann.address


def test_two_people_who_agree_settle_an_item(database, clock):
    fill(database, FOUR, items=1)
    with app_people(database, clock, "ann", "ben", "cat") as (ann, ben, cat):
        judge(ann, decision="include")
        assert "You have decided every item" in ann.text
        judge(ben, decision="include")
        assert "All items are done" in ben.text
        cat.open(WORK)
        assert "All items are done" in cat.text
    with database.reading() as session:
        item = session.scalars(select(Item)).one()
        assert (item.state, item.final) == ("done", {"decision": "include"})


def test_a_split_goes_to_two_others_and_then_to_a_lead_who_sees_all_four(database, clock):
    fill(database, FIVE, items=1)
    with app_people(database, clock, *FIVE) as (ann, ben, cat, dan, lea):
        cat.open(WORK)
        assert "Nothing to adjudicate now" in cat.text
        judge(ann, decision="include", note="of ann")
        lea.open("/c/pilot/lead/i/1")
        assert lea.status == 403
        judge(ben, decision="exclude", note="of ben")
        lea.open(LEAD)
        assert "with the second pair, 0 of 2" in lea.text
        judge(cat, decision="exclude", note="of cat")
        lea.open("/c/pilot/lead/i/1")
        assert lea.status == 403
        judge(dan, decision="include", note="of dan")
        lea.open(LEAD)
        assert "/c/pilot/lead/i/1" in lea.text
        for person in (ann, ben, cat, dan):
            person.open("/c/pilot/lead/i/1")
            assert person.status == 404
        lea.open("/c/pilot/lead/i/1")
        for name in ("ann", "ben", "cat", "dan"):
            assert f"of {name}" in lea.text
        assert "Settle this item" in lea.text
        lea.send()
        assert "/a/" in lea.address
        assert "What each of them said" in lea.text
        lea.send(decision="exclude", note="of lea")
        assert lea.address == "/c/pilot/lead/i/1"
        assert "What counts" in lea.text
    with database.reading() as session:
        item = session.scalars(select(Item)).one()
        assert (item.state, item.final) == ("done", {"decision": "exclude"})


@pytest.mark.parametrize("stage", ["first", "second"])
def test_a_page_is_the_same_whatever_others_said(tmp_path, stage):
    """The same campaign three times; only what others decided and wrote differs."""
    worlds = [("include", "exclude"), ("exclude", "include"), ("exclude", "exclude")]
    seen = []
    # Before the second decision of a first pair, all three; after a split, the first two.
    for number, (of_ann, of_ben) in enumerate(worlds[: 3 if stage == "first" else 2]):
        database = open_database(str(tmp_path / f"{number}.db"))
        fill(database, FOUR, items=1)
        with app_people(database, Clock(), *FOUR) as (ann, ben, cat, dan):
            judge(ann, decision=of_ann, note=f"because of {of_ann}", flag="yes")
            if stage == "first":
                watcher = ben
            else:
                judge(ben, decision=of_ben, note=f"because of {of_ben}")
                judge(dan, decision=of_ann, note=f"because of {of_ann}")
                watcher = cat
            for path in ("/campaigns", WORK, "/c/pilot/guidelines"):
                watcher.open(path)
            seen.append([without_tokens(page) for page in watcher.pages])
        database.close()
    assert all(pages == seen[0] for pages in seen)
    assert "Two others do not agree" in seen[0][-2] or stage == "first"


def test_a_draft_stays_with_the_item(database, clock):
    fill(database, {"ann": "annotator"}, kind="demands", items=1)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        ann.send(action="draft", goal_oriented="no", note="half\nway", flag="yes")
        ann.open(WORK)
        assert re.search(r'name="goal_oriented" value="no"[^>]* checked', ann.text)
        assert ann.text.count(" checked") == 2  # that one and the flag
        assert ">half\nway</textarea>" in ann.text
        assert "Draft saved" in ann.text
        # The page saves by itself with a request of its own.
        draft = ann.http.post(
            f"{ann.address}/draft", data={"csrf": ann.hidden("csrf"), "offensive": "no"}
        )
        assert (draft.status_code, draft.text) == (204, "")
        assert labels(database) == []


def test_what_was_typed_goes_through_an_expired_login(database, clock):
    fill(database, {"ann": "annotator"}, kind="demands", items=1)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        clock.wait(hours=13)
        ann.send(action="decide", **ANSWERS["demands"], note=HOSTILE + "\nnext", flag="yes")
        assert ann.status == 401
        assert "You are logged out." in ann.text
        assert "<script>window" not in ann.text
        ann.send("/login", name="ann", password="wrong password")
        assert ann.status == 401
        ann.send("/login", name="ann", password=PASSWORD)
        assert "You are logged in" in ann.text
        assert labels(database) == []
        ann.send("/c/pilot/a/1")
        assert ann.status == 200
    with database.reading() as session:
        (row,) = session.scalars(select(Decision))
        assert (row.label, row.flag) == (ANSWERS["demands"], True)
        assert row.note == HOSTILE + "\nnext"


def test_only_items_are_kept_through_a_login(database, clock):
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "") as (stranger,):
        stranger.open("/login")
        for path in ("https://example.org/", "//example.org/c/pilot/a/1", "/logout"):
            stranger.open("/login")
            kept = {"kept.": path, "kept.note": "typed"}
            stranger.send("/login", name="ann", password=PASSWORD, **kept)
            assert (stranger.status, stranger.address) == (200, "/campaigns")
            stranger.send("/logout")
        answer = stranger.http.post("/c/pilot/lead/feedback", data={"text": "typed"})
        assert answer.status_code == 401
        assert "typed" not in answer.text


def test_what_is_missing_is_named_and_what_was_typed_stays(database, clock):
    fill(database, {"ann": "annotator"}, kind="qa", items=1)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        ann.send(action="decide", grounded="yes", note=HOSTILE)
        assert ann.status == 422
        assert (
            "Not answered: Is the answer right by the table or passage it is read from?" in ann.text
        )
        assert re.search(r'name="grounded" value="yes"[^>]* checked', ann.text)
        assert "&lt;/textarea&gt;&lt;script&gt;" in ann.text
        assert "<script>window" not in ann.text
        assert labels(database) == []


def test_a_skipped_item_comes_back_at_the_end(database, clock):
    fill(database, {"ann": "annotator"}, items=2)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        first = ann.address
        ann.send(action="skip")
        assert ann.address != first
        ann.send(decision="include")
        assert ann.address == first


def test_own_decisions_are_found_and_corrected_until_others_depend_on_them(database, clock):
    fill(database, {"ann": "annotator", "ben": "annotator"}, items=3)
    with app_people(database, clock, "ann", "ben") as (ann, ben):
        ann.open(WORK)
        first = ann.address
        ann.send(decision="include")
        assert f'href="{first}"' in ann.text
        ann.open(first)
        assert "You said:" in ann.text
        assert ann.hidden("revision") == "2"
        ann.send(action="draft", note="Enter was pressed")
        assert (ann.status, ann.address) == (200, first)
        ann.send(decision="exclude")
        ann.send(decision="include", note="in doubt", flag="yes")
        ann.open("/c/pilot/mine")
        assert ann.text.count("Correct it") == 2
        assert f'href="{first}"' in ann.text
        ann.open("/c/pilot/mine?only=flagged")
        assert ann.text.count("Correct it") == 1
        assert "in doubt" in ann.text
        ann.open(first)
        ann.send(decision="include")
        for _ in range(3):
            judge(ben, decision="include")
        ann.open(first)
        assert "You have decided this item" in ann.text
        ann.open("/c/pilot/mine?only=open")
        assert "There are none." in ann.text
        ann.open("/c/pilot/mine")
        assert ann.text.count("Others depend on it.") == 2
        ann.open("/c/pilot/mine?only=nothing")
        assert ann.status == 404
        ben.open("/c/pilot/mine")
        assert f'href="{first}"' not in ben.text
    assert [label["decision"] for label in labels(database)[:4]] == [
        "include",
        "exclude",
        "include",
        "include",
    ]


def test_an_item_left_for_a_day_goes_to_somebody_else(database, clock):
    fill(database, {"ann": "annotator", "ben": "annotator", "eve": "annotator"}, items=1)
    with app_people(database, clock, "ann", "ben", "eve") as (ann, ben, eve):
        ann.open(WORK)
        ben.open(WORK)
        eve.open(WORK)
        assert "Nothing is left for you now" in eve.text
        for _ in range(5):
            # Sessions end after half a day without a page.
            clock.wait(hours=5)
            for person in (ann, ben, eve):
                person.open("/campaigns")
        eve.open(WORK)
        assert "/a/" in eve.address
        eve.send(decision="include")
        ben.open(WORK)
        ben.send(decision="include")
        ann.open("/c/pilot/a/1")
        ann.send(decision="exclude")
        assert ann.status == 409
        assert "This item went to somebody else" in ann.text
        assert f'href="{WORK}"' in ann.text
    assert labels(database) == [{"decision": "include"}] * 2


def test_the_sides_of_a_pair_change_places_and_are_mapped_back(database, clock):
    fill(database, {"ann": "annotator"}, kind="preference", items=12)
    orders = set()
    with app_people(database, clock, "ann") as (ann,):
        for _ in range(12):
            ann.open(WORK)
            shown = lxml_html.fromstring(ann.text)
            text = {
                side: shown.xpath(f'string(//section[@aria-labelledby="part-{side}"]/p)')
                for side in "ab"
            }
            side = next(side for side in "ab" if text[side].startswith("Left"))
            orders.add(side)
            ann.send(verdict=side)
    assert orders == {"a", "b"}
    # Every time the text on the item's own side a was chosen.
    assert labels(database) == [{"verdict": "a"}] * 12


def test_names_of_contestants_are_in_no_page(database, clock):
    content = content_of("preference", 0) | {"names": {"a": "maker/one", "b": "reference"}}
    fill(database, {"ann": "annotator"}, kind="preference", items=[NewItem("x", content, "x")])
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        assert "Left 0" in ann.text
        assert "maker/one" not in ann.text


def test_a_paused_person_is_told_why_and_goes_on_later(database, clock):
    fill(database, {"ann": "annotator", "lea": "lead"})
    with app_people(database, clock, "ann", "lea") as (ann, lea):
        ann.open(WORK)
        item = ann.address
        lea.open(LEAD)
        lea.send("/c/pilot/lead/people/1", action="pause", reason="Read the second example again.")
        assert "paused" in lea.text
        ann.send(decision="include")
        assert "You are paused" in ann.text
        assert "Read the second example again." in ann.text
        ann.open(item)
        assert ann.address == WORK
        assert labels(database) == []
        lea.open(LEAD)
        lea.send("/c/pilot/lead/people/1", action="resume")
        ann.open(WORK)
        assert ann.address == item


def test_a_paused_campaign_hands_nothing_out(database, clock):
    fill(database, {"ann": "annotator", "lea": "lead"})
    with app_people(database, clock, "ann", "lea") as (ann, lea):
        lea.open(LEAD)
        lea.send("/c/pilot/lead/campaign", action="pause")
        assert "The campaign is paused" in lea.text
        ann.open(WORK)
        assert "The campaign is paused" in ann.text
        lea.send("/c/pilot/lead/campaign", action="resume")
        ann.open(WORK)
        assert "/a/" in ann.address


def test_feedback_stays_on_top_until_it_is_read(database, clock):
    fill(database, {"ann": "annotator", "ben": "annotator", "lea": "lead"})
    with app_people(database, clock, "ann", "ben", "lea") as (ann, ben, lea):
        lea.open(LEAD)
        lea.send("/c/pilot/lead/feedback", to="all", text="A survey is out.")
        lea.open(LEAD)
        lea.send("/c/pilot/lead/feedback", to="1", text="Only for you: " + HOSTILE)
        ann.open(WORK)
        assert "A survey is out." in ann.text
        assert "Only for you: &lt;/textarea&gt;" in ann.text
        ben.open(WORK)
        assert "A survey is out." in ben.text
        assert "Only for you" not in ben.text
        ben.send("/c/pilot/feedback/2/read")
        assert ben.status == 404
        ann.send("/c/pilot/feedback/1/read")
        assert "A survey is out." not in ann.text
        assert "Only for you" in ann.text


def test_a_lead_sees_how_it_goes(database, clock):
    fill(database, FIVE, items=4)
    with app_people(database, clock, *FIVE) as (ann, ben, _, _, lea):
        for person in (ann, ben):
            person.open(WORK)
            for decision in ("include", "exclude"):
                # The next item is shown as soon as one is sent.
                clock.wait(seconds=40)
                person.send(decision=decision, flag="yes", note="unclear abstract")
        lea.open(LEAD)
        page = lxml_html.fromstring(lea.text)
        facts = dict(
            zip(
                page.xpath('//dl[@class="facts"]//dt/text()'),
                page.xpath('//dl[@class="facts"]//dd/text()[1]'),
                strict=True,
            )
        )
    with database.reading() as session:
        decided = session.scalars(select(Item)).all()
        states = [item.state for item in decided]
    assert facts["Open"] == str(states.count("open"))
    assert facts["Done"] == str(states.count("done"))
    assert facts["Seconds an item"] == "40"
    assert lea.text.count("unclear abstract") == 4
    assert "Let the campaign go on" not in lea.text


@pytest.mark.parametrize(
    "path",
    ["/lead", "/lead/campaign", "/lead/people/1", "/lead/feedback", "/lead/i/1"],
)
def test_pages_of_the_lead_are_nobody_elses(database, clock, path):
    fill(database, FIVE)
    with app_people(database, clock, "ann", "cat") as people:
        for person in people:
            person.open(WORK)
            token = person.hidden("csrf")
            if path in ("/lead", "/lead/i/1"):
                assert person.http.get(WORK + path).status_code == 404
            if path != "/lead":
                sent = {"csrf": token, "action": "pause", "to": "all", "text": "hello"}
                assert person.http.post(WORK + path, data=sent).status_code == 404
    with database.reading() as session:
        assert all(row.paused_at is None for row in session.scalars(select(Enrolment)))


def test_hostile_items_are_text(database, clock):
    content = content_of("distractors", 0) | {"demand": HOSTILE + "\u202e\x00\ud800"}
    content["candidate"] = {"title": HOSTILE, "abstract": HOSTILE, "link": "javascript:alert(1)"}
    fill(database, {"ann": "annotator"}, items=[NewItem("x", content, "x")])
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        assert ann.status == 200
        assert "<script>window" not in ann.text
        assert "<img" not in ann.text
        assert "javascript:" not in ann.text
        assert "⟨U+202E⟩" in ann.text
        assert not {"\u202e", "\x00", "\ud800"} & set(ann.text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_well_made(database, clock, kind):
    """One h1, a language, a label for every control, a caption or headers for every table."""
    fill(database, FIVE, kind=kind, items=2, trial=1, pass_mark=0)
    fields = {"action": "decide", **ANSWERS[kind]}
    other = {**fields, KINDS[kind].fields[0].name: KINDS[kind].fields[0].values[-1]}
    with app_people(database, clock, *FIVE, "") as everybody:
        ann, ben, cat, dan, lea, stranger = everybody
        for person, label in ((ann, fields), (ben, other), (cat, fields), (dan, other)):
            person.open("/c/pilot/guidelines")
            person.open(WORK)
            person.send(**fields)  # the trial
            person.open(WORK)
            person.send(**label)
            person.open(WORK)
            if person.address != WORK:
                person.send(**label)
            person.open("/c/pilot/a/999")
        for path in (LEAD, "/c/pilot/lead/i/1", "/c/pilot/lead/i/2"):
            lea.open(path)
            assert lea.status == 200
        lea.send("/c/pilot/lead/i/1")
        assert "What each of them said" in lea.text
        lea.send(**fields)
        assert "What counts" in lea.text
        stranger.open("/login")
        pages = [page for person in everybody for page in person.pages]
    assert len(pages) > 30
    for page in dict.fromkeys(pages):
        check_page(page)


def check_page(text: str) -> None:
    page = lxml_html.fromstring(text)
    assert text.startswith("<!doctype html>")
    assert page.get("lang") == "en"
    assert len(page.xpath("//h1")) == 1, text
    assert len(page.xpath("//main")) == 1
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)), ids
    for control in page.xpath("//input[not(@type='hidden')] | //textarea | //select"):
        name = control.get("id")
        labelled = page.xpath("//label[@for=$name]", name=name) if name else []
        assert labelled or control.xpath("ancestor::label"), lxml_html.tostring(control)
    for reference in page.xpath("//@aria-labelledby | //@aria-describedby"):
        assert reference in ids
    for table in page.xpath("//table"):
        assert table.xpath(".//thead//th[@scope='col']")
    # The policy forbids all of these.
    assert not page.xpath(
        "//@style | //style | //script[not(@src)] | //@*[starts-with(name(),'on')]"
    )
    for form in page.xpath("//form"):
        assert form.get("method") == "post"
        assert form.xpath(".//input[@name='csrf']")


def test_keys_of_the_page_and_of_the_kinds_do_not_clash():
    for kind in KINDS.values():
        keys = [option.key for field in kind.fields for option in field.options]
        assert len(set(keys)) == len(keys)
        assert not {"n", "f", "s", "enter"} & set(keys)


def test_enter_never_decides_an_item(database, clock):
    """A browser presses the first button of a form for Enter; that one saves a draft."""
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        form = lxml_html.fromstring(ann.text).xpath("//form[@id='work']")[0]
        first = form.xpath(".//button")[0]
        assert (first.get("name"), first.get("value")) == ("action", "draft")


def test_the_name_is_taken_as_it_was_meant(database, clock):
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "") as (ann,):
        ann.log_in(" Ann ")
        assert ann.address == "/campaigns"


def test_a_session_ends_when_the_password_changes(database, clock):
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "ann") as (ann,):
        with database.writing() as session:
            person = find_person(session, "ann")
            assert person is not None
            set_password(session, person, "another long password", cost=4)
        ann.open("/campaigns")
        assert ann.address == "/login"


def test_guidelines_know_a_little_markdown():
    text = (
        "# What *you* do\nRead **twice**.\nSlowly.\n\n- one\n  goes on\n- two\n\n1. first\n2. 2 * 3"
    )
    page = lxml_html.fragment_fromstring(guidelines_html(text), create_parent="div")
    found = [(block.tag, inner_html(block)) for block in page.xpath("./*[not(li)] | .//li")]
    assert found == [
        ("h2", "What <em>you</em> do"),
        ("p", "Read <strong>twice</strong>. Slowly."),
        ("li", "one goes on"),
        ("li", "two"),
        ("li", "first"),
        ("li", "2 * 3"),
    ]
    assert [block.tag for block in page] == ["h2", "p", "ul", "ol"]


def inner_html(element: HtmlElement) -> str:
    parts = [
        element.text or "",
        *(lxml_html.tostring(child, encoding="unicode") for child in element),
    ]
    return "".join(parts).strip()


def test_the_files_beside_the_pages_are_there(database, clock):
    fill(database, {"ann": "annotator"})
    with app_people(database, clock, "") as (stranger,):
        for name in ("annotate.css", "annotate.js", "icon.svg"):
            assert stranger.http.get(f"/static/{name}").status_code == 200
        for name in ("../app.py", "%2e%2e/app.py", "..%2fapp.py", "nothing.css"):
            assert stranger.http.get(f"/static/{name}").status_code == 404
