"""Text that is not the paper's own: cover sheets, line numbers, notes beside a first page."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Page, Word
from vivavoce.sources.fulltext.pdf.runs import Line, line_of

SIDE_NOTE = "side note"
_MAX_COVER, _FOREIGN = 3, 0.9
"""Most cover sheets of a library or publisher, and least share of their letters that are in fonts
which the paper itself does not use."""
_MIN_NOTES = 5
"""Fewest lines in small print beside the text of a page."""
_MIN_NUMBERS = 8
_SMALL_PRINT = 0.8
_LEVEL, _SAME_EDGE = 0.05, 1.5
"""Share of the font size by which numbers are off the baseline, and points between their edges."""


def count_cover_sheets(pages: Sequence[Page]) -> int:
    """The number of first pages that are set in fonts of their own."""
    letters: list[Counter[str]] = [Counter() for _ in pages]
    for page, own in zip(pages, letters, strict=True):
        for word in page.words:
            own[word.font.name] += len(word.text)
    for count in range(min(_MAX_COVER, len(pages) - _MAX_COVER), 0, -1):
        before, after = sum(letters[:count], Counter()), set().union(*letters[count:])
        foreign = sum(number for name, number in before.items() if name not in after)
        if foreign > _FOREIGN * max(before.total(), 1):
            return count
    return 0


def side_notes(
    pages: Sequence[Page],
    runs: Mapping[int, Sequence[Line]],
    gutters: Sequence[float],
    body: Font,
) -> dict[int, list[Line]]:
    """The lines in small print left of the text on the first pages, such as a paper's dates."""
    # Lines that cross the columns of the first page, or all lines of text in one column.
    crossing = [run for run in runs[0] for g in gutters[:1] if run.x0 < g < run.x1]
    text = (run for own in runs.values() for run in own if abs(run.size - body.size) < 1)
    lefts = Counter(round(run.x0) for run in (crossing if gutters else text))
    edge = max(lefts, key=lambda x: (lefts[x], -x), default=0) - body.size / 2
    notes: dict[int, list[Line]] = {}
    for page in pages[: 1 if gutters else 2]:
        own = [run for run in runs[page.number] if run.x1 < edge and run.size < body.size]
        if len(own) >= _MIN_NOTES:
            notes[page.number] = own
    for run in (run for own in notes.values() for run in own):
        run.kind = SIDE_NOTE
    return notes


def line_numbers(runs: Mapping[int, Sequence[Line]], body: Font) -> set[int]:
    """The line numbers of a manuscript, by `id`; other pages identify those of a page with few."""
    beside = [own for page in runs.values() for own in _numbers_beside(page, body)]
    sure = [word for own in beside if _counts_lines(own) for word in own]
    places = Counter((round(word.x1), round(word.font.size)) for word in sure)
    firsts = (run.words[0] for page in runs.values() for run in page)
    others = (
        word
        for word in firsts
        if word.text.isdecimal()
        and sum(places[round(word.x1) + step, round(word.font.size)] for step in (-1, 0, 1))
        >= _MIN_NUMBERS
    )
    return {id(word) for word in (*sure, *others)}


def without_numbers(runs: Sequence[Line], numbers: Collection[int]) -> Iterator[Line]:
    """The runs of a page without their line numbers."""
    for run in runs:
        if id(run.words[0]) not in numbers:
            yield run
        elif len(run.words) > 1:
            yield line_of(run.words[1:], run.page)


def _numbers_beside(runs: Sequence[Line], body: Font) -> list[list[Word]]:
    """Numbers outside a page's text, or in small print before its lines, grouped by edge."""
    others = sorted((run for run in runs if run.width > 60), key=lambda run: run.x0)
    if not others:
        return []
    left = others[len(others) // 10].x0
    right = sorted(run.x1 for run in others)[-1 - len(others) // 10]
    outside: tuple[list[Word], list[Word]] = ([], [])
    edges: list[list[Word]] = []
    for run in sorted(runs, key=lambda run: run.words[0].x1):
        word, is_alone = run.words[0], len(run.words) == 1
        if not word.text.isdecimal():
            continue
        if is_alone and (run.x1 < left or run.x0 > right):
            outside[run.x0 > right].append(word)
        elif word.font.size < _SMALL_PRINT * body.size and (is_alone or _is_level(word, run)):
            if not edges or word.x1 - edges[-1][-1].x1 > _SAME_EDGE:
                edges.append([])
            edges[-1].append(word)
    return [*filter(None, outside), *edges]


def _is_level(word: Word, run: Line) -> bool:
    """Check whether a number is on the baseline of its line, unlike a raised mark."""
    return abs(word.y - run.y) < _LEVEL * run.size


def _counts_lines(numbers: list[Word]) -> bool:
    """Check whether numbers rise in equal steps down the page, unlike those in a contents list."""
    numbers.sort(key=lambda word: word.y)
    values = [int(word.text) for word in numbers]
    steps = Counter(after - before for before, after in pairwise(values))
    rising = max((count for step, count in steps.items() if 0 < step <= 5), default=0)
    return len(numbers) >= _MIN_NUMBERS and rising > 0.8 * (len(numbers) - 1)
