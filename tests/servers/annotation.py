"""Campaigns to annotate, and people who do so: by HTTP in this process, or at a server."""

from __future__ import annotations

import html
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from starlette.testclient import TestClient

from vivavoce.store import Row
from vivavoce.web.annotation.app import make_app
from vivavoce.web.annotation.campaigns import NewItem, add_items, make_campaign
from vivavoce.web.annotation.kinds import find_kind
from vivavoce.web.annotation.people import add_person, enrol
from vivavoce.web.annotation.sources import check_rows
from vivavoce.web.annotation.storage import Database

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"
ANSWERS: Mapping[str, Row] = {
    "distractors": {"decision": "include"},
    "demands": {
        "self_contained": "yes",
        "goal_oriented": "yes",
        "one_or_two_sentences": "yes",
        "non_leaking": "yes",
        "offensive": "no",
    },
    "qa": {"grounded": "yes", "right": "yes"},
    "answers": {"answer": "yes"},
    "tables": {"headers": "yes", "comparison": "yes"},
    "preference": {"verdict": "a"},
}
_HIDDEN = re.compile(r'<input type="hidden" name="([a-z_.]+)" value="([^"]*)">')


@dataclass
class Clock:
    """A clock that stands still until it is told."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def wait(self, **length: float) -> None:
        self.now += timedelta(**length)


def content_of(kind: str, number: int) -> Row:
    """What an item of a kind shows; the number tells items apart."""
    paper = {"title": f"Candidate number {number}", "abstract": f"We study matter {number}."}
    table = {"columns": ["Paper", "Size"], "rows": [["One", "10"], ["Two", None]]}
    contents: Mapping[str, Row] = {
        "distractors": {
            "demand": f"I need a table of data sets for matter {number % 7}.",
            "references": [{"title": "A known paper", "abstract": "It is known."}],
            "candidate": paper,
            **table,
        },
        "demands": {"caption": f"Table {number}", "demand": "I need a table.", "columns": ["Size"]},
        "qa": {"question": f"Is size {number} there?", "answer": "Yes", **table},
        "answers": {"question": f"Is size {number} there?", **table},
        "tables": {"caption": f"Table {number}", **table},
        "preference": {"prompt": f"Write title {number}.", "a": f"Left {number}", "b": "Right"},
    }
    return contents[kind]


def items_of(kind: str, count: int, *, part: str = "main", start: int = 0) -> list[NewItem]:
    """Items with clusters of five; those of the qualification know their answers."""
    trial = {"answer": dict(ANSWERS[kind]), "explanation": "Because the demand says so."}
    rows = [
        {
            "id": f"{part}-{number:03d}",
            "content": content_of(kind, number),
            "cluster": f"table-{number // 5}",
            "part": part,
            **(trial if part == "qualification" else {}),
        }
        for number in range(start, start + count)
    ]
    # As any import: a fixture that skips its checks shows pages that no campaign can have.
    return check_rows(find_kind(kind), [(row, "The item") for row in rows]) if rows else []


def fill(
    database: Database,
    people: Mapping[str, str],
    *,
    name: str = "pilot",
    kind: str = "distractors",
    items: int | Sequence[NewItem] = 4,
    trial: int = 0,
    **options: Any,
) -> None:
    """Make a campaign, and people by name and role who have read the guidelines."""
    with database.writing() as session:
        campaign = make_campaign(session, name, kind, START, **options)
        main = items_of(kind, items) if isinstance(items, int) else list(items)
        add_items(
            session, campaign, [*main, *items_of(kind, trial, part="qualification", start=900)]
        )
        for person, role in people.items():
            # A hash that costs little: nothing here is secret.
            added = add_person(session, person, PASSWORD, cost=4)
            enrol(session, campaign, added, role, START).guidelines_read_at = START


@dataclass
class Person:
    """Somebody with a browser that has no scripts."""

    http: TestClient
    address: str = "/"
    """Of the page that is open."""
    text: str = ""
    status: int = 0
    pages: list[str] = field(default_factory=list)
    """Every page that was ever open."""

    def open(self, path: str) -> str:
        """Open a page, wherever it leads; return its text."""
        return self._see(self.http.get(path))

    def send(self, path: str = "", /, **fields: str) -> str:
        """Send the form of the open page, to the item's own address unless told otherwise."""
        found = {k: html.unescape(v) for k, v in _HIDDEN.findall(self.text)}
        return self._see(self.http.post(path or self.address, data={**found, **fields}))

    def log_in(self, name: str, password: str = PASSWORD) -> str:
        """Log in; the page after that is open."""
        self.open("/login")
        return self.send("/login", name=name, password=password)

    def hidden(self, name: str) -> str:
        """The value of a hidden field of the open page."""
        return html.unescape(dict(_HIDDEN.findall(self.text))[name])

    def _see(self, answer: Any) -> str:
        self.address, self.text, self.status = answer.url.path, answer.text, answer.status_code
        self.pages.append(self.text)
        return self.text


@contextmanager
def app_people(
    database: Database, clock: Clock, *names: str, **options: Any
) -> Iterator[list[Person]]:
    """People at one app in this process, logged in by name; an empty name is a stranger."""
    app = make_app(database, clock, **options)
    scheme = "https" if options.get("secure_cookies") else "http"
    people = [Person(TestClient(app, base_url=f"{scheme}://127.0.0.1")) for _ in names]
    for person, name in zip(people, names, strict=True):
        if name:
            person.log_in(name)
            assert person.status == 200, person.text
    try:
        yield people
    finally:
        for person in people:
            person.http.close()


_SERVE = """
import sys
from datetime import UTC, datetime
import uvicorn
from vivavoce.web.annotation.app import make_app
from vivavoce.web.annotation.storage import open_database
database = open_database(sys.argv[1], wait=float(sys.argv[3]))
app = make_app(database, lambda: datetime.now(UTC))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", server_header=False)
"""


@dataclass
class Server:
    """A server in a process of its own, which can be killed and come back."""

    url: str
    port: int
    log: Path
    wait: float = 5.0
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-c", _SERVE, self.url, str(self.port), str(self.wait)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(300):
            try:
                with urlopen(f"{self.address}/static/icon.svg", timeout=5):
                    return
            except OSError:
                assert self.process.poll() is None, self.log.read_text("utf-8")
                time.sleep(0.1)
        raise AssertionError(f"no answer from {self.address}: {self.log.read_text('utf-8')}")

    def kill(self) -> None:
        """End the process as a power cut does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@contextmanager
def running_server(url: str, folder: Path, *, wait: float = 5.0) -> Iterator[Server]:
    """A server on a free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = Server(url, port, folder / "server.log", wait)
    server.start()
    try:
        yield server
    finally:
        server.kill()
