"""Questions about literature tables, to be answered yes or no from another table.

A table is asked about in full: one question per column (`schema`), one per cell (`unary`), and
pairs of cells of one column in two rows (`pairwise`, ten by default). Gold questions answered on
the system's table give recall, the system's questions answered on the gold table precision. As many
probes (questions whose right answer is no) reveal a reader who says yes too easily.

`TablePair.read` answers without a model. If no two columns of a table have the same name, its
answers add up to the ratios of `literature_tables.score_table` with the same `pairs` and `seed`.

Source: arXiv2Table, section 4.3 and appendix B, where a model writes the questions and yes is the
right answer to all of them.
"""

import csv
import io
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from vivavoce.errors import InputError
from vivavoce.metrics import Ratio
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.literature_tables import (
    LiteratureTable,
    TableGrid,
    pair_rows,
    score_table,
)
from vivavoce.metrics.tables.question_wording import (
    QUESTION_ASPECTS,
    Claim,
    Question,
    QuestionWriter,
    make_probes,
)
from vivavoce.metrics.tables.table_schema import column_unit, match_columns, without_unit
from vivavoce.text.cell_text import collapse_spaces

ABSENT = "N/A"
PAPER = "Paper"


def rectangle(table: LiteratureTable, names: Mapping[str, str] | None = None) -> str:
    """Write a table as CSV: a header, a line for each row, `N/A` for absent values.

    The first column names the papers; `names` gives names by id. Values stay as they were written,
    on one line each; equal lines appear once.
    """
    known = names or {}
    lines = [[PAPER, *map(collapse_spaces, table.columns)]]
    for row in table.rows:
        cells = [
            collapse_spaces(cell) if cell is not None and cell_key(cell) else ABSENT
            for cell in row.cells
        ]
        lines.append([collapse_spaces(known.get(row.paper, row.paper)), *cells])
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows(dict.fromkeys(map(tuple, lines)))
    return stream.getvalue().rstrip("\n")


def rename_columns(
    system: LiteratureTable, gold: LiteratureTable, pairs: Mapping[int, int]
) -> LiteratureTable:
    """Give the gold names to those of the system's columns that are paired with gold ones.

    A column keeps its own unit: `Model size (M)` that is paired with `Parameters` becomes
    `Parameters (m)`, so that its values keep their meaning.
    """
    columns = list(system.columns)
    for here, there in pairs.items():
        name, unit = gold.columns[here], column_unit(columns[there])
        if unit != column_unit(name):
            name = collapse_spaces(without_unit(name)) + (f" ({unit})" if unit else "")
        columns[there] = name
    return LiteratureTable(system.papers, tuple(columns), system.rows, system.truncated)


Side = Literal["gold", "system"]
PAIRS = 10
"""Pairwise questions per table, as in the paper."""
MAX_PAIRS = 10_000
"""Maximum pairwise questions about one table."""

BIASES = ("yes_bias", "no_bias")
"""Shares of probes answered with yes, and of questions not answered with yes although the other
table has the same words."""

Answers = Mapping[str, bool]
"""Yes or no by question key; a missing key means no answer."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions about one table."""

    questions: tuple[Question, ...]
    """Questions that the table itself answers with yes."""
    probes: tuple[Question, ...]
    """One probe for each question; neither table answers a probe with yes."""

    def shuffled(self, seed: int = 0) -> list[Question]:
        """Questions and probes shuffled together, so that their position reveals nothing."""
        mixed = [*self.questions, *self.probes]
        random.Random(seed).shuffle(mixed)
        return mixed


class TablePair:
    """A gold table and a system's table, with the questions about each and the other's answers.

    `names` maps paper ids to names; a paper without a name is called by its id.
    """

    def __init__(
        self,
        gold: LiteratureTable,
        system: LiteratureTable,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.tables: dict[Side, LiteratureTable] = {"gold": gold, "system": system}
        self._grids: dict[Side, TableGrid] = {"gold": TableGrid(gold), "system": TableGrid(system)}
        self._names = names or {}

    def ask(self, about: Side, *, pairs: int | None = PAIRS, seed: int = 0) -> QuestionSet:
        """Make questions about one of the tables, with probes; pairwise ones are a seeded draw.

        `pairs=None` asks about all pairs, up to 10,000. `InputError` for negative `pairs`.
        """
        if pairs is not None and pairs < 0:
            raise InputError(f"pairs={pairs} is negative. Give a number of questions, 0 for none.")
        writer = QuestionWriter(self.tables[about], self._grids[about], self._names)
        kept: dict[str, Question] = {}
        for question in writer.questions(MAX_PAIRS if pairs is None else pairs, seed):
            if self.read(question, about, on=about):  # else it is wrong on its own table
                kept.setdefault(question.key, question)
        present = [name for table in self.tables.values() for name in table.columns]
        probes = make_probes(
            list(kept.values()),
            writer,
            present,
            lambda probe: any(self.read(probe, about, on=side) for side in self.tables),
            seed,
        )
        return QuestionSet(tuple(kept.values()), probes)

    def read(self, question: Question, about: Side, *, on: Side) -> bool:
        """Check whether table `on` answers yes to a question about table `about`.

        A value that a probe swapped in may be in any row of its paper.
        """
        if question.place is None:
            return bool(match_columns([question.column], self.tables[on].columns))
        column = self._columns[about, on].get(question.place)
        return column is not None and all(
            self._holds(claim, column, about, on, question.expected) for claim in question.claims
        )

    def _holds(self, claim: Claim, column: int, about: Side, on: Side, is_own: bool) -> bool:
        """Check whether the row that belongs to a claim has its value."""
        rows = self._grids[on].rows
        if is_own:
            row = claim.row if on == about else self._rows[about].get(claim.row)
            return row is not None and rows[row][1][column] == claim.key
        paper = self._grids[about].rows[claim.row][0]
        return (paper, column, claim.key) in self._values[on]

    @cached_property
    def _columns(self) -> dict[tuple[Side, Side], dict[int, int]]:
        """Columns of the first side that the second side has too."""
        gold, system = (self.tables[side].columns for side in ("gold", "system"))
        pairs = match_columns(gold, system)
        return {
            ("gold", "gold"): match_columns(gold, gold),
            ("gold", "system"): pairs,
            ("system", "gold"): _turned(pairs),
            ("system", "system"): match_columns(system, system),
        }

    @cached_property
    def _rows(self) -> dict[Side, dict[int, int]]:
        """Rows of each side that the other side has too."""
        columns = self._columns["gold", "system"]
        pairs = pair_rows(self._grids["gold"], self._grids["system"], columns)
        return {"gold": pairs, "system": _turned(pairs)}

    @cached_property
    def _values(self) -> dict[Side, set[tuple[str, int, str]]]:
        """Values that each side gives a paper in a column, in any row."""
        return {
            side: {
                (paper, column, key)
                for paper, keys in grid.rows
                for column, key in enumerate(keys)
                if key
            }
            for side, grid in self._grids.items()
        }


def tally(
    pair: TablePair, asked: Mapping[Side, QuestionSet], answers: Mapping[Side, Answers]
) -> dict[str, float | None]:
    """Metrics of the table and `BIASES` by name, from a reader's answers.

    Both mappings have the side that the questions are about as key. They give the questions asked,
    and the other table's answers; a question without an answer counts as no.
    """
    papers = score_table(pair.tables["gold"], pair.tables["system"], pairs=0)
    ratios = {name: papers.ratios[name] for name in ("paper_r", "paper_p")}
    for aspect in QUESTION_ASPECTS:
        recall = _count(asked["gold"], answers["gold"], aspect)
        precision = _count(asked["system"], answers["system"], aspect)
        ratios[f"{aspect}_r"] = recall
        # A system that gives nothing where something was asked is wrong, not undefined.
        ratios[f"{aspect}_p"] = replace(precision, when_none=0.0 if recall.asked else None)
    sides: tuple[tuple[Side, Side], ...] = (("gold", "system"), ("system", "gold"))
    probed = [
        answers[side].get(probe.key, False) for side, _ in sides for probe in asked[side].probes
    ]
    # The other table has the same words.
    sure = [
        answers[side].get(question.key, False)
        for side, other in sides
        for question in asked[side].questions
        if pair.read(question, side, on=other)
    ]
    biases = Ratio(sum(probed), len(probed)), Ratio(sure.count(False), len(sure))
    return {
        **replace(papers, ratios=ratios).values(),
        **dict(zip(BIASES, (bias.value for bias in biases), strict=True)),
    }


def _count(asked: QuestionSet, answers: Answers, aspect: str) -> Ratio:
    given = [
        answers.get(question.key, False)
        for question in asked.questions
        if question.aspect == aspect
    ]
    return Ratio(sum(given), len(given))


def _turned(pairs: Mapping[int, int]) -> dict[int, int]:
    return {there: here for here, there in pairs.items()}
