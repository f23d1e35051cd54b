"""Build the cells of a table from the words of its lines and the rules around them.

Rows are baselines; lines that continue cells of the line above are joined to it. A head that
reaches across gutters, or has a rule under several columns, spans these columns. A lone label
between two rules spans the rows between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from vivavoce.sources.fulltext.pdf.lines import Rule, Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_broken, join_words
from vivavoce.sources.fulltext.pdf.tables.columns import (
    WIDE_RULE,
    Chunk,
    Row,
    chunk_of,
    find_columns,
    read_rows,
)
from vivavoce.text.normalise import clean_text

_MAX_ROWS, _MAX_COLUMNS = 400, 60
_NUMBER = re.compile(
    r"[-+−–~<>≤≥±]?\s*[\d.,]*\d[\d.,]*\s*(?:[%‰†‡*]|\(.*\)|±.*|[–-].*)?|[-–—]+|n/?a", re.I
)
_NUMBERS = re.compile(r"[-+−–]?[\d.,/%]*\d%?(?: (?!\d{3}(?:[ .,]|$))[-+−–]?[\d.,/%]*\d%?)+")
_MAX_MERGED, _MAX_BROKEN = 0, 0.1
"""Most cells with several numbers, and the largest share of rows that continue the row above; a
table with more is in doubt."""


@dataclass(slots=True)
class PlacedCell:
    """A cell under construction."""

    words: list[tuple[Word, ...]] = field(default_factory=list)
    height: int = 1
    width: int = 1

    @property
    def text(self) -> str:
        """The lines of the cell as one line, with words broken at line ends joined."""
        whole = ""
        for line in map(join_words, self.words):
            whole = join_broken(whole, line)
        return clean_text(whole).strip()

    @property
    def is_bold(self) -> bool:
        """True if most of its letters and digits are bold."""
        counts = [0, 0]
        for word in (word for line in self.words for word in line):
            counts[word.font.bold] += sum(map(str.isalnum, word.text))
        return counts[1] > 2 * counts[0]


class TableGrid(NamedTuple):
    """Cells, spans and bold cells in the form of a `CitedTable`."""

    cells: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[int, ...], ...]
    bold: tuple[tuple[int, ...], ...]


def read_grid(lines: Sequence[Line], rules: Sequence[Rule]) -> TableGrid:
    """The cells in the lines of a table, found with the help of the rules on its page."""
    rows = read_rows(lines)[:_MAX_ROWS]
    if not rows:
        return TableGrid((), (), ())
    left = min(chunk.x0 for row in rows for chunk in row.chunks)
    right = max(chunk.x1 for row in rows for chunk in row.chunks)
    near = [rule for rule in rules if rule.x1 > left - 6 and rule.x0 < right + 6]
    columns = find_columns(rows)[:_MAX_COLUMNS]
    reader = _Reader(rows, columns, near)
    return reader.read()


class _Reader:
    """Puts chunks into columns, joins the parts of a cell, and finds cells that span."""

    def __init__(
        self, rows: Sequence[Row], columns: Sequence[tuple[float, float]], rules: Sequence[Rule]
    ) -> None:
        self.rows, self.columns = rows, list(columns)
        self.rules = rules
        self.grid: list[dict[int, PlacedCell]] = [self._place(row) for row in rows]
        self.ys = [row.y for row in rows]

    def read(self) -> TableGrid:
        self._join_split_columns()
        self._join_offset()
        self._join_wrapped()
        # Count columns left unseparated, and lines of a cell left as rows.
        placed = (cell for row in self.grid for cell in row.values())
        merged = sum(_NUMBERS.fullmatch(cell.text) is not None for cell in placed)
        broken = sum(
            len(above[c].text.split()) > 2
            and not _NUMBER.fullmatch(cell.text)
            and (self._is_full(above[c], cell, c) or above[c].text.endswith("-"))
            for above, row in pairwise(self.grid)
            for c, cell in row.items()
            if c in above and cell.text[:1].islower()
        )
        if merged > _MAX_MERGED or broken > _MAX_BROKEN * len(self.grid):
            return TableGrid((), (), ())
        self._span_heads()
        self._span_labels()
        width = len(self.columns)
        cells, spans, bold = [], [], []
        for r, row in enumerate(self.grid):
            cells.append(tuple(row[c].text if c in row else "" for c in range(width)))
            for c, cell in sorted(row.items()):
                if cell.width > 1 or cell.height > 1:
                    spans.append((r, c, cell.height, cell.width))
                if cell.is_bold:
                    bold.append((r, c))
        return TableGrid(tuple(cells), tuple(spans), tuple(bold))

    def _place(self, row: Row) -> dict[int, PlacedCell]:
        placed: dict[int, PlacedCell] = {}
        for chunk in row.chunks:
            for piece in self._split(chunk, row.size):
                first, last = self._reach(piece)
                cell = placed.setdefault(first, PlacedCell())
                if cell.words:
                    cell.words[0] += piece.words
                else:
                    cell.words.append(piece.words)
                cell.width = max(cell.width, last - first + 1)
        return placed

    def _reach(self, chunk: Chunk) -> tuple[int, int]:
        """The first and the last column of a chunk."""
        inside = [
            c
            for c, (a, b) in enumerate(self.columns)
            if min(b, chunk.x1) - max(a, chunk.x0) > 0.15 * min(b - a, chunk.x1 - chunk.x0)
        ]
        if not inside:
            middle = (chunk.x0 + chunk.x1) / 2
            gaps = [max(a - middle, middle - b) for a, b in self.columns]
            return (gaps.index(min(gaps)),) * 2
        return inside[0], inside[-1]

    def _split(self, chunk: Chunk, size: float) -> Iterator[Chunk]:
        """Cut a chunk at gutters where its words are further apart than elsewhere in it."""
        words = list(chunk.words)
        gaps = [b.x0 - a.x1 for a, b in pairwise(words)]
        usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
        start = 0
        for place, gap in enumerate(gaps, 1):
            a, b = words[place - 1].x1, words[place].x0
            at_gutter = any(
                a <= left + 0.2 * size and b >= right - 0.2 * size
                for (_, left), (right, _) in pairwise(self.columns)
            )
            if at_gutter and (gap > 1.3 * usual or (len(gaps) == 1 and gap > 0.4 * size)):
                yield chunk_of(words[start:place])
                start = place
        yield chunk_of(words[start:])

    def _join_split_columns(self) -> None:
        """Join a column with the one before it if wide spaces have torn them apart."""
        column = 1
        while column < len(self.columns):
            rows = [row for row in self.grid if column in row]
            if column not in self.grid[0] and all(self._is_torn(row, column) for row in rows):
                for row in self.grid:
                    for c in [c for c in sorted(row) if c >= column]:
                        cell = row.pop(c)
                        if c == column:
                            row[c - 1].words[0] += cell.words[0]
                            row[c - 1].width = max(row[c - 1].width, cell.width)
                        else:
                            row[c - 1] = cell
                    for c, cell in row.items():
                        if c < column <= c + cell.width - 1:
                            cell.width -= 1
                self.columns[column - 1 : column + 1] = [
                    (self.columns[column - 1][0], self.columns[column][1])
                ]
            else:
                column += 1

    def _is_torn(self, row: dict[int, PlacedCell], column: int) -> bool:
        before, cell = row.get(column - 1), row[column]
        if before is None or _NUMBER.fullmatch(cell.text):
            return False
        gap = cell.words[0][0].x0 - before.words[0][-1].x1
        return gap < 1.3 * cell.words[0][0].font.size

    def _join_offset(self) -> None:
        """Move labels that lie between two lines into the upper line."""
        full = [
            y for y, row in zip(self.ys, self.grid, strict=True) if 2 * len(row) > len(self.columns)
        ]
        steps = sorted(b - a for a, b in pairwise(full))
        if not steps:
            return
        usual = steps[len(steps) // 2]
        place = 1
        while place < len(self.grid) - 1:
            above, below = self.ys[place] - self.ys[place - 1], self.ys[place + 1] - self.ys[place]
            row = self.grid[place]
            is_free = not set(row) & set(self.grid[place - 1]) and not set(row) & set(
                self.grid[place + 1]
            )
            if is_free and above < 0.75 * usual and below < 0.75 * usual:
                for cell in row.values():
                    cell.height = 2
                self.grid[place - 1] |= row
                del self.grid[place], self.ys[place]
            else:
                place += 1

    def _join_wrapped(self) -> None:
        """Join lines that continue the cells of the line above."""
        place = 1
        first = 0
        while place < len(self.grid):
            if self._goes_on(place, first):
                for c, cell in self.grid[place].items():
                    self.grid[first][c].words += cell.words
                del self.grid[place]
                # The row now ends at its last line.
                self.ys[place - 1 : place + 1] = [self.ys[place]]
            else:
                first = place
                place += 1

    def _goes_on(self, place: int, first: int) -> bool:
        row, above = self.grid[place], self.grid[first]
        size = self.rows[0].size
        if not set(row) <= set(above) or len(row) >= len(above) or self._is_parted(place - 1):
            return False
        if self.ys[place] - self.ys[place - 1] > 1.9 * size:
            return False
        if any(_NUMBER.fullmatch(cell.text) or cell.width > 1 for cell in row.values()):
            return False
        # Only text wraps: a bracket below a number is its deviation, in a row of its own.
        if not all(any(map(str.isalpha, above[c].text + cell.text)) for c, cell in row.items()):
            return False
        if set(row) == {0} and not row[0].text[:1].islower() and row[0].text[:1] not in "(&":
            return False
        return all(self._is_full(above[c], cell, c) for c, cell in row.items())

    def _is_full(self, above: PlacedCell, cell: PlacedCell, column: int) -> bool:
        """Check whether the next word had no room on the last line of a cell."""
        a, b = self.columns[column]
        last, following = above.words[-1][-1], cell.words[0][0]
        needed = last.x1 - a + 0.2 * following.font.size + following.x1 - following.x0
        return needed > 0.97 * (b - a)

    def _is_parted(self, place: int, column: int | None = None) -> bool:
        """Check whether a rule runs below a row: across the table, or below one column."""
        if place + 1 >= len(self.ys):
            return False
        top, bottom = self.ys[place] - 1, self.ys[place + 1] - 0.5
        left, right = self.columns[0][0], self.columns[-1][1]
        for rule in self.rules:
            if not top <= rule.y <= bottom:
                continue
            if column is None:
                if rule.x1 - rule.x0 >= WIDE_RULE * (right - left):
                    return True
            elif rule.x0 - 2 <= sum(self.columns[column]) / 2 <= rule.x1 + 2:
                return True
        return False

    def _head_count(self) -> int:
        """Number of rows above the first row of figures."""
        for r, row in enumerate(self.grid):
            numbers = sum(_NUMBER.fullmatch(cell.text) is not None for cell in row.values())
            if numbers and 2 * numbers >= len(row) - 1:
                return r
        return 1

    def _span_heads(self) -> None:
        """Let heads span the columns that a rule under them, or their position, indicates."""
        for r in range(self._head_count() - 1):
            row = self.grid[r]
            for c in sorted(row):
                first, last = self._under(r, c, row[c].width) or self._centred(r, c)
                if first != c and first not in row:
                    row[first] = row.pop(c)
                    c = first
                row[c].width = last - c + 1

    def _under(self, r: int, c: int, width: int) -> tuple[int, int] | None:
        """Columns of a rule under a head, if the rule does not run across the whole table."""
        top, bottom = self.ys[r] - 1, self.ys[r + 1] - 0.5
        a, b = self.columns[c][0], self.columns[c + width - 1][1]
        whole = self.columns[-1][1] - self.columns[0][0]
        for rule in self.rules:
            if not (top <= rule.y <= bottom and rule.x0 < b and rule.x1 > a):
                continue
            if rule.x1 - rule.x0 > 0.95 * whole:
                continue
            covered = [
                n
                for n, (x0, x1) in enumerate(self.columns)
                if rule.x0 - 3 <= (x0 + x1) / 2 <= rule.x1 + 3
            ]
            others = set(self.grid[r]) - {c}
            if covered and not others & set(range(covered[0], covered[-1] + 1)):
                return covered[0], covered[-1]
        return None

    def _centred(self, r: int, c: int) -> tuple[int, int]:
        """The widest run of columns that is centred on the head and has no other heads."""
        row, width = self.grid[r], self.grid[r][c].width
        words = row[c].words[0]
        middle = (words[0].x0 + words[-1].x1) / 2
        size = self.rows[0].size
        lowest, highest = c, c + width - 1
        taken = {place for c, cell in row.items() for place in range(c, c + cell.width)}
        while lowest - 1 not in taken and lowest > 1:
            lowest -= 1
        while highest + 1 < len(self.columns) and highest + 1 not in row:
            highest += 1
        best = (c, c + width - 1)
        for first in range(lowest, c + 1):
            for last in range(c + width - 1, highest + 1):
                centre = (self.columns[first][0] + self.columns[last][1]) / 2
                is_wider = last - first > best[1] - best[0]
                is_headed = all(n in self.grid[r + 1] for n in range(first, last + 1))
                if is_wider and is_headed and abs(centre - middle) < 0.6 * size:
                    best = (first, last)
        return best

    def _span_labels(self) -> None:
        """Let a lone label between two rules span the rows between them."""
        start = self._head_count()
        for column in range(min(2, len(self.columns) - 1)):
            first = start
            for r in range(start, len(self.grid)):
                if r + 1 < len(self.grid) and not self._is_parted(r, column):
                    continue
                band = range(first, r + 1)
                first = r + 1
                labels = [n for n in band if column in self.grid[n]]
                if len(labels) != 1 or len(band) < 2:
                    continue
                others = range(column + 1, len(self.columns))
                if len(band) == len(self.grid) - start and not any(
                    self._is_parted(n, c) for n in band[:-1] for c in others
                ):
                    continue
                cell = self.grid[labels[0]].pop(column)
                cell.height = len(band)
                self.grid[band[0]][column] = cell
