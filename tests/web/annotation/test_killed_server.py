"""A server that is killed while people label: every label that it acknowledged is there."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest
from tests.servers.annotation import Made, Server, Visitor, make, running_server

ITEMS = 14
SLOW = pytest.mark.slow


@dataclass
class Progress:
    """Labels that the server has acknowledged, by everybody; the server dies at a number."""

    server: Server
    kill_at: int
    acknowledged: set[tuple[str, str, str]] = field(default_factory=set)
    """(person, item, label)."""
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, said: tuple[str, str, str]) -> None:
        with self._lock:
            self.acknowledged.add(said)
            self.count += 1
            if self.count == self.kill_at:
                self.server.kill()


def label_all(made: Made, progress: Progress, name: str, number: int) -> bool:
    """Label items until none is left, or the server does not answer; True if it always did."""
    with httpx2.Client(base_url=progress.server.address, timeout=60) as http:
        visitor = Visitor(http, made.links[name])
        try:
            while True:
                answer = http.get(f"/{visitor.link}/next")
                if answer.status_code == 200:
                    return True
                visitor.open(answer.headers["location"].removeprefix(f"/{visitor.link}"))
                item = int(visitor.address.rpartition("/")[2])
                said = "include" if (item + number) % 3 else "exclude"
                fields = {"revision": visitor.hidden("revision"), "decision": said}
                answer = http.post(visitor.address, data=fields)
                assert answer.status_code == 303, answer.text
                progress.add((name, f"i{item - 1}", said))
        except httpx2.TransportError:
            return False


@pytest.mark.parametrize("kill_at", [7, pytest.param(1, marks=SLOW), pytest.param(24, marks=SLOW)])
def test_every_acknowledged_label_survives_a_killed_server(tmp_path: Path, kill_at: int) -> None:
    names = ("ann", "ben", "cem")
    made = make(tmp_path, ITEMS, names)
    with running_server(made) as server, ThreadPoolExecutor(2) as threads:
        progress = Progress(server, kill_at)
        work = [threads.submit(label_all, made, progress, n, i) for i, n in enumerate(names[:2])]
        assert [done.result() for done in work] == [False, False]
        assert progress.count >= kill_at
        assert progress.acknowledged <= said_in(made)
        # A label that was written as the server died may lack its acknowledgement, no more.
        assert len(said_in(made) - progress.acknowledged) <= 2
        server.start()
        assert all(label_all(made, progress, name, i) for i, name in enumerate(names))
        assert progress.acknowledged <= said_in(made)
    items = made.items().values()
    assert all(item.final is not None for item in items)
    assert set(Counter(len(item.labels) for item in items)) <= {2, 3}


def said_in(made: Made) -> set[tuple[str, str, str]]:
    """(person, item, label) of every label in the file, by a reader of its own."""
    names = {made.person(name).code: name for name in made.links}
    return {(names[person], key, value["decision"]) for key, person, value in made.said()}
