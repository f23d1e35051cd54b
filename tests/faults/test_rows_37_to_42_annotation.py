"""Rows 37 to 42 of the fault matrix: the annotation app under attack and without its database.

Everything runs on SQLite and on a PostgreSQL server that the test starts.
"""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text
from starlette.testclient import TestClient
from tests.conftest import missing_system_package
from tests.servers.annotation import PASSWORD, Clock, Person, app_people, fill
from tests.servers.postgresql import PostgreSQL, find_initdb, running_postgresql

from vivavoce.web.annotation.app import make_app
from vivavoce.web.annotation.people import check_password
from vivavoce.web.annotation.requests import IDLE, LIFETIME, WRONG_ANYWHERE, WRONG_HERE
from vivavoce.web.annotation.storage import Database, open_database
from vivavoce.web.annotation.tables import Assignment, Decision, Draft, LoginAttempt, LoginSession
from vivavoce.web.serving import is_known_host, is_own_form

pytestmark = pytest.mark.slow

WORK = "/c/pilot"
TWO = {"ann": "annotator", "ben": "annotator"}
FIVE = {**TWO, "cat": "adjudicator", "dan": "adjudicator", "lea": "lead"}


@dataclass
class Store:
    """A database, and how to disturb it."""

    database: Database
    url: str
    server: PostgreSQL | None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Somebody else writes, and does not come to an end."""
        if self.server is None:
            path = str(self.database.engine.url.database)
            other = sqlite3.connect(path, isolation_level=None)
            try:
                other.execute("BEGIN EXCLUSIVE")
                yield
            finally:
                other.rollback()
                other.close()
            return
        with self.database.engine.connect() as other:
            # Closing the connection ends what it began.
            other.execute(text("SELECT id FROM campaign FOR UPDATE"))
            yield


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    initdb = find_initdb()
    if initdb is None:
        missing_system_package("initdb", "postgresql")
        raise AssertionError
    with running_postgresql(initdb) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    server = None
    url = str(tmp_path / "annotation.db")
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        url = server.create(f"t{abs(hash(request.node.name)) % 10**12}")
    database = open_database(url)
    yield Store(database, url, server)
    database.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def count(database: Database, table: type[Any]) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def post(person: Person, path: str, **headers: str) -> Any:
    """Send the open page's decision with headers of one's own."""
    fields = {name: person.hidden(name) for name in ("csrf", "revision")}
    sent = {**fields, "decision": "include"}
    return person.http.post(path, data=sent, headers=headers, follow_redirects=False)


# Row 37: forms of other sites, and frames


def test_a_form_without_its_token_changes_nothing(store, clock):
    fill(store.database, TWO)
    with app_people(store.database, clock, "ann", "ben") as (ann, ben):
        ann.open(WORK)
        ben.open(WORK)
        for token in ("", "x", ben.hidden("csrf"), ann.hidden("csrf")[:-1], "\ud800"):
            sent = {
                "revision": "1",
                "decision": "include",
                "csrf": token.encode("utf-8", "replace"),
            }
            assert ann.http.post(ann.address, data=sent).status_code == 403
        sent = {"revision": "1", "decision": "include"}
        assert ann.http.post(ann.address, data=sent).status_code == 403
        json = ann.http.post(ann.address, json={"csrf": ann.hidden("csrf"), "decision": "include"})
        assert json.status_code == 415
        twice = f"csrf={ann.hidden('csrf')}&revision=1&decision=include&decision=exclude"
        form = {"content-type": "application/x-www-form-urlencoded"}
        assert ann.http.post(ann.address, content=twice, headers=form).status_code == 400
        assert count(store.database, Decision) == 0
        assert post(ann, ann.address).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:81"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://[::bad"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_form_from_elsewhere_changes_nothing_even_with_the_token(tmp_path, clock, headers):
    database = open_database(str(tmp_path / "annotation.db"))
    fill(database, TWO)
    with app_people(database, clock, "ann") as (ann,):
        ann.open(WORK)
        refused = post(ann, ann.address, **headers)
        assert refused.status_code == 403
        assert "This form came from elsewhere" in refused.text
        assert count(database, Decision) == 0
        own = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
        assert post(ann, ann.address, **own).status_code == 303
    database.close()


def test_behind_https_the_origin_must_be_https_too():
    own = {"host": "a.example", "fetch_site": None, "needs_https": True}
    assert is_own_form(origin="https://a.example", **own)
    assert not is_own_form(origin="http://a.example", **own)
    assert is_known_host("a.example:8443", {"a.example"})
    assert is_known_host("[::1]:80", {"[::1]"})
    assert not is_known_host("a.example.evil.example", {"a.example"})
    assert not is_known_host("", {"a.example"})
    assert is_known_host("whatever", {"*"})


def test_nobody_can_be_logged_in_as_somebody_else(tmp_path, clock):
    """A login form of another site does not know the mark of this browser."""
    database = open_database(str(tmp_path / "annotation.db"))
    fill(database, TWO)
    with app_people(database, clock, "") as (victim,):
        victim.open("/login")
        for token in ("", "guessed"):
            victim.send("/login", name="ann", password=PASSWORD, csrf=token)
            assert victim.status == 403
        assert count(database, LoginSession) == 0
    database.close()


@pytest.mark.parametrize("secure", [False, True])
def test_pages_cannot_be_framed_and_cookies_cannot_be_read(tmp_path, clock, secure):
    database = open_database(str(tmp_path / "annotation.db"))
    fill(database, TWO)
    with app_people(database, clock, "", secure_cookies=secure) as (ann,):
        mark = ann.http.get("/login").headers["set-cookie"]
        ann.open("/login")
        fields = {"csrf": ann.hidden("csrf"), "name": "ann", "password": PASSWORD}
        answer = ann.http.post("/login", data=fields, follow_redirects=False)
        cookies = [mark, *answer.headers.get_list("set-cookie")]
        names = [cookie.partition("=")[0] for cookie in cookies]
        prefix = "__Host-" if secure else ""
        assert set(names) == {f"{prefix}viva-session", f"{prefix}viva-login"}
        for cookie in cookies:
            parts = {part.strip().lower() for part in cookie.split(";")[1:]}
            assert {"httponly", "samesite=strict", "path=/"} <= parts
            assert ("secure" in parts) == secure
            assert not any(part.startswith("domain") for part in parts)
        for path in ("/login", "/campaigns", WORK, "/nothing", "/static/annotate.js"):
            got = ann.http.get(path).headers
            policy = got["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert got["x-content-type-options"] == "nosniff"
            assert ("strict-transport-security" in got) == secure
            wanted = "no-cache" if path.startswith("/static") else "no-store"
            assert got["cache-control"] == wanted
    database.close()


def test_a_foreign_host_and_an_endless_body_are_refused(tmp_path, clock):
    database = open_database(str(tmp_path / "annotation.db"))
    fill(database, TWO)
    with app_people(database, clock, "ann") as (ann,):
        rebound = ann.http.get("/login", headers={"Host": "evil.example"})
        assert rebound.status_code == 400
        assert "default-src 'none'" in rebound.headers["content-security-policy"]
        ann.open(WORK)
        ann.send(note="x" * 300_000, decision="include")
        assert ann.status == 413
        # Without a length, the bytes are counted as they come.
        pieces = (b"csrf=x&note=" + b"x" * 65_536 for _ in range(100))
        assert ann.http.post(ann.address, content=pieces).status_code == 413
        assert count(database, Decision) == 0
    database.close()


# Row 38: one decision, sent again; items of others


def test_four_parallel_submits_of_one_decision_make_one_row(store, clock):
    fill(store.database, TWO)
    app = make_app(store.database, clock)
    first = Person(TestClient(app, base_url="http://127.0.0.1"))
    first.log_in("ann")
    first.open(WORK)
    tabs = []
    for _ in range(4):
        tab = TestClient(app, base_url="http://127.0.0.1")
        tab.cookies.update(first.http.cookies)
        tabs.append(Person(tab, first.address, first.text))
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda tab: post(tab, tab.address), tabs))
    assert sorted(answer.status_code for answer in answers) == [303, 409, 409, 409]
    late = next(answer for answer in answers if answer.status_code == 409)
    assert "Your decision is saved" in late.text
    assert count(store.database, Decision) == 1
    for tab in (first, *tabs):
        tab.http.close()


def test_two_places_are_taken_by_two_people_however_many_come_at_once(store, clock):
    names = [f"p{number}" for number in range(4)]
    fill(store.database, dict.fromkeys(names, "annotator"), items=1)
    with app_people(store.database, clock, *names) as people, ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda person: person.open(WORK), people))
        assert sorted("/a/" in person.address for person in people) == [False, False, True, True]
    assert count(store.database, Assignment) == 2


def test_a_stale_tab_and_the_back_button_change_nothing(store, clock):
    fill(store.database, TWO)
    with app_people(store.database, clock, "ann") as (ann,):
        ann.open(WORK)
        stale = (ann.address, ann.text)
        ann.send(decision="include")
        ann.address, ann.text = stale
        ann.send(decision="exclude")
        assert ann.status == 409
        assert "What stands was not changed." in ann.text
        assert f'href="{WORK}"' in ann.text
        with store.database.reading() as session:
            labels = [row.label for row in session.scalars(select(Decision))]
        assert labels == [{"decision": "include"}]


def test_items_of_others_are_not_there(store, clock):
    fill(store.database, TWO)
    fill(store.database, {"eve": "annotator"}, name="other")
    with app_people(store.database, clock, "ann", "ben", "eve") as (ann, ben, eve):
        ben.open(WORK)
        theirs = ben.address
        ann.open(WORK)
        own = (ann.address, ann.text)
        for path in (theirs, f"{theirs}/draft", "/c/pilot/a/999", "/c/other/a/1"):
            ann.address, ann.text = own
            ann.send(path, decision="include")
            assert ann.status == 404
        for path in (theirs, "/c/pilot/a/999", own[0].replace("pilot", "other"), "/c/other"):
            ann.open(path)
            assert ann.status == 404
        eve.open(own[0])
        assert eve.status == 404
        for path in ("/", "/campaigns", own[0], WORK, "/c/pilot/lead"):
            with TestClient(ann.http.app, base_url="http://127.0.0.1") as stranger:
                answer = stranger.get(path, follow_redirects=False)
                assert answer.status_code == 303
                assert answer.text == ""
    assert count(store.database, Decision) == 0
    assert count(store.database, Draft) == 0


# Row 39: passwords, sessions, ids


def test_the_sixth_wrong_password_is_not_even_looked_at(store, clock):
    fill(store.database, TWO)
    with app_people(store.database, clock, "") as (guesser,):
        found = []
        for number in range(20):
            guesser.log_in("ann", f"wrong {number}")
            found.append(guesser.status)
        assert found == [401] * WRONG_HERE + [429] * 15
        guesser.log_in("ann")  # the right one
        assert guesser.status == 429
        assert "Try again in 15 minutes." in guesser.text
        guesser.log_in("ben")
        assert guesser.address == "/campaigns"
        guesser.send("/logout")
        clock.wait(minutes=14, seconds=59)
        guesser.log_in("ann")
        assert guesser.status == 429
        clock.wait(seconds=1)
        guesser.log_in("ann")
        assert guesser.address == "/campaigns"
    assert count(store.database, LoginAttempt) == 0


def test_guessing_at_once_brings_no_more_guesses(store, clock, monkeypatch):
    looked_at = []
    monkeypatch.setattr(
        "vivavoce.web.annotation.requests.check_password",
        lambda *given: looked_at.append(given) or check_password(*given),
    )
    fill(store.database, TWO)
    app = make_app(store.database, clock)
    guessers = [Person(TestClient(app, base_url="http://127.0.0.1")) for _ in range(12)]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda guesser: guesser.log_in("ann", "wrong password"), guessers))
    # On PostgreSQL two may be counted at the same moment.
    most = WRONG_HERE if store.server is None else WRONG_HERE + 5
    assert WRONG_HERE <= len(looked_at) <= most
    for guesser in guessers:
        guesser.http.close()


def test_one_address_cannot_try_many_names(tmp_path, clock):
    database = open_database(str(tmp_path / "annotation.db"))
    fill(database, TWO)
    with app_people(database, clock, "") as (guesser,):
        statuses = []
        for number in range(WRONG_ANYWHERE + 1):
            # Names of old hashes cost as much as those that nobody has.
            guesser.log_in(f"nobody-{number}", "wrong password")
            statuses.append(guesser.status)
        assert statuses == [401] * WRONG_ANYWHERE + [429]
        text = guesser.text
        guesser.log_in("ann", "wrong password")
        assert re.sub('value="[^"]*"', "", guesser.text) == re.sub('value="[^"]*"', "", text)
    database.close()


def test_a_session_is_new_at_login_and_dead_after_logout(store, clock):
    fill(store.database, TWO)
    with app_people(store.database, clock, "") as (ann,):
        planted = "A" * 43
        ann.http.cookies.set("viva-session", planted, domain="127.0.0.1", path="/")
        ann.open("/campaigns")
        assert ann.address == "/login"
        ann.log_in("ann")
        first = ann.http.cookies["viva-session"]
        assert first != planted
        first_csrf = ann.hidden("csrf")
        stranger = TestClient(ann.http.app, base_url="http://127.0.0.1")
        again = Person(stranger)
        again.log_in("ann")
        second = stranger.cookies["viva-session"]
        assert second != first
        assert again.hidden("csrf") != first_csrf
        with store.database.reading() as session:
            stored = [row.token_hash for row in session.scalars(select(LoginSession))]
        assert len(stored) == 2
        assert not any(token in "".join(stored) for token in (first, second))
        again.send("/logout")
        assert again.address == "/login"
        stranger.cookies.set("viva-session", second, domain="127.0.0.1", path="/")
        assert again.open("/campaigns")
        assert again.address == "/login"
        ann.open("/campaigns")
        assert ann.address == "/campaigns"
        stranger.close()


def test_sessions_outlive_a_restart_but_not_their_time(store, clock):
    fill(store.database, TWO)
    with app_people(store.database, clock, "ann") as (ann,):
        ann.open(WORK)
        page = (ann.address, ann.text)
        cookies = ann.http.cookies
    with app_people(store.database, clock, "") as (after,):
        after.http.cookies.update(cookies)
        after.address, after.text = page
        after.send(decision="include")
        assert after.status == 200
        assert count(store.database, Decision) == 1
        busy = LIFETIME // (IDLE / 2)
        for _ in range(int(busy) - 1):
            clock.wait(seconds=IDLE.total_seconds() / 2)
            after.open("/campaigns")
            assert after.address == "/campaigns"
        clock.wait(seconds=IDLE.total_seconds() / 2)
        after.open("/campaigns")
        assert after.address == "/login"
        after.log_in("ann")
        clock.wait(seconds=IDLE.total_seconds())
        after.open("/campaigns")
        assert after.address == "/login"


# Row 40: what is not a name, an id or a label

NAMES = [
    "..x",
    "%2e%2e%2fetc%2fpasswd",
    "..%5c..%5cwin.ini",
    "/etc/passwd",
    "pilot%00",
    "CON",
    "PILOT",
    "pilot'--",
    "pilot%27%20OR%20%271%27=%271",
    "%F0%9F%92%A5",
    "%ff",
    "a" * 65,
    "pilot;drop%20table%20item",
]
IDS = ["1;drop%20table%20item", "1'", "0", "-1", "9" * 30, "1e3", "0x1", "%00", "1%20or%201=1", "²"]
TEXTS = ["'; DROP TABLE decision; --", "\x00", "include\x00", "${7*7}{{7*7}}", "%s%n", "🦜" * 100]


def test_hostile_names_and_ids_are_no_pages(store, clock):
    fill(store.database, FIVE)
    with app_people(store.database, clock, "ann", "lea") as (ann, lea):
        ann.open(WORK)
        for name in NAMES:
            for path in (f"/c/{name}", f"/c/{name}/a/1", f"/c/{name}/guidelines"):
                assert ann.http.get(path).status_code in (404, 405), path
        token = ann.hidden("csrf")
        lead_token = lea.hidden("csrf")
        for number in IDS:
            assert ann.http.get(f"/c/pilot/a/{number}").status_code == 404, number
            sent = {"csrf": token, "decision": "include", "revision": "1"}
            assert ann.http.post(f"/c/pilot/a/{number}", data=sent).status_code == 404, number
            assert lea.http.get(f"/c/pilot/lead/i/{number}").status_code == 404, number
            sent = {"csrf": lead_token, "action": "pause"}
            path = f"/c/pilot/lead/people/{number}"
            assert lea.http.post(path, data=sent).status_code == 404, number
    assert count(store.database, Decision) == 0


def test_hostile_fields_are_text_or_nothing(store, clock):
    fill(store.database, FIVE, items=8)
    with app_people(store.database, clock, "ann", "lea", "") as (ann, lea, stranger):
        for words in TEXTS:
            ann.open(WORK)
            ann.send(decision=words)
            assert ann.status == 422
            ann.open(WORK)
            ann.send(decision="include", revision=words)
            assert ann.status == 422
            ann.open(WORK)
            ann.send(decision="include", note=words, action=words)
            assert ann.status == 422
            ann.open(WORK)
            ann.send(decision="include", note=words, flag=words)
            assert ann.status == 200
            lea.open("/c/pilot/lead")
            lea.send("/c/pilot/lead/feedback", to=words, text=words)
            assert lea.status == 422
            lea.open("/c/pilot/lead")
            lea.send("/c/pilot/lead/people/1", action=words)
            assert lea.status == 422
            stranger.log_in(words, words)
            assert stranger.status == 401
        with store.database.reading() as session:
            notes = [row.note for row in session.scalars(select(Decision).order_by(Decision.id))]
    assert notes == [words.replace("\x00", "") for words in TEXTS]


# Row 41: the database is locked, or restarts, in mid-decision


def again(person: Person) -> None:
    """Press the button of the page that asks to try again."""
    action = re.search(r'<form method="post" action="([^"]+)">\n', person.text)
    assert action is not None, person.text
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', person.text)
    sent = {name: html.unescape(value) for name, value in fields}
    person._see(person.http.post(action[1], data=sent))


def test_a_locked_database_loses_and_doubles_nothing(store, clock):
    fill(store.database, TWO)
    impatient = open_database(store.url, wait=0.4)
    with app_people(impatient, clock, "ann") as (ann,):
        ann.open(WORK)
        with store.locked():
            ann.send(decision="exclude", note='"><b>two\nlines</b>', flag="yes")
            assert ann.status == 503
            assert "Nothing of what you typed is lost" in ann.text
            assert "<b>two" not in ann.text
            again(ann)
            assert ann.status == 503
        assert count(store.database, Decision) == 0
        again(ann)
        assert ann.status == 200
    impatient.close()
    with store.database.reading() as session:
        (row,) = session.scalars(select(Decision))
    kept = (row.label, row.note, row.flag)
    assert kept == ({"decision": "exclude"}, '"><b>two\nlines</b>', True)


def test_a_crash_of_postgresql_in_mid_decision(postgresql, clock):
    """Down, a page asks to try again; back, what was typed is sent once, by the old session."""
    database = open_database(postgresql.create("crash"), wait=2)
    fill(database, TWO)
    with app_people(database, clock, "ann", "ben") as (ann, ben):
        ann.open(WORK)
        ben.open(WORK)
        postgresql.stop()
        ann.send(decision="include", note="typed before the crash")
        assert ann.status == 503
        ben.open(WORK)
        assert ben.status == 503
        assert f'href="{WORK}"' in ben.text
        postgresql.start()
        again(ann)
        assert ann.status == 200
        ben.open(WORK)
        assert ben.status == 200
        # Once more, with the connections in the pool cut but nobody having noticed.
        postgresql.restart()
        ben.send(decision="exclude")
        assert ben.status == 200
        with database.reading() as session:
            rows = session.scalars(select(Decision).order_by(Decision.id)).all()
            assert [row.note for row in rows] == ["typed before the crash", ""]
    database.close()


def test_what_nobody_foresaw_is_a_page_too(tmp_path, caplog):
    database = open_database(str(tmp_path / "annotation.db"))

    def broken() -> Any:
        raise RuntimeError("the clock fell off the wall")

    with TestClient(make_app(database, broken), base_url="http://127.0.0.1") as client:
        answer = client.get("/campaigns")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert "clock fell" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "clock fell" in caplog.text
    database.close()


# Row 42: everybody says the same


def test_agreement_without_variance_is_undefined_not_perfect(store, clock):
    fill(store.database, FIVE, items=10)
    with app_people(store.database, clock, "ann", "ben", "lea") as (ann, ben, lea):
        for person in (ann, ben):
            person.open(WORK)
            for _ in range(10):
                person.send(decision="include")
        lea.open("/c/pilot/lead")
        table = lea.text[lea.text.index("Fleiss") :]
        cells = re.findall(r'<td class="number">(.*?)</td>', table)[:5]
        assert cells[:2] == ["10", "100%"]
        assert re.sub("<[^>]+>", "", cells[2]) == "undefined"
        assert re.sub("<[^>]+>", "", cells[3]) == "undefined"
        assert "1.000" not in cells[2] + cells[3]
        assert 'title="' in cells[2]
