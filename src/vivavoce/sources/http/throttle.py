"""Turns at a host: one connection at a time, and a pause between requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

DEFAULT_INTERVAL = 1.0
ARXIV_INTERVAL = 3.0
"""Seconds from one request to the next that arXiv's terms ask for, over all of its services."""
INTERVALS = {"arxiv.org": ARXIV_INTERVAL}
"""Seconds between requests by domain; its subdomains share its turns."""


@dataclass(slots=True)
class _Lane:
    interval: float
    free_at: float = float("-inf")
    lock: threading.Lock = field(default_factory=threading.Lock)


class Throttle:
    """Turns for all who fetch in this process."""

    def __init__(
        self,
        intervals: Mapping[str, float] = INTERVALS,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self._intervals = dict(intervals)
        self._lanes: dict[str, _Lane] = {}
        self._guard = threading.Lock()

    @contextmanager
    def turn(self, host: str, until: float) -> Iterator[None]:
        """Hold the only connection to a host, after the pause that is due.

        `TimeoutError` when the turn would come after `until` on the clock.
        """
        lane = self._lane(host)
        if not lane.lock.acquire(timeout=max(0.0, until - self.clock())):
            raise TimeoutError
        try:
            while (wait := lane.free_at - self.clock()) > 0:  # a hold may come while asleep
                if lane.free_at > until:
                    raise TimeoutError
                self._sleep(wait)
            lane.free_at = max(lane.free_at, self.clock() + lane.interval)
            yield
        finally:
            lane.lock.release()

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask a host for so long."""
        lane = self._lane(host)
        with self._guard:
            lane.free_at = max(lane.free_at, self.clock() + seconds)

    def _lane(self, host: str) -> _Lane:
        shared = (d for d in self._intervals if host == d or host.endswith(f".{d}"))
        name = next(shared, host)
        with self._guard:
            interval = self._intervals.get(name, DEFAULT_INTERVAL)
            return self._lanes.setdefault(name, _Lane(interval))


SHARED = Throttle()
"""The one that every client takes unless it is given another."""
