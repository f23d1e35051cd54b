"""What an update asks of servers, beside what the published procedure would ask for the same.

AcademicEval's update asks the query API once for every author of its graph and once for every
co-author listed on the new papers that it finds, and then, as released, asks for the id and the
file of every paper of the graph again. The formulas count what its code does when nothing fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vivavoce.sources.http.throttle import ARXIV_INTERVAL, Throttle
from vivavoce.store import Row


@dataclass(frozen=True, slots=True)
class Published:
    """Requests of the published update."""

    authors: int
    """One for each author of the graph."""
    coauthors: int
    """One for each name beside the first author's on a new paper, repeats included."""
    ids: int
    """One for each paper of the graph, old and new."""
    files: int
    """The same again, for the PDF."""

    @property
    def listing(self) -> int:
        """Requests that find papers."""
        return self.authors + self.coauthors

    @property
    def total(self) -> int:
        """All requests."""
        return self.listing + self.ids + self.files

    def as_dict(self) -> Row:
        """The counts by name, with their sum and the hours they take at arXiv's pace."""
        parts = {name: getattr(self, name) for name in ("authors", "coauthors", "ids", "files")}
        hours = round(self.total * ARXIV_INTERVAL / 3600, 2)
        return {**parts, "total": self.total, "hours": hours}


def published_update(authors: int, papers: int, new: int, coauthors: int) -> Published:
    """Requests of the published update: A + C + 2 (P + N).

    Args:
        authors: A, those of the graph.
        papers: P, those of the graph before.
        new: N, those that come.
        coauthors: C, the names beside the first author's on those, repeats included.
    """
    return Published(authors, coauthors, papers + new, papers + new)


def listing_requests(records: int, page: int) -> int:
    """Requests of a listing by date, at least one: it does not matter how many authors there are.

    Args:
        records: What was changed or submitted in the time asked for.
        page: Records a page.
    """
    return max(1, math.ceil(records / page))


class CountingThrottle(Throttle):
    """Turns that are counted: every request takes one, tries and redirects included."""

    count = 0

    @contextmanager
    def slot(self, host: str, until: float) -> Iterator[None]:
        """Hold the only connection to a host, and count it."""
        with super().slot(host, until):
            self.count += 1
            yield


def quick_throttle() -> CountingThrottle:
    """Turns without a pause, for a server on the loopback interface."""
    return CountingThrottle({"127.0.0.1": 0.0})


def polite_throttle(shared: Path) -> CountingThrottle:
    """Turns that all commands of this machine share."""
    return CountingThrottle(shared=shared)
