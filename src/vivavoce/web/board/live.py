"""The site in memory: pages are made when somebody opens them, and anew when the logs changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from vivavoce.store import hash_of
from vivavoce.web.board.page import Page

REST = 1.0
"""Seconds in which the logs are looked at once."""

_KEPT = 64 * 1024 * 1024
"""Bytes of pages that are kept."""
_LOGS = (".eval", ".json", ".jsonl")


class LiveSite:
    """A site that follows its logs."""

    def __init__(
        self,
        read: Callable[[], Iterable[Page]],
        mark: Callable[[], str],
        clock: Callable[[], float],
    ) -> None:
        """Read it for the first time.

        Args:
            read: Gives the pages, out of the logs as they are now.
            mark: Changes whenever the logs do.
            clock: Seconds of a clock that never goes back.
        """
        self._read, self._mark, self._clock = read, mark, clock
        self._lock = threading.Lock()
        self._made: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._seen = mark()
        self._looked = clock()
        self._pages = {page.path: page for page in read()}

    def find(self, path: str) -> Page | None:
        """The page at a path, once the logs are up to date.

        Raises:
            VivaError: The logs make no board any more; they are read again the next time.
        """
        with self._lock:
            if self._clock() - self._looked >= REST:
                self._follow()
            return self._pages.get(path)

    def content(self, page: Page) -> bytes:
        """What stands on a page; made once, as long as there is room to keep it."""
        with self._lock:  # one at a time: charts and logs are not made for several threads
            found = self._made.get(page.key)
            if found is None:
                found = self._made[page.key] = page.make()
                self._size += len(found)
            self._made.move_to_end(page.key)
            while self._size > _KEPT and len(self._made) > 1:
                _, dropped = self._made.popitem(last=False)
                self._size -= len(dropped)
            return found

    def _follow(self) -> None:
        self._looked = self._clock()
        mark = self._mark()
        if mark != self._seen:
            # Noted before it is read: what comes in meanwhile is seen the next time.
            self._pages = {page.path: page for page in self._read()}
            self._seen = mark


def mark_of(folders: Sequence[Path]) -> str:
    """Changes whenever a file of logs below the folders comes, goes or is written to."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _LOGS:
                try:
                    facts = path.stat()
                except FileNotFoundError:  # gone since it was listed
                    continue
                found.append([str(path), facts.st_size, facts.st_mtime_ns])
    return hash_of(found)
