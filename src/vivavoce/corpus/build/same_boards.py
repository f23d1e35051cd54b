"""Boards that lists name in different ways, found by the scores of the works that are on both.

Two boards of one dataset and one metric are one where a work has the same score on both. So they
are where no work is on both, and the words of one task are among those of the other. Boards whose
names differ are one where three works have the same scores on both, and no more works have
different ones. A tagger and a parser that are tested on one treebank stay apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from vivavoce.readers.board_keys import board_id
from vivavoce.store import Row

_SHARED = 3
"""Works with equal scores, and different scores among them, from which on two boards are one."""
_MOST_BOARDS = 20
"""Boards that one score of a work can be on; where it is on more it tells none from another."""

Scores = set[tuple[str, float]]
"""The scores of a board with their works."""


def find_boards(rows: Sequence[Row]) -> list[str]:
    """The id of the board of each row: of boards that are one, that with most rows.

    Args:
        rows: Rows with `task`, `dataset`, `metric`, `score`, `paper_id` and `paper_url`.
    """
    name_of = cache(board_id)
    names = [name_of(row["task"], row["dataset"], row["metric"]) for row in rows]
    scores: dict[str, Scores] = {name: set() for name in names}
    for name, row in zip(names, rows, strict=True):
        work = row["paper_id"] or row["paper_url"]
        if work and row["score"] is not None:
            scores[name].add((work, row["score"]))
    counts = Counter(names)
    board_of = {name: name for name in scores}
    for one, other in _same(scores):
        ends = board_of[one], board_of[other]
        kept = min(ends, key=lambda name: (-counts[name], name))
        board_of.update({name: kept for name, end in board_of.items() if end in ends})
    return [board_of[name] for name in names]


def _same(scores: dict[str, Scores]) -> Iterator[tuple[str, str]]:
    """Pairs of boards that are one."""
    named: dict[str, list[str]] = defaultdict(list)
    holding: dict[tuple[str, float], list[str]] = defaultdict(list)
    for name in sorted(scores):
        named[name.partition("/")[2]].append(name)
        for score in scores[name]:
            holding[score].append(name)
    for names in named.values():
        for one, other in combinations(names, 2):
            if scores[one] & scores[other] or (
                _is_kind_of(one, other) and not _works(scores[one]) & _works(scores[other])
            ):
                yield one, other
    pairs = {
        pair
        for names in holding.values()
        if len(names) <= _MOST_BOARDS
        for pair in combinations(names, 2)
    }
    for one, other in sorted(pairs):
        shared = scores[one] & scores[other]
        works = _works(shared)
        if min(len(works), len({score for _, score in shared})) >= _SHARED and 2 * len(
            works
        ) >= len(_works(scores[one]) & _works(scores[other])):
            yield one, other


def _works(scores: Scores) -> set[str]:
    return {work for work, _ in scores}


def _is_kind_of(one: str, other: str) -> bool:
    """Check whether the words of the task of one board are among those of the other's."""
    words, others = (set(name.partition("/")[0].split("_")) for name in (one, other))
    return words <= others or others <= words
