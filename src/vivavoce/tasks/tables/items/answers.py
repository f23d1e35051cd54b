"""An answer held against the gold: the table in it, its values, and both tables for people."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.errors import InputError
from vivavoce.metrics.tables.digestables import jaccard, schema_recall
from vivavoce.metrics.tables.literature_tables import LiteratureTable, score_table
from vivavoce.metrics.tables.table_answers import FAULTS, count_faults
from vivavoce.tasks.tables.items.replies import UnusableReply, read_table

NAMES = (
    *("avg", "unary_f1", "schema_f1", "pairwise_f1", "paper_f1"),
    *("unary_p", "unary_r", "schema_p", "schema_r", "pairwise_p", "pairwise_r"),
    *("paper_p", "paper_r"),
)
"""Metrics in the order of the card."""
LEXICAL, SCHEMA_RECALL = "avg_lexical", "schema_recall"
DIAGNOSTICS = ("success", LEXICAL, SCHEMA_RECALL, *FAULTS[1:])
NOTHING = LiteratureTable((), (), ())

_ROWS, _COLUMNS, _CELL = 60, 30, 160
"""Of a table that is shown to people, at most."""
_ABSENT = "N/A"
_MAX_COLUMNS = 300
"""Columns of an answer that are compared by their stems."""
_BACKSLASHED = str.maketrans({char: f"\\{char}" for char in "\\|`*_[]$~"})


def read_answer(answer: str, titles: Mapping[str, str]) -> LiteratureTable | None:
    """The table of an answer, papers by label; None where there is none.

    Args:
        answer: A JSON object, or a table in a text.
        titles: Of the pool's papers, by label; a row may name either.
    """
    try:
        return read_table(answer, titles)
    except UnusableReply:
        return None


def read_gold(target: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The gold of a sample, papers by label.

    Raises:
        InputError: It is no table.
    """
    gold = read_answer(target, titles)
    if gold is None:
        raise InputError("The gold of a sample is no table. Build the round again.")
    return gold


def diagnose(
    gold: LiteratureTable,
    answer: LiteratureTable | None,
    pairs: int | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """The values of `DIAGNOSTICS`; NaN where undefined."""
    columns = (answer or NOTHING).columns[:_MAX_COLUMNS]
    recall = schema_recall(gold.columns, columns, jaccard)
    faults = count_faults(gold, answer)
    lexical = score_table(gold, answer or NOTHING, pairs=pairs, seed=seed).values()["avg"]
    values = {LEXICAL: lexical, SCHEMA_RECALL: recall, **faults}
    return {name: number(values[name]) for name in DIAGNOSTICS}


def number(value: float | None) -> float:
    """NaN stands for undefined."""
    return math.nan if value is None else float(value)


def side_by_side(
    gold: LiteratureTable, answer: LiteratureTable | None, titles: Mapping[str, str]
) -> str:
    """The gold and the generated table in markdown, as in Tables 16 to 18 of arXiv2Table."""
    shown = _markdown(answer, titles) if answer is not None else "The answer is no table."
    return f"### Gold\n\n{_markdown(gold, titles)}\n\n### Generated\n\n{shown}"


def _markdown(table: LiteratureTable, titles: Mapping[str, str]) -> str:
    """A table with its papers' titles; long ones are cut and say so."""
    columns = table.columns[:_COLUMNS]
    lines = [_line(["Paper", *columns]), _line(["---"] * (len(columns) + 1), escaped=False)]
    lines += [
        _line([_name(row.paper, titles), *(cell or _ABSENT for cell in row.cells[:_COLUMNS])])
        for row in table.rows[:_ROWS]
    ]
    with_rows = {row.paper for row in table.rows}
    bare = [paper for paper in table.papers if paper not in with_rows]
    lines += [_line([_name(paper, titles), *[""] * len(columns)]) for paper in bare[:_ROWS]]
    return "\n".join([*lines, *_left_out(table)])


def _left_out(table: LiteratureTable) -> Iterator[str]:
    rows, columns = len(table.rows) - _ROWS, len(table.columns) - _COLUMNS
    if rows > 0 or columns > 0:
        yield f"\n{max(0, rows)} further rows and {max(0, columns)} further columns are not shown."


def _name(paper: str, titles: Mapping[str, str]) -> str:
    title = titles.get(paper)
    return f"{paper} {title}" if title else paper


def _line(cells: Sequence[str], *, escaped: bool = True) -> str:
    return f"| {' | '.join(_cell(cell) if escaped else cell for cell in cells)} |"


def _cell(text: str) -> str:
    """A text on one line in which nothing is markup."""
    line = " ".join(text[: 4 * _CELL].split())
    cut = line if len(line) <= _CELL else f"{line[: _CELL - 1]}…"
    return html.escape(cut, quote=False).translate(_BACKSLASHED)
