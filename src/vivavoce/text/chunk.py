"""Splitting of long texts into overlapping chunks, each with its position in the text.

A chunk takes as much text as fits. It ends at the last paragraph break within reach, else at the
last line break, else at the end of a sentence, else at a space, else anywhere. The next chunk
begins with the last whole words of this one, as many as the overlap allows. White space around a
chunk is left out. Every other character is in a chunk, and the starts and ends of chunks increase.

Time is linear in the length of any text.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vivavoce.errors import InputError

SIZE, OVERLAP = 512, 64

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_LINE = re.compile(r"\n")
# A full stop before a small letter or a digit mostly ends an abbreviation: et al. 2020, e.g. this
_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]{0,4}(?=\s[^a-z\d])|[。！？][”’」』）]{0,4}")
_SPACE = re.compile(r"\s")
_NOT_SPACE = re.compile(r"\S")
_LEVELS = (_PARAGRAPH, _LINE, _SENTENCE, _SPACE)
_BEHIND = 2
"""Number of characters that a pattern may need to see after the last possible cut."""
_WORD_START = re.compile(r"(?<=\s)\S")
_MAX_TOKEN = 16


class Counter(Protocol):
    """Counts tokens, and measures how long a number of tokens is."""

    def count(self, text: str) -> int:
        """Number of tokens in a text."""
        ...

    def end_of(self, text: str, tokens: int) -> int:
        """Length in characters of the text's first `tokens` tokens."""
        ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a source text: its characters from `start` to `end`."""

    start: int
    end: int
    text: str


def split_text(
    text: str, size: int = SIZE, overlap: int = OVERLAP, counter: Counter | None = None
) -> list[Chunk]:
    """Split a text into chunks; a blank text has none.

    `size` and `overlap` count characters or, with a counter, tokens of up to 16 characters.
    `InputError` if the size is below 1, or the overlap is negative or above half the size.
    """
    if size < 1 or not 0 <= overlap <= size // 2:
        raise InputError(
            f"Chunks of {size} cannot overlap by {overlap}: give a size of 1 or more and an "
            "overlap from 0 to half of it."
        )
    source = _Source(text, size, overlap, counter)
    chunks: list[Chunk] = []
    start = cut = _skip(text, 0)
    while cut < len(text):
        last = cut
        cut, end, fits = source.next_cut(start, last)
        if not fits and start < last:  # not even the next character fits after the overlap
            start = last
            cut, end, fits = source.next_cut(start, last)
        chunks.append(Chunk(start, end, text[start:end]))
        cut = _skip(text, cut)
        start = source.next_start(start, end, cut)
    return chunks


class _Source:
    """A text with the limits of its chunks."""

    def __init__(self, text: str, size: int, overlap: int, counter: Counter | None) -> None:
        self._text = text
        self._size = size
        self._overlap = overlap
        self._counter = counter
        self._scale = 1 if counter is None else _MAX_TOKEN

    def next_cut(self, start: int, last: int) -> tuple[int, int, bool]:
        """Find the next cut for a chunk from `start`, the end of its text, and whether it fits."""
        limit = self._limit(start)
        while True:
            cut = _last_break(self._text, last, limit)
            end = start + len(self._text[start:cut].rstrip())
            excess = self._length(start, end) - self._size
            if excess <= 0 or limit == last + 1:
                return cut, end, excess <= 0
            # Cutting off a part can change the tokens of the rest.
            limit = max(last + 1, min(limit - excess, cut - 1))

    def next_start(self, start: int, end: int, cut: int) -> int:
        """Start of the chunk after `text[start:end]`; `cut` if no overlap fits."""
        if not self._overlap or cut == len(self._text):
            return cut
        first = max(start + 1, end - self._overlap * self._scale)
        words = [match.start() for match in _WORD_START.finditer(self._text, first, end)]
        for places in (words, range(first, end)):
            earliest = bisect_left(
                places, True, key=lambda place: self._length(place, end) <= self._overlap
            )
            if earliest < len(places):
                shared = _skip(self._text, places[earliest])
                return shared if self._limit(shared) > cut else cut
        return cut

    def _limit(self, start: int) -> int:
        """The furthest position where a chunk may end."""
        if self._counter is None:
            return min(start + self._size, len(self._text))
        length = scale = 1
        # Text counted beyond this chunk is counted again for the next chunk, so try little first.
        while scale < _MAX_TOKEN:
            scale *= 2
            reach = self._text[start : start + self._size * scale]
            length = self._counter.end_of(reach, self._size)
            if length < len(reach):
                break
        return start + max(1, length)

    def _length(self, start: int, end: int) -> int:
        return end - start if self._counter is None else self._counter.count(self._text[start:end])


def _last_break(text: str, last: int, limit: int) -> int:
    """The best position to cut, after the last cut and at most at the limit."""
    if limit == len(text):
        return limit
    for level in _LEVELS:
        cut = 0
        for match in level.finditer(text, last, limit + _BEHIND):
            if last < match.end() <= limit:
                cut = match.end()
        if cut:
            return cut
    return limit


def _skip(text: str, place: int) -> int:
    """The first position at or after `place` that is not white space."""
    match = _NOT_SPACE.search(text, place)
    return match.start() if match else len(text)


_HEAD_SHARE = 3
"""The caption and header repeated in a piece take at most this fraction of it: a third."""
_BAR = " | "
_MAX_HEADER_ROWS = 3
_DIGIT = re.compile(r"\d")


def cut_text(text: str, size: int, overlap: int = 0) -> list[str]:
    """Split a text into pieces of at most `size` characters; a blank text has none."""
    return [chunk.text for chunk in split_text(text, size, overlap)]


def table_lines(caption: str, cells: Sequence[Sequence[str]]) -> list[str]:
    """Write a table as lines: the caption, if any, then each row with bars between cells."""
    rows = [_BAR.join(" ".join(cell.split()) for cell in row) for row in cells]
    head = " ".join(caption.split())
    return [head, *rows] if head else rows


def cut_table(caption: str, cells: Sequence[Sequence[str]], size: int) -> list[str]:
    """Split a table into pieces of at most `size` characters, each with caption and header.

    The header is the first row and, if there is room, the rows below it without digits.
    """
    lines = table_lines(caption, cells)
    whole = "\n".join(lines)
    if len(whole) <= size:
        return [whole] if whole.strip() else []
    # Count the rows of a column header.
    count = 1
    for row in cells[1:_MAX_HEADER_ROWS]:
        if sum(map(bool, row)) < 2 or any(map(_DIGIT.search, row[1:])):
            break
        count += 1
    heads, body = _parted(lines, len(cells) - count)
    room = size // _HEAD_SHARE
    if sum(len(line) + 1 for line in heads) > room:
        heads, body = _parted(lines, len(cells) - 1)
        room = max(1, room // max(1, len(heads)) - 1)
    if not body:
        return cut_text(whole, size)
    lead = "".join(f"{line[:room]}\n" for line in heads)
    return [lead + piece for piece in _fill(body, max(1, size - len(lead)))]


def _parted(lines: Sequence[str], rows: int) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of caption and header, and the lines of the last `rows` rows."""
    cut = len(lines) - max(0, rows)
    return lines[:cut], lines[cut:]


def _fill(lines: Sequence[str], size: int) -> list[str]:
    pieces: list[str] = []
    current: list[str] = []
    length = 0
    for line in lines:
        if current and length + len(line) + 1 > size:
            pieces.append("\n".join(current))
            current, length = [], 0
        if len(line) > size:
            pieces += cut_text(line, size)
        else:
            current.append(line)
            length += len(line) + 1
    return [*pieces, "\n".join(current)] if current else pieces


def headed(heading: str | None, text: str) -> str:
    """A section's text, below its heading if there is one."""
    return f"{heading}\n\n{text}" if heading else text


def short(text: str, most: int = 120) -> str:
    """Put a text on one line, cut to at most `most` characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"
