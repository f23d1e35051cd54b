"""A literature table as keys, and which cells of two tables say the same.

The comparison under the scores of `literature_tables` and under the questions of
`table_questions`: both count what is paired here.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.metrics.tables.cell_matching import cell_key, folded
from vivavoce.metrics.tables.table_schema import column_unit

if TYPE_CHECKING:
    from vivavoce.metrics.tables.literature_tables import LiteratureTable

Place = tuple[int, int]
"""A row and a column."""


class TableGrid:
    """A table as keys, equal rows once, in an order that does not depend on how it was written."""

    def __init__(self, table: LiteratureTable) -> None:
        names = table.columns
        self.order = sorted(range(len(names)), key=lambda column: (folded(names[column]), column))
        units = [column_unit(name) for name in names]
        known: dict[tuple[str | None, str], str] = {}
        rows: dict[tuple[str, tuple[str, ...]], tuple[str | None, ...]] = {}
        for row in table.rows:
            cells = list(zip(row.cells, units, strict=True))
            for cell in cells:
                if cell not in known:
                    known[cell] = cell_key(*cell)
            rows.setdefault((row.paper, tuple(known[cell] for cell in cells)), row.cells)
        self.rows = sorted(
            rows, key=lambda row: (row[0], [row[1][column] for column in self.order])
        )
        """Of each row its paper and the keys of its cells; an empty key is an absent value."""
        self.written = [rows[row] for row in self.rows]
        """The cells of each row as they were written."""

    def of_papers(self) -> dict[str, list[int]]:
        """The rows of each paper."""
        papers: dict[str, list[int]] = {}
        for index, (paper, _) in enumerate(self.rows):
            papers.setdefault(paper, []).append(index)
        return papers

    def filled(self, column: int) -> list[int]:
        """The rows that have a value in a column."""
        return [row for row, (_, keys) in enumerate(self.rows) if keys[column]]


def pair_rows(truth: TableGrid, answer: TableGrid, columns: Mapping[int, int]) -> dict[int, int]:
    """Pair the rows of each paper one to one so that most cells agree.

    Args:
        truth: The one table.
        answer: The other table.
        columns: Columns of the one that belong together with columns of the other.
    """
    own = answer.of_papers()
    pairs: dict[int, int] = {}
    for paper, rows in truth.of_papers().items():
        pairs.update(_pair_rows_of_paper(truth, rows, answer, own.get(paper, []), columns))
    return pairs


def _pair_rows_of_paper(
    truth: TableGrid,
    rows: Sequence[int],
    answer: TableGrid,
    others: Sequence[int],
    columns: Mapping[int, int],
) -> list[tuple[int, int]]:
    if len(rows) == len(others) == 1 or not others:
        return list(zip(rows, others, strict=False))
    from scipy.optimize import linear_sum_assignment

    codes: dict[str, int] = {"": 0}
    here = [[truth.rows[row][1][column] for column in columns] for row in rows]
    there = [[answer.rows[row][1][column] for column in columns.values()] for row in others]
    coded = [
        np.array([[codes.setdefault(key, len(codes)) for key in keys] for keys in side])
        for side in (here, there)
    ]
    agreement = np.zeros((len(rows), len(others)))
    for index, keys in enumerate(coded[0]):
        agreement[index] = ((coded[1] == keys) & (keys != 0)).sum(axis=1)
    first, second = linear_sum_assignment(agreement, maximize=True)
    return [(rows[int(one)], others[int(other)]) for one, other in zip(first, second, strict=True)]


def draw_pairs(sizes: Sequence[int], pairs: int | None, seed: int) -> list[tuple[int, int, int]]:
    """Pairs of cells of one column: the column's place, and two places among its cells.

    Args:
        sizes: For each column the number of its cells that have a value.
        pairs: How many to draw; None for all of them.
        seed: Of the draw.
    """
    totals = [math.comb(size, 2) for size in sizes]
    numbers: Sequence[int] = range(sum(totals))
    if pairs is not None and pairs < len(numbers):
        numbers = random.Random(seed).sample(numbers, pairs)
    starts = list(accumulate(totals, initial=0))
    drawn = []
    for number in numbers:
        column = bisect_right(starts, number) - 1
        drawn.append((column, *_pair_at(number - starts[column])))
    return drawn


def _pair_at(number: int) -> tuple[int, int]:
    """The pair i < j at a place of the list (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    second = (1 + math.isqrt(1 + 8 * number)) // 2
    return number - second * (second - 1) // 2, second
