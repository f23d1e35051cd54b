"""Questions about a literature table in fixed words, and probes: questions it answers with no."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any, Literal

from vivavoce.metrics.tables.cell_matching import MAX_CELL, cell_key
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableGrid, draw_pairs
from vivavoce.metrics.tables.table_schema import SYNONYMS, column_key, column_unit
from vivavoce.store import hash_of
from vivavoce.text.cell_text import collapse_spaces

Aspect = Literal["schema", "unary", "pairwise"]
QUESTION_ASPECTS: tuple[Aspect, ...] = ("schema", "unary", "pairwise")
MAX_UNARY = 2_000
"""Maximum cells that one table is asked about; if it has more, they are a seeded draw."""
_MAX_ROWS = 500
"""Maximum rows whose values are put into other rows."""
_MAX_VALUES = 20
"""Maximum values that are tried in one place."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that a question ascribes to a row."""

    row: int
    """Position of the row in the grid of the table that the question is about."""
    value: str
    key: str
    """Meaning of the value: `cell_matching.cell_key` in its column's unit."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose right answer on its own table is known."""

    aspect: Aspect
    text: str
    expected: bool
    """The right answer on its own table: no for a probe."""
    column: str
    place: int | None
    """Position of the column in the question's own table; None if the table lacks it."""
    claims: tuple[Claim, ...] = ()
    papers: tuple[str, ...] = ()
    """Names of its claims' papers, as the question gives them."""

    @property
    def key(self) -> str:
        """Key for its answers; questions with the same words share it."""
        return f"{self.aspect}-{hash_of(self.text)[:16]}"

    def as_dict(self) -> dict[str, Any]:
        """Fields of the question as kept in a log or a file."""
        answer = "yes" if self.expected else "no"
        return {"key": self.key, "aspect": self.aspect, "text": self.text, "expected": answer}


class QuestionWriter:
    """Writes the questions about one table, which is also given as keys (`grid`).

    `names` maps paper ids to names; a paper without a name is called by its id.
    """

    def __init__(self, table: LiteratureTable, grid: TableGrid, names: Mapping[str, str]) -> None:
        self.grid = grid
        self._columns = table.columns
        self._names = names
        self._of_papers = grid.of_papers()
        self._counts_of = cache(self._count)

    def questions(self, pairs: int, seed: int) -> Iterator[Question]:
        """Ask about every column, every cell with a value, and a seeded draw of pairs of cells."""
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
        """Make a claim from a cell's value."""
        value = collapse_spaces(self.grid.written[row][column] or "")[:MAX_CELL]
        return Claim(row, value, self.grid.rows[row][1][column])

    def schema(self, name: str, column: int | None, *, expected: bool = True) -> Question:
        """Check whether the table has a column of this name."""
        text = f'Does the table have a column for "{collapse_spaces(name)}"?'
        return Question("schema", text, expected, name, column)

    def unary(
        self, column: tuple[int | None, str], claim: Claim, *, expected: bool = True
    ) -> Question:
        """Ask whether the claim's row has its value in a column, given by place and name."""
        place, name = column
        text = (
            f'Does the table give "{claim.value}" as the value of "{collapse_spaces(name)}" '
            f"for {self._row(claim.row, place)}?"
        )
        return Question("unary", text, expected, name, place, (claim,), self._papers(claim))

    def pairwise(
        self, column: tuple[int | None, str], first: Claim, second: Claim, *, expected: bool = True
    ) -> Question:
        """Ask whether two rows have the claims' values, and so the relation between them."""
        place, name = column
        text = (
            f'In "{collapse_spaces(name)}", does the table give "{first.value}" for '
            f'{self._row(first.row, place)} and "{second.value}" for '
            f"{self._row(second.row, place)}, so that {_relation(first.key, second.key)}?"
        )
        papers = self._papers(first, second)
        return Question("pairwise", text, expected, name, place, (first, second), papers)

    def _count(self, paper: str, column: int) -> Counter[str]:
        """Count each value of a column in the rows of a paper."""
        return Counter(self.grid.rows[row][1][column] for row in self._of_papers[paper])

    def _papers(self, *claims: Claim) -> tuple[str, ...]:
        return tuple(self._paper(self.grid.rows[claim.row][0]) for claim in claims)

    def _paper(self, paper: str) -> str:
        return collapse_spaces(self._names.get(paper, paper))

    def _row(self, row: int, asked: int | None) -> str:
        """The name of a row's paper, with values that identify the row if its paper has several."""
        paper, keys = self.grid.rows[row]
        name = f'"{self._paper(paper)}"'
        if len(self._of_papers[paper]) == 1:
            return name
        others = [column for column in self.grid.order if column != asked and keys[column]]
        alone = [column for column in others if self._counts_of(paper, column)[keys[column]] == 1]
        facts = [
            f'"{collapse_spaces(self._columns[column])}" is "{self.claim(row, column).value}"'
            for column in (alone[:1] or others)
        ]
        return f"{name} (where {' and '.join(facts)})" if facts else name


def _relation(first: str, second: str) -> str:
    """Relation of two keys, in words."""
    if first == second:
        return "the two are the same"
    one, other = first.split(" "), second.split(" ")
    if one[0] == other[0] == "number" and one[2:] == other[2:]:
        return f"the first is the {'smaller' if float(one[1]) < float(other[1]) else 'greater'}"
    return "the two differ"


def make_probes(
    questions: Sequence[Question],
    writer: QuestionWriter,
    present: Sequence[str],
    is_true: Callable[[Question], bool],
    seed: int,
) -> tuple[Question, ...]:
    """Make one probe for each question; fewer only if no other wrong question can be asked.

    Args:
        questions: Questions that the table answers with yes.
        writer: Writer of the same table's questions.
        present: Columns of every table that the probes will be asked about.
        is_true: Checks whether one of these tables confirms a probe, which is then skipped.
        seed: Seed for choosing among other rows' values.
    """
    swaps = _Swaps(writer, present, seed)
    makers: dict[Aspect, Callable[[Question], Iterator[Question]]] = {
        "schema": swaps.schema,
        "unary": swaps.unary,
        "pairwise": swaps.pairwise,
    }
    probes: dict[str, Question] = {}
    asked = {question.key for question in questions}
    for question in questions:
        for probe in makers[question.aspect](question):
            if probe.key not in asked and probe.key not in probes and not is_true(probe):
                probes[probe.key] = probe
                break
    return tuple(probes.values())


class _Swaps:
    """Ways to make a question wrong, the least conspicuous first."""

    def __init__(self, writer: QuestionWriter, present: Sequence[str], seed: int) -> None:
        self._writer = writer
        self._chance = random.Random(hash_of(["probes", seed]))
        self._of_column = cache(self._claims)
        self._known = {column_key(name) for name in present}

    def schema(self, question: Question) -> Iterator[Question]:
        """Ask about another column."""
        for name in self._absent():
            yield self._writer.schema(name, None, expected=False)

    def unary(self, question: Question) -> Iterator[Question]:
        """Ask about another value, else about an absent column."""
        [claim] = question.claims
        for other in self._others(question, claim):
            yield self._writer.unary((question.place, question.column), other, expected=False)
        for name in self._absent():
            yield self._writer.unary((None, name), claim, expected=False)

    def pairwise(self, question: Question) -> Iterator[Question]:
        """Exchange the values, else ask about another value, else about an absent column."""
        first, second = question.claims
        column = question.place, question.column
        exchanged = _put(first, second), _put(second, first)
        yield self._writer.pairwise(column, *exchanged, expected=False)
        for other in self._others(question, first):
            yield self._writer.pairwise(column, other, second, expected=False)
        for name in self._absent():
            yield self._writer.pairwise((None, name), first, second, expected=False)

    def _absent(self) -> Iterator[str]:
        """Common column names that the tables do not have, then combinations of two of them."""
        heads = [group[0] for group in SYNONYMS if column_key(group[0]) not in self._known]
        yield from heads
        for one, other in permutations(heads, 2):
            if column_key(name := f"{one} {other}") not in self._known:
                yield name

    def _others(self, question: Question, claim: Claim) -> list[Claim]:
        """Claims of other values for the row: from other rows, then from its other columns."""
        if question.place is None:
            return []
        writer, grid = self._writer, self._writer.grid
        keys = grid.rows[claim.row][1]
        filled = [column for column in grid.order if keys[column]][:_MAX_VALUES]
        beside = [writer.claim(claim.row, column) for column in filled]
        # In another column a value may mean something else: 2 in `Params (M)` is two million.
        unit = column_unit(question.column)
        columns = [Claim(claim.row, other.value, cell_key(other.value, unit)) for other in beside]
        seen, swapped = {claim.key}, []
        for claims in (self._of_column(question.place), {other.key: other for other in columns}):
            new = [key for key in sorted(claims) if key not in seen]
            seen.update(new)
            drawn = self._chance.sample(new, min(len(new), _MAX_VALUES))
            swapped += [_put(claim, claims[key]) for key in drawn]
        return swapped

    def _claims(self, column: int) -> dict[str, Claim]:
        """Claims with a column's values, each value once."""
        rows = self._writer.grid.filled(column)
        claims = [self._writer.claim(row, column) for row in rows[:_MAX_ROWS]]
        return {claim.key: claim for claim in reversed(claims)}


def _put(claim: Claim, other: Claim) -> Claim:
    """The row of one claim with the value of another."""
    return Claim(claim.row, other.value, other.key)
