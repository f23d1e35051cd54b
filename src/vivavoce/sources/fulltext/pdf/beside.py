"""Blocks that break the columns of a page: floats beside text, and names above the columns.

The text beside a float keeps one edge of its column and ends before the float. Everything on the
other side belongs to the float, even where its lines meet those of the text.
"""

import re
from collections.abc import Iterator, Sequence
from statistics import mode
from typing import NamedTuple

from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.runs import Line, join_words
from vivavoce.text.headings import read_numbers, role_of_heading

FLOAT = "float"
"""Kind of a line in a float that text flows around, before the float's caption is known."""
CAPTION_LABEL = re.compile(
    r"(?P<kind>(?:supplementary |extended data |appendix )?(?:tab(?:la|le|leau|ela|elle)?"
    r"|[cq]uadro|fig(?:ur[ae])?|abb(?:ildung)?|algorithm|listing|scheme|chart|box|plate|exhibit))"
    r"\.?\s{0,2}(?P<number>[A-Z]?\.?\d{1,3}(?:\.\d{1,2})?[a-z]?|(?-i:[IVXL]{1,6}"
    r"|[A-Z]))(?P<mark>[.:|—–)-]|\s|$)",
    re.IGNORECASE,
)
_MIN_LINES = 3
"""Fewest lines of text beside a float; fewer are a label of its picture."""
_WORDS = 3
"""Fewest words in a line of running text."""
_REACH = 2.6
"""Multiple of the font size: lines beside a float are no further apart, even between paragraphs."""
_NEAR = 4.5
"""Multiple of the font size: lines this near to a caption show that there is text beside it."""
_EDGE = 3.0
"""Points by which lines on the same edge may differ."""
_NARROW = 0.85
"""Share of the column's width: text beside a float is narrower."""
_OF_TITLE, _FULL = 3.0, 0.9
"""Points by which a title is larger than the text, and the share of a column that a line fills."""
_APART = 1.7
"""Multiple of the font size: white space below a block of names is at least this high."""
_SLACK = 0.3
"""Share of the font size: text and float are no closer than this."""


class WrappedFloat(NamedTuple):
    """A float that text flows around, and the position of the text beside it."""

    runs: list[Line]
    top: float
    bottom: float
    left: float
    right: float


def find_beside(runs: Sequence[Line], body: Font) -> Iterator[WrappedFloat]:
    """Every float in a column that text flows around; `runs` are the column's runs."""
    captions = [run for run in runs if CAPTION_LABEL.match(join_words(run.words))]
    text = [run for run in runs if _is_text(run, body)] if captions else []
    if len(text) < _MIN_LINES:
        return
    column = (min(run.x0 for run in text), sorted(run.x1 for run in text)[-1 - len(text) // 20])
    taken: set[int] = set()
    for caption in captions:
        for is_left in (True, False):
            edges = _edges_beside(caption, runs, body, column, is_left=is_left)
            if edges is None or id(caption) in taken:
                continue
            lines = _text_beside(caption, runs, edges, is_left=is_left)
            if len(lines) < _MIN_LINES:
                continue
            top, bottom = lines[0].y, lines[-1].y
            own = [
                run
                for run in runs
                if top - 1.5 * body.size < run.y < bottom + 0.6 * body.size
                and (run.x0 > edges[1] if is_left else run.x1 < edges[0])
            ]
            taken |= {id(run) for run in own}
            yield WrappedFloat(own, top, bottom, *edges)


def _is_text(run: Line, body: Font) -> bool:
    return abs(run.size - body.size) < 0.6 and len(run.words) >= _WORDS


def _edges_beside(
    caption: Line,
    runs: Sequence[Line],
    body: Font,
    column: tuple[float, float],
    *,
    is_left: bool,
) -> tuple[float, float] | None:
    """The edges of the text on one side of a caption; None if there is no such text."""
    rows: list[Line] = []
    for run in runs:
        gap = caption.x0 - run.x1 if is_left else run.x0 - caption.x1
        is_near = abs(run.y - caption.y) < _NEAR * body.size and gap > _SLACK * body.size
        if is_near and _is_text(run, body):
            rows.append(run)
    if any(CAPTION_LABEL.match(join_words(run.words)) for run in rows):
        return None
    if is_left:
        flush = [run for run in rows if run.x0 - column[0] < _EDGE]
        left, right = column[0], max((run.x1 for run in flush), default=column[1])
    else:
        usual = mode(round(run.x0) for run in rows) if rows else column[0]
        flush = [run for run in rows if abs(run.x0 - usual) < _EDGE]
        left, right = min((run.x0 for run in flush), default=column[0]), column[1]
    is_narrow = right - left < _NARROW * (column[1] - column[0])
    return (left, right) if is_narrow and len(flush) >= _MIN_LINES - 1 <= len(rows) - 1 else None


def _text_beside(
    caption: Line, runs: Sequence[Line], edges: tuple[float, float], *, is_left: bool
) -> list[Line]:
    """The lines of text beside a float, up and down to the first wider line."""
    left, right = edges
    inner = right if is_left else left
    lines: list[Line] = []
    for step in (-1, 1):
        last = caption.y
        for run in sorted(runs, key=lambda run: step * run.y):
            if (run.y - caption.y) * step < 0:
                continue
            is_across = run.x0 < inner - _EDGE and run.x1 > inner + _EDGE
            if is_across or (run.y - last) * step > _REACH * max(run.size, caption.size):
                break
            last = run.y
            if run.x1 <= right + _EDGE if is_left else run.x0 >= left - _EDGE:
                lines.append(run)
    return sorted(lines, key=lambda run: run.y)


def set_beside(one: WrappedFloat, ordered: Sequence[Line]) -> int:
    """Set the measure of the lines beside a float; return the place of the first."""
    first = len(ordered)
    for place, line in enumerate(ordered):
        is_inside = line.x0 > one.left - 3 and line.x1 < one.right + 3
        if one.top <= line.y <= one.bottom and is_inside:
            line.measure = (one.left, one.right)
            first = min(first, place)
    for run in one.runs:
        run.kind = FLOAT
    return first


def join_front(lines: Sequence[Line], gutters: Sequence[float], body: Font) -> None:
    """Let the lines below a title span all columns, down to the gap above the body text."""
    titles = [line.y for line in lines if not line.column and line.size > body.size + _OF_TITLE]
    if not gutters or not titles or lines[0].page > 1:
        return
    width = gutters[0] - min(line.x0 for line in lines)
    last, block, parted = max(titles), list[Line](), 0
    for line in sorted(lines, key=lambda line: line.y):
        if line.y <= max(titles):
            continue
        if line.y - last > _APART * body.size:
            parted = len(block)
        text = join_words(line.words)
        is_text = line.width > _FULL * width and line.size < body.size + 0.6
        if is_text or role_of_heading(text) == "abstract" or read_numbers(text):
            break
        block.append(line)
        last = line.y
    for line in block[:parted]:
        line.column = 0
