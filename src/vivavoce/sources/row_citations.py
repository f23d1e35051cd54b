"""References cited by each row of a table: from cells that span rows, or from a text.

References are given by their ordinals. Every function takes time linear in its input and output.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

RowsCited = tuple[tuple[int, ...], ...]
"""Citations of each row, in order of mention, each once."""
Mention = tuple[int, tuple[int, ...]]
"""Place of a marker in a text, and the references it means."""

_MAX_CARRIED = 20
"""References that cells of other rows bring into a row; a table of two lines may claim millions."""
Row = list[tuple[tuple[int, ...], int]]
"""The cells of a row that cite: their references in order of mention, and the rows that each cell
covers from its own down; negative, up."""


def cited_by_rows(rows: Sequence[tuple[Row, bool]], cited: Iterable[int]) -> RowsCited:
    """References cited by each row of a grid, of those that the table cites.

    Args:
        rows: The rows from the first to the last. One that is not kept is part of what cells span,
            no more.
        cited: The references that the table cites.
    """
    known = frozenset(cited)
    above = _carried((row for row, _ in rows), 1)
    below = reversed(list(_carried((row for row, _ in rows[::-1]), -1)))
    return tuple(
        _once((*before, *chain.from_iterable(own for own, _ in row), *after), known)
        for before, (row, is_kept), after in zip(above, rows, below, strict=True)
        if is_kept
    )


def _carried(rows: Iterable[Row], direction: int) -> Iterator[tuple[int, ...]]:
    """Citations that cells of earlier rows bring into each row."""
    left: dict[int, int] = {}
    for row in rows:
        yield tuple(left)
        for ordinals, count in row:
            if count * direction > 1:
                for ordinal in ordinals:
                    left[ordinal] = max(count * direction, left.get(ordinal, 0))
        still = ((ordinal, count - 1) for ordinal, count in left.items() if count > 1)
        left = dict(islice(still, _MAX_CARRIED))


def _once(ordinals: Iterable[int], known: frozenset[int]) -> tuple[int, ...]:
    return tuple(ordinal for ordinal in dict.fromkeys(ordinals) if ordinal in known)


class TableText:
    """A table as one text, in which markers can be sought, and the cell that a place is in.

    Each cell is a line; a blank line separates rows, unless said otherwise, and comes after the
    caption and before each note.
    """

    def __init__(
        self,
        caption: str,
        cells: Sequence[Sequence[str]],
        notes: Iterable[str] = (),
        *,
        between_rows: str = "\n\n",
    ) -> None:
        self._row_count = len(cells)
        self._starts: list[int] = []
        self._cells: list[tuple[int, int]] = []
        pieces = [caption, "\n\n"]
        place = len(caption) + 2
        for number, row in enumerate(cells):
            before = between_rows if number else ""
            for column, cell in enumerate(row):
                if cell:
                    pieces += [before, cell]
                    self._starts.append(place + len(before))
                    self._cells.append((number, column))
                    place += len(before) + len(cell)
                    before = "\n"
        self._end = place
        self.text = "\n\n".join(["".join(pieces), *notes])

    def by_cell(self, mentions: Iterable[Mention]) -> dict[tuple[int, int], tuple[int, ...]]:
        """References cited in each cell, by row and column, in order of mention, each once."""
        works: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        for place, ordinals in sorted(mentions, key=lambda mention: mention[0]):
            number = bisect_right(self._starts, place) - 1
            if number >= 0 and place < self._end:
                works[self._cells[number]].append(ordinals)
        return {c: tuple(dict.fromkeys(chain.from_iterable(many))) for c, many in works.items()}

    def by_row(self, mentions: Iterable[Mention], cited: Iterable[int]) -> RowsCited:
        """References cited by each row, of those that the table cites."""
        rows: list[list[int]] = [[] for _ in range(self._row_count)]
        for (row, _), ordinals in self.by_cell(mentions).items():
            rows[row] += ordinals
        known = frozenset(cited)
        return tuple(_once(row, known) for row in rows)
