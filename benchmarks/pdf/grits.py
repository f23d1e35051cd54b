"""GriTS: how alike two tables are, in the texts of their cells and in their structure.

A table is a grid in which a cell that spans several places stands in each of them. The most similar
substructure of two grids is sought row by row and column by column; the score is twice its
similarity over the places of both grids. Content compares texts by their longest common
subsequence; structure compares what a cell covers, as seen from its place, by intersection over
union.

Source: Smock, Pesala and Abraham, "GriTS: Grid table similarity metric for table structure
recognition", 2022 (the factored form).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

Span = tuple[int, int, int, int]
"""Row, column, rows, columns."""
Covered = tuple[int, int, int, int]
"""Left, top, right and bottom edge of a cell, counted from one of its places."""


class Place(NamedTuple):
    """One place of a grid."""

    text: str
    covered: Covered


@dataclass(frozen=True)
class Similarity:
    """How alike two grids are, from 0 to 1."""

    content: float
    structure: float
    exact: float
    """Share of the places with text in the true grid whose text is found, letter by letter."""


def grid_of(rows: Sequence[Sequence[str]], spans: Sequence[Sequence[int]]) -> list[list[Place]]:
    """A grid of rows whose further places of a span are empty."""
    width = max(map(len, rows), default=0)
    grid = [
        [Place(text, (0, 0, 1, 1)) for text in [*row, *[""] * (width - len(row))]] for row in rows
    ]
    for row, column, height, breadth in spans:
        text = grid[row][column].text
        for r in range(row, min(row + height, len(grid))):
            for c in range(column, min(column + breadth, width)):
                edges = (column - c, row - r, column + breadth - c, row + height - r)
                grid[r][c] = Place(text, edges)
    return grid


def compare(true: Sequence[Sequence[Place]], found: Sequence[Sequence[Place]]) -> Similarity:
    """Compare a table with the true one."""
    content, matches = _grits(true, found, lambda a, b: _alike(a.text, b.text))
    structure, _ = _grits(true, found, lambda a, b: _overlap(a.covered, b.covered))
    filled = sum(bool(place.text) for row in true for place in row)
    right = sum(bool(a.text) and a.text == b.text for a, b in matches)
    return Similarity(content, structure, right / filled if filled else 1.0)


def _grits(
    true: Sequence[Sequence[Place]],
    found: Sequence[Sequence[Place]],
    alike: Callable[[Place, Place], float],
) -> tuple[float, list[tuple[Place, Place]]]:
    """The score, and the places that answer to each other."""
    sizes = [len(grid) * len(grid[0]) if grid else 0 for grid in (true, found)]
    if not all(sizes):
        return float(sizes[0] == sizes[1]), []
    known: dict[tuple[Place, Place], float] = {}

    def reward(a: Place, b: Place) -> float:
        if (a, b) not in known:
            known[a, b] = alike(a, b)
        return known[a, b]

    rows = _align_lines(true, found, reward)
    turned = [list(map(list, zip(*grid, strict=True))) for grid in (true, found)]
    columns = _align_lines(*turned, reward)
    matches = [(true[r][c], found[s][d]) for r, s in rows for c, d in columns]
    return 2 * sum(reward(a, b) for a, b in matches) / sum(sizes), matches


def _align_lines(
    true: Sequence[Sequence[Place]],
    found: Sequence[Sequence[Place]],
    reward: Callable[[Place, Place], float],
) -> list[tuple[int, int]]:
    rewards = [
        [_align([[reward(a, b) for b in other] for a in line])[0] for other in found]
        for line in true
    ]
    return _align(rewards)[1]


def _align(rewards: Sequence[Sequence[float]]) -> tuple[float, list[tuple[int, int]]]:
    """The best matching in order of two sequences, and what it is worth."""
    rows, columns = len(rewards), len(rewards[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows):
        for j in range(columns):
            together = best[i][j] + rewards[i][j]
            best[i + 1][j + 1] = max(together, best[i][j + 1], best[i + 1][j])
    matches: list[tuple[int, int]] = []
    i, j = rows, columns
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            matches.append((i, j))
    return best[rows][columns], matches[::-1]


def _alike(first: str, second: str) -> float:
    if not first and not second:
        return 1.0
    return 2 * float(LCSseq.similarity(first, second)) / (len(first) + len(second))


def _overlap(first: Covered, second: Covered) -> float:
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in (first, second)]
    common = max(width, 0) * max(height, 0)
    return common / (sum(areas) - common)
