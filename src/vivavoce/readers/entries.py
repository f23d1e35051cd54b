"""A table read as entries: a label and its numbers, whatever is left of the table's layout.

Some sources keep rows and columns; others give the cells one below the other, where a label is
told from its numbers by looking alone. Every function takes linear time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.text.cell_text import read_score

MAX_ENTRIES = 400
MAX_COLUMNS = 40
_MAX_ROWS = 2_000
_MAX_CELLS = 8_000
_MAX_CELL = 300
_MAX_LABEL = 160
_MAX_HEADER = 200
_MAX_HEAD = 60
_PROSE = 10
_MAX_SCORE = 1e5
_MAX_PROSE_LINES = 12
_MAX_PROSE = 1_000
_NUMBER = re.compile(
    r"[~≈<>]?[-−–+]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{0,9})(?:\.[0-9]{0,9})?"
    r"(?:[eE]-?[0-9]{1,2})?[%kKMB]?(?:[±][0-9.]{1,9})?"
    r"(?:\([0-9.]{1,9}\))?[*†‡§]{0,3}"
)
_EMPTY = frozenset({"-", "–", "—", "−", "--", "---", "n/a", "na", "n.a.", "✗", "x", "?"})
_UNITS = frozenset({"m", "k", "b", "%"})
_SPREADS = frozenset({"±", "+/-", "+-"})
_SPREAD = re.compile(r"(?:±|\+/-)[0-9.]{1,9}")
_GLUED = re.compile(r"[-−–]([0-9][0-9.]*[%kKMB]?)")
_DIGIT_FIRST = re.compile(r"[^A-Za-z0-9]*[0-9]")
_COUNT = re.compile(r"[0-9]\s?[kKMB]\b")
_CORNER = re.compile(r"^(?:models?|methods?|systems?|approach(?:es)?)\b", re.IGNORECASE)
_SLASH = re.compile(r"(?<=[0-9])\s?/\s?(?=[0-9])|(?<=[0-9])\s?/$")
_YEARS = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_LETTER = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table."""

    label: str
    group: str
    """Heading of the group of lines that it belongs to; empty without one."""
    numbers: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A table's lines with numbers, and the headers of its columns."""

    headers: tuple[str, ...]
    """One a column; a single one for all where the columns' own cannot be told."""
    entries: tuple[Entry, ...]
    prose: str = ""
    """Lines around them that read as sentences: where a source puts a caption into cells."""


def read_entries(cells: Sequence[Sequence[str]]) -> list[Entries]:
    """The ways to read a table: by its rows, and for a grid by its columns too."""
    rows = _bounded(cells)
    several = sum(len(row) > 1 for row in rows)
    if 2 * several < len(rows) or not several:
        found = [_read_list([cell for row in rows for cell in row])]
    else:
        found = [_read_grid(rows)]
        if len(rows) <= MAX_COLUMNS + 1:
            found.append(_read_grid(_turned(rows)))
    return [one for one in found if one.entries]


def _bounded(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    rows: list[list[str]] = []
    left = _MAX_CELLS
    for row in cells[:_MAX_ROWS]:
        kept = [" ".join(cell[:_MAX_CELL].split()) for cell in row[: MAX_COLUMNS + 1]]
        left -= len(kept)
        if left < 0:
            break
        rows.append(kept)
    return rows


def _turned(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    return [[row[at] if at < len(row) else "" for row in rows] for at in range(width)]


# --- rows and columns ---


def _read_grid(rows: list[list[str]]) -> Entries:
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows]
    numeric = [sum(_value(row[at]) is not None for row in padded) for at in range(width)]
    first = next((at for at in range(1, width) if 3 * numeric[at] >= len(padded)), 1)
    heads: list[list[str]] = []
    entries: list[Entry] = []
    group = ""
    for row in padded:
        label = " ".join(dict.fromkeys(cell for cell in row[:first] if cell))
        numbers = tuple(_value(cell) for cell in row[first:])
        filled = {cell for cell in row if cell}
        if len(filled) == 1 and _LETTER.search(min(filled)):
            group = min(filled)
        elif any(number is not None for number in numbers) and _LETTER.search(label):
            entries.append(Entry(label[:_MAX_LABEL], group, numbers))
        elif not entries:
            heads.append(row)
        elif _LETTER.search(label):
            group = label
    headers = tuple(
        " ".join(dict.fromkeys(row[at] for row in heads if row[at]))[:_MAX_HEADER]
        for at in range(first, width)
    )
    return Entries(headers, tuple(entries))


def _value(cell: str) -> float | None:
    """The number of a cell; None for one of words."""
    return None if len(cell) > 40 or _WORDS.search(cell) else _score(cell)


def _score(text: str) -> float | None:
    """A printed score; what counts in thousands or millions is none."""
    is_plain = _DIGIT_FIRST.match(text) is not None and _COUNT.search(text) is None
    value = read_score(text) if is_plain else None
    return value if value is None or abs(value) < _MAX_SCORE else None


# --- cells one below the other ---


def _read_list(lines: list[str]) -> Entries:
    heads: list[str] = []
    found: list[Entry] = []
    label = ""
    numbers: list[float | None] = []
    prose = [line for line in lines if _is_prose(line)][:_MAX_PROSE_LINES]
    for line in lines:
        if _is_prose(line):
            _close(found, heads, label, numbers)
            label, numbers = "", []
            continue
        words, values = _split(line)
        if words and (numbers or len(label) > _MAX_LABEL):
            _close(found, heads, label, numbers)
            label, numbers = "", []
        if words:
            if label and not found:
                heads.append(label)
                label = ""
            label = f"{label} {words}".strip()
        numbers += values
        if len(numbers) > 2 * MAX_COLUMNS:
            numbers = []
    _close(found, heads, label, numbers)
    told = [*heads[:_MAX_PROSE_LINES], *prose]
    return replace(_aligned(heads, found), prose=" ".join(told)[:_MAX_PROSE])


def _close(found: list[Entry], heads: list[str], label: str, numbers: list[float | None]) -> None:
    if label and any(number is not None for number in numbers) and len(label) <= _MAX_LABEL:
        found.append(Entry(label, "", tuple(numbers)))
    elif label and not found:
        heads.append(label)


def _is_prose(line: str) -> bool:
    words = len(_WORDS.findall(line))
    return words > _PROSE or (
        words > _PROSE // 2 and line[-1:] in ".-" and _YEARS.search(line) is None
    )


def _split(line: str) -> tuple[str, list[float | None]]:
    """A line's words, and the numbers it ends in."""
    tokens = _SLASH.sub(" ", line).split()
    end = len(tokens)
    while end > 0 and _is_value(tokens[end - 1], tokens[end - 2] if end > 1 else ""):
        end -= 1
    if end == len(tokens):
        return line, []
    before = tokens[end - 1] if end else ""
    if end and _YEAR.fullmatch(tokens[end]) and (before[-1:] in ".," or before[:1].isupper()):
        end += 1  # Author et al. 2015
    return " ".join(tokens[:end]), _values(tokens[end:])


def _is_value(token: str, before: str) -> bool:
    low = token.lower()
    if low in _EMPTY or low in _SPREADS or _SPREAD.fullmatch(token):
        return True
    if low in _UNITS:
        return any(map(str.isdigit, before))
    return any(map(str.isdigit, token)) and _NUMBER.fullmatch(token) is not None


def _values(tokens: Sequence[str]) -> list[float | None]:
    values: list[float | None] = []
    skip = False
    for token in tokens:
        low = token.lower()
        if skip:
            skip = False
        elif low in _SPREADS:
            skip = True
        elif low in _UNITS:
            values = values if low == "%" else [*values[:-1], None]  # what is counted is no score
        elif _SPREAD.fullmatch(token):
            continue
        elif (glued := _GLUED.fullmatch(token)) is not None:  # an empty cell, and the next
            values += [None, _score(glued[1])]
        else:
            values.append(None if low in _EMPTY else _score(token))
    return values


def _aligned(heads: list[str], found: list[Entry]) -> Entries:
    """Entries of one width; numbers too many in front are the end of a label."""
    widths = Counter(min(len(entry.numbers), MAX_COLUMNS) for entry in found)
    if not widths:
        return Entries((), ())
    width = max(widths, key=lambda size: (widths[size], size))
    cut = (
        replace(entry, numbers=entry.numbers[-width:])
        for entry in found
        if len(entry.numbers) >= width
    )
    entries = [entry for entry in cut if any(number is not None for number in entry.numbers)]
    return Entries(_headers(heads, width), tuple(entries[:MAX_ENTRIES]))


def _headers(heads: list[str], width: int) -> tuple[str, ...]:
    """Headers of each column, where the last lines of a head can be dealt out."""
    near = [line for line in heads[-3 * width - 3 :] if len(line) <= _MAX_HEAD]
    lines = [line for head in near if (line := _CORNER.sub("", head).strip())]
    whole = " ".join(heads)[-_MAX_HEADER:]
    for split in (False, True):
        taken: list[str] = []
        at = len(lines)
        while at and len(taken) < width:
            at -= 1
            taken = (lines[at].split() if split else [lines[at]]) + taken
        if len(taken) != width or (width == 1 and split):
            continue
        above = _groups(lines[:at], width)
        return tuple(f"{group} {own}".strip() for group, own in zip(above, taken, strict=True))
    return (whole,)


def _groups(lines: list[str], width: int) -> list[str]:
    short: list[str] = []
    for line in reversed(lines):
        if len(line) > _MAX_HEAD // 2:
            break
        short.insert(0, line)
    for size in range(min(len(short), width), 1, -1):
        if width % size == 0 and size < width:
            return [group for group in short[-size:] for _ in range(width // size)]
    return [""] * width
