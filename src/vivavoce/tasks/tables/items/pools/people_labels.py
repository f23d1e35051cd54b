"""What people said of distractors and of demands: the `labels.jsonl` of `viva annotate export`.

A candidate that people would include in the table is no distractor of it; a demand that people did
not accept asks for nothing. What a file says of other tables is passed over, so one file serves
several rounds.

Source: arXiv2Table, section 4.2 (verification of distractors), section 4.1 (checks of demands).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.store import Row, read_jsonl
from vivavoce.tasks.tables.items.pools.distractors import Candidate
from vivavoce.tasks.tables.items.table_items import GoldTable

INCLUDE, EXCLUDE = "include", "exclude"

PaperLabels = Mapping[str, Mapping[str, str]]
"""By table id, by paper id: `include` or `exclude`."""


def read_paper_labels(path: Path) -> dict[str, dict[str, str]]:
    """Labels of a file with rows {table, paper, decision}; other keys are passed over.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[str, dict[str, str]] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        table, paper = _text(row, "table", where), _text(row, "paper", where)
        decision = row.get("decision")
        if decision not in (INCLUDE, EXCLUDE):
            raise InputError(f"{where}: decision is {decision!r}. Choose: include, exclude.")
        known = found.setdefault(table, {}).setdefault(paper, decision)
        if known != decision:
            raise InputError(f"{where}: {paper} of {table} was {known} before.")
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def read_demand_labels(path: Path) -> dict[str, bool]:
    """Whether the demand of each table was accepted, of a file with rows {id, accepted}.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[str, bool] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        table, accepted = _text(row, "id", where), row.get("accepted")
        if not isinstance(accepted, bool):
            raise InputError(f"{where}: accepted must be true or false; got {accepted!r}.")
        if found.setdefault(table, accepted) != accepted:
            raise InputError(f"{where}: the demand of {table} was said to be otherwise before.")
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def without_included(
    table: GoldTable, candidates: Sequence[Candidate], labels: PaperLabels
) -> tuple[Candidate, ...]:
    """A table's candidates but for those that people would include in it."""
    said = labels.get(table.id, {})
    return tuple(one for one in candidates if said.get(one.paper) != INCLUDE)


def count_checked(table: str, distractors: Collection[str], labels: PaperLabels) -> int:
    """How many distractors of a table people have excluded from it."""
    said = labels.get(table, {})
    return sum(said.get(paper) == EXCLUDE for paper in distractors)


def _text(row: Row, name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {name} must be an id; got {value!r}.")
    return value
