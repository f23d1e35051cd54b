"""Lines of a table taken apart: what stands before the numbers, and the numbers.

Readers of PDF often lose the columns of a table, so that a line is a row, a part of one or a single
cell. A line is a label and what follows it: values, the last run of words that are numbers or mean
that there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise

MAX_LINE = 1_000
"""Characters of a line that are read."""
MISSING = ""
"""Stands for a value that is not there, such as a dash."""

_VALUE = re.compile(
    r"[~≈<>]?[-−–+]?(?P<number>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,10})?|\.\d{1,10})"
    r"(?P<unit>[%KMBkmb]|bn)?[*†‡§¶⋆★]{0,4}[,;]?"
)
_MINUS = re.compile(r"[~≈<>]?[-−–]")
_MISSING = re.compile(r"[-−–—?]{1,3}|[nN]\.?/?[aA]\.?|[xX✗✓]")
_ASIDE = re.compile(r"[(\[](?:[±+-]?\d[\d.,]*%?)[)\]]|±\d[\d.]*%?")
_MARK = re.compile(r"[*†‡§¶⋆★%↑↓]{1,4}|\^[\w*†‡]{1,2}")
_GLUED_ASIDE = re.compile(r"(?<=\d)\((?=[±\d])|(?<=\d)±")
_SPREAD = re.compile(r"(?:±|\+/-|\\pm)\s*(?=\d)")
_SLASH = re.compile(r"(?<=[\d.%–−-])\s*/\s*(?=[\d.–−-])")
_UNIT = re.compile(r"(?<=\d)\s(?=[MKB%](?:\s|$))")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table."""

    label: str
    values: tuple[str, ...]
    """As printed, without marks; `MISSING` where a dash stands."""


def read_line(text: str) -> Line:
    """The label and the values of a line."""
    words = _words(text)
    start = len(words)
    values: list[str] = []
    while start:
        value = _value(words[start - 1])
        if value is None:
            break
        start -= 1
        values += value
    label = " ".join(words[:start])
    if label and len(values) == 1 and _YEAR.fullmatch(values[0]):
        return Line(f"{label} {values[0]}", ())
    return Line(label, tuple(reversed(values)))


def _words(text: str) -> list[str]:
    plain = normalise("NFKC", plain_words(text[:MAX_LINE]))
    plain = _SPREAD.sub("±", _GLUED_ASIDE.sub(lambda found: " " + found.group(), plain))
    return _UNIT.sub("", _SLASH.sub(" / ", plain)).split()


def _value(word: str) -> list[str] | None:
    """The values of a word: none of an aside, one of a number; None where it is no value."""
    if word == "/" or _ASIDE.fullmatch(word) or _MARK.fullmatch(word):
        return []
    if _MISSING.fullmatch(word):
        return [MISSING]
    found = _VALUE.fullmatch(word)
    if found is None:
        return None
    sign = "-" if _MINUS.match(word) else ""
    return [f"{sign}{found['number']}{found['unit'] or ''}"]


def count_values(text: str) -> int:
    """Count the words of a text that are numbers."""
    return sum(bool(_value(word)) and any(c.isdigit() for c in word) for word in _words(text))


def split_stream(text: str) -> list[str]:
    """A text without line breaks as lines, each ending with the values that follow its words."""
    lines: list[str] = []
    line: list[str] = []
    had_value = False
    for word in _words_of(text):
        is_number = any(c.isdigit() for c in word) and bool(_value(word))
        is_value = is_number or (had_value and _value(word) is not None)
        if had_value and not is_value:
            lines.append(" ".join(line))
            line, had_value = [], False
        line.append(word)
        had_value = is_value
    return [*lines, " ".join(line)] if line else lines


def _words_of(text: str) -> list[str]:
    return [
        word
        for start in range(0, len(text), MAX_LINE)
        for word in _words(text[start : start + MAX_LINE])
    ]
