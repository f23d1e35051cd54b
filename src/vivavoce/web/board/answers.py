"""Answers on the first page: who may be best at each task, with what certainty and price."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from vivavoce.store import Row
from vivavoce.text.printing import visible
from vivavoce.web.board.entries import bounds_of, dollars, is_floor, kind_of, rank_bounds
from vivavoce.web.board.model import BoardOf
from vivavoce.web.board.sections import is_first

MAX_BOARDS = 8
"""Maximum number of answers per family; the matrix below shows the other boards."""
MAX_NAMED = 4
"""Maximum number of contestants named per board."""
_WIDTH, _MARGIN = 160, 6
"""Width of an interval's image and its margin at each end, in pixels."""

Ends = tuple[float, float]


class Contender(NamedTuple):
    """A contestant in an answer."""

    row: Row
    may_lead: bool
    """False for the one baseline or model that is shown only for comparison."""
    better_than: str
    """Shares of the others that this one beats significantly and possibly, such as `45–80%`."""
    places: tuple[int, int, int]
    """Positions of low end, value and high end in the image of the interval."""
    facts: tuple[str, ...]


class Answer(NamedTuple):
    """The contestants that may be best at a task."""

    title: str
    path: str
    note: str
    """Setting and metric of the values."""
    verdict: str
    """Short statement on how many may be best."""
    lines: tuple[Contender, ...]


def shares_above(row: Row, ranked: int) -> Ends | None:
    """Bounds on the share of a board's other contestants that a row is better than.

    None if the contestants were not compared item by item.
    """
    if not row["rank_interval"] or ranked < 2:
        return None
    low, high = row["rank_interval"]
    return max(0.0, (ranked - high) / (ranked - 1)), max(0.0, (ranked - low) / (ranked - 1))


def shares_text(ends: Ends | None) -> str:
    """Print two shares, such as `45–80%`; empty for None."""
    if ends is None:
        return ""
    low, high = (f"{end:.0%}" for end in ends)
    return low if low == high else f"{low.removesuffix('%')}–{high}"


def may_lead(row: Row) -> bool:
    """Check that rank 1 is possible, the row is not a floor, and some answer is valid."""
    return rank_bounds(row)[0] == 1 and not is_floor(row) and row["valid"] != 0


def answers_of(boards: Iterable[BoardOf]) -> list[Answer]:
    """Answers for the boards with ranked contestants, the setting `base` first."""
    ranked_boards = [board for board in boards if board.ranked]
    ranked_boards.sort(key=lambda board: (board.setting != "base", board.task, board.setting))
    return [_answer(board) for board in ranked_boards[:MAX_BOARDS]]


def _answer(board: BoardOf) -> Answer:
    first = [row for row in board.ranked if may_lead(row)]
    shown = first[:MAX_NAMED]
    kinds = {kind_of(row) == "model" for row in first}
    if len(kinds) == 1:  # a model means little without a baseline beside it, and vice versa
        shown += [row for row in board.ranked if (kind_of(row) == "model") not in kinds][:1]
    places = _places([(*bounds_of(row), row["value"]) for row in shown])
    return Answer(
        board.title,
        board.path,
        f"{visible(board.setting, 40)} · {visible(board.headline, 40)}"
        + ("" if board.higher_is_better else ", lower is better"),
        _verdict(first, len(board.ranked)),
        tuple(
            Contender(
                row,
                row in first,
                shares_text(shares_above(row, len(board.ranked))),
                place,
                tuple(of([row]) for of in FACTS.values()),
            )
            for row, place in zip(shown, places, strict=True)
        ),
    )


def _places(ends: Sequence[tuple[float, float, float]]) -> list[tuple[int, int, int]]:
    """Positions of low end, value and high end of intervals, in images with the same scale."""
    low = min((min(each) for each in ends), default=0.0)
    high = max((max(each) for each in ends), default=1.0)

    def place(value: float) -> int:
        fraction = 0.5 if high == low else (value - low) / (high - low)
        return round(_MARGIN + (_WIDTH - 2 * _MARGIN) * fraction)

    return [(place(least), place(value), place(most)) for least, most, value in ends]


def _verdict(first: Sequence[Row], ranked: int) -> str:
    if not first:
        return "no contestant is above the floor"
    if ranked == 1:
        return "no other contestant"
    if not first[0]["rank_interval"]:
        return "differences were not tested"
    if len(first) == 1:
        return "one is best" if is_first(first[0]) else "not shown to beat the floor"
    unnamed = len(first) - MAX_NAMED
    more = f"; {unnamed:,} not listed" if unnamed > 0 else ""
    return f"{len(first):,} may be best{more}"


def price_of(rows: Sequence[Row]) -> float | None:
    """US dollars per answer over the rows that record a cost."""
    paid = [row for row in rows if row["cost"] is not None]
    answers = sum(row["answers"] for row in paid)
    return math.fsum(row["cost"] for row in paid) / answers if answers else None


def _price(rows: Sequence[Row]) -> str:
    price = price_of(rows)
    return "" if price is None else f"${dollars(price)}"


def _seconds(rows: Sequence[Row]) -> str:
    timed = [row for row in rows if row["seconds"] is not None and kind_of(row) == "model"]
    answers = sum(row["answers"] for row in timed)
    return f"{math.fsum(row['seconds'] for row in timed) / answers:.1f}" if answers else ""


def about_model(rows: Sequence[Row], name: str) -> str:
    """A fact about a model from the table of models; empty if unknown."""
    facts = ((row["exposure"] or {}).get(name) for row in rows)
    fact = next((each for each in facts if each not in (None, "never")), "")
    return ("open" if fact else "closed") if isinstance(fact, bool) else visible(fact, 40)


FACTS: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "$ per answer": _price,
    "Seconds": _seconds,
    "Weights": lambda rows: about_model(rows, "open_weights"),
    "Size": lambda rows: about_model(rows, "size"),
    "Cutoff": lambda rows: about_model(rows, "cutoff"),
}
"""Columns of facts; a column is shown if any contestant has a value."""
