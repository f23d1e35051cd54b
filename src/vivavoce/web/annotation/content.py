"""What an item's content may be made of; every check raises `ValueError` that names the part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vivavoce.store import Row

Check = Callable[[str, object], None]
"""Takes the name of a part and its value."""

LONGEST_TEXT = 200_000
LONGEST_NAME = 500
MOST_ENTRIES = 1_000
"""Of a list: papers, columns, rows."""

_SAMPLE_KEYS = {"id", "task", "setting"}


def clean(value: Any) -> Any:
    """A JSON value without what no database and no page takes: NULs, halves of surrogate pairs."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(key): clean(inner) for key, inner in value.items()}
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def text(name: str, value: object) -> None:
    """Text that says something."""
    maybe_text(name, value)
    if not str(value).strip():
        raise ValueError(f"{name!r} is empty")


def maybe_text(name: str, value: object) -> None:
    """Text, empty or not."""
    if not isinstance(value, str):
        raise ValueError(f"{name!r} must be text, not {_short(value)}")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"{name!r} has {len(value):,} characters; {LONGEST_TEXT:,} are allowed")


def name(name: str, value: object) -> None:
    """A short text, such as an id."""
    text(name, value)
    if len(str(value)) > LONGEST_NAME:
        raise ValueError(f"{name!r} has more than {LONGEST_NAME} characters")


def texts(name: str, value: object) -> None:
    """A list of texts."""
    for place, one in enumerate(_list(name, value)):
        maybe_text(f"{name}[{place}]", one)


def paper(name: str, value: object) -> None:
    """A paper {title, abstract, paper?, link?}; its abstract may be null or left out."""
    if not isinstance(value, dict):
        raise ValueError(f"{name!r} must be a paper {{title, abstract}}, not {_short(value)}")
    unknown = sorted(value.keys() - {"title", "abstract", "paper", "link"})
    if unknown:
        raise ValueError(f"{name!r} has the unknown part {unknown[0]!r}")
    text(f"{name}.title", value.get("title"))
    for part in ("abstract", "paper", "link"):
        if value.get(part) is not None:
            maybe_text(f"{name}.{part}", value[part])


def papers(name: str, value: object) -> None:
    """A list of papers."""
    for place, one in enumerate(_list(name, value)):
        paper(f"{name}[{place}]", one)


def grid(name: str, value: object) -> None:
    """Rows of cells; a cell is text or null."""
    for place, row in enumerate(_list(name, value)):
        for column, cell in enumerate(_list(f"{name}[{place}]", row)):
            if cell is not None:
                maybe_text(f"{name}[{place}][{column}]", cell)


def side_names(name: str, value: object) -> None:
    """Who wrote the two texts: {a, b}."""
    if not isinstance(value, dict) or value.keys() != {"a", "b"}:
        raise ValueError(f"{name!r} must be {{a, b}}")
    for side in ("a", "b"):
        text(f"{name}.{side}", value[side])
    if value["a"] == value["b"]:
        raise ValueError(f"{name!r} compares {_short(value['a'])} with itself")


def sample(name: str, value: object) -> None:
    """The sample that two texts answer: {id, task?, setting?}."""
    if not isinstance(value, dict) or "id" not in value or value.keys() - _SAMPLE_KEYS:
        raise ValueError(f"{name!r} must be {{id, task, setting}}")
    for part in sorted(value):
        text(f"{name}.{part}", value[part])


def rectangular(content: Row) -> None:
    """Rows need columns, and as many cells."""
    rows, columns = content.get("rows"), content.get("columns")
    if rows is None:
        return
    if columns is None:
        raise ValueError("'rows' needs 'columns'")
    for place, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValueError(f"'rows[{place}]' has {len(row)} cells for {len(columns)} columns")


def has_source(content: Row) -> None:
    """A question needs a table or a passage."""
    rectangular(content)
    if "passage" not in content and "rows" not in content:
        raise ValueError("there must be a 'passage', or 'columns' and 'rows'")


def _list(name: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{name!r} must be a list, not {_short(value)}")
    if len(value) > MOST_ENTRIES:
        raise ValueError(f"{name!r} has {len(value):,} entries; {MOST_ENTRIES:,} are allowed")
    return value


def _short(value: object) -> str:
    return repr(value)[:60]
