"""The polite client, against a server that misbehaves."""

import gzip
import subprocess
import sys
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, Script, only, replaying

from vivavoce.errors import InputError, VivaError
from vivavoce.sources.http import INTERVALS, Turns
from vivavoce.sources.http.client import (
    Allowed,
    BadReplyError,
    BadStatusError,
    Client,
    HttpError,
    Limits,
    OverdueError,
    RefusedAddressError,
    TooLargeError,
    UnreachableError,
    retry_after,
)

MIB = 1 << 20


@pytest.fixture
def server(clock: FakeClock) -> Iterator[ReplayServer]:
    with replaying({}, clock) as running:
        running.script = lambda ask: Fault(b"good")
        yield running


def client_of(
    server: ReplayServer, clock: FakeClock, *, limits: Limits | None = None, interval: float = 3.0
) -> Client:
    allowed = Allowed(frozenset({"export.arxiv.org"}), loopback=server.origin)
    return Client(allowed, clock.turns(interval), limits=limits)


def real_client(server: ReplayServer, **limits: float) -> Client:
    """One on the real clock, without pauses."""
    turns = Turns({"127.0.0.1": 0.0})
    kept = Limits(seconds=limits["seconds"], tries=1)
    return Client(Allowed(frozenset(), loopback=server.origin), turns, limits=kept)


def then_good(numbers: range | list[int], fault: Fault) -> Script:
    faulty = only(numbers, fault)
    return lambda ask: faulty(ask) or Fault(b"good")


def turns_in(folder: Path, clock: FakeClock) -> Turns:
    """What another process would make of the same folder."""
    return Turns(INTERVALS, folder=folder, clock=clock.time, sleep=clock.sleep)


def test_the_pause_counts_from_the_moment_a_request_is_sent(
    server: ReplayServer, clock: FakeClock, tmp_path: Path
) -> None:
    class Slow(Turns):
        """Connections that take a second before anything can be sent."""

        @contextmanager
        def turn(self, host: str, until: float) -> Iterator[Callable[[], None]]:
            with super().turn(host, until) as sent:

                def connected() -> None:
                    clock.now += 1
                    sent()

                yield connected

    turns = Slow({"127.0.0.1": 3.0}, folder=tmp_path, clock=clock.time, sleep=clock.sleep)
    client = Client(Allowed(frozenset(), loopback=server.origin), turns)
    for name in "abc":
        client.get(f"{server.origin}/{name}")
    assert [ask.at for ask in server.asks] == [1001.0, 1005.0, 1009.0]  # each 3 s after, and 1
    assert client.requests == 3


def test_arxiv_hosts_share_their_turns_in_all_processes_and_lookalikes_do_not(
    clock: FakeClock, tmp_path: Path
) -> None:
    for host in ("arxiv.org", "export.arxiv.org", "oaipmh.arxiv.org", "notarxiv.org"):
        with turns_in(tmp_path, clock).turn(host, clock.now + 60):
            pass
    with turns_in(tmp_path / "other", clock).turn("arxiv.org", clock.now + 60):
        pass
    assert clock.slept == [3.0, 3.0]


def test_two_threads_never_hold_two_connections(server: ReplayServer, tmp_path: Path) -> None:
    running: list[int] = []
    most: list[int] = []

    def reply(ask: Ask) -> Fault:
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()
        return Fault(b"good")

    server.script = reply
    allowed = Allowed(frozenset(), loopback=server.origin)
    client = Client(allowed, Turns({"127.0.0.1": 0.001}, folder=tmp_path))
    threads = [threading.Thread(target=client.get, args=(server.api,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1]


def test_a_pause_a_server_asked_for_holds_in_any_process(clock: FakeClock, tmp_path: Path) -> None:
    turns_in(tmp_path, clock).hold("export.arxiv.org", 100)
    turns_in(tmp_path, clock).hold("export.arxiv.org", 5)  # does not shorten it
    other = turns_in(tmp_path, clock)
    with pytest.raises(TimeoutError), other.turn("arxiv.org", clock.now + 60):
        pass
    with other.turn("arxiv.org", clock.now + 200):
        assert clock.now == 1100.0


HOLDER = """
import sys, time
from pathlib import Path
from vivavoce.sources.http import Turns
with Turns({"arxiv.org": 30.0}, folder=Path(sys.argv[1])).turn("arxiv.org", time.time() + 60):
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_process_waits_for_the_connection_and_a_killed_one_leaves_its_pause(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        turns = Turns({"arxiv.org": 30.0}, folder=tmp_path)
        began = time.time()
        with pytest.raises(TimeoutError), turns.turn("export.arxiv.org", began + 0.3):
            pass
        assert 0.25 < time.time() - began < 5
        with turns.turn("aclanthology.org", time.time() + 1):  # its own budget
            pass
        holder.kill()
    with pytest.raises(TimeoutError), turns.turn("arxiv.org", time.time() + 1):
        pass  # the pause of 30 s is not over
    slept: list[float] = []
    later = Turns(
        {"arxiv.org": 30.0},
        folder=tmp_path,
        clock=lambda: time.time() + sum(slept),
        sleep=slept.append,
    )
    with later.turn("arxiv.org", time.time() + 60):
        assert len(slept) == 1
        assert 0 < slept[0] <= 30


def test_a_clock_that_was_set_back_costs_a_day_at_most(clock: FakeClock, tmp_path: Path) -> None:
    turns_in(tmp_path, clock).hold("arxiv.org", 100)
    clock.now -= 10**6
    with turns_in(tmp_path, clock).turn("arxiv.org", clock.now + 1):
        assert clock.slept == []


def test_a_folder_for_the_turns_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot keep the turns"):
        Turns(folder=tmp_path / "file" / "turns").hold("arxiv.org", 1)


def test_429_with_retry_after(server: ReplayServer, clock: FakeClock) -> None:
    busy = Fault(b"slow down", 429, {"Retry-After": "47"})
    server.script = then_good([1], busy)
    assert client_of(server, clock).get(server.api) == b"good"
    assert [ask.at for ask in server.asks] == [1000.0, 1047.0]


def test_429_without_end_is_an_error_and_kept_out(server: ReplayServer, clock: FakeClock) -> None:
    server.script = lambda ask: Fault(b"slow down", 429, {"Retry-After": "10"})
    with pytest.raises(BadStatusError, match=r"status 429.*offset 200.*in 10 s") as caught:
        client_of(server, clock, limits=Limits(tries=3)).get(server.api, offset=200)
    assert (caught.value.status, caught.value.offset, caught.value.url) == (429, 200, server.api)
    assert isinstance(caught.value, VivaError)
    assert len(server.asks) == 3


def test_retry_after_may_be_a_date_counted_from_the_servers_own() -> None:
    headers = {
        "retry-after": "Sun, 06 Nov 1994 08:50:07 GMT",
        "date": "Sun, 06 Nov 1994 08:49:37 GMT",
    }
    assert retry_after(headers) == 30.0
    assert retry_after({"retry-after": headers["retry-after"]}) is None
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "-5"}) is None


def test_a_body_the_check_refuses_is_asked_for_again_and_then_an_error(
    server: ReplayServer, clock: FakeClock
) -> None:
    def check(body: bytes) -> None:
        if body != b"good":
            raise InputError("it is a web page")

    server.script = lambda ask: Fault(b"<html>oops")
    client = client_of(server, clock, limits=Limits(tries=2))
    with pytest.raises(BadReplyError, match="it is a web page") as caught:
        client.get(server.api, check=check, offset=30)
    assert (caught.value.url, caught.value.offset) == (server.api, 30)
    assert len(server.asks) == 2
    server.script = lambda ask: Fault(b"good")
    assert client.get(server.api, check=check) == b"good"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(b"x" * 1000, drip=0.02),
        Fault(b"", drip=0.02, drip_headers=True),
        Fault(b"never all of it", announced=100, drip=0.02),
        Fault(b"x", drip=30),
    ],
    ids=["body", "headers", "short body", "silence"],
)
def test_a_dripping_server_meets_the_total_deadline(server: ReplayServer, fault: Fault) -> None:
    server.script = lambda ask: fault
    with pytest.raises((OverdueError, UnreachableError)) as caught:
        real_client(server, seconds=0.2).get(server.api, offset=30)
    assert caught.value.offset == 30


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/",
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://[::1]/",
        "http://export.arxiv.org/api/query",
        "https://export.arxiv.org:8443/",
        "https://export.arxiv.org@example.org/",
        "https://someone:word@export.arxiv.org/",
        "https://export.arxiv.org.example.org/",
        "//example.org/",
        "https://[bad",
        "gopher://export.arxiv.org/",
        "https://export.arxiv.org\\.example.org/",
    ],
)
def test_redirect_to_a_refused_address(server: ReplayServer, clock: FakeClock, target: str) -> None:
    server.script = lambda ask: Fault(b"", 302, {"Location": target})
    with pytest.raises(RefusedAddressError, match="refused"):
        client_of(server, clock).get(server.api)
    assert len(server.asks) == 1
    if not target.startswith("//"):
        with pytest.raises(RefusedAddressError):
            client_of(server, clock).get(target)


def test_loopback_is_refused_unless_a_test_names_it(server: ReplayServer) -> None:
    with pytest.raises(RefusedAddressError):
        Client(Allowed(frozenset({"127.0.0.1"})), Turns({"127.0.0.1": 0.0})).get(server.api)
    with pytest.raises(InputError, match="loopback"):
        Allowed(frozenset(), loopback="http://example.org")
    assert server.asks == []


GZIP = {"Content-Encoding": "gzip"}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(b"go", announced=4), "no complete answer"),
        (Fault(gzip.compress(b"some words")[:-4], headers=GZIP), "gzip data end early"),
        (Fault(b"plain text", headers=GZIP), "damaged"),
        (Fault(b"?", headers={"Content-Encoding": "br"}), "'br'"),  # nobody asked for it
    ],
    ids=["cut short", "truncated gzip", "damaged gzip", "another compression"],
)
def test_a_damaged_body_is_asked_for_again(
    server: ReplayServer, clock: FakeClock, fault: Fault, message: str
) -> None:
    server.script = lambda ask: fault
    client = client_of(server, clock, limits=Limits(tries=2))
    with pytest.raises(UnreachableError, match=message):
        client.get(server.api)
    assert len(server.asks) == 2
    server.script = lambda ask: Fault(gzip.compress(b"good"), headers=GZIP)
    assert client.get(server.api) == b"good"


def zeros() -> Iterator[bytes]:
    """10 GiB of zeros as gzip, made while they are sent."""
    packer = zlib.compressobj(1, wbits=31)
    block = bytes(16 * MIB)
    for _ in range(640):
        yield packer.compress(block)
    yield packer.flush()


def test_gzip_bomb_stops_at_the_byte_cap(server: ReplayServer, clock: FakeClock) -> None:
    server.script = lambda ask: Fault(zeros(), headers=GZIP)
    client = client_of(server, clock, limits=Limits(largest=4 * MIB))
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match="larger than 4194304 bytes"):
            client.get(server.api, offset=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The server's block of 16 MiB, and for the client's cap of 4 MiB at most three copies.
    assert peak < (16 + 3 * 4 + 4) * MIB
    assert len(server.asks) == 1


def test_an_endless_body_stops_at_the_byte_cap(server: ReplayServer, clock: FakeClock) -> None:
    server.script = lambda ask: Fault(bytes(MIB) for _ in range(10_000))
    with pytest.raises(TooLargeError):
        client_of(server, clock, limits=Limits(largest=2 * MIB)).get(server.api)


def test_a_host_that_nobody_serves_is_a_typed_error(clock: FakeClock) -> None:
    with replaying({}, clock) as gone:
        client = client_of(gone, clock, limits=Limits(tries=2))
    with pytest.raises(UnreachableError, match="ConnectError") as caught:
        client.get(gone.api)
    assert isinstance(caught.value, HttpError)
