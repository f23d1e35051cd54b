"""Put words in reading order: runs on one baseline, columns, and bands between wide lines."""

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vivavoce.sources.fulltext.pdf.beside import find_beside, join_front, set_beside
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Page, Rule
from vivavoce.sources.fulltext.pdf.margins import line_numbers, side_notes, without_numbers
from vivavoce.sources.fulltext.pdf.runs import (
    RUN_GAP,
    SCRIPT,
    Line,
    join_words,
    line_of,
    runs_of,
    with_accents,
)
from vivavoce.sources.fulltext.references import BRACKETED, label_of
from vivavoce.text.headings import role_of_heading

_MIN_LINES = 8
_MIN_COLUMN, _MIN_LINE = 0.1, 0.12
"""Least shares of the page's width: of a column, and of a line used to find columns."""

_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*|\D)")
_NUMBER_LEFTWARDS = re.compile(r"[.)]\d+(?:[.,]\d+)*")
_CITED_LEFTWARDS = re.compile(r"\](\d{1,3}(?:\s?[,،–-]\s?\d{1,3})*)\[")


@dataclass(slots=True)
class Layout:
    """Layout that the pages of a document share."""

    body: Font
    """The font of most letters."""
    leading: float
    """Distance from one baseline of running text to the next."""
    gutters: tuple[float, ...]
    """Places between columns, from left to right; empty for one column."""
    lines: list[Line]
    heights: list[float]
    widths: list[float]
    rules: list[list[Rule]]
    """Rules of each page."""


def read_layout(pages: Sequence[Page]) -> Layout:
    """The lines of all pages in reading order."""
    for page in pages:
        page.words[:] = with_accents(page.words)
    sample = "".join(word.text for page in pages[:4] for word in page.words)
    letters = [unicodedata.bidirectional(c) for c in sample if c.isalpha()]
    is_leftwards = sum(kind in {"R", "AL"} for kind in letters) > 0.5 * len(letters)
    if is_leftwards:
        # Count places from the right edge, so that right-to-left text is read like other text.
        for page in pages:
            for word in page.words:
                word.x0, word.x1 = page.width - word.x1, page.width - word.x0
                if _NUMBER_LEFTWARDS.fullmatch(word.text):  # `.2.1` for the number `2.1.`
                    word.text = "".join(reversed(_DIGITS.split(word.text)))
            page.rules = [Rule(page.width - x1, page.width - x0, y) for x0, x1, y in page.rules]
    runs = {page.number: list(runs_of(page)) for page in pages}
    letters_of: Counter[Font] = Counter()
    for word in (word for lines in runs.values() for line in lines for word in line.words):
        letters_of[word.font] += len(word.text)
    body = max(letters_of, key=lambda font: (letters_of[font], font.name, font.size))
    numbers = line_numbers(runs, body)
    runs = {page: [*without_numbers(own, numbers)] for page, own in runs.items()}
    gutters, first = _find_gutters(pages, runs, body), 0
    if not gutters:
        below = _below_references(runs)
        gutters, first = _find_gutters(pages, below, body), min(below, default=0)
    notes = side_notes(pages, runs, gutters, body)
    lines: list[Line] = []
    for page in pages:
        lines += _join_baselines(notes.get(page.number, ()), 0, body)
        own = [run for run in runs[page.number] if not run.kind]
        lines += _page_lines(own, gutters if page.number >= first else (), body)
    for line in lines:
        line.text = join_words(line.words)
        if is_leftwards:
            line.text = _CITED_LEFTWARDS.sub(r"[\1]", line.text)
    return Layout(
        body=body,
        leading=_leading(lines, body),
        gutters=gutters,
        lines=[line for line in lines if line.text],
        heights=[page.height for page in pages],
        widths=[page.width for page in pages],
        rules=[page.rules for page in pages],
    )


def _find_gutters(
    pages: Sequence[Page], runs: Mapping[int, Sequence[Line]], body: Font
) -> tuple[float, ...]:
    """The middles of the strips between columns: few lines cross them, many end on each side."""
    width = sorted(page.width for page in pages)[len(pages) // 2]
    wide = [
        line
        for page in pages
        for line in runs.get(page.number, ())
        if abs(line.size - body.size) <= 2.0 and line.width >= _MIN_LINE * width
    ]
    ends, starts = sorted(line.x1 for line in wide), sorted(line.x0 for line in wide)
    beside: dict[int, tuple[int, int]] = {}
    for x in range(int(0.15 * width), int(0.85 * width), 2):
        left, right = bisect_left(ends, x), len(wide) - bisect_right(starts, x)
        crossing = len(wide) - left - right
        sides = min(left, right)
        is_split = crossing <= 0.8 * (left + right) and sides >= 0.2 * max(left, right)
        if sides >= _MIN_LINES and is_split:
            beside[x] = (crossing, left + right)
    if not beside:
        return ()
    fewest = min(crossing for crossing, _ in beside.values())
    strips: list[list[int]] = []
    for x, (crossing, parted) in beside.items():
        if crossing > fewest + 0.02 * parted:
            continue
        if strips and x - strips[-1][-1] <= _MIN_COLUMN * width:
            strips[-1].append(x)
        else:
            strips.append([x])
    return tuple(float(strip[len(strip) // 2]) for strip in strips)


def _below_references(runs: Mapping[int, Sequence[Line]]) -> dict[int, list[Line]]:
    """The runs below the heading of the last reference list, on its page and on the next one.

    The pages of a list may repeat its heading as a running head.
    """
    tops = {page: run.y for page, own in runs.items() for run in reversed(own) if _heads_list(run)}
    first = max(tops, default=-1)
    while first - 1 in tops:
        first -= 1
    pages = [page for page in (first, first + 1) if first >= 0 and page in runs]
    return {
        page: [run for run in runs[page] if page > first or run.y > tops[first]] for page in pages
    }


def _page_lines(runs: Sequence[Line], gutters: Sequence[float], body: Font) -> list[Line]:
    """The lines of a page in reading order, with a float before the text beside it."""
    columns = _columns(runs, gutters)
    beside = [(n, one) for n, own in columns.items() for one in find_beside(own, body)]
    apart = {id(run) for _, one in beside for run in one.runs}
    lines: list[Line] = []
    for number, own in columns.items():
        lines += _join_baselines([run for run in own if id(run) not in apart], number, body)
    join_front(lines, gutters, body)
    ordered = _order(lines, gutters)
    for number, one in beside:
        place = set_beside(one, ordered)
        ordered[place:place] = _join_baselines(one.runs, number, body)
    return ordered


def _columns(runs: Sequence[Line], gutters: Sequence[float]) -> dict[int, list[Line]]:
    """The runs of a page by column, from the top down."""
    wide = [run for run in runs if run.width > 40]
    gutters = [  # without those that nearly everything on the page crosses
        gutter
        for gutter in gutters
        if sum(run.x0 < gutter - 2 and run.x1 > gutter + 2 for run in wide) <= 0.75 * len(wide)
    ]
    for run in runs:
        if any(run.x0 < gutter - 2 and run.x1 > gutter + 2 for gutter in gutters) or not gutters:
            run.column = 0
        else:
            run.column = 1 + bisect_left(gutters, (run.x0 + run.x1) / 2)
    columns: dict[int, list[Line]] = {number: [] for number in range(len(gutters) + 2)}
    for run in sorted(runs, key=lambda run: (run.y, run.x0)):
        columns[run.column].append(run)
    return columns


def _join_baselines(runs: Sequence[Line], column: int, body: Font) -> list[Line]:
    lines: list[list[Line]] = []
    for run in runs:
        if lines and _on_baseline(lines[-1], run):
            lines[-1].append(run)
        else:
            lines.append([run])
    joined: list[Line] = []
    for group in lines:
        group.sort(key=lambda run: run.x0)
        words = [word for run in group for word in run.words]
        kind = group[0].kind
        line = group[0] if len(group) == 1 else line_of(words, group[0].page)
        line.column, line.kind = column, kind
        line.runs = 1 + sum(
            after.x0 - before.x1 > RUN_GAP * body.size for before, after in pairwise(group)
        )
        joined.append(line)
    return joined


def _on_baseline(group: Sequence[Line], run: Line) -> bool:
    largest = max(group, key=lambda line: line.size)
    size = max(largest.size, run.size)
    drop = run.y - largest.y
    if any(run.x0 < line.x1 - 0.3 * size and run.x1 > line.x0 + 0.3 * size for line in group):
        return False
    if abs(drop) <= 0.2 * size:
        return True
    near = min(min(abs(run.x0 - line.x1), abs(line.x0 - run.x1)) for line in group)
    is_script = min(run.size, largest.size) < SCRIPT * size
    return is_script and abs(drop) < 0.55 * size and near < 0.5 * size


def _order(lines: Sequence[Line], gutters: Sequence[float]) -> list[Line]:
    """Order lines by bands between page-wide lines, and column by column inside a band."""

    def by_column(band: list[Line]) -> list[Line]:
        top = _list_top(band)
        return sorted(band, key=lambda line: (line.y >= top, line.column, line.y, line.x0))

    ordered: list[Line] = []
    open_band: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.y, line.x0)):
        own = 1 + bisect_left(gutters, line.x0)
        if line.column == 0 and not (open_band and _pokes_across(line, open_band, own)):
            ordered += [*by_column(open_band), line]
            open_band = []
        else:
            line.column = line.column or own
            open_band.append(line)
    return ordered + by_column(open_band)


def _list_top(band: Sequence[Line]) -> float:
    """Height at which a list of references begins that goes on in the next column, below text."""
    labels = [(label_of(join_words(line.words[:4])) or "", line) for line in band]
    heading = next((line for line in band if _heads_list(line)), None)
    if heading is None:
        return _first_entry(band)
    below = [(label, line) for label, line in labels if line.y > heading.y and label.isdecimal()]
    own = [int(label) for label, line in below if line.column == heading.column]
    following = [int(label) for label, line in below if line.column > heading.column]
    goes_on = bool(own) and own[0] == 1 and max(own) + 1 in following
    return heading.y - heading.size / 2 if goes_on else math.inf


def _first_entry(band: Sequence[Line]) -> float:
    """The height of the first entry of a list without a heading, as `_list_top`."""
    labels = [(BRACKETED.match(join_words(line.words[:3])), line) for line in band]
    entries = [(match["label"], line) for match, line in labels if match]
    first = next((line for label, line in entries if label == "1"), None)
    if first is None or all(line.column <= first.column for _, line in entries):
        return math.inf
    top = first.y - first.size
    return top if all(line.y > top for _, line in entries) else math.inf


def _heads_list(line: Line) -> bool:
    return role_of_heading(join_words(line.words)) == "references"


def _pokes_across(line: Line, band: Sequence[Line], column: int) -> bool:
    """Check whether a line is a formula or a word too long for its column, not a page-wide line."""
    own = [other for other in band if other.column == column]
    if not own:
        return False
    start = min(other.x0 for other in own)
    end = max(other.x1 for other in own)
    return line.x0 >= start - 2 and line.x1 < end + 0.15 * (end - start)


def _leading(lines: Sequence[Line], body: Font) -> float:
    """The usual distance between two lines of running text."""
    steps: Counter[float] = Counter()
    for before, after in pairwise(lines):
        is_body = abs(before.size - body.size) < 0.3 and abs(after.size - body.size) < 0.3
        step = after.y - before.y
        if is_body and before.page == after.page and 0.8 * body.size < step < 2.6 * body.size:
            steps[round(step, 1)] += 1
    return max(steps, key=lambda step: (steps[step], -step), default=1.2 * body.size)
