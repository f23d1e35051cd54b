"""Campaigns to annotate, and people who do so: by HTTP in this process, or at a server."""

import html
import json
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
from vivavoce.web.annotation.campaigns import (
    Campaign,
    Person,
    add_items,
    find_campaign,
    find_person,
    give_links,
    open_campaign,
    read_items,
)
from vivavoce.web.annotation.database import (
    Database,
    Task,
    next_item,
    open_database,
    read_task,
    submit,
)
from vivavoce.web.annotation.kinds import KINDS, Item, Value, check_rows

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
INCLUDE, EXCLUDE = {"decision": "include"}, {"decision": "exclude"}
ANSWERS: Mapping[str, Value] = {
    "distractors": INCLUDE,
    "demands": {
        "self_contained": "yes",
        "goal_oriented": "yes",
        "one_or_two_sentences": "yes",
        "non_leaking": "yes",
        "offensive": "no",
    },
    "qa": {"grounded": "yes", "right": "yes"},
    "answers": {"answer": "yes"},
    "nuggets": {"stated": "yes", "importance": "vital"},
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
        "nuggets": {"fact": f"Matter {number} is old.", "quote": "is old", "section": "It is old."},
        "preference": {"prompt": f"Write title {number}.", "a": f"Left {number}", "b": "Right"},
    }
    return contents[kind]


FILLERS: Row = {
    "any text": "some words",
    "text": "some words",
    "name": "a-name",
    "cell": "a cell",
    "paper": {"title": "A title", "abstract": "An abstract.", "link": "https://x.example/"},
    "names of the sides": {"a": "one", "b": "two"},
    "sample": {"id": "s1"},
}


def full_content(kind: str) -> Row:
    """Content with every part that the kind declares."""

    def filled(shape: object) -> object:
        return [filled(shape[0])] if isinstance(shape, list) else FILLERS[str(shape)]

    parts = {part.name: filled(part.shape) for part in KINDS[kind].parts}
    return parts | {"group": "g", "suggestion": ANSWERS[kind]}


def rows_of(kind: str, count: int) -> list[Row]:
    """Rows of items, with clusters of five."""
    return [
        {"id": f"i{number}", "content": content_of(kind, number), "cluster": f"t{number // 5}"}
        for number in range(count)
    ]


def lines(path: Path, *rows: object) -> Path:
    """A JSON Lines file; a string is a line as it is."""
    texts = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


@dataclass
class Made:
    """A campaign, the links of its people and its clock."""

    database: Database
    links: Mapping[str, str]
    name: str = "pilot"
    clock: Clock = field(default_factory=Clock)

    def campaign(self) -> Campaign:
        with self.database.reading() as connection:
            return find_campaign(connection, self.name)

    def person(self, name: str) -> Person:
        with self.database.reading() as connection:
            found = find_person(connection, self.links[name])
        assert found is not None
        return found

    def take(self, name: str) -> int | None:
        """The item that somebody is handed."""
        with self.database.writing() as connection:
            return next_item(connection, self.person(name), self.clock())

    def task(self, name: str, item: int) -> Task:
        with self.database.reading() as connection:
            return read_task(connection, self.person(name), item)

    def label(
        self, name: str, item: int, label: Value | None, revision: int = 0, note: str = ""
    ) -> None:
        """Send a label a minute later; None skips."""
        self.clock.wait(minutes=1)
        person = self.person(name)
        with self.database.writing() as connection:
            submit(connection, person, item, label, revision, self.clock(), note=note)

    def work(self, name: str, labels: Mapping[str, Value], most: int = 1000) -> int:
        """Let somebody label what they are handed; `labels` by key, `*` for others."""
        keys = list(self.items())
        for done in range(most):
            item = self.take(name)
            if item is None:
                return done
            self.label(name, item, labels.get(keys[item - 1]) or labels["*"])
        return most

    def items(self) -> dict[str, Item]:
        """Every item by key."""
        with self.database.reading() as connection:
            found = find_campaign(connection, self.name)
            return {item.key: item for item in read_items(connection, found)}

    def said(self) -> list[tuple[str, str, Value]]:
        """(item, person, label) of every label."""
        return [
            (item.key, label.person, label.value)
            for item in self.items().values()
            for label in item.labels
        ]


def make(
    folder: Path,
    items: int | Sequence[Row] = 4,
    people: Sequence[str] = ("ann", "ben", "cem"),
    *,
    kind: str = "distractors",
    name: str = "pilot",
    wait: float = 5.0,
) -> Made:
    """A campaign in a file of its own; its first item has the number 1."""
    rows = rows_of(kind, items) if isinstance(items, int) else items
    database = open_database(folder / "annotation.db", wait=wait)
    with database.writing() as connection:
        campaign = open_campaign(connection, name, kind, None)
        add_items(connection, campaign, check_rows(KINDS[kind], [(row, "here") for row in rows]))
        links = {one.name: link for one, link in give_links(connection, campaign, people)}
    return Made(database, links, name)


@dataclass
class Visitor:
    """Somebody with a browser that has no scripts."""

    http: Any
    link: str
    address: str = ""
    """Of the page that is open."""
    text: str = ""
    status: int = 0
    pages: list[str] = field(default_factory=list)
    """Every page that was ever open."""

    def open(self, path: str = "/next") -> str:
        """Open a page below the link, wherever it leads; return its text."""
        return self._see(self.http.get(f"/{self.link}{path}"))

    def send(self, path: str = "", /, **fields: str) -> str:
        """Send the form of the open page, to its own address unless told otherwise."""
        found = {k: html.unescape(v) for k, v in _HIDDEN.findall(self.text)}
        return self._see(self.http.post(path or self.address, data={**found, **fields}))

    def hidden(self, name: str) -> str:
        """The value of a hidden field of the open page."""
        return html.unescape(dict(_HIDDEN.findall(self.text))[name])

    def _see(self, answer: Any) -> str:
        self.address, self.text, self.status = answer.url.path, answer.text, answer.status_code
        self.pages.append(self.text)
        return self.text


@contextmanager
def visitors(made: Made, *names: str, **options: Any) -> Iterator[list[Visitor]]:
    """People at one app in this process."""
    app = make_app(made.database, made.clock, **options)
    with TestClient(app, base_url="http://127.0.0.1") as http:
        yield [Visitor(http, made.links[name]) for name in names]


_SERVE = """
import sys
from vivavoce.cli import app
app(["annotate", "serve", "--db", sys.argv[1], "--port", sys.argv[2]])
"""


@dataclass
class Server:
    """A server in a process of its own, which can be killed and come back."""

    database: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-c", _SERVE, str(self.database), str(self.port)]
        log = self.database.with_suffix(".log")
        with log.open("ab") as stream:
            self.process = subprocess.Popen(command, stdout=stream, stderr=stream)
        for _ in range(600):
            try:
                with urlopen(f"{self.address}/static/icon.svg", timeout=5):
                    return
            except OSError:
                assert self.process.poll() is None, log.read_text("utf-8")
                time.sleep(0.1)
        raise AssertionError(f"no answer from {self.address}: {log.read_text('utf-8')}")

    def kill(self) -> None:
        """End the process as a power cut does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def running_server(made: Made) -> Iterator[Server]:
    """A server of a campaign on a free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = Server(made.database.path, port)
    server.start()
    try:
        yield server
    finally:
        server.kill()
