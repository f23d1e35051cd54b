"""A server on the loopback interface that replays recorded answers of arXiv's query API.

Every request is kept. A script may put a fault in the place of any answer: a function of the
request that gives a `Fault`, or None to let the recording speak.
"""

import json
import re
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import parse_qs, urlsplit

from vivavoce.sources.http import Turns

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Ask:
    """A request."""

    number: int
    """1 for the first request of all."""
    target: str
    """Path and query."""
    start: int
    """The offset asked for, 0 where there is none."""
    at: float
    """Seconds on the fake clock."""
    agent: str = ""
    """The User-Agent that asks."""


@dataclass(frozen=True)
class Fault:
    """What to send instead of the recording."""

    body: bytes | Iterable[bytes] = b""
    """Pieces are sent without a length, and the connection then closed."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    """Seconds before each byte of the body."""
    drip_headers: bool = False
    """Send header lines without end, one for each `drip`."""
    announced: int | None = None
    """A length to announce in place of the true one."""


Script = Callable[[Ask], Fault | None]


class FakeClock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._folder = Path(mkdtemp(prefix="turns-"))
        weakref.finalize(self, shutil.rmtree, self._folder)

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def turns(self, interval: float = 3.0) -> Turns:
        """Turns on this clock, with arXiv's pause for the loopback host."""
        kept = {"127.0.0.1": interval}
        return Turns(kept, folder=self._folder, clock=self.time, sleep=self.sleep)


def recordings(folder: Path) -> dict[Key, tuple[int, bytes]]:
    """Status and body of each recorded request, by query, ids, start and size."""
    found = {}
    for path in sorted(folder.glob("*_s*_m*.json")):
        record = json.loads(path.read_text("utf-8"))
        found[_key(record["url"])] = (record["status_code"], record["body"].encode())
    return found


def _key(target: str) -> Key:
    query = parse_qs(urlsplit(target).query, keep_blank_values=True)
    names = ("search_query", "id_list", "start", "max_results")
    first, second, third, fourth = (query.get(name, [""])[0] for name in names)
    return first, second, third, fourth


def _cut(answers: Mapping[Key, tuple[int, bytes]], key: Key) -> tuple[int, bytes]:
    """A page made of entries of other recorded pages of the same query."""
    start, size = key[2:]
    pages = {k: body for k, (status, body) in answers.items() if k[:2] == key[:2] and status == 200}
    if not pages or not (start.isdigit() and size.isdigit()):
        return 404, b"nothing recorded for this request"
    entries: dict[int, bytes] = {}
    for (_, _, first, _), body in pages.items():
        found = re.findall(rb"<entry>.*?</entry>", body, re.DOTALL)
        entries.update(enumerate(found, start=int(first)))
    whole = next(iter(pages.values()))
    [total] = re.findall(rb"totalResults>(\d+)<", whole)
    places = range(int(start), min(int(start) + int(size), int(total)))
    if not all(place in entries for place in places):
        return 404, b"nothing recorded for a part of this request"
    head = re.sub(rb"<entry>.*</entry>|</feed>", b"", whole, flags=re.DOTALL)
    head = re.sub(rb"(startIndex>)\d+<", rb"\g<1>" + start.encode() + b"<", head)
    head = re.sub(rb"(itemsPerPage>)\d+<", rb"\g<1>" + size.encode() + b"<", head)
    return 200, head + b"".join(entries[place] for place in places) + b"</feed>"


class ReplayServer:
    """A running server; `script` may be exchanged while it runs."""

    def __init__(self, answers: Mapping[Key, tuple[int, bytes]], clock: FakeClock) -> None:
        self.script: Script = lambda ask: None
        self.asks: list[Ask] = []
        self._answers = answers
        self._clock = clock
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def api(self) -> str:
        return f"{self.origin}/api/query"

    @property
    def starts(self) -> list[int]:
        """Offsets asked for, in order."""
        return [ask.start for ask in self.asks]

    def answer(self, target: str, agent: str = "") -> Fault:
        key = _key(target)
        with self._lock:
            ask = Ask(len(self.asks) + 1, target, int(key[2] or 0), self._clock.now, agent)
            self.asks.append(ask)
        fault = self.script(ask)
        if fault is not None:
            return fault
        status, body = self._answers.get(key) or _cut(self._answers, key)
        return Fault(body, status, {"Content-Type": "application/atom+xml; charset=utf-8"})

    def serve(self) -> None:
        self._http.serve_forever(poll_interval=0.02)

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the server's."""


class _Handler(BaseHTTPRequestHandler):
    owner: ReplayServer

    def do_GET(self) -> None:
        reply = self.owner.answer(self.path, self.headers.get("User-Agent", ""))
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.drip_headers:
            self._drip_headers(reply.drip)
        if isinstance(reply.body, bytes):
            length = len(reply.body) if reply.announced is None else reply.announced
            self.send_header("Content-Length", str(length))
        self.end_headers()
        pieces = [reply.body] if isinstance(reply.body, bytes) else reply.body
        for piece in pieces:
            self._send(piece, reply.drip)

    def _drip_headers(self, seconds: float) -> None:
        self.flush_headers()
        while True:
            time.sleep(seconds)
            self.wfile.write(b"X-More: yes\r\n")

    def _send(self, piece: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(piece)
            return
        for index in range(len(piece)):
            time.sleep(drip)
            self.wfile.write(piece[index : index + 1])

    def log_message(self, format: str, *args: Any) -> None:
        pass


def only(numbers: Iterable[int], fault: Fault) -> Script:
    """Misbehave for the requests of these numbers."""
    chosen = list(numbers)
    return lambda ask: fault if ask.number in chosen else None


@contextmanager
def replaying(answers: Mapping[Key, tuple[int, bytes]], clock: FakeClock) -> Iterator[ReplayServer]:
    """A server for the length of a block."""
    server = ReplayServer(answers, clock)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
