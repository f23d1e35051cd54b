"""Replies of models on the way to a table, read within bounds, and changes carried out.

A finished table is a JSON object or a table inside a text; changes of one are a JSON object:

    {"include": ["P1"], "exclude": ["P4"], "add": ["Dataset"], "drop": ["Notes"],
     "rename": {"Data": "Dataset"}, "rows": {"P1": {"Dataset": "Treebank"}}}

Each part may be left out. An object that cannot be read is a fault of the whole answer; a change
that cannot be made, such as to a paper that nobody knows, is left out and told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.tasks.scoring.json_answer import find_json
from vivavoce.tasks.tables.items.table_forms import holds_table, in_form
from vivavoce.tasks.tables.items.table_items import answer_table
from vivavoce.tasks.tables.items.working_table import TableFault, WorkingTable

PARTS = ("include", "exclude", "add", "drop", "rename", "rows")
MAX_ENTRIES = 200
"""Entries that a part may have, and cells of a row."""
_MAX_FAULTS = 20
_MAX_LIST = 50


class UnusableReply(Exception):
    """A model's answer is not of the form asked for; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Operations:
    """Changes of a table."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    rows: tuple[tuple[str, dict[str, str | None]], ...] = ()
    """Cells by paper; None makes a cell N/A."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of the changes."""

    changed: bool
    faults: tuple[str, ...]
    """Reasons why changes were not made, the first 20."""


def read_operations(answer: str) -> Operations:
    """The changes that an answer asks for; an empty object asks for none.

    Raises:
        UnusableReply: It holds no such object, or a part of it has the wrong type or no end.
    """
    found = find_json(answer, PARTS)
    if found is None:
        if find_json(answer) == {}:
            return Operations()
        raise UnusableReply(f"It holds no JSON object with any of the keys {', '.join(PARTS)}.")
    rename = object_of(found, "rename")
    if not all(isinstance(new, str) for new in rename.values()):
        raise UnusableReply('"rename" must map old names of columns to new ones.')
    return Operations(
        include=names_of(found, "include"),
        exclude=names_of(found, "exclude"),
        add=names_of(found, "add"),
        drop=names_of(found, "drop"),
        rename=tuple(rename.items()),
        rows=tuple(_rows(found.get("rows"))),
    )


def apply_operations(
    operations: Operations, table: WorkingTable, allowed: Collection[str] | None = None
) -> Outcome:
    """Carry changes out: exclude, drop, rename, add, include, rows.

    Only papers with one of the `allowed` labels are changed; without these all may be.
    """
    work = _Application(table, allowed)
    excluded = [work.do(table.exclude, name, paper=name) for name in operations.exclude]
    for name in operations.drop:
        work.do(table.drop_column, name)
    for old, new in operations.rename:
        work.do(table.rename_column, old, new)
    for name in operations.add:
        work.do(table.add_column, name)
    gone = {label for label in excluded if label is not None}
    for name in operations.include:
        work.do(table.include, name, paper=name, gone=gone)
    for name, cells in operations.rows:
        work.set_row(name, cells, gone)
    return Outcome(work.changed, tuple(work.faults))


class _Application:
    """Changes on their way into a table."""

    def __init__(self, table: WorkingTable, allowed: Collection[str] | None) -> None:
        self.changed = False
        self.faults: list[str] = []
        self._table, self._allowed = table, allowed

    def do(
        self,
        change: Callable[..., bool],
        *arguments: Any,
        paper: str | None = None,
        gone: Collection[str] = (),
    ) -> str | None:
        """Make a change unless it is faulty; the label of the paper that it was about."""
        try:
            label = None if paper is None else self._label(paper, gone)
            self.changed |= change(*arguments)
        except TableFault as fault:
            self._note(str(fault))
            return None
        return label

    def set_row(self, paper: str, cells: Mapping[str, str | None], gone: Collection[str]) -> None:
        """Write a row cell by cell: a faulty one does not take the others with it."""
        if self.do(self._table.include, paper, paper=paper, gone=gone) is not None:
            for column, value in cells.items():
                self.do(self._table.set_row, paper, {column: value})

    def _label(self, paper: str, gone: Collection[str]) -> str:
        label = self._table.find_paper(paper)
        if self._allowed is not None and label not in self._allowed:
            raise TableFault(f"Paper {label} was not shown.")
        if label in gone:
            raise TableFault(f"Paper {label} is excluded and included at once.")
        return label

    def _note(self, fault: str) -> None:
        if len(self.faults) < _MAX_FAULTS:
            self.faults.append(fault)


def _rows(value: Any) -> list[tuple[str, dict[str, str | None]]]:
    """Rows, by paper or as a list of objects with `paper` and `cells`."""
    if isinstance(value, list):
        value = {_paper_of(row): row.get("cells") for row in value[: MAX_ENTRIES + 1]}
    rows = object_of({"rows": value}, "rows")
    return [(paper, cells_of({paper: cells}, paper)) for paper, cells in rows.items()]


def _paper_of(row: Any) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("paper"), str | int):
        raise UnusableReply('Each of "rows" needs a "paper" and "cells".')
    return text_of(row["paper"]) or ""


def names_of(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The names under a key: a list, or one alone; none where there is no such key.

    Raises:
        UnusableReply: They are something else, or more than `MAX_ENTRIES`.
    """
    value = found.get(key)
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(name, str | int) and not isinstance(name, bool) for name in listed):
        raise UnusableReply(f'"{key}" must be a list of names.')
    if len(listed) > MAX_ENTRIES:
        raise UnusableReply(f'"{key}" has more than {MAX_ENTRIES} entries.')
    return tuple(text_of(name) or "" for name in listed)


def object_of(found: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; empty where there is no such key.

    Raises:
        UnusableReply: It is something else, or has more than `MAX_ENTRIES` entries.
    """
    value = found.get(key)
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise UnusableReply(f'"{_shown(key)}" must be an object.')
    if len(value) > MAX_ENTRIES:
        raise UnusableReply(f'"{_shown(key)}" has more than {MAX_ENTRIES} entries.')
    return value


def cells_of(found: Mapping[str, Any], key: str) -> dict[str, str | None]:
    """The cells under a key: values as text by column.

    Raises:
        UnusableReply: They are no object, or a value is neither text, a number nor a list of these.
    """
    return {column: text_of(value) for column, value in object_of(found, key).items()}


def text_of(value: Any) -> str | None:
    """A value as the text of a cell: lists joined by commas, True and False as yes and no.

    Raises:
        UnusableReply: It is an object, or a list with more than plain values in it.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return ", ".join(part for one in value[:_MAX_LIST] if (part := text_of(one)))
    raise UnusableReply("The value of a cell must be text, a number, a list of these, or null.")


def _shown(key: str) -> str:
    return key[:60].encode("utf-8", "replace").decode("utf-8")


def read_table(answer: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The table of an answer: a JSON object, or a table inside a text.

    Raises:
        UnusableReply: It is neither.
    """
    names = PaperNames(LiteratureTable(tuple(titles), (), ()), titles)

    def is_paper(name: str) -> bool:
        return names.find(name) in titles

    found = find_json(answer, lambda value: holds_table(value, is_paper), mend=True)
    if found is not None:
        try:
            return answer_table(in_form(found, is_paper), names)
        except InputError as error:
            raise UnusableReply(str(error)) from error
    table = table_from_text(answer, names)
    if not table.rows:
        raise UnusableReply("It holds neither a JSON object with rows nor a table.")
    return table


def read_outline(answer: str) -> Operations:
    """Papers to include and columns to add by the answer `{"papers": [...], "columns": [...]}`.

    Raises:
        UnusableReply: It is no such object.
    """
    found = _object(answer, "papers", "columns")
    if not ("papers" in found and "columns" in found):
        raise UnusableReply('It needs both "papers" and "columns".')
    return Operations(include=names_of(found, "papers"), add=names_of(found, "columns"))


def read_single(answer: str) -> dict[str, str | None] | None:
    """The answer `{"include": true, "cells": {...}}` about one paper; None for one left out.

    Raises:
        UnusableReply: It is no such object.
    """
    found = _object(answer, "include")
    if not isinstance(found["include"], bool):
        raise UnusableReply('"include" must be true or false.')
    return cells_of(found, "cells") if found["include"] else None


def read_row(answer: str) -> dict[str, str | None]:
    """The answer `{"cells": {...}}`.

    Raises:
        UnusableReply: It is no such object.
    """
    return cells_of(_object(answer, "cells"), "cells")


def read_unsupported(answer: str) -> tuple[str, ...]:
    """The columns of the answer `{"unsupported": [...]}`.

    Raises:
        UnusableReply: It is no such object.
    """
    return names_of(_object(answer, "unsupported"), "unsupported")


def read_digest(answer: str) -> str:
    """The text of the answer `{"digest": "..."}`.

    Raises:
        UnusableReply: It is no such object, or the text is empty.
    """
    text = _object(answer, "digest")["digest"]
    if not isinstance(text, str) or not text.strip():
        raise UnusableReply('"digest" must be text.')
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _object(answer: str, *keys: str) -> Mapping[str, Any]:
    """The last object of an answer that has one of the keys."""
    found = find_json(answer, keys)
    if found is None:
        raise UnusableReply(f"It holds no JSON object with the key {' or '.join(keys)}.")
    value: Mapping[str, Any] = found
    return value
