"""Upstream records kept whole: JSON that is read strictly, and its canonical text.

What is read here can be written again without loss: no key twice, no number that a float cannot
hold. The text of a record is valid UTF-8 whatever the record holds.
"""

from __future__ import annotations

import re
from typing import Any

from vivavoce.errors import InputError
from vivavoce.store import canonical_json, load_json

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BOM = b"\xef\xbb\xbf"


def parse_strictly(content: bytes, what: str) -> Any:
    """The JSON object or array of some bytes.

    `InputError` starts with `what` and tells why there is none: a key that stands twice in one
    object, NaN and infinity are refused as well.
    """
    try:
        value = load_json(content.removeprefix(_BOM), _object)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{what} is not readable JSON: {error}") from error
    if not isinstance(value, dict | list):
        raise InputError(f"{what} is neither a JSON object nor an array.")
    return value


def raw_json(value: Any) -> str:
    """The canonical JSON of a value; half a surrogate pair, which UTF-8 lacks, is escaped.

    `InputError` for a value that is nested too deeply.
    """
    try:
        text = canonical_json(value)
    except RecursionError as error:
        raise InputError("the record is nested too deeply") from error
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key[:60]!r} stands twice in one object")
            seen.add(key)
    return value
