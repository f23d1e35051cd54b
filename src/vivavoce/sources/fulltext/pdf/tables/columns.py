"""Printed rows of a table, and its columns between gutters, where most rows have a gap.

Text of several rows between two gutters is a column; text of one row only is a head over others.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line

WIDE_RULE = 0.6
"""Least share of the table's width for a rule that divides the whole table."""
_GAP = 0.5
"""Share of the font size: words of one cell are no further apart."""
_CROSSED = 0.3
"""Largest share of the rows that may reach across a gutter."""
_NARROWEST = 0.25
"""Least width of a gutter, as a share of the font size."""
_SAME_LINE = 0.4
_FIGURES = 0.7
"""Least share of a column's rows with figures that hold two of them, for it to be split."""
_FIGURE = re.compile(
    r"[-−–+~<>≈]?[\d.][\d.,/:%*†‡]*(?: \d{3})*(?: ?± ?[\d.]+%?)?(?: ?\([^()]*\))?%?|[-–—]"
)


class Chunk(NamedTuple):
    """Words without a wide gap between them."""

    x0: float
    x1: float
    words: tuple[Word, ...]


_PLACE = itemgetter(0, 1)
"""Sort key of a chunk: words printed twice at one place have no other order."""


@dataclass(slots=True)
class Row:
    """A printed line of a table."""

    y: float
    chunks: list[Chunk]
    size: float


def read_rows(lines: Sequence[Line]) -> list[Row]:
    """Rows from the top down, each made of the lines on one baseline."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: (line.y, line.x0)):
        chunks = list(_chunks(line))
        if rows and line.y - rows[-1].y <= _SAME_LINE * min(line.size, rows[-1].size):
            rows[-1].chunks = sorted([*rows[-1].chunks, *chunks], key=_PLACE)
        else:
            rows.append(Row(line.y, sorted(chunks, key=_PLACE), line.size))
    return rows


def _chunks(line: Line) -> Iterator[Chunk]:
    words = [line.words[0]]
    for word in line.words[1:]:
        if word.x0 - words[-1].x1 > _GAP * line.size:
            yield chunk_of(words)
            words = []
        words.append(word)
    yield chunk_of(words)


def chunk_of(words: Sequence[Word]) -> Chunk:
    """Make a chunk of words that stand together."""
    return Chunk(min(w.x0 for w in words), max(w.x1 for w in words), tuple(words))


def find_columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Start and end of each column, with gutters between them."""
    size = sorted(row.size for row in rows)[len(rows) // 2]
    edges = sorted({x for row in rows for chunk in row.chunks for x in chunk[:2]})
    crossed = [
        (a, b, sum(any(c.x0 < b and c.x1 > a for c in row.chunks) for row in rows))
        for a, b in pairwise(edges)
    ]
    most = max(1, int(_CROSSED * len(rows)))
    gutters = [g for g in _gutters(crossed, most) if g[1] - g[0] >= _NARROWEST * size]
    starts = [edges[0], *(b for _, b in gutters)]
    ends = [*(a for a, _ in gutters), edges[-1]]
    columns = zip(starts, ends, strict=True)
    return [part for column in columns for part in _part_figures(rows, column, size)]


def _part_figures(
    rows: Sequence[Row], column: tuple[float, float], size: float
) -> Iterator[tuple[float, float]]:
    """Split a column if most of its rows with figures have two with a narrow gap between them."""
    start, end = column
    inside = [
        [word for chunk in row.chunks for word in chunk.words if start <= word.x0 < end]
        for row in rows
    ]
    figures = [words for words in inside if any(c.isdigit() for word in words for c in word.text)]
    edges = sorted({word.x1 for words in figures for word in words[:-1]})
    for left in edges:
        halves = [
            ([w for w in words if w.x0 < left], [w for w in words if w.x0 >= left])
            for words in figures
        ]
        right = min((after[0].x0 for _, after in halves if after), default=left)
        both = sum(_are_two_figures(before, after) for before, after in halves)
        if right - left >= _NARROWEST * size / 2 and both > 1 and both >= _FIGURES * len(figures):
            yield start, left
            yield from _part_figures(rows, (right, end), size)
            return
    yield column


def _are_two_figures(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Check for two figures side by side; the second is no deviation, bound or exponent."""
    texts = [" ".join(word.text for word in words) for words in (before, after)]
    return (
        all(map(_FIGURE.fullmatch, texts))
        and abs(before[-1].font.size - after[0].font.size) < 0.1 * after[0].font.size
        and before[-1].x1 <= after[0].x0
    )


def _gutters(
    crossed: Sequence[tuple[float, float, int]], most: int
) -> Iterator[tuple[float, float]]:
    """Intervals that the fewest rows reach across, with text of several rows between them."""
    if not crossed:
        return
    region: list[tuple[float, float, int]] = []
    for piece in [*crossed, (0.0, 0.0, most + 1)]:
        if piece[2] <= most:
            region.append(piece)
            continue
        for gutter in _lowest(region) if region else ():
            if gutter[0] > crossed[0][0] and gutter[1] < crossed[-1][1]:
                yield gutter
        region = []


def _lowest(region: Sequence[tuple[float, float, int]]) -> Iterator[tuple[float, float]]:
    # Text of one row inside a gutter is a head over its neighbours, not a column.
    least = min(count for _, _, count in region)
    start: float | None = None
    end = 0.0
    for a, b, count in region:
        if count <= least + 1 and (count == least or start is not None):
            start = a if start is None else start
            end = b if count == least else end
        elif count > least + 1 and start is not None:
            yield start, end
            start = None
    if start is not None:
        yield start, end
