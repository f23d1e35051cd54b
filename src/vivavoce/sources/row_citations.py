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
_Row = list[tuple[tuple[int, ...], int]]


class RowCitations:
    """Gathers what the rows of a grid cite, from the first row to the last."""

    def __init__(self) -> None:
        self._rows: list[tuple[_Row, bool]] = []
        self._row: _Row = []

    def cite(self, ordinals: Iterable[int], rows: int = 1) -> None:
        """Note what a cell of this row cites.

        Args:
            ordinals: In order of mention.
            rows: How many rows the cell covers from this one down; negative, up.
        """
        found = tuple(ordinals)
        if found:
            self._row.append((found, rows))

    def end_row(self, *, is_kept: bool = True) -> None:
        """Go on to the next row; one that is not kept is part of what cells span, no more."""
        self._rows.append((self._row, is_kept))
        self._row = []

    def by_row(self, cited: Iterable[int]) -> RowsCited:
        """References cited by each row that is kept, of those that the table cites."""
        known = frozenset(cited)
        rows = [row for row, _ in self._rows]
        above = _carried(rows, 1)
        below = reversed(list(_carried(rows[::-1], -1)))
        return tuple(
            _once((*before, *(o for ordinals, _ in row for o in ordinals), *after), known)
            for before, (row, is_kept), after in zip(above, self._rows, below, strict=True)
            if is_kept
        )


def _carried(rows: Iterable[_Row], direction: int) -> Iterator[tuple[int, ...]]:
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

    def cell_at(self, place: int) -> tuple[int, int] | None:
        """Row and column of a place in the text; None outside of the cells."""
        at = bisect_right(self._starts, place) - 1
        return self._cells[at] if at >= 0 and place < self._end else None

    def by_cell(self, mentions: Iterable[Mention]) -> dict[tuple[int, int], tuple[int, ...]]:
        """References cited in each cell, by row and column, in order of mention, each once."""
        found: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        for place, ordinals in sorted(mentions, key=lambda mention: mention[0]):
            if (cell := self.cell_at(place)) is not None:
                found[cell].append(ordinals)
        return {c: tuple(dict.fromkeys(chain.from_iterable(many))) for c, many in found.items()}

    def by_row(self, mentions: Iterable[Mention], cited: Iterable[int]) -> RowsCited:
        """References cited by each row, of those that the table cites."""
        rows: list[list[int]] = [[] for _ in range(self._row_count)]
        for (row, _), ordinals in self.by_cell(mentions).items():
            rows[row] += ordinals
        known = frozenset(cited)
        return tuple(_once(row, known) for row in rows)
