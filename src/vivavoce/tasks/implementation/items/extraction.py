"""Methods of a report as JSON: what a model is asked for, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.implementation.extraction import THRESHOLD, FoundMethod, GoldMethod
from vivavoce.tasks.implementation.items.report import Method

_MAX_METHODS = 100
_MAX_SYMBOLS = 60
_MAX_NAME = 200
_MAX_TEXT = 5_000
_CONTROL = re.compile(r"[\b\f\r\t]|\n(?=eq?\b|u\b|ot\b)")
_COMMANDS = {"\b": r"\b", "\f": r"\f", "\r": r"\r", "\t": r"\t", "\n": r"\n"}
_HEADING = re.compile(r"^(#{1,6}) ([^\n]+)$", re.MULTILINE)
_DISPLAY = re.compile(r"\$\$([^$]+)\$\$")
_INLINE = re.compile(r"\$([^$\n]{1,40})\$")
_RELATION = re.compile(r"[=<>,]\s|=")


def methods_json(methods: Iterable[Method]) -> str:
    """Methods in the form that answers have, with the possible formulas of open ones."""
    rows = [
        {
            "name": method.name,
            "description": method.description,
            "formula": method.possible if method.formula is None else method.formula,
            "inferred": method.formula is None and method.possible is not None,
            "variables": dict(method.variables),
        }
        for method in methods
    ]
    return json.dumps({"methods": rows}, ensure_ascii=False, indent=2)


def parse_methods(value: Any) -> list[FoundMethod] | None:
    """The methods of an answer's JSON: `{"methods": [...]}` or the list alone.

    Entries without a name are passed over; parts of a wrong type count as left out, and long texts
    are cut. None when there is no list of at most 100 entries with a name among them, unless the
    list is empty.
    """
    entries = value.get("methods") if isinstance(value, dict) else value
    if not isinstance(entries, list) or len(entries) > _MAX_METHODS:
        return None
    methods = [method for entry in entries if (method := _method(entry)) is not None]
    return methods if methods or not entries else None


def judge_of(embedder: str | None, threshold: float) -> str:
    """Name of the comparison of descriptions, for the board's rows; empty for the defaults.

    Raises:
        InputError: The threshold is not a number from 0 to 1.
    """
    if type(threshold) not in (int, float) or not 0 <= threshold <= 1:
        raise InputError(f"threshold={threshold!r} is not a number from 0 to 1, such as 0.9.")
    if embedder is None and threshold == THRESHOLD:
        return ""
    path = Path(embedder or "words")
    name = path.resolve().name if path.is_dir() else path.as_posix()
    return f"{name} threshold={threshold:g}"


def gold_method(row: dict[str, Any]) -> GoldMethod:
    """A method as rounds hold it."""
    return GoldMethod(
        name=row["name"],
        description=row["description"],
        formula=row["formula"],
        symbols=tuple(row["variables"]),
        aliases=tuple(row["aliases"]),
    )


def _method(entry: Any) -> FoundMethod | None:
    if not isinstance(entry, dict):
        return None
    name = _text(entry.get("name"), _MAX_NAME)
    if not name:
        return None
    return FoundMethod(
        name=name,
        description=_text(entry.get("description"), _MAX_TEXT),
        formula=_latex(entry.get("formula"), _MAX_TEXT) or None,
        symbols=_symbols(entry.get("variables")),
        is_inferred=entry.get("inferred") is True,
    )


def _symbols(variables: Any) -> tuple[str, ...]:
    """The symbols of an object {symbol: meaning}, or of a list of such or of symbols."""
    if isinstance(variables, list):
        names = [_symbol(each) for each in variables[:_MAX_SYMBOLS]]
    else:
        names = list(variables)[:_MAX_SYMBOLS] if isinstance(variables, dict) else []
    return tuple(filter(None, (_latex(name, _MAX_NAME) for name in names)))


def _symbol(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    given = (entry.get(key) for key in ("symbol", "name", "variable"))
    return next((name for name in given if name is not None), None)


def _text(value: Any, longest: int) -> str:
    return value[:longest].strip() if isinstance(value, str) else ""


def _latex(value: Any, longest: int) -> str:
    r"""A text whose `\frac` JSON may have read as a form feed and `rac`, without `\[` and `\]`."""
    text = value[:longest] if isinstance(value, str) else ""
    text = _CONTROL.sub(lambda match: _COMMANDS[match[0]], text).strip()
    is_set_off = text.startswith((r"\[", r"\(")) and text.endswith((r"\]", r"\)"))
    return text[2:-2].strip() if is_set_off else text


def headings_as_methods(text: str) -> str:
    """The answer of a reader without a model: each heading of the deepest level is a method.

    The section's first paragraph describes it, its first set-off formula is its formula, and the
    formulas that stand alone inside its lines are its variables.
    """
    _, *pieces = _HEADING.split(text)
    sections = list(zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True))
    deepest = max((len(marks) for marks, _, _ in sections), default=0)
    methods = [
        _read_section(heading.strip(), under)
        for marks, heading, under in sections
        if len(marks) == deepest
    ]
    return f"```json\n{methods_json(methods)}\n```\n"


def _read_section(name: str, text: str) -> Method:
    formula = _DISPLAY.search(text)
    plain = _DISPLAY.sub("", text)
    symbols = [symbol for symbol in _INLINE.findall(plain) if not _RELATION.search(symbol)]
    return Method(
        name=name,
        description=plain.strip().partition("\n\n")[0],
        formula=formula[1].strip() if formula else None,
        variables=dict.fromkeys(symbols[:_MAX_SYMBOLS], "") if formula else {},
    )
