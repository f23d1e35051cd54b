"""The annotation app under attack and without its database."""

import html
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.servers.annotation import EXCLUDE, INCLUDE, Made, Visitor, make, visitors

from vivavoce.web.annotation.campaigns import give_links


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path, 8)


def post(visitor: Visitor, path: str = "", **fields: str) -> Any:
    """Send a label to the address of the open page, without following where it leads."""
    sent = {"revision": "0", "decision": "include", **fields}
    return visitor.http.post(path or visitor.address, data=sent, follow_redirects=False)


# Pages of other sites


def test_no_page_is_framed_cached_or_named_to_others_and_no_cookie_is_set(made: Made) -> None:
    with visitors(made, "ann") as (ann,):
        answers = [ann.http.get(f"/{ann.link}{path}") for path in ("", "/next", "/items/99")]
        answers += [ann.http.get("/static/annotate.js"), ann.http.get("/")]
        ann.open()
        answers.append(post(ann))
    for answer in answers:
        headers = answer.headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        # The address holds the secret: no other site is told it, no cache keeps it.
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "a b", "[::bad"])
def test_a_foreign_host_is_refused(made: Made, host: str) -> None:
    with visitors(made, "ann", hosts=["a.example"]) as (ann,):
        rebound = ann.http.get(f"/{ann.link}", headers={"Host": host})
        assert rebound.status_code == 400
        assert ann.link not in rebound.text
        for known in ("a.example:8443", "[::1]:80", "LOCALHOST"):
            assert ann.http.get(f"/{ann.link}", headers={"Host": known}).status_code == 200


# One label, sent again; items of others


def test_four_parallel_submits_of_one_label_make_one_row(made: Made) -> None:
    with visitors(made, "ann") as (ann,), ThreadPoolExecutor(4) as threads:
        ann.open()
        answers = list(threads.map(lambda _: post(ann), range(4)))
    assert [answer.status_code for answer in answers] == [303] * 4
    assert made.said() == [("i0", "A1", INCLUDE)]


def test_a_stale_tab_and_the_back_button_change_nothing(made: Made) -> None:
    with visitors(made, "ann") as (ann,):
        ann.open()
        stale = (ann.address, ann.text)
        ann.send(decision="include")
        for fields in ({"decision": "exclude"}, {"skip": "yes"}):
            ann.address, ann.text = stale
            ann.send(**fields)
            assert ann.status == 409
            assert "That label was not changed." in ann.text
            assert f'href="/{ann.link}/next"' in ann.text
    assert made.said() == [("i0", "A1", INCLUDE)]


def test_items_of_others_are_not_there(tmp_path: Path) -> None:
    made = make(tmp_path, 4)
    other = make(tmp_path, 4, ["eve"], name="other")
    with visitors(made, "ann", "ben") as (ann, ben), visitors(other, "eve") as (eve,):
        ann.open()
        ben.open()
        ann.send(decision="include")
        for visitor, number in ((ben, 2), (ben, 5), (eve, 1), (eve, 5)):
            path = f"/{visitor.link}/items/{number}"
            assert visitor.http.get(path).status_code == 404
            assert post(visitor, path).status_code == 404
    assert made.said() == [("i0", "A1", INCLUDE)]
    assert other.said() == []


# Links that are guessed, changed or replaced


def test_a_link_that_is_not_whole_opens_nothing(made: Made) -> None:
    number, secret = made.links["ann"].split("-", 1)
    wrong = [number, f"{number}-", secret, f"2-{secret}", f"{number}-{secret[:-1]}"]
    wrong += [f"{number}-{secret}A", f"0{number}-{secret}", f"{number}-{secret.swapcase()}"]
    wrong += [f"{number}- OR 1=1", f"{'9' * 40}-{secret}", f"-{number}-{secret}", "%00", "²-x"]
    with visitors(made, "ann") as (ann,):
        ann.open()
        for link in wrong:
            for path in (f"/{link}", f"/{link}/next", f"/{link}/items/1"):
                assert ann.http.get(path).status_code == 404, path
            assert post(ann, f"/{link}/items/1").status_code == 404
        # A browser sends nothing by itself that would say who somebody is.
        assert post(ann, "/items/1").status_code == 404
        assert made.said() == []


def test_a_replaced_link_opens_nothing_and_the_new_one_goes_on(made: Made) -> None:
    with visitors(made, "ann") as (ann,):
        ann.open()
        item = ann.address.rpartition("/")[2]
        with made.database.writing() as connection:
            ((_, link),) = give_links(connection, made.campaign(), ["ann"], replace=True)
        ann.send(decision="include")
        assert ann.status == 404
        assert "ask for a new one" in ann.text
        ann.link = link
        ann.open()
        assert ann.address == f"/{link}/items/{item}"
        ann.send(decision="include")
    assert made.said() == [("i0", "A1", INCLUDE)]


# What is not an id or a label


IDS = ["1;drop%20table%20item", "1'", "0", "-1", "9" * 30, "1e3", "0x1", "%00", "1%20or%201=1", "²"]
TEXTS = ["'; DROP TABLE label; --", "\x00", "include\x00", "${7*7}{{7*7}}", "%s%n", "🦜" * 100]


def test_hostile_ids_are_no_pages(made: Made) -> None:
    with visitors(made, "ann") as (ann,):
        ann.open()
        for number in IDS:
            path = f"/{ann.link}/items/{number}"
            assert ann.http.get(path).status_code == 404, number
            assert post(ann, path).status_code == 404, number
    assert made.said() == []


def test_hostile_fields_are_text_or_nothing(made: Made) -> None:
    with visitors(made, "ann") as (ann,):
        for words in TEXTS:
            ann.open()
            ann.send(decision=words)
            assert ann.status == 422
            ann.open()
            ann.send(decision="include", revision=words)
            assert ann.status == 400
            ann.open()
            ann.send(decision="include", note=words)
            assert ann.status == 200
    notes = [label.note for item in made.items().values() for label in item.labels]
    assert notes == [words.replace("\x00", "") for words in TEXTS]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"revision=0&decision=include&note=" + b"x" * 300_000, 413),
        (b"revision=0&decision=include&decision=exclude", 400),
        (b"revision=0&decision=include&" + b"&".join(b"f%d=1" % n for n in range(100)), 400),
        (b"revision=0&decision=%ff", 400),
        (b"\xff\xfe", 400),
        (b'{"revision": 0, "decision": "include"}', 400),
        (b"", 400),
    ],
)
def test_what_is_no_form_is_refused(made: Made, content: bytes, status: int) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    with visitors(made, "ann") as (ann,):
        ann.open()
        assert ann.http.post(ann.address, content=content, headers=form).status_code == status
        # Without a length, the bytes are counted as they come.
        pieces = (b"note=" + b"x" * 65_536 for _ in range(100))
        assert ann.http.post(ann.address, content=pieces, headers=form).status_code == 413
    assert made.said() == []


# The database is held, or cannot be written, in mid-label


def again(visitor: Visitor) -> None:
    """Press the button of the page that asks to try again."""
    action = re.search(r'<form method="post" action="([^"]+)">\n', visitor.text)
    assert action is not None, visitor.text
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', visitor.text)
    sent = {name: html.unescape(value) for name, value in fields}
    visitor._see(visitor.http.post(action[1], data=sent))


def test_a_locked_database_loses_and_doubles_nothing(tmp_path: Path) -> None:
    made = make(tmp_path, wait=0.3)
    with visitors(made, "ann", "ben") as (ann, ben):
        ann.open()
        with closing(sqlite3.connect(made.database.path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            ann.send(decision="exclude", note='"><b>two\nlines</b>')
            assert ann.status == 503
            assert "Nothing you typed is lost" in ann.text
            assert "<b>two" not in ann.text
            again(ann)
            assert ann.status == 503
            ben.open()
            assert ben.status == 503
            assert f'href="/{ben.link}/next"' in ben.text
        assert made.said() == []
        again(ann)
        assert ann.status == 200
    assert made.said() == [("i0", "A1", EXCLUDE)]
    assert made.items()["i0"].labels[0].note == '"><b>two\nlines</b>'


def test_a_damaged_database_is_a_page_that_tells_nothing(
    made: Made, caplog: pytest.LogCaptureFixture
) -> None:
    with visitors(made, "ann") as (ann,):
        ann.open()
        with closing(sqlite3.connect(made.database.path)) as other:
            other.execute("DROP TABLE label")
        ann.send(decision="include")
        assert ann.status == 500
        assert "Nothing was saved." in ann.text
        assert "no such table" not in ann.text
        assert "no such table" in caplog.text
        assert ann.link not in caplog.text
