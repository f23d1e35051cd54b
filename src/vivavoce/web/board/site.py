"""Writes a board as a static site: pages, their style and script, and the numbers themselves.

The folder opens from disk and asks for nothing outside itself. The same board gives the same
bytes. Names and notes come from providers and logs, so they are escaped everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.results.board.groups import Board
from vivavoce.store import hash_of
from vivavoce.web.board import boards, downloads
from vivavoce.web.board.model import Site, site_of
from vivavoce.web.board.page import (
    Link,
    Page,
    is_as_built,
    static_files,
    write_pages,
)
from vivavoce.web.board.samples import INDEX as SAMPLES_INDEX
from vivavoce.web.board.samples import answered_boards
from vivavoce.web.board.samples import pages as sample_pages

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts


_STATED = ("note", "status", "next_round", "submit")
"""Options that pages print."""


def write_site(
    board: Board,
    out: Path,
    *,
    samples: Iterable[ItemTexts] = (),
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a board as a folder of pages and return the path of the first of them.

    Of an earlier build in the folder only what changed is written again. Of the `options`, `note`
    is shown on top of the first page, `status` is linked from every page, and `next_round` and
    `submit` from the first.

    Raises:
        InputError: `submit` is not an https address.
    """
    note, status, coming, submit = (str((options or {}).get(name) or "") for name in _STATED)
    if submit and not submit.startswith("https://"):
        raise InputError(f"submit={submit!r} must be an address that begins with https://")
    site = replace(site_of(board), note=note, status=status, next_round=coming, submit=submit)
    items = list(samples)
    fixed = [page.key for page in (*static_files(), boards.metrics_page(site))]
    shown = [site.key, site.headlines, site.metrics]
    asked = [options, [item.key for item in items]]
    inputs = hash_of([fixed, shown, asked])
    if not is_as_built(out, inputs):
        write_pages(pages_of(site, samples=items), out, inputs)
    return out / "index.html"


def pages_of(site: Site, *, samples: Iterable[ItemTexts] = ()) -> list[Page]:
    """Every file of a site; none of them is rendered yet."""
    items = list(samples)
    answered = answered_boards(site, items)
    linked = replace(site, nav=_nav(site, has_samples=bool(answered)), answered=answered)
    return [
        *boards.pages(linked),
        *sample_pages(linked, items),
        *downloads.files(linked),
        *static_files(),
    ]


def _nav(site: Site, *, has_samples: bool) -> tuple[Link, ...]:
    return (
        *([Link("Status", site.status)] if site.status else ()),
        *([Link("Answers", SAMPLES_INDEX)] if has_samples else ()),
        Link("Words and metrics", "metrics.html"),
    )
