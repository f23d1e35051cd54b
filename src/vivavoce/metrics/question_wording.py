"""Questions about one literature table, in fixed words: what they claim, and how they are put."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.metrics.cell_matching import MAX_CELL
from vivavoce.metrics.literature_tables import LiteratureTable
from vivavoce.metrics.table_grid import TableGrid, draw_pairs
from vivavoce.store import hash_of
from vivavoce.text.cell_text import collapse_spaces

Aspect = Literal["schema", "unary", "pairwise"]
QUESTION_ASPECTS: tuple[Aspect, ...] = ("schema", "unary", "pairwise")
MAX_UNARY = 2_000
"""Cells that one table is asked about at most; of more, a seeded draw."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that a question says a row has."""

    row: int
    """Place of the row in the grid of the table that is asked about."""
    value: str
    key: str
    """What the value says: `cell_matching.cell_key` in the unit of its column."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose right answer on its own table is known."""

    aspect: Aspect
    text: str
    expected: bool
    """The right answer on its own table: no for a probe."""
    column: str
    place: int | None
    """Place of the column among those of its own table; None for a column it does not have."""
    claims: tuple[Claim, ...] = ()
    papers: tuple[str, ...] = ()
    """What it calls the papers of its claims."""

    @property
    def key(self) -> str:
        """What its answers are kept under: questions of the same words are the same."""
        return f"{self.aspect}-{hash_of(self.text)[:16]}"

    def mentioned(self) -> list[str]:
        """What the question has to name in any words: the column, the papers and the values."""
        values = [claim.value for claim in self.claims]
        return [collapse_spaces(self.column), *self.papers, *values]

    def as_dict(self) -> dict[str, Any]:
        """As a log or a file keeps it."""
        answer = "yes" if self.expected else "no"
        return {"key": self.key, "aspect": self.aspect, "text": self.text, "expected": answer}


class QuestionWriter:
    """Words the questions about one table.

    Args:
        table: The table that is asked about.
        grid: The same table as keys.
        names: What a paper is called, by id; without one it is called by its id.
    """

    def __init__(self, table: LiteratureTable, grid: TableGrid, names: Mapping[str, str]) -> None:
        self.grid = grid
        self._columns = table.columns
        self._names = names
        self._of_papers = grid.of_papers()
        self._counts: dict[tuple[str, int], Counter[str]] = {}

    def questions(self, pairs: int, seed: int) -> Iterator[Question]:
        """Every column, every cell with a value, and a seeded draw of pairs of cells."""
        order = self.grid.order
        for column in order:
            yield self.schema(self._columns[column], column)
        filled = [self.grid.filled(column) for column in order]
        cells = [(row, column) for column, rows in zip(order, filled, strict=True) for row in rows]
        if len(cells) > MAX_UNARY:
            drawn = random.Random(seed).sample(range(len(cells)), MAX_UNARY)
            cells = [cells[place] for place in sorted(drawn)]
        for row, column in cells:
            yield self.unary((column, self._columns[column]), self.claim(row, column))
        for place, first, second in draw_pairs([len(rows) for rows in filled], pairs, seed):
            column, rows = order[place], filled[place]
            yield self.pairwise(
                (column, self._columns[column]),
                self.claim(rows[first], column),
                self.claim(rows[second], column),
            )

    def claim(self, row: int, column: int) -> Claim:
        """What a cell says."""
        value = collapse_spaces(self.grid.written[row][column] or "")[:MAX_CELL]
        return Claim(row, value, self.grid.rows[row][1][column])

    def schema(self, name: str, column: int | None, *, expected: bool = True) -> Question:
        """Is there such a column?"""
        text = f'Does the table have a column for "{collapse_spaces(name)}"?'
        return Question("schema", text, expected, name, column)

    def unary(
        self, column: tuple[int | None, str], claim: Claim, *, expected: bool = True
    ) -> Question:
        """Has the row that value in the column, which is given by place and name?"""
        place, name = column
        text = (
            f'Does the table give "{claim.value}" as the value of "{collapse_spaces(name)}" '
            f"for {self._row(claim.row, place)}?"
        )
        return Question("unary", text, expected, name, place, (claim,), self._papers(claim))

    def pairwise(
        self, column: tuple[int | None, str], first: Claim, second: Claim, *, expected: bool = True
    ) -> Question:
        """Have two rows these values, and with them their relation?"""
        place, name = column
        text = (
            f'In "{collapse_spaces(name)}", does the table give "{first.value}" for '
            f'{self._row(first.row, place)} and "{second.value}" for '
            f"{self._row(second.row, place)}, so that {_relation(first.key, second.key)}?"
        )
        papers = self._papers(first, second)
        return Question("pairwise", text, expected, name, place, (first, second), papers)

    def _said(self, paper: str, column: int) -> Counter[str]:
        """How often a paper has each value in a column."""
        if (paper, column) not in self._counts:
            rows = (self.grid.rows[row][1] for row in self._of_papers[paper])
            self._counts[paper, column] = Counter(keys[column] for keys in rows)
        return self._counts[paper, column]

    def _papers(self, *claims: Claim) -> tuple[str, ...]:
        return tuple(self._paper(self.grid.rows[claim.row][0]) for claim in claims)

    def _paper(self, paper: str) -> str:
        return collapse_spaces(self._names.get(paper, paper))

    def _row(self, row: int, asked: int | None) -> str:
        """A paper's name; where it has several rows, with what tells this one from the others."""
        paper, keys = self.grid.rows[row]
        name = f'"{self._paper(paper)}"'
        if len(self._of_papers[paper]) == 1:
            return name
        tellers = [column for column in self.grid.order if column != asked and keys[column]]
        alone = [column for column in tellers if self._said(paper, column)[keys[column]] == 1]
        facts = [
            f'"{collapse_spaces(self._columns[column])}" is "{self.claim(row, column).value}"'
            for column in (alone[:1] or tellers)
        ]
        return f"{name} (where {' and '.join(facts)})" if facts else name


def _relation(first: str, second: str) -> str:
    """How two keys stand to each other, in words."""
    if first == second:
        return "the two are the same"
    one, other = first.split(" "), second.split(" ")
    if one[0] == other[0] == "number" and one[2:] == other[2:]:
        return f"the first is the {'smaller' if float(one[1]) < float(other[1]) else 'greater'}"
    return "the two differ"
