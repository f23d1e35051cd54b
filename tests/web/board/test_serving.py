"""The site by HTTP: what a request gets, and what a stranger does not."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from lxml import html
from starlette.testclient import TestClient
from tests.results.audits.made_logs import write_log

from vivavoce.errors import VivaError
from vivavoce.web.board.page import Page
from vivavoce.web.board.serving import LiveSite, make_app

PAGES = {
    "index.html": b"<!doctype html><title>first</title>",
    "boards/index.html": b"<!doctype html><title>boards</title>",
    "style.css": b"body {}",
    "charts/one.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "board.parquet": b"PAR1",
}
VIVA = Path(sys.executable).with_name("viva")


@pytest.fixture
def client() -> TestClient:
    pages = [Page(path, f"key of {path}", lambda c=content: c) for path, content in PAGES.items()]
    site = LiveSite(lambda: pages, lambda: "same", lambda: 0.0)
    return TestClient(make_app(site), base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/boards/", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/charts/one.svg", "image/svg+xml"),
        ("/board.parquet", "application/octet-stream"),
    ],
)
def test_every_file_has_its_kind_and_its_guards(client: TestClient, path: str, kind: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers
    assert "set-cookie" not in answer.headers


def test_a_page_that_is_known_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/")
    again = client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nothing.html",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2fetc%2fpasswd",
        "/index.html%00",
        "/boards",
    ],
)
def test_there_is_nothing_else(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert html.fromstring(answer.content).xpath("//h1")[0].text == "There is no such page"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "0.0.0.0:8000"])
def test_another_name_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert b"first" not in answer.content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_changed(client: TestClient, method: str) -> None:
    assert client.request(method, "/").status_code == 405


def test_why_there_is_no_board_stands_on_a_page() -> None:
    beats = itertools.count(step=10.0)
    marks = itertools.count()
    reads = itertools.count()

    def read() -> list[Page]:
        if next(reads):
            raise VivaError("These logs are not complete:\n  <b>one</b>.eval")
        return []

    site = LiveSite(read, lambda: str(next(marks)), lambda: next(beats))
    answer = TestClient(make_app(site), base_url="http://localhost").get("/")
    assert answer.status_code == 503
    assert "&lt;b&gt;one&lt;/b&gt;.eval" in answer.text


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The command itself over a folder of logs: its address, and the folder."""
    logs = tmp_path / "logs"
    write_log(logs, {"a": 0.2, "b": 0.4}, model="lab/one")
    command = [VIVA, "board", "serve", logs, "--port", "0", "--resamples", "50"]
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        yield address, logs
        process.send_signal(signal.SIGINT)


@pytest.mark.slow
def test_the_command_follows_its_logs(served: tuple[str, Path]) -> None:
    address, logs = served
    first = httpx.get(address)
    assert first.status_code == 200
    assert "lab/one" in first.text.replace("<wbr>", "").replace("</span>", "")
    assert "two" not in html.fromstring(first.content).xpath("string(//main)")
    listed = httpx.get(f"{address}samples/index.html")
    assert listed.status_code == 200
    write_log(logs, {"a": 0.9, "b": 0.8}, model="lab/two")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        text = html.fromstring(httpx.get(address, timeout=30).content).xpath("string(//main)")
        if "two" in text:
            return
        time.sleep(0.3)
    raise AssertionError("the new log never came onto the page")
