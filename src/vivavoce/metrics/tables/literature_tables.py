"""Literature-review tables: the right papers, columns, cells and relations between cells.

Each aspect is a set of questions asked in both directions: the gold table's questions answered from
the system's table (recall), and the system's questions from the gold table (precision).

- `paper`: one question per paper: is it in the other's selection?
- `schema`: one per column: does the other table have a column of that meaning (`table_schema`)?
- `unary`: one per cell: does the other table have the same value for that paper and column
  (`cell_matching`)? An absent or N/A cell asks nothing.
- `pairwise`: one per pair of cells of one column in two rows: are both values kept, and with them
  their relation (less, equal, greater; same, different)? A relation follows from the values, so a
  column with n values of which h are kept has n(n-1)/2 questions and h(h-1)/2 right answers.
  `pairs=10` draws that many questions per table, as the paper does.

Rows of one paper are matched one to one so that most cells agree; equal rows count once. The
order of rows, columns and papers costs nothing. A system without an answer scores P = R = 0.
F1 is the harmonic mean of the aggregated P and R, `avg` the mean of the table's three F1 (schema,
unary, pairwise). An aspect in which neither side has a question is undefined.

Source: arXiv2Table, section 5 (two-way questions), except that normalised values are compared where
its language model answers questions.

`success`, `invented` and `empty_cells` measure faults of an answer: arXiv2Table, tables 2 and 9.
The questions of `table_questions` use the same pairing of rows and columns.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, starmap

import numpy as np

from vivavoce.metrics import Ratio, harmonic_mean
from vivavoce.metrics.tables.cell_matching import cell_key, folded
from vivavoce.metrics.tables.table_schema import column_unit, match_columns
from vivavoce.statistics.intervals import mean_of

ASPECTS = ("paper", "schema", "unary", "pairwise")
_TABLE_ASPECTS = ("schema", "unary", "pairwise")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table's row about one paper: a value per column, None if absent."""

    paper: str
    cells: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class LiteratureTable:
    """A selection of papers and a table about them."""

    papers: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    truncated: bool = False
    """True if rows or columns beyond the limits were not read."""


@dataclass(frozen=True, slots=True)
class TableScore:
    """Questions about one table, and the number answered correctly."""

    ratios: Mapping[str, Ratio]
    """Precision and recall of each aspect, by name of the metric."""
    invented_papers: int
    """Number of papers the system selected that are not gold."""
    truncated: bool

    def values(self) -> dict[str, float | None]:
        """Every metric of the table, by name."""
        values: dict[str, float | None] = {}
        for aspect in ASPECTS:
            precision, recall = (self.ratios[f"{aspect}_{part}"].value for part in ("p", "r"))
            values |= {f"{aspect}_p": precision, f"{aspect}_r": recall}
            values[f"{aspect}_f1"] = harmonic_mean(precision, recall)
        values["avg"] = mean_of(values[f"{aspect}_f1"] for aspect in _TABLE_ASPECTS)
        return values


def score_table(
    gold: LiteratureTable, system: LiteratureTable, *, pairs: int | None = None, seed: int = 0
) -> TableScore:
    """Compare a system's table with the gold one; `pairs` asks that many pairwise questions."""
    wanted, selected = set(gold.papers), set(system.papers)
    columns = match_columns(gold.columns, system.columns)
    truth, answer = TableGrid(gold), TableGrid(system)
    # Cells with equal values: row and column in the truth, and in the answer.
    recalled_cells: set[Place] = set()
    supported_cells: set[Place] = set()
    for row, other in pair_rows(truth, answer, columns).items():
        keys, given = truth.rows[row][1], answer.rows[other][1]
        for column, there in columns.items():
            if keys[column] and keys[column] == given[there]:
                recalled_cells.add((row, column))
                supported_cells.add((other, there))
    recalled, supported = _answers(truth, recalled_cells), _answers(answer, supported_cells)
    right = {
        "paper": (Ratio(len(wanted & selected), len(wanted)), len(selected)),
        "schema": (Ratio(len(columns), len(gold.columns)), len(system.columns)),
    }
    ratios: dict[str, Ratio] = {}
    for aspect, (recall, asked) in right.items():
        ratios[f"{aspect}_r"] = recall
        ratios[f"{aspect}_p"] = _precision(recall, Ratio(recall.hits, asked))
    for part, flags in (("r", recalled), ("p", supported)):
        ratios[f"unary_{part}"] = Ratio(sum(map(sum, flags)), sum(map(len, flags)))
        ratios[f"pairwise_{part}"] = _count_pairs(pairs, seed, flags)
    for aspect in ("unary", "pairwise"):
        ratios[f"{aspect}_p"] = _precision(ratios[f"{aspect}_r"], ratios[f"{aspect}_p"])
    return TableScore(ratios, len(selected - wanted), system.truncated)


def _answers(grid: TableGrid, kept: set[Place]) -> list[list[bool]]:
    """Flags of the cells with a value, by column: true if the other table has the value too."""
    return [[(row, column) in kept for row in grid.filled(column)] for column in grid.order]


def _precision(recall: Ratio, precision: Ratio) -> Ratio:
    """Make precision 0 rather than undefined if the system gives nothing although asked."""
    when_none = 0.0 if recall.asked else None
    return Ratio(precision.hits, precision.asked, when_none)


def _count_pairs(pairs: int | None, seed: int, columns: Sequence[Sequence[bool]]) -> Ratio:
    """Count pairwise questions: all of them, or a seeded draw of `pairs` questions."""
    totals = [math.comb(len(cells), 2) for cells in columns]
    if pairs is None or sum(totals) <= pairs:
        return Ratio(sum(math.comb(sum(cells), 2) for cells in columns), sum(totals))
    drawn = draw_pairs([len(cells) for cells in columns], pairs, seed)
    hits = sum(columns[column][one] and columns[column][two] for column, one, two in drawn)
    return Ratio(hits, pairs)


Place = tuple[int, int]
"""A row and a column."""


class TableGrid:
    """A table as keys, with equal rows merged, in an order independent of how it was written."""

    def __init__(self, table: LiteratureTable) -> None:
        names = table.columns
        self.order = sorted(range(len(names)), key=lambda column: (folded(names[column]), column))
        units = [column_unit(name) for name in names]
        key = cache(cell_key)
        rows: dict[tuple[str, tuple[str, ...]], tuple[str | None, ...]] = {}
        for row in table.rows:
            keys = tuple(starmap(key, zip(row.cells, units, strict=True)))
            rows.setdefault((row.paper, keys), row.cells)
        self.rows = sorted(
            rows, key=lambda row: (row[0], [row[1][column] for column in self.order])
        )
        """Paper and cell keys of each row; an empty key is an absent value."""
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
    """Pair the rows of each paper one to one so that most cells agree."""
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
    """Draw pairs of cells of one column: the column's place, and two places among its cells.

    `sizes` counts the cells with a value in each column; `pairs` limits a seeded draw.
    """
    totals = [math.comb(size, 2) for size in sizes]
    numbers: Sequence[int] = range(sum(totals))
    if pairs is not None and pairs < len(numbers):
        numbers = random.Random(seed).sample(numbers, pairs)
    starts = list(accumulate(totals, initial=0))
    drawn = []
    for number in numbers:
        column = bisect_right(starts, number) - 1
        # Pairs i < j are listed as (0, 1), (0, 2), (1, 2), (0, 3), ...
        place = number - starts[column]
        second = (1 + math.isqrt(1 + 8 * place)) // 2
        drawn.append((column, place - second * (second - 1) // 2, second))
    return drawn


FAULTS = ("success", "invented", "empty_cells")


def count_faults(gold: LiteratureTable, answer: LiteratureTable | None) -> dict[str, float | None]:
    """The values of `FAULTS` for one answer, which is None if it is not a table.

    The share of empty cells is undefined for a table without a cell.
    """
    if answer is None:
        return {"success": 0.0, "invented": 0.0, "empty_cells": None}
    cells = [cell for row in answer.rows for cell in row.cells]
    return {
        "success": 1.0,
        "invented": float(len(set(answer.papers) - set(gold.papers))),
        "empty_cells": cells.count(None) / len(cells) if cells else None,
    }
