"""The pages that show scores: the overview, every board, every contestant, and what metrics say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from vivavoce.metrics import Metric, list_metrics
from vivavoce.reports import NOTHING, Column, Sheet, sheet
from vivavoce.results.board.columns import page_columns
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.text.printing import counted, figure, visible
from vivavoce.web.board.downloads import LINKS
from vivavoce.web.board.entries import (
    TAGS,
    between,
    fact,
    kind_of,
    model_path,
    named_rivals,
    rank_note,
    rank_of,
    run_with,
    title_of,
)
from vivavoce.web.board.model import BoardOf, Measured, ModelOf, Site
from vivavoce.web.board.overview import about_round, family_of, overview
from vivavoce.web.board.page import Block, Page, Words, link, markup, page_of, words_page
from vivavoce.web.board.pages.samples import list_path
from vivavoce.web.board.sections import Section
from vivavoce.web.rendering import glossary

_MAX_NOTES = 100


def pages(site: Site) -> list[Page]:
    """All of them; none is rendered yet."""
    return [
        _index(site),
        *(_board_page(board, site) for board in site.boards),
        *(_model_page(one, site) for one in site.contestants),
        metrics_page(site),
    ]


def _index(site: Site) -> Page:
    def values() -> dict[str, Any]:
        return {
            **overview(site),
            "note": site.note,
            "updated": site.updated,
            "next_round": site.next_round,
            "status": site.status,
            "submit": site.submit,
            "notes": site.notes[:_MAX_NOTES],
            "unlisted_notes": max(0, len(site.notes) - _MAX_NOTES),
            "downloads": LINKS,
        }

    stated = [site.note, site.updated, site.next_round, site.status, site.submit]
    inputs = {"site": site.key, "stated": stated}
    return page_of("index.html", "index.html.j2", inputs, values, nav=site.nav)


def _board_page(board: BoardOf, site: Site) -> Page:
    near = _near(board, site)
    rounds = [about_round(entry) for entry in site.rounds if str(entry["id"]) == board.round]
    answers_path = list_path(board) if board.path in site.answered else ""

    def values() -> dict[str, Any]:
        section = board.section
        card = list_families().get(board.family)
        task = card.tasks.get(board.task.rpartition("/")[2]) if card else None
        return {
            "board": board,
            "section": section,
            "further": _further(section, board.path),
            "summary": task.summary if task else "",
            "metrics": [(name, board.known.get(name)) for name in board.metrics],
            "about_rounds": rounds,
            "answers_path": answers_path,
            **near,
        }

    inputs = {"board": board.key, "near": near, "rounds": rounds, "metrics": board.metrics}
    inputs["answers"] = answers_path
    return page_of(board.path, "board.html.j2", inputs, values, nav=site.nav)


def _further(section: Section, here: str) -> Sheet:
    """Metrics beyond the first few: values and intervals only."""

    def cell(row: Row | None) -> str:
        if row is None or row["value"] is None:
            return NOTHING
        return markup("{} <small>{}</small>", figure(row["value"]), between(row))

    first = len(section.columns)
    return Sheet(
        "",
        ("Contestant", *(column.metric for column in section.further)),
        tuple(
            (link(here, model_path(entry.row), entry.name), *map(cell, entry.cells[first:]))
            for entry in (*section.entries, *section.ceilings)
        ),
        ("Values with their 95% intervals. Nobody is ranked by these here.",),
    )


def _near(board: BoardOf, site: Site) -> dict[str, Any]:
    """The same task in other settings of the round, and in other rounds."""
    order = {name: place for place, name in enumerate(site.round_names)}
    same = site.by_task[board.task]
    settings = [(visible(one.setting, 60), one.path) for one in same if one.round == board.round]
    rounds = [one for one in same if one.setting == board.setting]
    rounds.sort(key=lambda one: order[one.round])
    return {
        "settings": settings,
        "rounds": [(visible(one.round, 60), one.path) for one in rounds],
    }


def _model_page(one: ModelOf, site: Site) -> Page:
    """Standings of a model or method on all boards."""
    found, rounds = site.of(one)

    def make() -> Words:
        count = len({board.path for board, _, _ in found})
        of = f" of {len(rounds)} rounds" if len(rounds) > 1 else ""
        tags = ("Yours" if one.is_own else "", TAGS[one.kind])
        shown = (markup(' <span class="tag">{}</span>', tag) for tag in tags if tag)
        return Words(
            title=visible(one.name),
            heading=markup("<bdi>{}</bdi>", one.name) + Markup("").join(shown),
            kicker=link(one.path, "index.html", "All contestants"),
            lead=f"On {counted(count, 'board', 'boards')}{of}. Values are means over all items of "
            "a board; a failed answer counts 0.",
            blocks=[
                Block(f"Round {visible(rounds[-1])}", sheets=[_newest(one, site)]),
                *([_through(one, found, rounds)] if len(rounds) > 1 else []),
            ]
            if found
            else [],
            empty="No board ranks it by its first metric yet.",
            after=markup(
                "Any two contestants item by item: <code>{}</code>",
                "viva board compare A B --logs LOGS --out DIR",
            ),
        )

    stands = "".join([board.mark + mark for board, _, mark in found])
    inputs = {"contestant": [*one, site.round_names, stands]}
    return words_page(one.path, inputs, make, nav=site.nav)


def _newest(one: ModelOf, site: Site) -> Sheet:
    """One line for each board of the newest round and way of running."""
    lines = site.newest_of(one)
    columns = [
        column
        for column in page_columns()
        if column.name != "faults"
        and (not column.is_optional or any(fact(row, column) for _, row, _ in lines))
    ]
    return Sheet(
        "",
        ("Board", "Rank", "Value", *(column.label for column in columns), "Run with"),
        tuple(
            (
                link(one.path, board.path, board.title, board.setting),
                _rank(board, row),
                _value(board, row),
                *(
                    fact(row, column) or ("not recorded" if column.name == "valid" else NOTHING)
                    for column in columns
                ),
                markup("<small>{}</small>", " · ".join(run_with(row)) or "no model"),
            )
            for board, row, _ in lines
        ),
        (
            "One line for each board and way of running. Tokens, dollars and seconds are means "
            "over the answers.",
        ),
    )


def _rank(board: BoardOf, row: Row) -> Markup:
    rank, note = rank_of(row), rank_note(row, kind_of(row))
    if rank is None:
        return markup("<small>{}</small>", note)
    of = f"of {len(board.ranked)}" + (f", may be {note}" if note else "")
    found = markup("<b>{}</b> <small>{}</small>", rank, of)
    for field, words in (("tied_with", "tied with"), ("undecided_with", "undecided with")):
        if rivals := named_rivals(row, field):
            found += markup(" <small>{} <bdi>{}</bdi></small>", words, rivals)
    return found


def _value(board: BoardOf, row: Row) -> Markup:
    if row["value"] is None:
        return Markup("<small>no value</small>")
    near = f"{between(row)} {visible(board.headline)}"
    return markup("<b>{}</b> <small><bdi>{}</bdi></small>", figure(row["value"]), near)


def _through(one: ModelOf, found: Sequence[Measured], rounds: Sequence[str]) -> Block:
    """Each way it was run at one task and setting as a line through the rounds."""
    ways: dict[tuple[str, ...], dict[str, Markup]] = defaultdict(dict)
    for board, row, _ in found:
        place = rank_note(row, one.kind) or row["rank"]
        stands = "not ranked" if row["rank"] is None else f"{place} of {len(board.ranked)}"
        value = NOTHING if row["value"] is None else figure(row["value"])
        way = (title_of(board.task), board.setting, str(row["method"]))
        key = (*way, str(row["decoding"]), str(row["judge"]))
        ways[key][board.round] = link(one.path, board.path, value, stands)
    rows = tuple(
        (*map(visible, way[:3]), *(cells.get(name, NOTHING) for name in rounds))
        for way, cells in ways.items()
    )
    caption = (
        "The value by the first metric of each board, and the rank there. Rounds hold different "
        "papers: a change may be theirs."
    )
    heads = ("Task", "Setting", "Method", *(visible(name, 40) for name in rounds))
    return Block("Through the rounds", sheets=[Sheet("", heads, rows, (caption,))], style="grid")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def metrics_page(site: Site) -> Page:
    """Labels, settings and metrics: everything in it is the same for all boards."""
    metrics = list_metrics()

    def range_of(metric: Metric) -> str:
        return f"{metric.low:g} to {'no end' if metric.high is None else f'{metric.high:g}'}"

    def better(metric: Metric) -> str:
        if metric.high is None:
            return "neither"
        return "higher" if metric.higher_is_better else "lower"

    def make() -> Words:
        columns = (
            Column(lambda metric: metric.name, "Metric"),
            Column(lambda metric: _sentence(metric.summary), "What it says"),
            *(Column(range_of, "Range"), Column(better, "Better")),
            Column(lambda metric: metric.source, "Defined in"),
        )
        families = dict.fromkeys(metric.family for metric in metrics)
        return Words(
            title="Words and metrics",
            lead="Every label of these pages, then every metric. A metric is a pure function of an "
            "answer and its gold; viva score computes it for answers made anywhere.",
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
