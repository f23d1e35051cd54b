"""The boards of a corpus as a round sees them: what was known before its window ends.

A board belongs to a window when a dated paper of the corpus on it first appeared inside. Scores of
papers that came later are taken off it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from vivavoce.corpus.boards import BoardEntry, CorpusBoard, read_boards
from vivavoce.corpus.reading import Corpus
from vivavoce.errors import InputError
from vivavoce.records import Window
from vivavoce.text.dates import inside, period

_NO_PAPER = "not_a_paper"


@dataclass(frozen=True, slots=True)
class BoardWithin:
    """A board without what came after a window."""

    board: CorpusBoard
    published: str
    """Date of the newest paper of the corpus on it that is inside the window."""

    @property
    def is_test(self) -> bool:
        """True if scores on it are reported; on the others, methods are tuned."""
        return is_test_board(self.board.id)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A board that is not in a window, and why."""

    board: str
    reason: str
    detail: str = ""


def is_test_board(name: str) -> bool:
    """Return whether the SHA-256 of a board's id is odd."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 1


def boards_within(corpus: Corpus, window: Window) -> tuple[list[BoardWithin], list[LeftOut]]:
    """The boards of a window, sorted by id, and those left out.

    An entry stays when its paper, or for works outside the corpus its own date, is over before the
    window ends; one of a work outside that tells no date stays too. An entry of a paper of the
    corpus without a date goes.
    """
    dates = {p.paper_id: p.published for p in corpus.papers if _NO_PAPER not in p.gates}
    kept: list[BoardWithin] = []
    left_out: list[LeftOut] = []
    for board in read_boards(corpus).boards:
        entries = tuple(entry for entry in board.entries if _is_known(entry, dates, window))
        newest = _newest(entries, dates, window)
        if newest is None:
            left_out.append(_why(board, dates))
        else:
            kept.append(BoardWithin(replace(board, entries=entries), newest))
    return kept, left_out


def _is_known(entry: BoardEntry, dates: Mapping[str, str | None], window: Window) -> bool:
    if entry.paper_id is not None and entry.paper_id in dates:
        published = dates[entry.paper_id]
        return published is not None and period(published)[1] <= window.end
    return entry.date is None or _after(entry.date) <= window.end.isoformat()


def _after(text: str) -> str:
    """The day after the last that a date can mean; of what is no date the first of all days."""
    try:
        return period(text)[1].isoformat()
    except InputError:
        return ""


def _newest(
    entries: tuple[BoardEntry, ...], dates: Mapping[str, str | None], window: Window
) -> str | None:
    found = {dates.get(entry.paper_id) for entry in entries if entry.paper_id is not None}
    return max((date for date in found if date and inside(date, window)), default=None)


def _why(board: CorpusBoard, dates: Mapping[str, str | None]) -> LeftOut:
    found = sorted({dates[paper] or "undated" for paper in board.papers if paper in dates})
    if not found:
        return LeftOut(board.id, "no_paper", "no paper of the corpus is on it")
    return LeftOut(board.id, "outside_window", f"papers of {', '.join(found[:5])}")
