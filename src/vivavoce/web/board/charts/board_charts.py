"""Charts of scores: against cost, context and cutoff on a board, against price over all tasks.

At most three are on a board's page, one on the first. Each is drawn once a build and again only
when its numbers change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from vivavoce.results.logs.records import CONTESTANT
from vivavoce.store import Row, hash_of
from vivavoce.web.board.charts.drawing import Chart, Figure
from vivavoce.web.board.charts.shapes import (
    FEW,
    Dot,
    Line,
    Pair,
    axis_of,
    height_of_pairs,
    lines,
    pairs,
    scatter,
    short,
)
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.names import kind_of, label, slug
from vivavoce.web.board.overview import Line as ContestantLine
from vivavoce.web.board.overview import lines_of, newest_boards
from vivavoce.web.printing import visible

MAX_LINES = 8
PRICE_PATH = "charts/price.svg"
_MAX_ROWS = 40
"""Of a chart's table: all numbers are in the page's own table and in its downloads."""
_CONTROLS = ("floor", "ceiling")
_MAX_PAIRS = 12
_MAX_NAME = 60
_CACHED = 8192
_APART = 1.05
"""Amounts within this ratio are one amount."""

Measure = Callable[[Row], float | None]


def board_charts(site: Site, board: BoardOf) -> list[Chart]:
    """The charts of a board's page, in their order there."""
    made = (_context_chart(site, board), _cost_chart(board), _cutoff_chart(board))
    return [chart for chart in made if chart is not None]


def open_rows(board: BoardOf) -> list[Row]:
    """The headline rows with a value, ceilings left out, best first."""
    sign = -1 if board.higher_is_better else 1
    return sorted(board.valued, key=lambda row: (sign * row["value"], _spelled(row)))


def _spelled(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in CONTESTANT)


def _name(row: Row) -> str:
    return visible(label(row), _MAX_NAME)


def _own_path(board: BoardOf, kind: str) -> str:
    stem = board.path.removeprefix("boards/").removesuffix(".html")
    return f"charts/{stem}--{kind}.svg"


def _an_answer(field: str) -> Measure:
    def measure(row: Row) -> float | None:
        answers = row["answers"]
        value = row[field]
        return value / answers if value and answers else None

    return measure


_MEASURES: tuple[tuple[str, str, str, Measure], ...] = (
    ("cost", "Score and cost", "US$ an answer", _an_answer("cost")),
    ("tokens", "Score and tokens", "tokens an answer", _an_answer("tokens")),
    ("seconds", "Score and time", "seconds an answer", _an_answer("seconds")),
)
"""Measures that a score may be held against: the first in which contestants differ."""


def _cost_chart(board: BoardOf) -> Chart | None:
    rows = board.valued
    for kind, title, unit, measure in _MEASURES:
        if _differ([spent for row in rows if (spent := measure(row))]):
            build = partial(_cost_figure, board, measure, title, unit)
            return Chart(_own_path(board, "cost"), hash_of([kind, board.key]), build)
    return None


def _differ(amounts: Sequence[float]) -> bool:
    """True if amounts differ by more than rounding."""
    return bool(amounts) and max(amounts) > _APART * min(amounts)


def _cost_figure(board: BoardOf, measure: Measure, title: str, unit: str) -> Figure:
    found = [(row, spent) for row in open_rows(board) if (spent := measure(row))]
    dots = [
        Dot(spent, row["value"], kind_of(row) != "model", short(label(row)), *row["ci"] or ())
        for row, spent in found
    ]
    plot = partial(scatter, unit, visible(board.headline, 30), dots)
    values = {"metric": board.headline, "unit": unit, "found": found, "few": FEW}
    return Figure(title, "cost", plot, values)


def _cutoff_chart(board: BoardOf) -> Chart | None:
    if not any(map(_has_both, board.valued)):
        return None
    return Chart(
        _own_path(board, "cutoff"),
        hash_of(["cutoff", board.key]),
        lambda: _cutoff_figure(board, [row for row in open_rows(board) if _has_both(row)]),
    )


def _has_both(row: Row) -> bool:
    exposure = row["exposure"] or {}
    return exposure.get("seen") is not None and exposure.get("clean") is not None


def _cutoff_figure(board: BoardOf, rows: Sequence[Row]) -> Figure:
    widest = sorted(rows, key=lambda row: (-abs(row["exposure"]["gap"]), _name(row)))
    drawn = widest[:_MAX_PAIRS]
    found = [
        Pair(label(row), row["exposure"]["seen"], row["exposure"]["clean"])
        for row in sorted(drawn, key=lambda row: (-row["exposure"]["gap"], _name(row)))
    ]
    limits = {"most": _MAX_ROWS, "most_drawn": _MAX_PAIRS}
    values = {"metric": board.headline, "widest": widest, **limits}
    plot = partial(pairs, visible(board.headline, 30), found)
    height = height_of_pairs(len(found))
    return Figure("Before and after the cutoff", "cutoff", plot, values, height)


def _context_chart(site: Site, board: BoardOf) -> Chart | None:
    same = [
        other
        for other in site.by_task[board.task]
        if (other.round, other.version) == (board.round, board.version)
    ]
    if not _is_any_apart(tuple(same)):
        return None
    place = [board.round, board.task, board.version]
    folder = board.path.split("/")[1]
    name = slug(f"{board.task.rpartition('/')[2][:200]}--context", *place)
    return Chart(
        f"charts/{folder}/{name}.svg",
        hash_of(["context", [other.key for other in same]]),
        lambda: _context_figure(board, _series(same)),
    )


_Point = tuple[float, Row]


def _by_tokens(boards: Sequence[BoardOf]) -> Iterator[list[_Point]]:
    """Each contestant's rows by tokens an answer so far, as they come."""
    measure = _an_answer("tokens")
    found: dict[tuple[str, ...], list[_Point]] = {}
    for board in boards:
        for row in board.valued:
            tokens = measure(row)
            if tokens and kind_of(row) not in _CONTROLS:
                points = found.setdefault(_same_but_context(row), [])
                points.append((tokens, row))
                yield points


@lru_cache(maxsize=1)  # boards of one task and round follow each other
def _is_any_apart(boards: tuple[BoardOf, ...]) -> bool:
    return any(_differ([tokens for tokens, _ in points]) for points in _by_tokens(boards))


def _series(boards: Sequence[BoardOf]) -> list[list[_Point]]:
    """Each contestant's rows by tokens an answer, where they differ in those; best first."""
    found = {id(points): points for points in _by_tokens(boards)}.values()
    ordered = (sorted(points, key=lambda point: point[0]) for points in found)
    grown = [points for points in ordered if _differ([tokens for tokens, _ in points])]
    sign = -1 if boards[0].higher_is_better else 1
    grown.sort(key=lambda points: (-len(points), sign * _mean(points), _spelled(points[0][1])))
    return grown


def _same_but_context(row: Row) -> tuple[str, ...]:
    decoding = _without_context(str(row["decoding"] or ""))
    return (str(row["model"]), str(row["method"]), decoding, str(row["judge"]))


@lru_cache(maxsize=_CACHED)
def _without_context(decoding: str) -> str:
    return " ".join(word for word in decoding.split() if not word.startswith("context="))


def _mean(points: Sequence[_Point]) -> float:
    return math.fsum(row["value"] for _, row in points) / len(points)


def _context_figure(board: BoardOf, series: Sequence[Sequence[_Point]]) -> Figure:
    drawn = series[:MAX_LINES]
    points = [point for of_one in drawn for point in of_one]
    plot = partial(
        lines,
        [
            Line(label(of_one[0][1]), [(tokens, row["value"]) for tokens, row in of_one])
            for of_one in drawn
        ],
        axis_of("tokens an answer", [tokens for tokens, _ in points], may_be_log=True),
        axis_of(visible(board.headline, 30), [row["value"] for _, row in points]),
    )
    limits = {"most": _MAX_ROWS, "most_drawn": MAX_LINES}
    values = {"metric": board.headline, "task": board.title, "series": series, **limits}
    return Figure("Score and length of the context", "context", plot, values)


def price_chart(site: Site) -> Chart | None:
    """Quality against price over all tasks of the newest round; None where prices are alike."""
    boards = newest_boards(site)
    priced = [line for line in lines_of(site, boards) if line.price and line.better_than]
    if not _differ([line.price or 0.0 for line in priced]):
        return None
    key = hash_of(
        ["price", [board.key for board in boards], [one.name for one in site.contestants]]
    )
    return Chart(PRICE_PATH, key, lambda: _price_figure(priced))


def _price_figure(priced: Sequence[ContestantLine]) -> Figure:
    found = [(line, line.price or 0.0, line.better_than or (0.0, 0.0)) for line in priced]
    dots = [
        Dot(price, shares[0], line.model.kind != "model", short(line.model.name), *shares)
        for line, price, shares in found
    ]
    values = {"found": found[:_MAX_ROWS], "unlisted": len(found) - _MAX_ROWS}
    values["is_few"] = len(found) <= FEW
    plot = partial(scatter, "US$ an answer", "better than", dots)
    return Figure("Quality and cost", "price", plot, values)
