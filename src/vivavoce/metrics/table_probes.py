"""Questions about a table whose right answer is no, made out of those whose right answer is yes.

Who says yes to them says yes too easily, and what he answers proves little.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from vivavoce.metrics.cell_matching import cell_key
from vivavoce.metrics.question_wording import Aspect, Claim, Question, QuestionWriter
from vivavoce.metrics.table_schema import SYNONYMS, column_key, column_unit
from vivavoce.store import hash_of

_MOST_ROWS = 500
"""Rows whose values are put into others."""
_MOST_VALUES = 20
"""Values that are tried in a place."""


def make_probes(
    questions: Sequence[Question],
    writer: QuestionWriter,
    present: Sequence[str],
    is_true: Callable[[Question], bool],
    seed: int,
) -> tuple[Question, ...]:
    """One probe for each question; fewer only where nothing else can be asked that is wrong.

    Args:
        questions: Questions that the table answers with yes.
        writer: Of the same table.
        present: Columns of every table that the probes will be put to.
        is_true: Whether one of these tables says what a probe says; it is not taken then.
        seed: Of the choice among other rows' values.
    """
    swaps = _Swaps(writer, present, seed)
    makers: dict[Aspect, Callable[[Question], Iterator[Question]]] = {
        "schema": swaps.schema,
        "unary": swaps.unary,
        "pairwise": swaps.pairwise,
    }
    found: dict[str, Question] = {}
    asked = {question.key for question in questions}
    for question in questions:
        for probe in makers[question.aspect](question):
            if probe.key not in asked and probe.key not in found and not is_true(probe):
                found[probe.key] = probe
                break
    return tuple(found.values())


class _Swaps:
    """Ways to make a question wrong, the least conspicuous first."""

    def __init__(self, writer: QuestionWriter, present: Sequence[str], seed: int) -> None:
        self._writer = writer
        self._chance = random.Random(hash_of(["probes", seed]))
        self._columns: dict[int, dict[str, Claim]] = {}
        self._known = {column_key(name) for name in present}

    def schema(self, question: Question) -> Iterator[Question]:
        """Another column."""
        for name in self._absent():
            yield self._writer.schema(name, None, expected=False)

    def unary(self, question: Question) -> Iterator[Question]:
        """Another value, else a column that is not there."""
        [claim] = question.claims
        for other in self._others(question, claim):
            yield self._writer.unary((question.place, question.column), other, expected=False)
        for name in self._absent():
            yield self._writer.unary((None, name), claim, expected=False)

    def pairwise(self, question: Question) -> Iterator[Question]:
        """The values exchanged, else another value, else a column that is not there."""
        first, second = question.claims
        column = question.place, question.column
        exchanged = _put(first, second), _put(second, first)
        yield self._writer.pairwise(column, *exchanged, expected=False)
        for other in self._others(question, first):
            yield self._writer.pairwise(column, other, second, expected=False)
        for name in self._absent():
            yield self._writer.pairwise((None, name), first, second, expected=False)

    def _absent(self) -> Iterator[str]:
        """Names that columns often have and these do not, then two such names in one."""
        heads = [group[0] for group in SYNONYMS if column_key(group[0]) not in self._known]
        yield from heads
        for one, other in permutations(heads, 2):
            if column_key(name := f"{one} {other}") not in self._known:
                yield name

    def _others(self, question: Question, claim: Claim) -> list[Claim]:
        """The row with other values: those of other rows, then those of its other columns."""
        if question.place is None:
            return []
        writer, grid = self._writer, self._writer.grid
        keys = grid.rows[claim.row][1]
        filled = [column for column in grid.order if keys[column]][:_MOST_VALUES]
        beside = [writer.claim(claim.row, column) for column in filled]
        # In another column a value may say something else: 2 in `Params (M)` is two million.
        unit = column_unit(question.column)
        columns = [Claim(claim.row, each.value, cell_key(each.value, unit)) for each in beside]
        seen, found = {claim.key}, []
        for claims in (self._of_column(question.place), {each.key: each for each in columns}):
            new = [key for key in sorted(claims) if key not in seen]
            seen.update(new)
            drawn = self._chance.sample(new, min(len(new), _MOST_VALUES))
            found += [_put(claim, claims[key]) for key in drawn]
        return found

    def _of_column(self, column: int) -> dict[str, Claim]:
        """The values of a column, each once."""
        if column not in self._columns:
            rows = self._writer.grid.filled(column)
            claims = [self._writer.claim(row, column) for row in rows[:_MOST_ROWS]]
            self._columns[column] = {each.key: each for each in reversed(claims)}
        return self._columns[column]


def _put(claim: Claim, other: Claim) -> Claim:
    """The row of one claim with the value of another."""
    return Claim(claim.row, other.value, other.key)
