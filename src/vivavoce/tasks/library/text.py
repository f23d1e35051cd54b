"""Texts and tables cut into pieces of a bounded length."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.text.chunk import split_text

_HEAD_SHARE = 3
"""The caption and the header that every piece of a table repeats take at most a third of it."""
_BAR = " | "


def cut_text(text: str, size: int, overlap: int = 0) -> list[str]:
    """A text in pieces of at most so many characters; none for nothing but white space."""
    return [chunk.text for chunk in split_text(text, size, overlap)]


def table_lines(caption: str, cells: Sequence[Sequence[str]]) -> list[str]:
    """A table as lines: the caption, where there is one, then each row with bars between cells."""
    rows = [_BAR.join(" ".join(cell.split()) for cell in row) for row in cells]
    head = " ".join(caption.split())
    return [head, *rows] if head else rows


def cut_table(caption: str, cells: Sequence[Sequence[str]], size: int) -> list[str]:
    """A table in pieces of at most so many characters, each with the caption and the first row.

    Rows stay whole, unless one alone is longer than a piece can be.
    """
    lines = table_lines(caption, cells)
    whole = "\n".join(lines)
    if len(whole) <= size:
        return [whole] if whole.strip() else []
    heads = lines[: len(lines) - max(0, len(cells) - 1)]
    body = lines[len(heads) :]
    room = max(1, size // _HEAD_SHARE // max(1, len(heads)) - 1)
    if not body:
        return cut_text(whole, size)
    lead = "".join(f"{line[:room]}\n" for line in heads)
    return [lead + piece for piece in _fill(body, max(1, size - len(lead)))]


def _fill(lines: Sequence[str], size: int) -> list[str]:
    """Lines put together until a piece is full."""
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
    """A section's text below its heading."""
    return f"{heading}\n\n{text}" if heading else text


def short(text: str, most: int = 120) -> str:
    """A text on one line, cut to so many characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"
