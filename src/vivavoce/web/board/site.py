"""A board as a static site (pages, style sheet, script, downloads), and pages of a comparison.

This module makes the overview, the board pages and the page on metrics.

The site works from disk and loads nothing from outside. The same board gives the same bytes.
Names and notes come from providers and logs, so they are escaped everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.errors import InputError
from vivavoce.metrics import Metric, list_metrics
from vivavoce.reports import NOTHING, Column, Sheet, sheet
from vivavoce.requests import SiteOptions
from vivavoce.results.board.groups import Board
from vivavoce.results.logs.records import PLACE
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.text.printing import counted, figure, signed, visible
from vivavoce.web import glossary
from vivavoce.web.board import downloads
from vivavoce.web.board.downloads import LINKS
from vivavoce.web.board.entries import between, slug, title_of
from vivavoce.web.board.model import BoardOf, Section, Site, site_of
from vivavoce.web.board.overview import about_round, family_of, overview
from vivavoce.web.board.page import (
    Block,
    Link,
    Page,
    Words,
    json_file,
    link,
    markup,
    page_of,
    static_files,
    words_page,
    write_pages,
)
from vivavoce.web.board.samples import INDEX as SAMPLES_INDEX
from vivavoce.web.board.samples import ItemContext, item_path, items_pages, list_path
from vivavoce.web.board.samples import pages as sample_pages

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts


_MAX_NOTES = 100


def _index(site: Site) -> Page:
    stated = {name: getattr(site.options, name) for name in _STATED}
    # The start day of the newest log.
    stated["updated"] = max((head.created[:10] for head in site.whole.heads), default="")
    notes = site.whole.notes

    def values() -> dict[str, Any]:
        return {
            **overview(site),
            **stated,
            "notes": notes[:_MAX_NOTES],
            "unlisted_notes": max(0, len(notes) - _MAX_NOTES),
            "downloads": LINKS,
        }

    inputs = {"site": site.key, "stated": stated}
    return page_of("index.html", "index.html.j2", inputs, values, nav=site.nav)


def _board_page(board: BoardOf, site: Site) -> Page:
    order = {name: place for place, name in enumerate(site.round_names)}
    same = site.by_task[board.task]
    settings = [(visible(one.setting, 60), one.path) for one in same if one.round == board.round]
    alike = [one for one in same if one.setting == board.setting]
    alike.sort(key=lambda one: order[one.round])
    rounds_of_task = [(visible(one.round, 60), one.path) for one in alike]
    near = {"settings": settings, "rounds": rounds_of_task}
    rounds = [about_round(entry) for entry in site.whole.rounds if str(entry["id"]) == board.round]
    answers_path = list_path(board) if board.path in site.answered else ""

    def values() -> dict[str, Any]:
        section = board.section
        card = list_families().get(board.family)
        task = card.tasks.get(board.task.rpartition("/")[2]) if card else None
        return {
            "board": board,
            "section": section,
            "further": _further(section),
            "summary": task.summary if task else "",
            "metrics": [(name, board.known.get(name)) for name in board.group.metrics],
            "about_rounds": rounds,
            "answers_path": answers_path,
            **near,
        }

    inputs = {
        "board": board.group.key,
        "near": near,
        "rounds": rounds,
        "metrics": board.group.metrics,
    }
    inputs["answers"] = answers_path
    return page_of(board.path, "board.html.j2", inputs, values, nav=site.nav)


def _further(section: Section) -> Sheet:
    """Table of further metrics, with only values and intervals."""

    def cell(row: Row | None) -> str:
        if row is None or row["value"] is None:
            return NOTHING
        return markup("{} <small>{}</small>", figure(row["value"]), between(row))

    first = len(section.columns)
    return Sheet(
        "",
        ("Contestant", *(column.metric for column in section.further)),
        tuple(
            (markup("<bdi>{}</bdi>", entry.name), *map(cell, entry.cells[first:]))
            for entry in (*section.entries, *section.ceilings)
        ),
        ("Values with their 95% intervals. These metrics do not rank here.",),
    )


def metrics_page(site: Site) -> Page:
    """Make the page on labels, settings and metrics, which is the same for all boards."""
    metrics = list_metrics()

    def range_of(metric: Metric) -> str:
        return f"{metric.low:g} to {'any' if metric.high is None else f'{metric.high:g}'}"

    def better(metric: Metric) -> str:
        if metric.high is None:
            return "neither"
        return "higher" if metric.higher_is_better else "lower"

    def make() -> Words:
        columns = (
            Column(lambda metric: metric.name, "Metric"),
            Column(lambda metric: metric.summary[:1].upper() + metric.summary[1:], "What it says"),
            *(Column(range_of, "Range"), Column(better, "Better")),
            Column(lambda metric: metric.source, "Defined in"),
        )
        families = dict.fromkeys(metric.family for metric in metrics)
        return Words(
            title="Words and metrics",
            lead="All labels of these pages, then all metrics. A metric is a pure function of an "
            "answer and its gold; viva score computes it for answers from any system.",
            blocks=[
                Block("How to read these pages", terms=glossary()["board"]),
                Block("Settings", id="settings", terms=glossary()["settings"]),
                *(
                    Block(
                        title=family_of(name)[0],
                        id=name,
                        sheets=[sheet("", (m for m in metrics if m.family == name), *columns)],
                    )
                    for name in families
                ),
            ],
        )

    inputs = {
        "metrics": [
            [metric.family, metric.name, metric.summary, range_of(metric), metric.source]
            for metric in metrics
        ]
    }
    return words_page("metrics.html", inputs, make, nav=site.nav)


_STATED = ("note", "status", "next_round", "submit")
"""Options whose values are printed on pages."""


def write_site(
    board: Board,
    out: Path,
    *,
    samples: Iterable[ItemTexts] = (),
    options: SiteOptions | None = None,
) -> Path:
    """Write a board as a folder of pages and return the path of the first page.

    If the folder holds an earlier build, only changed files are written.
    """
    options = options or SiteOptions()
    if options.submit and not options.submit.startswith("https://"):
        raise InputError(f"submit={options.submit!r} must be an address that begins with https://")
    write_pages(pages_of(replace(site_of(board), options=options), samples=samples), out)
    return out / "index.html"


def pages_of(site: Site, *, samples: Iterable[ItemTexts] = ()) -> list[Page]:
    """All files of a site, not rendered yet."""
    items = list(samples)
    places = {item.place for item in items}
    answered = frozenset(board.path for board in site.boards if board.group.place in places)
    nav = (
        *([Link("Status", site.options.status)] if site.options.status else ()),
        *([Link("Answers", SAMPLES_INDEX)] if answered else ()),
        Link("Words and metrics", "metrics.html"),
    )
    linked = replace(site, nav=nav, answered=answered)
    return [
        _index(linked),
        *(_board_page(board, linked) for board in linked.boards),
        metrics_page(linked),
        *sample_pages(linked, items),
        *downloads.files(linked),
        *static_files(),
    ]


SCHEMA_VERSION = 1
"""Version of compare.json, raised when a field changes its meaning."""

_INDEX = "index.html"
_NUMBERS = "compare.json"


def write_comparison(
    comparison: Mapping[str, Any],
    metrics: Sequence[Sheet],
    items: Sequence[Sequence[ItemTexts]],
    out: Path,
) -> Path:
    """Write a comparison as a folder of pages and return the path of the first one.

    `comparison` is the output of `viva board compare --json`. For each of its duels, `metrics` has
    a sheet, and `items` has the items that get pages.
    """
    made: list[Page] = []
    paths: list[dict[str, str]] = []
    for row, of_duel in zip(comparison["duels"], items, strict=True):
        place = [str(row[name]) for name in PLACE]
        sides = [row[side] for side in "ab"]
        headline = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
        around = ItemContext(
            folder=f"items/{slug(f'{place[1][:200]}--{place[3][:200]}', *place, sides)}",
            back=Link("The comparison", _INDEX),
            family=row["family"],
            higher_is_better=headline is None or headline["higher_is_better"] is not False,
        )
        paths.append({item.id: item_path(around.folder, item.id) for item in of_duel})
        made += items_pages(of_duel, around)

    def make() -> Words:
        duels = comparison["duels"]
        blocks = list(map(_block, duels, metrics, paths))
        if notes := comparison["notes"]:
            blocks.append(
                Block("Left out, with reasons", items=[visible(note, 600) for note in notes])
            )
        return Words(
            title="{} (a) and {} (b)".format(*(visible(duels[0][side]["name"]) for side in "ab")),
            kicker="Comparison",
            lead="Both answered the same items, and differences are taken item by item, so hard "
            "items are equally hard for both. Only this pair is tested here; a board tests "
            "all its contestants together and therefore leaves more of them undecided.",
            blocks=blocks,
            after=markup('<a href="{}" download>Download the numbers</a>', _NUMBERS),
        )

    inputs = {"found": comparison, "items": [[item.key for item in of_duel] for of_duel in items]}
    page = words_page(_INDEX, inputs, make)
    numbers = json_file(_NUMBERS, {"schema_version": SCHEMA_VERSION, **comparison})
    write_pages([page, numbers, *made, *static_files()], out)
    return out / _INDEX


def _block(row: Row, metrics: Sheet, paths: Mapping[str, str]) -> Block:
    """Comparison of both contestants in one round, task and setting."""
    alone = [f"{row[f'only_{side}']:,} of {side} alone" for side in "ab" if row[f"only_{side}"]]
    counts = ", ".join([f"{counted(row['items'], 'item')} of both", *alone])
    place = f"round {row['round']}, version {row['task_version']}, setting {row['setting']}"
    apart = sheet(
        f"Items that differ most in {visible(row['headline'], 60)}",
        row["differ_most"],
        Column(lambda item: _item(item, paths.get(item["id"])), "Item"),
        Column(lambda item: figure(item["a"]), "a"),
        Column(lambda item: figure(item["b"]), "b"),
        Column(lambda item: signed(item["difference"]), "a − b"),
    )
    metrics = replace(metrics, title=visible(f"{place}: {counts}"))
    return Block(title_of(row["task"]), sheets=[metrics, *([apart] if apart.rows else [])])


def _item(item: Row, path: str | None) -> Markup:
    """An item's title or id, with facts in small type."""
    names = (item["id"] if item["title"] else None, item["category"], item["difficulty"])
    cluster = None if item["cluster"] == item["id"] else f"of {item['cluster']}"
    known = ", ".join(str(each) for each in (*names, cluster, item["published"]) if each)
    head = visible(item["title"] or item["id"])
    if path:
        return link(_INDEX, path, head, visible(known))
    return markup("<bdi>{}</bdi> <small><bdi>{}</bdi></small>", head, visible(known))
