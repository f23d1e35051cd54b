"""Writes a board as a static site: pages, their style and script, and the numbers themselves.

The folder opens from disk and asks for nothing outside itself. The same board gives the same
bytes. Names and notes come from providers and logs, so they are escaped everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.errors import InputError
from vivavoce.results.board.groups import Board, relaxed_gc
from vivavoce.store import hash_of
from vivavoce.text.printing import visible
from vivavoce.web.board import downloads
from vivavoce.web.board.model import Site, site_of
from vivavoce.web.board.page import (
    Link,
    Page,
    is_as_built,
    json_file,
    page_of,
    static_files,
    write_pages,
)
from vivavoce.web.board.pages import boards, published, timeline
from vivavoce.web.board.pages.samples import INDEX as SAMPLES_INDEX
from vivavoce.web.board.pages.samples import answered_boards
from vivavoce.web.board.pages.samples import pages as sample_pages

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts


OPTIONS = "build.json"
_STATED = ("note", "next_round", "submit")
"""Options that pages print."""


@relaxed_gc()
def write_site(
    board: Board,
    out: Path,
    *,
    samples: Iterable[ItemTexts] = (),
    bundle: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a board as a folder of pages and return the path of the first of them.

    Of an earlier build in the folder only what changed is written again. `bundle` is where
    `inspect view bundle` put its viewer. `options` are written beside the pages for whoever checks
    them; of these the first page shows `note`, `next_round` and `submit`.

    Raises:
        InputError: `submit` is no https address.
    """
    note, coming, submit = (str((options or {}).get(name) or "") for name in _STATED)
    if submit and not submit.startswith("https://"):
        raise InputError(f"submit={submit!r} must be an address that begins with https://")
    site = replace(site_of(board), note=note, next_round=coming, submit=submit)
    items = list(samples)
    fixed = [page.key for page in (*static_files(), *boards.reference(site))]
    shown = [site.key, site.headlines, site.metrics]
    asked = [bundle, options, [item.key for item in items]]
    inputs = hash_of([fixed, shown, asked])
    if not is_as_built(out, inputs):
        made = pages_of(site, samples=items, bundle=bundle)
        write_pages([*made, *([json_file(OPTIONS, options)] if options else [])], out, inputs)
    return out / "index.html"


def pages_of(
    site: Site,
    *,
    samples: Iterable[ItemTexts] = (),
    bundle: str | None = None,
) -> list[Page]:
    """Every file of a site; none of them is rendered yet."""
    items = list(samples)
    answered = answered_boards(site, items)
    linked = replace(site, nav=_nav(site, has_samples=bool(answered)), answered=answered)
    return [
        *boards.pages(linked),
        timeline.page(linked),
        *sample_pages(linked, items, bundle),
        *published.pages(linked),
        *downloads.files(linked),
        card_of(linked),
        *static_files(),
    ]


def _nav(site: Site, *, has_samples: bool) -> tuple[Link, ...]:
    return (
        Link("Timeline", timeline.PATH),
        *([Link("Answers", SAMPLES_INDEX)] if has_samples else ()),
        Link("Published results", published.PATH),
        Link("Tasks and methods", "methods.html"),
        Link("Words and metrics", "metrics.html"),
    )


_MAX_ROUNDS = 60
_PUNCTUATION = frozenset("\\`*_{}[]()#+-.!|~$")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def card_of(site: Site) -> Page:
    """The card that makes the folder a static Space: Markdown with its settings on top."""

    def values() -> dict[str, Any]:
        windows = {str(entry["id"]): entry["window"] for entry in reversed(site.rounds)}
        return {
            "counts": (len(site.contestants), len(site.boards), len(site.round_names)),
            "rounds": [
                (_plain(name), [_plain(day) for day in windows.get(name, ())])
                for name in reversed(site.round_names[-_MAX_ROUNDS:])
            ],
        }

    return page_of("README.md", "README.md.j2", {"site": site.key}, values)


def _plain(text: object) -> Markup:
    """Text that Markdown shows as it is."""
    return Markup(
        "".join(
            f"\\{char}" if char in _PUNCTUATION else _ENTITIES.get(char, char)
            for char in visible(text)
        )
    )
