"""Fetching over HTTPS, politely: one client for every source that reads from the network.

It is no source itself. Import `client` only where something is fetched: it loads httpx. A host gets
one connection at a time, and a pause between requests. Slots are written down in a folder, so that
all processes of a machine share them.
"""

from __future__ import annotations

import fcntl
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from vivavoce.sources.http.client import Client


_LOOPBACK = "http://127.0.0.1:"


def polite_client(
    hosts: frozenset[str], base: str | None, contact: str | None = None, tries: int = 3
) -> Client:
    """A client that shares its turns with every other one on this machine.

    `base` is an address whose host may be asked too; a loopback server, for tests, is not waited
    for. `contact` is an address that the servers can write to.

    Raises:
        InputError: `base` is no address.
    """
    from vivavoce.sources.http.client import Allowed, Client, Limits

    try:
        parts = urlsplit(base or "")
    except ValueError as error:
        raise InputError(f"{base!r} is no address: {error}") from error
    allowed = Allowed(hosts | ({parts.hostname} if parts.hostname else set()))
    throttle = Throttle(shared=slots_folder())
    if base and base.startswith(_LOOPBACK):
        allowed = Allowed(hosts, loopback=f"{parts.scheme}://{parts.netloc}")
        throttle = Throttle({"127.0.0.1": 0.0})
    return Client(allowed, limits=Limits(tries=tries), throttle=throttle, contact=contact)


DEFAULT_INTERVAL = 1.0
ARXIV_INTERVAL = 3.0
"""Seconds from one request to the next that arXiv's terms ask for, over all of its services."""
INTERVALS = {"arxiv.org": ARXIV_INTERVAL}
"""Seconds between requests by domain; its subdomains share its slots."""
MAX_HOLD = 86_400.0
"""Seconds that a server can ask for; a longer wait is taken for a slip."""
_POLL = 0.1
"""Seconds between two looks at whether another process has left its slot."""


class HostRateLimiter:
    """The one connection to a host, and the time from which it may be used again.

    The kernel ends the slot of a killed process. Times are those of a clock that all processes read
    alike and that may restart with the machine. A time later than now was written before the
    restart and does not count.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._connection = folder / f"{name}.connection"
        self._time = folder / f"{name}.time"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection.touch()
            self._time.touch()
        except OSError as error:
            raise InputError(
                f"{folder} cannot keep the turns at {name}: {error.strerror}. "
                "Name another folder for them."
            ) from error

    @contextmanager
    def connection(
        self, until: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> Iterator[None]:
        """Hold the connection; `TimeoutError` when it does not come free before `until`."""
        with self._connection.open("r+b") as stream:
            while not _taken(stream):
                if clock() + _POLL > until:
                    raise TimeoutError
                sleep(_POLL)
            yield

    def free_at(self, now: float) -> float:
        """From when on the host may be asked."""
        with self._time.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)
            return _read(stream, now)

    def push(self, now: float, free_at: float) -> None:
        """Let nobody ask before `free_at`; an earlier time than the one there changes nothing."""
        with self._time.open("r+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            latest = max(_read(stream, now), free_at)
            stream.seek(0)
            stream.write(f"{now:.6f} {latest:.6f}\n".encode())
            stream.truncate()


def _taken(stream: IO[bytes]) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(stream: IO[bytes], now: float) -> float:
    """The time written down; minus infinity where there is none that counts."""
    words = stream.read(200).split()
    try:
        written, free_at = float(words[0]), float(words[1])
    except (IndexError, ValueError):
        return -math.inf
    return free_at if math.isfinite(free_at) and written <= now else -math.inf


@dataclass(slots=True)
class _Host:
    interval: float
    shared: HostRateLimiter | None
    free_at: float = float("-inf")
    lock: threading.Lock = field(default_factory=threading.Lock)


class Throttle:
    """Slots for all who fetch in this process, and in others that share the folder.

    Args:
        intervals: Seconds between requests by domain; its subdomains share its slots.
        shared: A folder in which the processes of this machine write down their slots.
        clock: Seconds; for a shared folder those of a clock that all processes read alike.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        intervals: Mapping[str, float] = INTERVALS,
        *,
        shared: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self._intervals = dict(intervals)
        self._shared = shared
        self._hosts: dict[str, _Host] = {}
        self._guard = threading.Lock()
        self.count = 0
        """Requests so far, tries and redirects included: each takes a slot."""

    @contextmanager
    def slot(self, host: str, until: float) -> Iterator[Callable[[], None]]:
        """Hold the only connection to a host, after the pause that is due.

        What it gives is to be called when the request is sent: the next pause counts from then.
        `TimeoutError` when the slot would come after `until` on the clock.
        """
        limit = self._host(host)
        if not limit.lock.acquire(timeout=max(0.0, until - self.clock())):
            raise TimeoutError
        with ExitStack() as held:
            held.callback(limit.lock.release)
            if limit.shared is not None:
                held.enter_context(limit.shared.connection(until, self.clock, self._sleep))
            # Looked at again after the sleep: a hold may have come meanwhile.
            while (free_at := self._free_at(limit)) > (now := self.clock()):
                if free_at > until:
                    raise TimeoutError
                self._sleep(free_at - now)
            self._push(limit, limit.interval)
            with self._guard:
                self.count += 1
            yield lambda: self._push(limit, limit.interval)

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask a host for so long, up to a day."""
        self._push(self._host(host), min(seconds, MAX_HOLD))

    def _free_at(self, limit: _Host) -> float:
        if limit.shared is None:
            return limit.free_at
        return max(limit.free_at, limit.shared.free_at(self.clock()))

    def _push(self, limit: _Host, seconds: float) -> None:
        now = self.clock()
        with self._guard:
            limit.free_at = max(limit.free_at, now + seconds)
        if limit.shared is not None:
            limit.shared.push(now, now + seconds)

    def _host(self, host: str) -> _Host:
        domains = (d for d in self._intervals if host == d or host.endswith(f".{d}"))
        name = next(domains, host)
        with self._guard:
            if name not in self._hosts:
                shared = HostRateLimiter(self._shared, name) if self._shared is not None else None
                interval = self._intervals.get(name, DEFAULT_INTERVAL)
                self._hosts[name] = _Host(interval, shared)
            return self._hosts[name]


def slots_folder() -> Path:
    """Folder in which the processes of a user write down their slots, by the XDG convention."""
    cache = os.environ.get("XDG_CACHE_HOME") or ""
    home = Path(cache) if cache.startswith("/") else Path.home() / ".cache"
    return home / "vivavoce" / "turns"


SHARED = Throttle()
"""The one that every client takes unless it is given another."""
