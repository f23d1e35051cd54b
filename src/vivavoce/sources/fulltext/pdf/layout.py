"""From words to lines in reading order: runs on one baseline, columns, bands between wide lines."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vivavoce.sources.fulltext.pdf.lines import COMBINING, Font, Page, Rule, Word

_WORD_GAP = 0.12
"""Of the size: what stands closer is one word, unless the file says otherwise."""
_RUN_GAP = 1.0
"""Of the size: a wider gap parts two runs, as between columns or cells."""
_SCRIPT = 0.85
"""Of the size of the text around it: what is smaller is raised or lowered."""
_MIN_LINES = 8
_MAX_ACCENTS = 500
"""Lone accents of a page; a page of more is no text."""
_BOTH = 2
_SMALL_PRINT = 0.8
_NARROWEST_COLUMN = 0.1
"""Of the width of the page."""


@dataclass(slots=True)
class Line:
    """A line of one column."""

    words: list[Word]
    page: int
    x0: float
    x1: float
    y: float
    font: Font
    """The font of most of its letters."""
    size: float
    column: int = 0
    """0 across columns, else the number of the column from the left."""
    runs: int = 1
    """Parts that wide gaps tell apart, such as cells."""
    gap: float = 99.0
    """From the baseline above it in the same column; large at the top of one."""
    text: str = field(default="")
    kind: str = ""
    """Empty for running text, else what it was taken for."""

    @property
    def width(self) -> float:
        """From its first to its last mark."""
        return self.x1 - self.x0


@dataclass(slots=True)
class Layout:
    """Layout that the pages of a document share."""

    body: Font
    """The font of most letters."""
    leading: float
    """From one baseline of running text to the next."""
    gutters: tuple[float, ...]
    """Places between columns from left to right; empty for one column."""
    lines: list[Line]
    heights: list[float]
    widths: list[float]
    rules: list[list[Rule]]
    """Of each page."""


def read_layout(pages: Sequence[Page]) -> Layout:
    """The lines of all pages in reading order."""
    for page in pages:
        page.words[:] = _with_accents(page.words)
    if _is_leftwards(pages):
        _mirror(pages)
    runs = {page.number: list(_runs(page)) for page in pages}
    body = _body_font(runs)
    gutters = _find_gutters(pages, runs, body)
    lines: list[Line] = []
    for page in pages:
        own = _columns(_without_line_numbers(runs[page.number], body), gutters, body)
        lines += _order(own, gutters)
    for line in lines:
        line.text = join_words(line.words)
    return Layout(
        body=body,
        leading=_leading(lines, body),
        gutters=gutters,
        lines=[line for line in lines if line.text],
        heights=[page.height for page in pages],
        widths=[page.width for page in pages],
        rules=[page.rules for page in pages],
    )


def _with_accents(words: list[Word]) -> list[Word]:
    """The words with accents that are drawn above a letter, as over capitals, joined to it."""
    lone = [word for word in words if word.text in COMBINING]
    if not lone or len(lone) > _MAX_ACCENTS:
        return words
    joined = {id(accent) for accent in lone if any(_join(accent, word) for word in words)}
    return [word for word in words if id(word) not in joined]


def _join(accent: Word, word: Word) -> bool:
    """Put an accent on the letter of a word below it; return whether there is one."""
    middle, size = (accent.x0 + accent.x1) / 2, max(word.font.size, 1.0)
    width = word.x1 - word.x0
    is_above = -0.1 * size < word.y - accent.y < 0.6 * size and width > 0
    if word is accent or not is_above or not word.x0 - 1 <= middle <= word.x1 + 1:
        return False
    guess = int((middle - word.x0) / width * len(word.text))
    for place in sorted(range(len(word.text)), key=lambda at: (abs(at - guess), at))[:3]:
        letter = {"ı": "i", "ȷ": "j"}.get(word.text[place], word.text[place])
        whole = unicodedata.normalize("NFC", letter + COMBINING[accent.text])
        if len(whole) == 1 and letter.isalpha():
            word.text = word.text[:place] + whole + word.text[place + 1 :]
            return True
    return False


def join_words(words: Sequence[Word]) -> str:
    """The text of words on one line, with a space wherever the page shows one."""
    parts: list[str] = []
    for place, word in enumerate(words):
        if place:
            before = words[place - 1]
            gap = word.x0 - before.x1
            if not (word.glued and gap < _RUN_GAP * word.font.size) and (
                not word.glued or gap > _WORD_GAP * word.font.size
            ):
                parts.append(" ")
        parts.append(word.text)
    return "".join(parts).strip()


def _runs(page: Page) -> Iterator[Line]:
    """Words that follow each other on one baseline without a wide gap."""
    run: list[Word] = []
    for word in page.words:
        if run and not _continues(run, word):
            yield _line(run, page.number)
            run = []
        run.append(word)
    if run:
        yield _line(run, page.number)


def _continues(run: Sequence[Word], word: Word) -> bool:
    last = run[-1]
    larger = max(last.font.size, word.font.size)
    gap = word.x0 - last.x1
    # The smaller size decides, so that the number of a line in the margin stays apart.
    if not -0.6 * larger <= gap <= _RUN_GAP * min(last.font.size, word.font.size):
        return False
    drop = abs(word.y - last.y)
    if drop <= 0.15 * larger:
        return True
    is_script = min(last.font.size, word.font.size) < _SCRIPT * larger
    if is_script and drop < 0.6 * larger:
        return True
    # Back on the line after a script: 10^3 m
    return any(abs(word.y - before.y) <= 0.15 * larger for before in run[-3:])


def _line(words: list[Word], page: int) -> Line:
    font = _main_font(words)
    if _is_mixed_caps(words, font):
        font = max((word.font for word in words), key=lambda other: other.size)
    heights = [word.y for word in words if word.font.size >= _SCRIPT * font.size]
    return Line(
        words=words,
        page=page,
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=max(set(heights), key=heights.count) if heights else words[0].y,
        font=font,
        size=font.size,
    )


def _is_mixed_caps(words: Sequence[Word], font: Font) -> bool:
    """Check whether capitals of a smaller size mean small letters: `INTRODUCTION`."""
    sizes = {word.font.size for word in words if word.font.name == font.name}
    if len(sizes) < _BOTH or max(sizes) > 1.6 * min(sizes):
        return False
    letters = [c for word in words if word.font.name == font.name for c in word.text if c.isalpha()]
    return len(letters) > 3 and all(map(str.isupper, letters))


def _main_font(words: Sequence[Word]) -> Font:
    if len(words) == 1:
        return words[0].font
    letters: Counter[Font] = Counter()
    for word in words:
        letters[word.font] += len(word.text)
    return max(letters, key=lambda font: (letters[font], font.size))


def _body_font(runs: dict[int, list[Line]]) -> Font:
    letters: Counter[Font] = Counter()
    for lines in runs.values():
        for line in lines:
            for word in line.words:
                letters[word.font] += len(word.text)
    return max(letters, key=lambda font: (letters[font], font.name, font.size))


def _find_gutters(
    pages: Sequence[Page], runs: dict[int, list[Line]], body: Font
) -> tuple[float, ...]:
    """The middles of the white strips between columns, where the text has some.

    Lines are projected on the width of the page: a strip is where the fewest lines cross, with
    lines that end before it and lines that start behind it.
    """
    width = sorted(page.width for page in pages)[len(pages) // 2]
    wide = [
        line
        for page in pages
        for line in runs[page.number]
        if abs(line.size - body.size) <= 2.0 and line.width >= 0.12 * width
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
        if strips and x - strips[-1][-1] <= _NARROWEST_COLUMN * width:
            strips[-1].append(x)
        else:
            strips.append([x])
    return tuple(float(strip[len(strip) // 2]) for strip in strips)


def _is_leftwards(pages: Sequence[Page]) -> bool:
    """Check whether the text runs from right to left."""
    sample = "".join(word.text for page in pages[:4] for word in page.words)
    letters = [unicodedata.bidirectional(c) for c in sample if c.isalpha()]
    return sum(kind in {"R", "AL"} for kind in letters) > 0.5 * len(letters)


def _without_line_numbers(runs: Sequence[Line], body: Font) -> list[Line]:
    """The runs without the numbers that manuscripts print beside every line.

    They stand outside of the text, or in small print between columns, and rise down the page.
    """
    numbers = [run for run in runs if len(run.words) == 1 and run.words[0].text.isdigit()]
    others = sorted((run for run in runs if run.width > 60), key=lambda run: run.x0)
    if len(numbers) < _MIN_LINES or not others:
        return list(runs)
    left = others[len(others) // 10].x0
    right = sorted(run.x1 for run in others)[-1 - len(others) // 10]
    edges: dict[int, list[Line]] = defaultdict(list)
    for run in numbers:
        if run.x1 < left or run.x0 > right:
            edges[-1 if run.x1 < left else -2].append(run)
        elif run.size < _SMALL_PRINT * body.size:
            edges[round(run.x1 / 3)].append(run)
    beside: set[int] = set()
    for mine in edges.values():
        mine.sort(key=lambda run: run.y)
        values = [int(run.words[0].text) for run in mine]
        rising = sum(0 < after - before <= 5 for before, after in pairwise(values))
        if len(mine) >= _MIN_LINES and rising > 0.8 * (len(mine) - 1):
            beside |= {id(run) for run in mine}
    return [run for run in runs if id(run) not in beside]


def _mirror(pages: Sequence[Page]) -> None:
    """Count places from the right edge, so that text from right to left is read like other text."""
    for page in pages:
        for word in page.words:
            word.x0, word.x1 = page.width - word.x1, page.width - word.x0
        page.rules = [Rule(page.width - x1, page.width - x0, y) for x0, x1, y in page.rules]


def _columns(runs: Sequence[Line], gutters: Sequence[float], body: Font) -> list[Line]:
    """The runs of a page put into columns, those on one baseline joined."""
    gutters = [gutter for gutter in gutters if _parts_page(runs, gutter)]
    for run in runs:
        if any(run.x0 < gutter - 2 and run.x1 > gutter + 2 for gutter in gutters) or not gutters:
            run.column = 0
        else:
            run.column = 1 + bisect_left(gutters, (run.x0 + run.x1) / 2)
    lines: list[Line] = []
    for column in range(len(gutters) + 2):
        mine = sorted((r for r in runs if r.column == column), key=lambda r: (r.y, r.x0))
        lines += _join_baselines(mine, column, body)
    return lines


def _parts_page(runs: Sequence[Line], gutter: float) -> bool:
    """Check that not nearly everything on the page crosses a gutter."""
    wide = [run for run in runs if run.width > 40]
    across = sum(run.x0 < gutter - 2 and run.x1 > gutter + 2 for run in wide)
    return across <= 0.75 * len(wide)


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
        line = group[0] if len(group) == 1 else _line(words, group[0].page)
        line.column = column
        line.runs = 1 + sum(
            after.x0 - before.x1 > _RUN_GAP * body.size for before, after in pairwise(group)
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
    is_script = min(run.size, largest.size) < _SCRIPT * size
    return is_script and abs(drop) < 0.55 * size and near < 0.5 * size


def _order(lines: Sequence[Line], gutters: Sequence[float]) -> list[Line]:
    """Bands between lines across the page, inside a band one column after the other."""
    ordered: list[Line] = []
    open_band: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.y, line.x0)):
        own = 1 + bisect_left(gutters, line.x0)
        if line.column == 0 and not (open_band and _pokes_across(line, open_band, own)):
            ordered += [*_by_column(open_band), line]
            open_band = []
        else:
            line.column = line.column or own
            open_band.append(line)
    return ordered + _by_column(open_band)


def _pokes_across(line: Line, band: Sequence[Line], column: int) -> bool:
    """Check whether a line is a formula or a word too long for its column, not a wide one."""
    own = [other for other in band if other.column == column]
    if not own:
        return False
    start = min(other.x0 for other in own)
    end = max(other.x1 for other in own)
    return line.x0 >= start - 2 and line.x1 < end + 0.15 * (end - start) and line.width > 0


def _by_column(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: (line.column, line.y, line.x0))


def _leading(lines: Sequence[Line], body: Font) -> float:
    """The usual distance between two lines of running text."""
    steps: Counter[float] = Counter()
    for before, after in pairwise(lines):
        is_body = abs(before.size - body.size) < 0.3 and abs(after.size - body.size) < 0.3
        step = after.y - before.y
        if is_body and before.page == after.page and 0.8 * body.size < step < 2.6 * body.size:
            steps[round(step, 1)] += 1
    if not steps:
        return 1.2 * body.size
    return max(steps, key=lambda step: (steps[step], -step))
