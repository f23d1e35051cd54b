"""What each writing task and setting shows and asks for, as texts to be measured.

The input is the paper's own texts, the demonstrations with their answers, and the listed works;
the instructions around them are left out. The output is the gold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from vivavoce.rounds import Round, Shown, measure_settings
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.writing.cells import NAME as CELLS
from vivavoce.tasks.writing.cells import shown_demos
from vivavoce.tasks.writing.inputs import (
    DEMONSTRATED,
    ROLES,
    SETTINGS,
    PaperText,
    gold,
    paper_from_row,
    slots,
)
from vivavoce.text.tokens import TokenCounter

FAMILY = "writing"
PADDED = "+padded"
"""What the name of a related-work setting ends in where works by others are listed too."""


def describe_lengths(opened: Round, counter: TokenCounter) -> Row:
    """The table of lengths of a round, what counted them, and who wrote its targets."""
    cells = json.loads(opened.read_file(FAMILY, CELLS))
    return {
        "tokenizer": counter.name,
        "is_estimate": counter.is_estimate,
        "settings": measure_settings(shown(opened), counter),
        "authors": cells["authors"],
    }


def shown(opened: Round) -> Iterator[Shown]:
    """Every item in every setting of a round, by task and setting."""
    table = table_of_parquet(opened.read_file(FAMILY, "papers.parquet"))
    papers = {row["paper_id"]: paper_from_row(row) for row in table.to_pylist()}
    tasks = [task for family, task in opened.tasks() if family == FAMILY]
    for task in tasks:
        rows = opened.items(FAMILY, task)
        for setting in SETTINGS:
            for label, roles in _tracks(task, setting):
                for row in rows:
                    if setting in row["settings"]:
                        yield _show(task, setting, label, roles, row, papers)


def _tracks(task: str, setting: str) -> list[tuple[str, tuple[str, ...]]]:
    """(name, roles of the works listed) of each track of a setting."""
    if task != "related_work" or setting == "title_only":
        return [(setting, ())]
    return [(setting, ROLES[:1]), (setting + PADDED, ROLES)]


def _show(
    task: str,
    setting: str,
    label: str,
    roles: tuple[str, ...],
    row: Row,
    papers: dict[str, PaperText],
) -> Shown:
    inputs = list(slots(task, setting, papers[row["paper_id"]]).values())
    for name in shown_demos(row, setting) if setting in DEMONSTRATED else ():
        demo = papers[name]
        inputs += slots(task, "base", demo).values()
        inputs.append(gold(task, demo.title, demo.abstract, demo.sections) or "")
    for work in row.get("works") or ():
        if work["role"] in roles:
            inputs += [work["title"], work["abstract"] or ""]
    return Shown(task, label, row["split"], row["published"], tuple(inputs), row["reference"])
