"""Pages of single items: what was asked, the gold, and every contestant's answer side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.reports import NOTHING, Sheet
from vivavoce.results.logs.records import CONTESTANT, PLACE
from vivavoce.store import Row
from vivavoce.text.printing import counted, figure, visible
from vivavoce.web.board.blocks import Block, Words, link, markup, words_page
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.names import model_path, slug
from vivavoce.web.board.page import Link, Page, file_of, page_of
from vivavoce.web.board.pages.item_views import (
    Around,
    common_input,
    competing,
    facts_of,
    item_view,
    title_of,
)

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import Answer, Attempt, ItemTexts

INDEX = "samples/index.html"
_SCHEMA_VERSION = 1


def pages(site: Site, samples: Iterable[ItemTexts]) -> list[Page]:
    """The pages of the items, their texts as files, and the lists that lead to them.

    Items of one round, task and setting stand together; those of boards that the site does not hold
    are left out.
    """
    boards = {board.place: board for board in site.boards}
    contestants = frozenset(contestant.path for contestant in site.contestants)
    made: list[Page] = []
    listed: list[tuple[BoardOf, int]] = []
    for place, group in groupby(samples, key=lambda item: item.place):
        board = boards.get(place)
        if board is None:
            continue
        items = [_on_board(item, board) for item in group]
        listed.append((board, len(items)))
        around = Around(
            folder=items_folder(board),
            back=Link("All items shown", list_path(board)),
            family=board.family,
            higher_is_better=board.higher_is_better,
            board=board.path,
            nav=site.nav,
            contestants=contestants,
        )
        # Their list last: by then the scores that it shows were read.
        made += [*items_pages(items, around), _list(site, board, items)]
    return [_index(site, listed), *made] if listed else []


def _on_board(item: ItemTexts, board: BoardOf) -> ItemTexts:
    """The item with the answers of the contestants on its board."""
    standing = {tuple(str(row[name] or "") for name in CONTESTANT) for row in board.group.leads}
    sources = tuple(
        source
        for source in item.sources
        if tuple(getattr(source.key, name) for name in CONTESTANT) in standing
    )
    return replace(item, sources=sources)


def answered_boards(site: Site, samples: Iterable[ItemTexts]) -> frozenset[str]:
    """Paths of the boards of which there are items."""
    places = {item.place for item in samples}
    return frozenset(board.path for board in site.boards if board.place in places)


def list_path(board: BoardOf) -> str:
    """Path of the list of a board's items."""
    return f"{items_folder(board)}/index.html"


def item_path(folder: str, item: str) -> str:
    """Path of the page of an item."""
    return f"{folder}/{slug(item)}.html"


def items_folder(board: BoardOf) -> str:
    """Folder of the pages of a board's items."""
    return f"samples/{board.path.removeprefix('boards/').removesuffix('.html')}"


def items_pages(items: Sequence[ItemTexts], around: Around) -> list[Page]:
    """The pages of items of one board, each leading to the next, and their texts as files."""
    made = []
    for place, item in enumerate(items):
        beside = [items[i].id if 0 <= i < len(items) else None for i in (place - 1, place + 1)]
        made += _item_pages(item, beside, around)
    return made


def _item_pages(item: ItemTexts, beside: Sequence[str | None], around: Around) -> list[Page]:
    folder = around.folder
    path = item_path(folder, item.id)
    texts = path.removesuffix(".html") + ".json"
    ways = [None if found is None else item_path(folder, found) for found in beside]
    linked = around.contestants & {model_path(asdict(source.key)) for source in item.sources}
    inputs = {
        "item": item.key,
        "ways": [*ways, around.back.label, around.back.path],
        "linked": sorted(linked),
    }

    def values() -> Mapping[str, Any]:
        return {**item_view(item, around), "around": around, "ways": ways, "texts": texts}

    return [
        page_of(path, "item.html.j2", inputs, values, nav=around.nav),
        file_of(texts, ["item texts", item.key], lambda: _file(item)),
    ]


def _list(site: Site, board: BoardOf, items: Sequence[ItemTexts]) -> Page:
    path = list_path(board)

    def line(item: ItemTexts) -> tuple[str, ...]:
        title, facts = title_of(item), facts_of(item)
        note = ", ".join([visible(item.id), *facts] if title else facts)
        found = competing(item)
        ends = sorted(found, reverse=not board.higher_is_better)
        values = (fmean(found), ends[0], ends[-1]) if found else ()
        return (
            link(path, item_path(items_folder(board), item.id), title or item.id, note),
            *(map(figure, values) if found else [NOTHING] * 3),
            counted(len(item.sources), "answer", "answers"),
        )

    def make() -> Words:
        caption = (
            f"Values are those of {visible(items[0].metrics[0])}; the oracle and the floor are not "
            "among them."
        )
        heads = ("Item", "Mean", "Worst", "Best", "Answers")
        place = " · round {} · version {} · setting {}"
        return Words(
            title="Items with their answers",
            kicker=link(path, board.path, board.title)
            + markup(place, board.round, board.version, board.setting),
            lead="Drawn by a seed from the items’ names, so nobody chose what looks good. Each "
            "leads to its input, its gold, and what every contestant said.",
            blocks=[Block("Items", sheets=[Sheet("", heads, tuple(map(line, items)), (caption,))])],
            after=link(path, board.path, "The board") + " " + link(path, INDEX, "Other boards"),
        )

    inputs = {"items": [[item.id, item.key] for item in items]}
    return words_page(path, inputs, make, nav=site.nav)


def _index(site: Site, listed: Sequence[tuple[BoardOf, int]]) -> Page:
    def entry(board: BoardOf, count: int) -> Markup:
        items = counted(count, "item", "items")
        note = f"{visible(board.setting)}, version {visible(board.version)}: {items}"
        return link(INDEX, list_path(board), board.title, note)

    def make() -> Words:
        rounds: dict[str, list[Markup]] = {}
        for board, count in listed:
            rounds.setdefault(board.round, []).append(entry(board, count))
        return Words(
            title="Items with their answers",
            lead="What was asked, what the gold says, and what every contestant answered: some "
            "items of each board, drawn by a seed.",
            blocks=[Block(f"Round {visible(name)}", items=of) for name, of in rounds.items()],
        )

    inputs = {"boards": [[board.path, count] for board, count in listed]}
    return words_page(INDEX, inputs, make, nav=site.nav)


def _file(item: ItemTexts) -> bytes:
    """Everything the page shows, with whole texts; ASCII, so that nothing hides in it."""
    answers = item.read()
    common = common_input(answers)
    document = {
        "schema_version": _SCHEMA_VERSION,
        **dict(zip(PLACE, item.place, strict=True)),
        "id": item.id,
        "input": common,
        "gold": next((each.texts.gold for each in answers if each.score), ""),
        "answers": [_entry(answer, common) for answer in answers],
    }
    return (json.dumps(_finite(document), indent=1) + "\n").encode()


def _entry(answer: Answer, common: str) -> Row:
    """One answer; its input only where it is not the common one."""
    source, first = answer.source, answer.attempts[0]
    is_other = first.score is not None and first.texts.input != common
    return {
        **{name: value for name, value in asdict(source.key).items() if name not in PLACE},
        "log": source.file.name,
        "log_sha256": source.file.sha256,
        "attempts": source.attempts,
        **_said(first),
        "other_input": first.texts.input if is_other else None,
        "judgement": first.texts.judgement,
        "other_attempts": [{"attempt": e.epoch, **_said(e)} for e in answer.attempts[1:]],
    }


def _said(attempt: Attempt) -> Row:
    score, texts = attempt.score, attempt.texts
    return {
        "values": None if score is None else score.values,
        "fault": None if score is None else score.fault,
        "truncated": None if score is None else score.truncated,
        "output": texts.output,
        "cut": texts.cut or None,
        "explanation": texts.explanation or None,
        "problem": texts.problem or None,
    }


def _finite(value: Any) -> Any:
    """NaN and infinity as null: no JSON has them, and a judge's note may hold anything."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, Mapping):
        return {str(name): _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
