"""A Markdown text in parts: headings, paragraphs, and tables with their captions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.text.cell_text import unescape_entities
from vivavoce.text.table_parsing import HTML_START, html_end, html_rows, parse_tables

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\]\([^()\s]{0,2000}\)")
_FIGURE_CAPTION = re.compile(r"[*_\s]{0,4}fig(?:ure|\.)?\s?[0-9IVX]", re.IGNORECASE)
_TABLE_CAPTION = re.compile(
    r"[*_\s]{0,4}tab(?:le|\.)\s?(?:[0-9]|[IVX]+\b|[A-Z]\.?[0-9])", re.IGNORECASE
)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_TRAILING_MARKS = re.compile(r"[ \t]#{1,6}[ \t]*$")
_MAX_CELLS = 400_000
"""In all tables of a text that are written in HTML."""

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MarkdownHeading:
    """A heading and the number of marks before it."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class MarkdownParagraph:
    """Lines without a blank one between them, joined."""

    text: str


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """A table and the caption beside it; empty without one."""

    cells: Cells
    caption: str = ""


Part = MarkdownHeading | MarkdownParagraph | MarkdownTable


def read_parts(text: str) -> list[Part]:
    """The parts of a text in order, without pictures and what is printed below them."""
    parts: list[Part] = []
    left = _MAX_CELLS
    position = 0
    while (start := HTML_START.search(text, position)) is not None:
        parts += _plain_parts(text[position : start.start()])
        position = html_end(text, start.start())
        cells = _cells(html_rows(text[start.start() : position]), left)
        left -= sum(map(len, cells))
        if cells:
            parts.append(MarkdownTable(cells))
    parts += _plain_parts(text[position:])
    return _with_captions(parts)


def plain(text: str) -> str:
    """A line of Markdown without emphasis."""
    return " ".join(_EMPHASIS.sub("", text).split())


def _plain_parts(text: str) -> Iterator[Part]:
    lines: list[str] = []
    is_fenced = after_image = False
    for line in [*text.split("\n"), ""]:
        heading = None if is_fenced else _HEADING.fullmatch(line)
        if _FENCE.match(line):
            is_fenced = not is_fenced
        if line.strip() and heading is None:
            lines.append(line)
            continue
        if lines:
            has_image = _IMAGE.search(lines[0]) is not None
            yield from _run(lines, after_image)
            after_image = has_image and len(lines) == 1
            lines = []
        if heading is not None:
            after_image = False
            words = plain(_TRAILING_MARKS.sub("", heading[2]))
            if words:
                yield MarkdownHeading(len(heading[1]), words)


def _run(lines: Sequence[str], after_image: bool) -> Iterator[Part]:
    """Lines without a blank one between them: a table of pipes, or a paragraph."""
    if len(lines) > 1 and all(line.lstrip().startswith("|") for line in lines):
        for found in parse_tables("\n".join(lines)).tables:
            yield MarkdownTable((found.header, *found.rows))
        return
    kept: list[str] = []
    below_image = after_image
    for line in lines:
        words = _IMAGE.sub(" ", line)
        if words != line:
            below_image = True
        if words.strip() and not (below_image and _FIGURE_CAPTION.match(words)):
            kept.append(words)
            below_image = False
    paragraph = " ".join(" ".join(kept).split())
    if paragraph:
        yield MarkdownParagraph(paragraph)


def _cells(rows: Iterator[list[str]], most: int) -> Cells:
    """The rows that hold anything, as long as there are not more cells than that."""
    cells: list[tuple[str, ...]] = []
    count = 0
    for row in rows:
        count += len(row)
        if count > most:
            break
        if any(row):  # some converters escape twice
            cells.append(tuple(unescape_entities(cell) for cell in row))
    return tuple(cells)


def _with_captions(parts: Sequence[Part]) -> list[Part]:
    """The parts with each caption in its table: the one before it, else the one behind it."""
    taken: set[int] = set()
    captions: dict[int, int] = {}
    for step in (-1, 1):
        for place, part in enumerate(parts):
            beside = place + step
            if not isinstance(part, MarkdownTable) or place in captions or beside in taken:
                continue
            if 0 <= beside < len(parts) and _is_caption(parts[beside]):
                captions[place] = beside
                taken.add(beside)
    kept: list[Part] = []
    for place, part in enumerate(parts):
        if isinstance(part, MarkdownTable) and place in captions:
            caption = parts[captions[place]]
            words = caption.text if isinstance(caption, MarkdownParagraph) else ""
            kept.append(MarkdownTable(part.cells, plain(words)))
        elif place not in taken:
            kept.append(part)
    return kept


def _is_caption(part: Part) -> bool:
    return isinstance(part, MarkdownParagraph) and _TABLE_CAPTION.match(part.text) is not None
