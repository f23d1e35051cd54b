"""Questions about tables with their answers, from logs, for people to check.

An item is a question about one table that was answered out of the other one: by the model of the
role `answerer` where the log was scored by use, else by the matcher.

Source: arXiv2Table, section 5.3: 200 pairs that people accept or not (Table 3), and 300 for each
method that people answer too (Table 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.metrics.tables.table_questions import ABSENT, PAPER, Side, TablePair
from vivavoce.results.audits.evaluating import TableAnswer, read_table_answers
from vivavoce.store import Row, hash_of

_OTHER: Mapping[Side, Side] = {"gold": "system", "system": "gold"}
_SPOKEN = {True: "yes", False: "no"}


def question_rows(
    logs: Path, kind: str, *, setting: str | None = None, sample: int | None = None, seed: int = 0
) -> list[Row]:
    """Items of a campaign of the kind `qa`, or of `answers`, in which the answer is hidden.

    `sample` questions for each contestant are drawn evenly over the aspects; None is all.

    Raises:
        InputError: No answer there can be asked about, or the kind is another.
    """
    if kind not in ("qa", "answers"):
        raise InputError(f"Questions of logs are for the kinds qa and answers, not {kind}.")
    answers, _ = read_table_answers(logs, setting=setting)
    of_contestant: dict[str, list[Row]] = {}
    for answer in answers:
        if answer.fault is None and answer.epoch == 1:
            rows = [_as_item(kind, answer, row) for row in _questions(answer, seed)]
            of_contestant.setdefault(answer.contestant, []).extend(rows)
    drawn = [row for rows in of_contestant.values() for row in _draw(rows, sample, seed)]
    if not drawn:
        raise InputError(f"{logs} has no table that questions can be asked about.")
    for row in drawn:
        row.pop("aspect")
    return drawn


def _questions(answer: TableAnswer, seed: int) -> Iterator[Row]:
    """{about, aspect, key, text, answer} of each question that has an answer."""
    if answer.use is not None:
        for about, rows in answer.use["questions"].items():
            yield from (
                {**row, "about": about, "text": row["asked"], "answer": row["answers"][0]}
                for row in rows
                if row["expected"] == "yes" and row["answers"][0] is not None
            )
        return
    pair = TablePair(answer.gold, answer.system, answer.names)
    for about, other in _OTHER.items():
        for question in pair.ask(about, seed=seed).questions:
            given = pair.read(question, about, on=other)
            yield {**question.as_dict(), "about": about, "answer": given}


def _as_item(kind: str, answer: TableAnswer, row: Mapping[str, Any]) -> Row:
    columns = (answer.use or {}).get("columns", answer.system.columns)
    tables = {"gold": answer.gold, "system": replace(answer.system, columns=tuple(columns))}
    about = row["about"]
    columns, rows = _shown(tables[about], answer.names)
    target_columns, target_rows = _shown(tables[_OTHER[about]], answer.names)
    content: Row = {"question": row["text"]}
    if kind == "qa":
        content |= {
            "answer": _SPOKEN[row["answer"]].capitalize(),
            "columns": columns,
            "rows": rows,
            "target_columns": target_columns,
            "target_rows": target_rows,
            "contestant": answer.contestant,
            "group": row["aspect"],
        }
    else:
        content |= {
            "columns": target_columns,
            "rows": target_rows,
            "aspect": row["aspect"],
            "suggestion": {"answer": _SPOKEN[row["answer"]]},
            "group": answer.contestant,
        }
    return {
        "id": f"{answer.contestant} {answer.item} {about} {row['key']}",
        "cluster": answer.cluster,
        "content": content,
        "aspect": row["aspect"],
    }


def _shown(
    table: LiteratureTable, names: Mapping[str, str]
) -> tuple[list[str], list[list[str | None]]]:
    """The table as the one who answered saw it."""
    rows: list[list[str | None]] = [
        [names.get(row.paper, row.paper), *(c or ABSENT for c in row.cells)] for row in table.rows
    ]
    return [PAPER, *table.columns], rows


def _draw(rows: Sequence[Row], sample: int | None, seed: int) -> list[Row]:
    """As many rows of each aspect as of any other, as far as there are; in their order."""
    if sample is None or sample >= len(rows):
        return list(rows)
    by_aspect: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: hash_of([seed, row["id"]])):
        by_aspect.setdefault(row["aspect"], []).append(row)
    ranked = sorted(
        (place, aspect, row["id"])
        for aspect, found in by_aspect.items()
        for place, row in enumerate(found)
    )
    chosen = {key for _, _, key in ranked[:sample]}
    return [row for row in rows if row["id"] in chosen]
