"""The pages that show scores: the overview, every board, every contestant, methods and metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from vivavoce.metrics import list_metrics
from vivavoce.results.board.columns import BoardColumn, page_columns
from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.text.printing import figure, visible
from vivavoce.web.board.downloads import LINKS
from vivavoce.web.board.entries import fact, rank_note
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.overview import (
    about_round,
    family_of,
    overview,
)
from vivavoce.web.board.page import Page, page_of, root_of
from vivavoce.web.board.pages.samples import list_path
from vivavoce.web.board.sections import rows_a_page
from vivavoce.web.rendering import glossary

_MAX_NOTES = 100
_CACHED = 8192


def pages(site: Site) -> list[Page]:
    """All of them; none is rendered yet."""
    made = [_index(site)]
    for board in site.boards:
        made += _board_pages(board, site)
    made += [_model_page(one, site) for one in site.contestants]
    return [*made, *reference(site)]


def reference(site: Site) -> list[Page]:
    """The pages on methods and metrics: everything in them is the same for all boards."""
    return [_methods(site), _metrics(site)]


def _index(site: Site) -> Page:
    def values() -> dict[str, Any]:
        return {
            **overview(site),
            "note": site.note,
            "notes": site.notes[:_MAX_NOTES],
            "unlisted_notes": max(0, len(site.notes) - _MAX_NOTES),
            "downloads": LINKS,
        }

    inputs = {"site": site.key, "note": site.note}
    return page_of("index.html", "index.html.j2", inputs, values, nav=site.nav)


def _board_pages(board: BoardOf, site: Site) -> list[Page]:
    """One page, or several where the rows are too many for one."""
    near = _near(board, site)
    rounds = [about_round(entry) for entry in site.rounds if str(entry["id"]) == board.round]
    paths = part_paths(board)
    answers_path = list_path(board) if board.path in site.answered else ""

    def values(place: int) -> dict[str, Any]:
        section = board.section
        size = rows_a_page(board.group.leads, len(board.metrics))
        entries = section.entries[place * size : (place + 1) * size]
        ceilings = section.ceilings if place == len(paths) - 1 else ()
        card = list_families().get(board.family)
        task = card.tasks.get(board.task.rpartition("/")[2]) if card else None
        return {
            "board": board,
            "section": section,
            "entries": entries,
            "ceilings": ceilings,
            "all_entries": (*entries, *ceilings),
            "first_path": board.path,
            "parts": paths,
            "summary": task.summary if task else "",
            "metrics": [(name, board.known.get(name)) for name in board.metrics],
            "about_rounds": rounds,
            "answers_path": answers_path,
            **near,
        }

    inputs = {"board": board.key, "near": near, "rounds": rounds, "metrics": board.metrics}
    inputs["answers"] = answers_path
    return [
        page_of(
            path,
            "board.html.j2",
            {**inputs, "part": place},
            lambda place=place: values(place),  # type: ignore[misc]
            nav=site.nav,
        )
        for place, path in enumerate(paths)
    ]


def part_paths(board: BoardOf) -> list[str]:
    """The paths of a board's pages: `NAME.html`, `NAME-2.html` and so on."""
    stem = board.path.removesuffix(".html")
    return [board.path, *(f"{stem}-{number}.html" for number in range(2, board.parts + 1))]


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

    def values() -> dict[str, Any]:
        newest = site.newest_of(one)
        columns = [
            column
            for column in page_columns()
            if column.name != "faults"
            and (not column.is_optional or any(fact(row, column) for _, row, _ in newest))
        ]
        # Each way it was run at one task and setting is a line through the rounds.
        courses: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
        root = root_of(one.path)
        for board, row, _ in found if len(rounds) > 1 else ():
            way = str(row["method"]), str(row["decoding"]), str(row["judge"])
            courses[board.task, board.setting, *way][board.round] = _stand(board, row, one, root)
        return {
            "one": one,
            "rounds": rounds,
            "appearances": [(b, row, _facts(row, columns)) for b, row, _ in newest],
            "courses": [
                (way, Markup("".join([cells.get(name, _NO_STAND) for name in rounds])))
                for way, cells in courses.items()
            ],
            "count": len({board.path for board, _, _ in found}),
            "columns": columns,
        }

    stands = "".join([board.mark + mark for board, _, mark in found])
    inputs = {"contestant": [*one, site.round_names, stands]}
    return page_of(one.path, "model.html.j2", inputs, values, nav=site.nav)


def _facts(row: Row, columns: Sequence[BoardColumn]) -> Markup:
    """The last cells of a contestant's row on its own page."""
    cells = []
    for column in columns:
        kind = ' class="count"' if column.is_number else ""
        text = fact(row, column) or ("not recorded" if column.name == "valid" else "–")
        cells.append(f"<td{kind}>{_escaped(text)}</td>")
    return Markup("".join(cells))


_NO_STAND = '<td class="quiet">–</td>'


def _stand(board: BoardOf, row: Row, one: ModelOf, root: str) -> str:
    """A contestant's standing on a board, as a cell: the value, its page, and the rank there.

    A template would take three times as long, and there is a cell for each board of a contestant.
    """
    value = "–" if row["value"] is None else figure(row["value"])
    place = rank_note(row, one.kind) or row["rank"]
    told = "not ranked" if row["rank"] is None else f"{place} of {len(board.ranked)}"
    link = f'<a href="{root}{board.path}">{_escaped(value)}</a>'
    return f"<td>{link} <small>{_escaped(told)}</small></td>"


@lru_cache(maxsize=_CACHED)
def _escaped(text: object) -> str:
    return str(escape(text))


def _methods(site: Site) -> Page:
    cards = list(list_families().items())
    inputs = {name: card.model_dump(mode="json") for name, card in cards}
    values = {"cards": cards, "settings": glossary()["settings"]}
    return page_of("methods.html", "methods.html.j2", inputs, lambda: values, nav=site.nav)


def _metrics(site: Site) -> Page:
    metrics = list_metrics()
    names = list(dict.fromkeys(metric.family for metric in metrics))
    families = [
        (name, family_of(name)[0], [metric for metric in metrics if metric.family == name])
        for name in names
    ]
    inputs = {"metrics": [repr(metric) for metric in metrics]}
    values = {"families": families, "words": glossary()["board"]}
    return page_of("metrics.html", "metrics.html.j2", inputs, lambda: values, nav=site.nav)
