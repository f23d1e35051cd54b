"""Polite fetching over HTTPS: all processes of a user share one connection at a time to a host.

Import `client` only where something is fetched, as it loads httpx.
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
    """Make a client that shares its turns with every other client of this user.

    The host of the address `base` is also allowed; a loopback server, for tests, needs no pauses.
    `contact` is an address that the servers can write to. `InputError` if `base` is no address.
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
"""Seconds between requests that arXiv's terms ask for, across all of its services."""
INTERVALS = {"arxiv.org": ARXIV_INTERVAL}
"""Seconds between requests by domain; its subdomains share its turns."""
MAX_HOLD = 86_400.0
"""Most seconds that a server can make clients wait; a longer wait is cut to this."""


class Turns:
    """Turns at hosts: each domain has a lock file, and a file whose time says when it is free.

    The kernel releases the lock of a killed process.

    Args:
        intervals: Seconds between requests by domain; a domain with 0 needs no turns.
        folder: Holds the files; the user's cache by default.
        clock: Gives the time in seconds, the same in all processes.
        sleep: Waits for a number of seconds.
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
        """Number of requests so far, including retries and redirects."""

    @contextmanager
    def turn(self, host: str, until: float) -> Iterator[Callable[[], None]]:
        """Hold the only connection to a host, after the pause that is due.

        Call the yielded function when the request is sent: the next pause starts then.
        Raises `TimeoutError` if the turn would come after `until` on the clock.
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
            # Read again after the sleep: another hold may have been set meanwhile.
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
        """Block requests to a host for a number of seconds, up to a day."""
        if self._interval(host):
            free = self._file_of(host)
            now = self.clock()
            before = free.stat().st_mtime
            known = before if before <= now + MAX_HOLD else now
            free_at = max(known, now + min(seconds, MAX_HOLD))
            os.utime(free, (free_at, free_at))

    def _file_of(self, host: str) -> Path:
        """The file whose time says when a host is free again."""
        path = self._folder / f"{self._domain(host)}.free"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with path.open("xb"):
                os.utime(path, (0, 0))
        except FileExistsError:
            pass
        except OSError as error:
            raise InputError(
                f"{self._folder} cannot keep the turns at {host}: {error.strerror}. Set "
                "XDG_CACHE_HOME to another folder."
            ) from error
        return path

    def _interval(self, host: str) -> float:
        return self._intervals.get(self._domain(host), DEFAULT_INTERVAL)

    def _domain(self, host: str) -> str:
        return next((d for d in self._intervals if host == d or host.endswith(f".{d}")), host)
