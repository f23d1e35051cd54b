"""Fields of JSON records with the type that is expected of them.

`InputError` names a field of another type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.errors import InputError
from vivavoce.text.normalise import clean_text

Fields = Mapping[str, Any]


def text_at(row: Fields, key: str) -> str:
    """A text without blanks around it; empty where it is absent. A number is its digits."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise InputError(f"{key!r} is a {type(value).__name__}, not a text")
    return clean_text(value).strip()


def line_at(row: Fields, key: str) -> str:
    """A text on one line, with single spaces."""
    return " ".join(text_at(row, key).split())


def rows_at(row: Fields, key: str) -> list[Fields]:
    """A list of objects; empty where it is absent."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{key!r} is not a list of objects")
    return value


def object_at(row: Fields, key: str) -> Fields:
    """An object; empty where it is absent."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{key!r} is a {type(value).__name__}, not an object")
    return value


def objects_at(row: Fields, key: str) -> dict[str, Fields]:
    """An object of objects, in the order of the file; empty where it is absent."""
    value = object_at(row, key)
    if not all(isinstance(item, dict) for item in value.values()):
        raise InputError(f"{key!r} holds something else than objects")
    return dict(value)


def texts_at(row: Fields, key: str) -> list[str]:
    """A list of texts, or one text alone; empty where it is absent."""
    value = row.get(key)
    values = value if isinstance(value, list) else [value]
    return [text for item in values if (text := line_at({key: item}, key))]
