"""Answers that methods read: the finished table, and small ones on the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.tasks.scoring.json_answer import find_json
from vivavoce.tasks.tables.items.operations import (
    Operations,
    UnusableReply,
    cells_of,
    names_of,
)
from vivavoce.tasks.tables.items.table_items import answer_table

_TABLE = ("rows", "columns", "papers")


def read_table(answer: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The table of an answer: a JSON object, or a table inside a text.

    Args:
        answer: The whole text.
        titles: Titles of the pool's papers by label; a row may name either.

    Raises:
        UnusableReply: It is neither.
    """
    names = PaperNames(LiteratureTable(tuple(titles), (), ()), titles)
    found = find_json(answer, _TABLE)
    if found is not None:
        try:
            return answer_table(found, names)
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
