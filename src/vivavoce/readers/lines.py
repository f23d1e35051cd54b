"""Lines of a table taken apart: the label before the numbers, and the numbers.

Readers of PDF often lose the columns of a table, so that a line is a row, a part of one or a single
cell. A line is a label and what follows it: values, the last run of words that are numbers or mean
that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.readers.terms import MEASURES, SPLITS, STUBS, is_head_word, terms_in
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise

MAX_LINE = 1_000
"""Characters of a line that are read."""
_CELLS = 4_096
"""Lines that are kept as they were read: a table's cells are looked at twice."""
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


@lru_cache(maxsize=_CELLS)
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


_MAX_WORDS = 40
_PAIR = re.compile(r"([\w.-]{1,20})\s?/\s?([\w.-]{1,20})")
_MAX_LINES = 14
_HEAD_WORDS = 6
_MAX_IN_CAPTION = 16


def column_heads(lines: Sequence[str], width: int) -> tuple[str, ...]:
    """Headers of each of `width` columns, after the lines of a header.

    The last line or lines that give as many pieces as there are columns are the lowest row of the
    header; the lines above it are spread evenly over the columns. Where no lines do, the words
    are. Under `Test / Validation` each piece has two columns.
    """
    if width < 1:
        return ()
    pair = next((match for line in lines if (match := _PAIR.fullmatch(line.strip()))), None)
    if pair is not None and width % 2 == 0 and set(map(is_head_word, pair.groups())) == {True}:
        rest = [line for line in lines if line.strip() != pair.group()]
        halves = column_heads(rest, width // 2)
        return tuple(f"{half} {name}" for half in halves for name in pair.groups())
    tails = [" ".join(line.split()[-_MAX_WORDS:]) for line in lines if not line.endswith(".")]
    after, above = _around_stub(tails)
    found = _lowest_row(after, width)
    if found is not None:
        return _with_upper(found[0], above + found[1])
    found = _lowest_row(above + after, width)
    if found is not None:
        return _with_upper(*found)
    words = [word for line in (after or above[-3:]) for word in line.split()][-_MAX_WORDS:]
    return _spread(_paired(words), width)


def header_in(caption: str) -> str:
    """A header that was read as the end of the caption: `... benchmark. Model Perplexity Steps`."""
    words = caption.split()[-_MAX_IN_CAPTION:]
    for place in range(len(words) - 2, 0, -1):
        is_start = words[place][:1].isupper() and set(terms_in(words[place])) & STUBS
        if is_start and any(map(is_head_word, words[place + 1 :])):
            return " ".join(words[place:])
    return ""


def split_head(label: str) -> tuple[str, str]:
    """The header and the name in a label that has both, as where all line breaks were lost."""
    words = label.split()
    if len(words) < _HEAD_WORDS:
        return "", label
    heads = [place for place, word in enumerate(words) if is_head_word(word)]
    if len(heads) < 2 or heads[-1] == len(words) - 1:
        return "", label
    cut = heads[-1] + 1
    return " ".join(words[:cut]), " ".join(words[cut:])


def _around_stub(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines after the head of the methods' column, and those before it."""
    for place in range(len(lines) - 1, -1, -1):
        words = lines[place].split()
        for cut in range(len(words) - 1, -1, -1):
            if not words[cut][:1].isupper() or not set(terms_in(words[cut])) & STUBS:
                continue
            behind = [" ".join(words[cut + 1 :])] if cut + 1 < len(words) else []
            before = [" ".join(words[:cut])] if cut else []
            return [*behind, *lines[place + 1 :]], [*lines[:place], *before]
    return [], list(lines)


def _lowest_row(lines: Sequence[str], width: int) -> tuple[list[str], list[str]] | None:
    """The last pieces that are as many as the columns, and the lines above them."""
    pieces: list[str] = []
    for back in range(1, min(len(lines), _MAX_LINES) + 1):
        line = lines[-back]
        words = _paired(line.split())
        for found in ([line], words):
            if len(pieces) + len(found) == width:
                return [*found, *pieces], list(lines[: len(lines) - back])
        pieces = [*(words if all(map(is_head_word, words)) else [line]), *pieces]
        if len(pieces) > width:
            return None
    return None


def _with_upper(pieces: Sequence[str], upper: Sequence[str]) -> tuple[str, ...]:
    """The lowest row with the headings above it, where they can be spread evenly."""
    width = len(pieces)
    short = [
        line for line in upper if len(line.split()) <= 4 and not STUBS.issuperset(terms_in(line))
    ]
    if any(_measures(piece) for piece in pieces):
        short = [line for line in short if not _measures(line)]
    for count in range(min(len(short), width), 1, -1):
        if width % count == 0:
            spans = [short[-count:][place * count // width] for place in range(width)]
            return tuple(f"{span} {piece}" for span, piece in zip(spans, pieces, strict=True))
    words = short[-1].split() if short else []
    if len(words) > 1 and width % len(words) == 0:
        spans = [words[place * len(words) // width] for place in range(width)]
        return tuple(f"{span} {piece}" for span, piece in zip(spans, pieces, strict=True))
    return tuple(pieces)


def _measures(head: str) -> bool:
    terms = set(terms_in(head))
    return bool(terms) and terms <= MEASURES


def _paired(words: Sequence[str]) -> list[str]:
    """`Dev EM Dev F1` as two pieces: a split and a measure after it belong together."""
    pieces: list[str] = []
    for word in words:
        terms = set(terms_in(word))
        last = set(terms_in(pieces[-1])) if pieces else set()
        if last and last <= SPLITS and terms and terms <= MEASURES:
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return pieces


def _spread(words: Sequence[str], width: int) -> tuple[str, ...]:
    columns: list[list[str]] = [[] for _ in range(width)]
    for place, word in enumerate(words):
        columns[place * width // len(words)].append(word)
    return tuple(" ".join(column) for column in columns)
