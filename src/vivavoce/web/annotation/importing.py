"""Items out of JSON Lines, checked by their kind, and campaigns out of what was exported.

A line is {id, content, cluster?, part?, answer?, explanation?}. An item with an answer is one of
the qualification unless its part is `main`: then it is a control among the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from vivavoce.errors import InputError
from vivavoce.store import Row, read_jsonl
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.content import LONGEST_NAME, LONGEST_TEXT, clean
from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.storage import Part

PARTS: tuple[str, ...] = get_args(Part)
LONGEST_KEY = 300
MOST_ITEMS = 200_000

_KEYS = ("id", "content", "cluster", "part", "answer", "explanation")
_RESULTS = ("state", "final")
"""What an export adds."""


def read_new_items(path: Path, kind: Kind) -> list[NewItem]:
    """The items of a JSON Lines file, in its order.

    Raises:
        InputError: Names the file, the line and what is wrong with it.
    """
    return check_rows(kind, ((row, f"{path}:{number}") for number, row in read_jsonl(path)))


def check_rows(kind: Kind, rows: Iterable[tuple[Row, str]]) -> list[NewItem]:
    """Items out of (row, where it stands); `InputError` names where what is wrong."""
    items: dict[str, NewItem] = {}
    for row, where in rows:
        item = new_item(row, kind, where)
        if item.key in items:
            raise InputError(f"{where}: the id {item.key!r} was given before.")
        items[item.key] = item
        if len(items) > MOST_ITEMS:
            raise InputError(f"{where}: a campaign has at most {MOST_ITEMS:,} items.")
    if not items:
        raise InputError("There is no item to import.")
    return list(items.values())


def new_item(row: Row, kind: Kind, where: str) -> NewItem:
    """One item; `InputError` starts with `where`."""
    row = clean(row)
    for key in row:
        if key not in (*_KEYS, *_RESULTS):
            near = difflib.get_close_matches(key, _KEYS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InputError(f"{where}: {key!r} is unknown.{hint}")
    key = _name(row.get("id"), "id", where, LONGEST_KEY)
    content = row.get("content")
    if not isinstance(content, dict):
        raise InputError(f"{where}: 'content' must be an object with what an item shows.")
    try:
        kind.check_content(content)
    except ValueError as error:
        raise InputError(f"{where}: in 'content' {error}.") from error
    answer = _answer(row, kind, where)
    part = row.get("part", "main" if answer is None else "qualification")
    if part not in PARTS:
        raise InputError(f"{where}: 'part' is {part!r}. Choose: {', '.join(PARTS)}.")
    if part == "qualification" and answer is None:
        raise InputError(f"{where}: an item of the qualification needs an 'answer'.")
    explanation = row.get("explanation") or ""
    if not isinstance(explanation, str) or len(explanation) > LONGEST_TEXT:
        raise InputError(f"{where}: 'explanation' must be text.")
    return NewItem(
        key=key,
        content=content,
        cluster=_name(row.get("cluster", key), "cluster", where, LONGEST_NAME),
        part=part,
        answer=answer,
        explanation=explanation,
        where=where,
    )


def _name(value: Any, name: str, where: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest:
        raise InputError(f"{where}: {name!r} must be text of 1 to {longest} characters.")
    return value


def _answer(row: Row, kind: Kind, where: str) -> Row | None:
    answer = row.get("answer")
    if answer is None:
        return None
    if isinstance(answer, str) and len(kind.fields) == 1:
        answer = {kind.fields[0].name: answer}
    try:
        return kind.check_label(answer)
    except InputError as error:
        raise InputError(f"{where}: in 'answer': {error}") from error
