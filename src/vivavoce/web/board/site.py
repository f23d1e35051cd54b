"""Writes a board as a static site: pages, their style and script, and the numbers themselves.

The folder opens from disk and asks for nothing outside itself. The same board gives the same
bytes. Names and notes come from providers and logs, so they are escaped everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.errors import InputError
from vivavoce.results.board.columns import columns
from vivavoce.results.board.groups import KEY, Board, first_repeated, relaxed_gc, spelled
from vivavoce.store import Row, canonical_json, hash_of
from vivavoce.web.board import downloads
from vivavoce.web.board.charts.drawing import drawer, drawings
from vivavoce.web.board.model import PairOf, Site, site_of
from vivavoce.web.board.page import (
    Link,
    Page,
    is_as_built,
    json_file,
    page_of,
    refuse_endless,
    static_files,
    write_pages,
)
from vivavoce.web.board.pages import boards, changes, duels, published, timeline
from vivavoce.web.board.pages.changes import History, history_of
from vivavoce.web.board.pages.samples import INDEX as SAMPLES_INDEX
from vivavoce.web.board.pages.samples import answered_boards
from vivavoce.web.board.pages.samples import pages as sample_pages
from vivavoce.web.printing import visible

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts


OPTIONS = "build.json"


def _refuse_odd(rows: Sequence[Row]) -> None:
    fields = [column.name for column in columns() if column.is_everywhere]
    for number, row in enumerate(rows):
        if lacking := [key for key in fields if key not in row]:
            raise InputError(
                f"Row {number} of the board lacks {', '.join(lacking)}. Build the board again."
            )
    if (number := first_repeated(rows)) is not None:  # type: ignore[assignment]
        raise InputError(
            f"Row {number} of the board repeats an earlier one, "
            f"{canonical_json(spelled(rows[number], (*KEY, 'metric')))}. Merge their logs first."
        )


@relaxed_gc()
def write_site(
    board: Mapping[str, Any] | Board,
    out: Path,
    *,
    samples: Iterable[ItemTexts] = (),
    pairs: Mapping[tuple[str, str], Sequence[Row]] | None = None,
    charts: bool = True,
    bundle: str | None = None,
    reasons: Sequence[Mapping[str, str]] = (),
    date: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Write a board as a folder of pages and return the path of the first of them.

    Of an earlier build in the folder only what changed is written again. `board` holds `rows` as
    `viva board show --json` prints them, `rounds`, `notes` and, where wanted, `headlines`: the
    metric that a task is ranked by. `bundle` is where `inspect view bundle` put its viewer.
    `pairs` are contestants with their duels, which get pages.
    `options` are written beside the pages for whoever checks them; of these, `note`
    is shown on top of the first page, and `url` makes a card for previews of links.

    Raises:
        InputError: A row lacks a key, stands twice, or holds a number that is not finite.
    """
    told = {name: str((options or {}).get(name, "")) for name in ("note", "url")}
    compared = tuple(PairOf(names, fought) for names, fought in (pairs or {}).items() if fought)
    site = replace(read_site(board), note=told["note"], url=told["url"], pairs=compared)
    history = history_of(site, out, reasons=reasons, date=date)
    items = list(samples)
    fixed = [drawer(), *(page.key for page in (*static_files(), *boards.reference(site)))]
    shown = [site.key, site.headlines, site.metrics, compared, history.as_dict()]
    asked = [charts, bundle, options, [item.key for item in items]]
    inputs = hash_of([fixed, shown, asked])
    if not is_as_built(out, inputs):
        made = pages_of(site, samples=items, charts=charts, bundle=bundle, history=history)
        write_pages([*made, *([json_file(OPTIONS, options)] if options else [])], out, inputs)
    return out / "index.html"


def read_site(board: Mapping[str, Any] | Board) -> Site:
    """Check a board and group its rows; one that comes in groups was checked when it was stored."""
    if isinstance(board, Board):
        return site_of(board)
    _refuse_odd(board["rows"])
    try:
        site = site_of(board)
        hash_of([site.rounds, site.notes])
        return site
    except ValueError:  # what has no JSON
        refuse_endless(board)
        raise


def pages_of(
    site: Site,
    *,
    samples: Iterable[ItemTexts] = (),
    charts: bool = True,
    bundle: str | None = None,
    history: History | None = None,
) -> list[Page]:
    """Every file of a site; none of them is rendered yet."""
    items = list(samples)
    answered = answered_boards(site, items)
    past = history or History()
    nav = _nav(has_samples=bool(answered), has_changes=bool(past.builds))
    linked = replace(site, nav=nav, answered=answered)
    drawn = timeline.course_charts(linked) if charts else []
    return [
        *boards.pages(linked, past, charts=charts),
        *drawings(drawn),
        *timeline.pages(linked, charts=charts),
        *sample_pages(linked, items, bundle),
        *duels.pair_pages(linked, items),
        *published.pages(linked),
        *(changes.pages(linked, past) if past.builds else ()),
        *downloads.files(linked),
        card_of(linked),
        *static_files(),
    ]


def _nav(*, has_samples: bool, has_changes: bool) -> tuple[Link, ...]:
    return (
        Link("Timeline", timeline.PATH),
        *([Link("Answers", SAMPLES_INDEX)] if has_samples else ()),
        *([Link("Changes", changes.PAGE)] if has_changes else ()),
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
