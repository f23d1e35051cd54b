"""Reading of the JSON in an answer, with any text around it."""

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from pydantic_core import from_json

from vivavoce.store import finite, refuse_constant

_MAX_LENGTH = 200_000
_MAX_DEPTH = 40
_MAX_DIGITS = 40
_MAX_STARTS = 300
_FENCE = re.compile(r"^[ \t]{0,3}```[ \t]?(\w{0,20})[^\n]*\n(.*?)^[ \t]{0,3}```", re.M | re.S)


Wanted = Callable[[Any], bool]


def find_json(
    answer: str, wanted: Collection[str] | Wanted = (), *, mend: bool = False
) -> Any | None:
    """Find the last JSON object in an answer, else the first array; None if there is neither.

    Blocks fenced as JSON come first, then other blocks, then the whole text. `wanted` is a check,
    or keys of which the object must have one. `mend` accepts JSON that is cut off or has commas
    before closing brackets. Limits are 200,000 characters, 40 levels, 40 digits, finite numbers.
    """
    if len(answer) > _MAX_LENGTH:
        return None

    def has_a_key(value: Any) -> bool:
        return not keys or (isinstance(value, dict) and any(key in value for key in keys))

    keys: Collection[str] = () if callable(wanted) else wanted
    is_wanted = wanted if callable(wanted) else has_a_key
    # Models often write LaTeX into strings without escaping it, so `\sigma` is an invalid escape.
    # Valid JSON has no invalid escapes, so mending them is safe.
    for text in _candidates(_ESCAPE.sub(_mend, answer)):
        records = _records_by_line(text)
        content = records if records and is_wanted(records) else _value(text, is_wanted)
        if content is not None:
            return content
    if not mend:
        return None
    text = _COMMA.sub(lambda match: match[1] or match[2], _ESCAPE.sub(_mend, answer))
    content = _value(text, is_wanted)
    return _beginning(text, is_wanted) if content is None else content


def as_records(value: Any) -> Any:
    """Turn a table given by column, or as lists under a header, into records; else no change."""
    lists = value
    if isinstance(value, dict):
        columns, rows = value.get("columns"), value.get("rows", value.get("data"))
        labels = value.get("index")
        if isinstance(columns, list) and isinstance(rows, list):
            lists = [columns, *rows]
            if isinstance(labels, list) and len(labels) == len(rows):  # as pandas splits a table
                lists = [[label, *row] for label, row in zip(["", *labels], lists, strict=True)]
        elif len(value) > 1 and all(map(_is_list_of_texts, value.values())):
            lists = [list(value), *map(list, zip(*value.values(), strict=False))]
    if not isinstance(lists, list) or len(lists) < 2 or not all(map(_is_list_of_texts, lists)):
        return value
    header, *rows = lists
    is_named = all(isinstance(name, str) for name in header)
    return [dict(zip(header, row, strict=False)) for row in rows] if is_named else value


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(cell, dict | list) for cell in value)


def _beginning(text: str, is_wanted: Wanted) -> Any | None:
    """A JSON value that the end of the text cuts off, without its incomplete last part."""
    start = _next_start(text, 0)
    if start < 0:
        return None
    try:
        content = text[start:].encode("utf-8", "replace")  # a lone surrogate is not a character
        value = from_json(content, allow_inf_nan=False, allow_partial=True)
    except ValueError:
        return None
    return value if is_wanted(value) and not _is_too_deep(value) else None


def _mend(escape: re.Match[str]) -> str:
    return escape[0] if escape[1] else "\\\\"


def _candidates(answer: str) -> Iterator[str]:
    blocks = [(match[1].lower(), match[2]) for match in _FENCE.finditer(answer)]
    yield from (text for language, text in reversed(blocks) if language == "json")
    yield from (text for language, text in reversed(blocks) if language != "json")
    yield answer


def _value(text: str, is_wanted: Wanted) -> Any | None:
    """The last outermost object that is wanted, else the first array that is wanted."""
    best = None
    place = 0
    for _ in range(_MAX_STARTS):
        start = _next_start(text, place)
        if start < 0:
            break
        place = start + 1
        try:
            value, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not is_wanted(value):
            continue
        if not _is_too_deep(value) and (isinstance(value, dict) or best is None):
            best = value
    return best


def _records_by_line(text: str) -> list[Any]:
    """The objects in JSON Lines; none if there are fewer than two, or if there is other text."""
    lines = text.split("\n") if text.lstrip().startswith("{") else []
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) < 2 or not all(line.startswith("{") for line in lines):
        return []
    try:
        records = [_DECODER.decode(line.removesuffix(",")) for line in lines]
    except (ValueError, RecursionError):
        return []
    return [] if _is_too_deep(records) else records


def _next_start(text: str, place: int) -> int:
    """Start of the next object or array; -1 if there is none."""
    match = _START.search(text, place)
    return match.start() if match else -1


def _is_too_deep(value: Any) -> bool:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            return True
        insides = (part.values() if isinstance(part, dict) else part for part in level)
        level = [inner for inside in insides for inner in inside if isinstance(inner, dict | list)]
    return False


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("too many digits")
    return int(text)


_ESCAPE = re.compile(r"""\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?""")
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|,(\s*[}\]])', re.S)
"""A string, which is kept, or a comma before a closing bracket.

An unterminated string extends to the end of the text, so that no text is read twice.
"""
_START = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=finite, parse_constant=refuse_constant, strict=False
)
