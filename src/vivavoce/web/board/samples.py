"""Pages of single items: the input, the gold, and every answer with its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from itertools import groupby
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from vivavoce.reports import NOTHING, Sheet
from vivavoce.results.logs.records import CONTESTANT
from vivavoce.text.printing import counted, figure, visible
from vivavoce.web.board import entries
from vivavoce.web.board.entries import slug
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.page import Block, Link, Page, Words, link, markup, page_of, words_page

if TYPE_CHECKING:
    from vivavoce.results.logs.records import SampleScore
    from vivavoce.results.logs.sample_texts import Answer, ItemTexts


_BREAKS = ("\r\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x85")
_ROWS = 12
"""Maximum number of a judge's criteria to show."""
_WINNERS = ({"first": "answer", "second": "gold"}, {"first": "gold", "second": "answer"})
"""Winner by the position that won, with the answer first and with the gold first."""


class Excerpt(NamedTuple):
    """The start of a text."""

    text: str
    length: int
    """Number of characters in the whole text."""
    rest: int
    """Number of characters after the excerpt."""


class Verdict(NamedTuple):
    """A judge's verdict between answer and gold on one criterion."""

    criterion: str
    outcome: str
    answer_first: str
    gold_first: str


def excerpt(text: str, size: int) -> Excerpt:
    """Cut a text to its start: at most `size` bytes of HTML."""
    kept = text[:size]
    shown = _spelled(kept)
    while (taken := len(escape(shown).encode("utf-8"))) > size:
        kept = kept[: min(len(kept) - 1, int(len(kept) * size / taken))]
        shown = _spelled(kept)
    return Excerpt(shown, len(text), len(text) - len(kept))


def verdicts(judgement: Mapping[str, object] | None) -> list[Verdict]:
    """The verdicts in a judge's note, the overall one first; empty if the form is unknown."""
    orders = (judgement or {}).get("orders")
    by_first: dict[str, dict[str, object]] = {}
    for order in orders if isinstance(orders, list) else ():
        places = order.get("verdicts") if isinstance(order, Mapping) else None
        if isinstance(places, Mapping):
            by_first[str(order.get("first"))] = {str(name): at for name, at in places.items()}
    shown = [by_first.get(first, {}) for first in ("answer", "reference")]
    names = sorted({*shown[0], *shown[1]}, key=lambda name: (name != "overall", name))
    found = []
    for name in names[:_ROWS]:
        one, other = (
            winners.get(str(places.get(name)), "no verdict")
            for winners, places in zip(_WINNERS, shown, strict=True)
        )
        undecided = "no verdict" if "no verdict" in (one, other) else "tie"
        outcome = one if one == other else undecided
        found.append(Verdict(visible(name, 60).replace("_", " "), outcome, one, other))
    return found


def _spelled(text: str) -> str:
    for line_break in _BREAKS:
        text = text.replace(line_break, "\n")
    return "\n".join(visible(line, limit=None) for line in text.split("\n"))


METRICS = 24
"""Maximum number of an answer's metrics to show."""

_INPUT = 20_000
_GOLD = 14_000
_OUTPUTS = 100_000
_MAX_OUTPUT = 14_000
_EXPLANATIONS = 30_000
_MAX_EXPLANATION = 6_000
_LAST = ("floor", "ceiling")


@dataclass(frozen=True, slots=True)
class ItemContext:
    """Folder and links of the item pages of one task and setting."""

    folder: str
    """Folder inside the site."""
    back: Link
    """Link to the list of items."""
    family: str
    higher_is_better: bool
    """Direction of the headline metric."""
    board: str = ""
    """Path of the board's page; empty if there is none."""
    nav: Sequence[Link] = ()


def item_view(item: ItemTexts, around: ItemContext) -> dict[str, Any]:
    """An item's values for `item.html.j2`."""
    answers = list(item.read())
    texts = [answer.texts for answer in answers if answer.score]
    inputs = Counter(answer.texts.input for answer in answers if answer.score)
    common = inputs.most_common(1)[0][0] if inputs else ""
    answers.sort(key=lambda answer: _place(answer, item.metrics[0], around.higher_is_better))
    return {
        "item": item,
        "title": title_of(item),
        "facts": facts_of(item),
        "input": excerpt(common, _INPUT) if texts else None,
        "gold": excerpt(texts[0].gold, _GOLD) if texts else None,
        "cards": [_card(answer, around, common, len(answers)) for answer in answers],
        "metrics": item.metrics[:METRICS],
    }


def _place(answer: Answer, metric: str, higher_is_better: bool) -> tuple[bool, bool, float, str]:
    """Sort key: best first, then floor and ceiling."""
    value = answer.mean(metric)
    sign = -1.0 if higher_is_better else 1.0
    is_apart = entries.kind_of(asdict(answer.source.key)) in _LAST
    return is_apart, value is None, sign * (value or 0.0), str(answer.source.key)


def _card(answer: Answer, around: ItemContext, common: str, cards: int) -> dict[str, Any]:
    """Template values for one contestant's answer."""
    source, texts = answer.source, answer.texts
    row = asdict(source.key)
    name, details = entries.name_and_details(row)
    kind = entries.kind_of(row)
    return {
        "answer": answer,
        "kind": kind,
        "name": name,
        "details": (*details, *(entries.facts_of(row) if kind == "model" else ())),
        "use": _use(answer.score, source.epochs) if answer.score else "",
        "output": excerpt(texts.output, min(_MAX_OUTPUT, _OUTPUTS // cards)),
        "explanation": excerpt(texts.explanation, min(_MAX_EXPLANATION, _EXPLANATIONS // cards)),
        "cut": excerpt(texts.cut, min(_MAX_EXPLANATION, _EXPLANATIONS // cards)),
        "verdicts": verdicts(texts.judgement),
        "judge": (texts.judgement or {}).get("model") or source.key.judge,
        "is_other_input": not texts.problem and texts.input != common,
    }


def _use(score: SampleScore, attempts: int) -> str:
    amounts = [counted(score.tokens, "token")] if score.tokens else []
    amounts += [f"${score.cost:.4f}"] if score.cost is not None else []
    amounts += [f"{score.seconds:,.1f} s"] if score.seconds >= 0.05 else []
    return ("first attempt: " if amounts and attempts > 1 else "") + ", ".join(amounts)


def title_of(item: ItemTexts) -> str:
    """Title of an item's paper, table or leaderboard; empty if unknown."""
    return next((visible(scores[0].title) for scores in item.scores() if scores), "")


def facts_of(item: ItemTexts) -> list[str]:
    """Known facts of an item, in words."""
    score = next((scores[0] for scores in item.scores() if scores), None)
    if score is None:
        return []
    parts = [f"of {visible(score.cluster)}"] if score.cluster != item.id else []
    parts += [f"published {visible(score.published)}"] if score.published else []
    parts += [visible(fact, 60) for fact in (score.category, score.difficulty) if fact]
    return parts


INDEX = "samples/index.html"


def pages(site: Site, samples: Iterable[ItemTexts]) -> list[Page]:
    """Pages of items, and pages of lists that link to them.

    Items must be grouped by round, task and setting. Items without a board on the site are left
    out.
    """
    boards = {board.group.place: board for board in site.boards}
    made: list[Page] = []
    listed: list[tuple[BoardOf, int]] = []
    for place, group in groupby(samples, key=lambda item: item.place):
        if (board := boards.get(place)) is None:
            continue
        items = [_on_board(item, board) for item in group]
        listed.append((board, len(items)))
        around = ItemContext(
            folder=items_folder(board),
            back=Link("All items shown", list_path(board)),
            family=board.family,
            higher_is_better=board.higher_is_better,
            board=board.path,
            nav=site.nav,
        )
        # The list comes last, so that the scores it shows have been read by then.
        made += [*items_pages(items, around), _list(site, board, items)]
    return [_index(site, listed), *made] if listed else []


def _on_board(item: ItemTexts, board: BoardOf) -> ItemTexts:
    """The item with only the answers of contestants on its board."""
    standing = {tuple(str(row[name] or "") for name in CONTESTANT) for row in board.group.leads}
    name_of = attrgetter(*CONTESTANT)
    return replace(item, sources=tuple(s for s in item.sources if name_of(s.key) in standing))


def list_path(board: BoardOf) -> str:
    """Path of the list of a board's items."""
    return f"{items_folder(board)}/index.html"


def item_path(folder: str, item: str) -> str:
    """Path of an item's page."""
    return f"{folder}/{slug(item)}.html"


def items_folder(board: BoardOf) -> str:
    """Folder for the pages of a board's items."""
    return f"samples/{board.path.removeprefix('boards/').removesuffix('.html')}"


def items_pages(items: Sequence[ItemTexts], around: ItemContext) -> list[Page]:
    """Pages for the items of one board, each linked to its neighbours."""
    paths = [item_path(around.folder, item.id) for item in items]
    before, after = [None, *paths], [*paths[1:], None]
    return [
        _item_page(item, path, ways, around)
        for item, path, *ways in zip(items, paths, before, after, strict=False)
    ]


def _item_page(item: ItemTexts, path: str, ways: Sequence[str | None], around: ItemContext) -> Page:
    inputs = {"item": item.key, "ways": [*ways, around.back.label, around.back.path]}

    def values() -> Mapping[str, Any]:
        return {**item_view(item, around), "around": around, "ways": ways}

    return page_of(path, "item.html.j2", inputs, values, nav=around.nav)


def _list(site: Site, board: BoardOf, items: Sequence[ItemTexts]) -> Page:
    path = list_path(board)

    def line(item: ItemTexts) -> tuple[str, ...]:
        title, facts = title_of(item), facts_of(item)
        note = ", ".join([visible(item.id), *facts] if title else facts)
        # Floor and ceiling do not compete.
        values = sorted(
            (
                value
                for source, value in zip(item.sources, item.means(), strict=True)
                if entries.kind_of(asdict(source.key)) not in _LAST and value is not None
            ),
            reverse=not board.higher_is_better,
        )
        ends = (fmean(values), values[0], values[-1]) if values else ()
        return (
            link(path, item_path(items_folder(board), item.id), title or item.id, note),
            *(map(figure, ends) if ends else [NOTHING] * 3),
            counted(len(item.sources), "answer"),
        )

    def make() -> Words:
        caption = f"Values in {visible(items[0].metrics[0])}, without the oracle and the floor."
        heads = ("Item", "Mean", "Worst", "Best", "Answers")
        place = " · round {} · version {} · setting {}"
        return Words(
            title="Items with their answers",
            kicker=link(path, board.path, board.title)
            + markup(place, board.round, board.version, board.setting),
            lead="Drawn at random with a fixed seed, so nobody picked the good ones. Each page "
            "shows the input, the gold, and every contestant’s answer.",
            blocks=[Block("Items", sheets=[Sheet("", heads, tuple(map(line, items)), (caption,))])],
            after=link(path, board.path, "The board") + " " + link(path, INDEX, "Other boards"),
        )

    inputs = {"items": [[item.id, item.key] for item in items]}
    return words_page(path, inputs, make, nav=site.nav)


def _index(site: Site, listed: Sequence[tuple[BoardOf, int]]) -> Page:
    def entry(board: BoardOf, count: int) -> Markup:
        items = counted(count, "item")
        note = f"{visible(board.setting)}, version {visible(board.version)}: {items}"
        return link(INDEX, list_path(board), board.title, note)

    def make() -> Words:
        rounds: dict[str, list[Markup]] = {}
        for board, count in listed:
            rounds.setdefault(board.round, []).append(entry(board, count))
        return Words(
            title="Items with their answers",
            lead="Inputs, gold answers and every contestant’s answers to some items of each "
            "board, drawn at random with a fixed seed.",
            blocks=[Block(f"Round {visible(name)}", items=of) for name, of in rounds.items()],
        )

    inputs = {"boards": [[board.path, count] for board, count in listed]}
    return words_page(INDEX, inputs, make, nav=site.nav)
