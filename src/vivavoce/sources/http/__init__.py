"""Fetching over HTTPS, politely: one client for every source that reads from the network.

It is not a source itself. Import `client` only where something is fetched: it loads httpx. A host
gets one connection at a time, and a pause between requests, from all processes of a user together.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from vivavoce.sources.http.client import Client


_LOOPBACK = "http://127.0.0.1:"


def polite_client(
    hosts: frozenset[str], base: str | None, contact: str | None = None, tries: int = 3
) -> Client:
    """A client that shares its turns with every other one of this user.

    `base` is an address whose host may be asked too; a loopback server, for tests, is not waited
    for. `contact` is an address that the servers can write to.

    Raises:
        InputError: `base` is not an address.
    """
    from vivavoce.sources.http.client import Allowed, Client, Limits

    try:
        parts = urlsplit(base or "")
    except ValueError as error:
        raise InputError(f"{base!r} is not an address: {error}") from error
    allowed = Allowed(hosts | ({parts.hostname} if parts.hostname else set()))
    turns = Turns()
    if base and base.startswith(_LOOPBACK):
        allowed = Allowed(hosts, loopback=f"{parts.scheme}://{parts.netloc}")
        turns = Turns({"127.0.0.1": 0.0})
    return Client(allowed, turns, limits=Limits(tries=tries), contact=contact)


DEFAULT_INTERVAL = 1.0
ARXIV_INTERVAL = 3.0
"""Seconds from one request to the next that arXiv's terms ask for, over all of its services."""
INTERVALS = {"arxiv.org": ARXIV_INTERVAL}
"""Seconds between requests by domain; its subdomains share its turns."""
MAX_HOLD = 86_400.0
"""Seconds that a server can ask for; a longer wait is taken for a slip."""


class Turns:
    """Turns at hosts: a lock file a domain, and beside it a file whose time says when it is free.

    The kernel opens the lock of a killed process.

    Args:
        intervals: Seconds between requests by domain; a domain without any is not waited for.
        folder: Holds the files; the user's cache by default.
        clock: Seconds that all processes read alike.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        intervals: Mapping[str, float] = INTERVALS,
        *,
        folder: Path | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.clock = clock
        self.sleep = sleep
        self._intervals = dict(intervals)
        self._folder = folder or user_cache_path("vivavoce") / "turns"
        self.count = 0
        """Requests so far, tries and redirects included: each takes a turn."""

    @contextmanager
    def turn(self, host: str, until: float) -> Iterator[Callable[[], None]]:
        """Hold the only connection to a host, after the pause that is due.

        What it gives is to be called when the request is sent: the next pause counts from then.
        `TimeoutError` when the turn would come after `until` on the clock.
        """
        interval = self._interval(host)
        if not interval:
            self.count += 1
            yield lambda: None
            return
        free = self._file_of(host)
        try:
            lock = FileLock(free.with_suffix(".lock")).acquire(max(0.0, until - self.clock()))
        except Timeout as error:
            raise TimeoutError from error
        with lock:
            # Looked at again after the sleep: a hold may have come meanwhile.
            while (free_at := free.stat().st_mtime) > (now := self.clock()):
                if now + MAX_HOLD < free_at:
                    break  # the clock was set back
                if free_at > until:
                    raise TimeoutError
                self.sleep(free_at - now)
            self.hold(host, interval)
            self.count += 1
            yield lambda: self.hold(host, interval)

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask a host for so long, up to a day."""
        if self._interval(host):
            free = self._file_of(host)
            now = self.clock()
            before = free.stat().st_mtime
            known = before if before <= now + MAX_HOLD else now
            free_at = max(known, now + min(seconds, MAX_HOLD))
            os.utime(free, (free_at, free_at))

    def _file_of(self, host: str) -> Path:
        """The file whose time is that from which on a host may be asked."""
        path = self._folder / f"{self._domain(host)}.free"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with path.open("xb"):
                os.utime(path, (0, 0))
        except FileExistsError:
            pass
        except OSError as error:
            raise InputError(
                f"{self._folder} cannot keep the turns at {host}: {error.strerror}. Name another "
                "folder for caches: XDG_CACHE_HOME."
            ) from error
        return path

    def _interval(self, host: str) -> float:
        return self._intervals.get(self._domain(host), DEFAULT_INTERVAL)

    def _domain(self, host: str) -> str:
        return next((d for d in self._intervals if host == d or host.endswith(f".{d}")), host)
