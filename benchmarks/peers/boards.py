"""Pages of large boards: nothing else makes such, so each job has a limit in place of a peer."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_site import (
    MAX_SECONDS,
    MAX_SECONDS_FOR_ONE,
    MAX_SECONDS_UNCHANGED,
    StoredSite,
)
from benchmarks.peers.comparison import Limited

from benchmarks import site_in_browser

SMALL = (40, 10, 2)
_SMALL_LIMITS = (8.0, 0.2, 2.0)
_IN_BROWSER = 500
"""Contestants of the pages that are opened in a browser."""


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Limited]:
    """A board built whole, unchanged and with one new log, and its pages in a browser."""
    sizes = SMALL if smoke else (200, 40, 12)
    all_pages, nothing, one = (
        _SMALL_LIMITS if smoke else (MAX_SECONDS, MAX_SECONDS_UNCHANGED, MAX_SECONDS_FOR_ONE)
    )
    site = StoredSite(scratch / "large", *sizes)

    def with_ranks() -> None:
        site.rank()
        site.build()

    size = "{} contestants x {} x {} rounds".format(*sizes)
    # The whole of a large one takes minutes.
    yield Limited(f"pages of {size}", all_pages, site.build, most_rounds=1)
    yield Limited(f"pages of {size}, nothing new", nothing, site.build)
    yield Limited(f"pages of {size}, one new log", one, with_ranks, before=site.add_log)
    yield from _in_browser(scratch / "browser", SMALL[0] if smoke else _IN_BROWSER)


def _in_browser(folder: Path, contestants: int) -> Iterator[Limited]:
    import playwright  # noqa: F401  # asked for here, so that the other jobs do without

    if shutil.which("chromium") is None:
        print("pages in a browser: left out, Chromium is not installed.", file=sys.stderr)
        return
    site = StoredSite(folder, contestants, 8, 1)
    site.build()
    yield Limited(
        f"pages of {contestants} contestants in Chromium, 4 times slower",
        site_in_browser.MAX_SECONDS,
        lambda: site_in_browser.slowest(site_in_browser.measure_site(site.out, 1)),
        most_rounds=1,
        is_told=True,
    )
