"""The reference list and its entries, and the citations in text and tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from statistics import median

from vivavoce.records import Reference
from vivavoce.sources.fulltext.pdf.furniture import FOOTNOTE
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.paragraphs import Paragraphs
from vivavoce.sources.fulltext.pdf.runs import Line, join_words
from vivavoce.sources.fulltext.references import BRACKETED, NUMBERED, RAISED, label_of
from vivavoce.text.headings import role_of_heading
from vivavoce.text.identifiers import PRINTED_YEAR

_KEY = re.compile(r"[A-Z][A-Za-z+]{0,11}\d{2}[a-z]?")
"""A label made of the authors' names and the year."""
_BARE = re.compile(r"(?P<label>\d{1,3})\s+(?=[^\W\d_])")
_DATED = re.compile(r"(?<=\()(?:19|20)\d\d(?=[a-z]?\))|(?<=\.\s)(?:19|20)\d\d(?=[a-z]?\.\s)")
"""A year after the authors or at the end, in parentheses or between full stops."""
_SURNAME = r"(?:(?:van|von|de|den|der|la|le|di|da|dos|del|el|al|ten|ter)\s)*[^\W\d_a-z][\w'’´`¸~-]+"
_HEAD = re.compile(
    rf"(?:{_SURNAME}(?:\s{_SURNAME})?,?\s(?:[^\W\d_a-z]\.|[^\W\d_a-z]{{1,2}}\b)"
    rf"|(?:[^\W\d_a-z]\.[\s-]?){{1,3}}{_SURNAME}|{_SURNAME}(?:\s{_SURNAME}){{1,2}}(?:,|\sand\s|\.\s)"
    rf"|{_SURNAME},\s{_SURNAME}|{_SURNAME}(?:\s{_SURNAME})?\set\sal|[—–]{{1,3}}\."
    rf"|(?:{_SURNAME}\s){{0,4}}{_SURNAME}\.\s(?:19|20)\d\d[a-z]?\.)"
)
_END = re.compile(r"(?:[.)\]/\d]|10\.\d{4,5}/\S+|https?://\S+)$")
_LISTED = frozenset({"", FOOTNOTE})
_LONG_ENTRY = 700
_ENOUGH_ENTRIES = 4
_APART = 1.15
"""Multiple of the line spacing; a larger gap separates two entries of a list."""
_COLUMN_TOP, _FLUSH = 90, 0.8
"""Points above the first line of a column, or more: they do not part entries; and the least share
of lines at the left margin in a list without hanging indents."""
_MAX_TRIES = 30
"""Most lines tried as the start of a reference list; a file of such lines is not a paper."""
_MAX_LENGTH = 3000
_MARK_SIZE = 0.87
"""Share of the size of its line: larger text is not a mark."""
_RAISED_NUMBERS = re.compile(r"\d{1,3}(?:[,–-]\d{1,3}){0,20}")
_BEFORE_MARK = re.compile(r"[^\W\d_]{3}$|[.,;:)\]”\"’]$")
_MIN_REFERENCES, _COVERED = 5, 0.4
_SEVERAL, _SURELY_COVERED = 2, 0.2
"""Fewest references, and least share of them that marks must name; less if marks name several."""


def split_entries(lines: Sequence[Line], paragraphs: Paragraphs) -> list[str]:
    """The entries of a reference list, in order."""
    groups = _by_label(lines)
    if groups:
        texts = _texts(groups, paragraphs)
    else:
        # The first line of an entry stands out to the left, or opens with names after a line that
        # ends an entry.
        lefts = _lefts(lines)
        by_indent = _cut(
            lines,
            [n for n, own in enumerate(lines) if abs(own.x0 - lefts[own.page, own.column]) < 3.0],
        )
        ways = [_texts(by_indent, paragraphs)]
        if not _are_apart(by_indent):
            ends = [True, *(_END.search(line.text) is not None for line in lines)]
            heads = [n for n, own in enumerate(lines) if not n or _HEAD.match(own.text)]
            ways.append(_texts(_cut(lines, [n for n in heads if ends[n]]), paragraphs))
        if lines and len(by_indent) > _FLUSH * len(lines):
            usual = median(line.gap for line in lines)
            gaps = [n for n, own in enumerate(lines) if _APART * usual < own.gap < _COLUMN_TOP]
            ways.append(_texts(_cut(lines, gaps), paragraphs))
        texts = max(ways, key=share_whole)
    return [text for text in texts if sum(map(str.isalpha, text)) >= 8]


def find_unheaded(lines: Sequence[Line]) -> int | None:
    """The place of the first entry of a list whose heading looks like text or is not there.

    Without a heading, the list is numbered and ends the paper.

    Entries in small print look like footnotes; those in the list become text again.
    """
    half = [p for p in range(len(lines) // 2, len(lines)) if lines[p].kind in _LISTED]
    labels = ((p, (label_of(lines[p].text) or "")) for p in half)
    opening = (p for p, label in labels if label == "1" or _KEY.fullmatch(label))
    for place in islice(opening, _MAX_TRIES):
        tail = [other for other in lines[place:] if other.kind in _LISTED]
        entries = _by_label(tail)
        years = sum(any(PRINTED_YEAR.search(own.text) for own in entry) for entry in entries)
        if len(entries) >= _ENOUGH_ENTRIES and years > 0.6 * len(entries):
            for line in tail:
                line.kind = ""
            return place
    below = (p for p in reversed(half) if p + 1 < len(lines))  # a heading is not the last line
    headings = (p for p in below if role_of_heading(lines[p].text) == "references")
    return next((place + 1 for place in headings), None)


def _texts(groups: Sequence[Sequence[Line]], paragraphs: Paragraphs) -> list[str]:
    return [paragraphs.one(group)[:_MAX_LENGTH] for group in groups]


def share_whole(entries: Sequence[str]) -> float:
    """The share of letters in entries that look whole: with a name, one year and an end."""
    good = 0.0
    for entry in entries:
        years = len(set(_DATED.findall(entry))) or min(len(PRINTED_YEAR.findall(entry)), 1)
        is_whole = _HEAD.match(entry) is not None and _END.search(entry) is not None
        is_one = years == 1 and len(entry) < _LONG_ENTRY
        good += len(entry) * (0.5 * is_whole + 0.5 * is_one)
    return good / max(sum(map(len, entries)), 1)


def _by_label(lines: Sequence[Line]) -> list[list[Line]]:
    """Entries that open with a number or a key."""
    for pattern in (BRACKETED, NUMBERED, _BARE, RAISED):
        matches = [(place, pattern.match(line.text)) for place, line in enumerate(lines)]
        labels = [(place, match["label"]) for place, match in matches if match]
        if not labels or labels[0][0] > 2:
            continue
        starts = _rising(labels)
        if len(starts) >= 3 or (len(starts) >= 1 and len(lines) <= 12):
            return _cut(lines, starts)
    return []


def _rising(marks: Sequence[tuple[int, str]]) -> list[int]:
    """The places whose numbers rise in small steps; all places if the labels are letter keys."""
    if not marks[0][1].isdigit():
        return [place for place, label in marks if not label.isdigit()]
    starts: list[int] = []
    last = 0
    for place, label in marks:
        if label.isdigit() and last < int(label) <= last + 3:
            starts.append(place)
            last = int(label)
    return starts


def _are_apart(entries: Sequence[Sequence[Line]]) -> bool:
    """Check whether entries have more room above them than their lines have between them."""
    inside = [line.gap for entry in entries for line in entry[1:]]
    above = [entry[0].gap for entry in entries[1:]]
    if len(above) < _ENOUGH_ENTRIES or not inside:
        return False
    wide = _APART * median(inside)
    return sum(gap > wide for gap in above) > 0.8 * len(above)


def _lefts(lines: Sequence[Line]) -> dict[tuple[int, int], float]:
    """Margins at which entries start, in each column of each page."""
    lefts: dict[tuple[int, int], float] = {}
    for line in lines:
        key = (line.page, line.column)
        lefts[key] = min(lefts.get(key, line.x0), line.x0)
    return lefts


def _cut(lines: Sequence[Line], starts: Sequence[int]) -> list[list[Line]]:
    if not lines:
        return []
    starts = sorted({0, *starts})
    ends = [*starts[1:], len(lines)]
    return [list(lines[start:end]) for start, end in zip(starts, ends, strict=True)]


def printed_numbers(references: Sequence[Reference]) -> dict[int, int]:
    """The reference behind each number in a list, if most of its entries have one."""
    numbers = {
        int(label): reference.ordinal
        for reference in references
        if (label := label_of(reference.raw)) and label.isdigit()
    }
    return numbers if 2 * len(numbers) > len(references) else {}


def print_raised_citations(lines: Sequence[Line], references: int) -> None:
    """Print raised numbers in brackets if they follow words and cover the reference list."""
    text = [line for line in lines if not line.kind]
    marks = [mark for line in text for is_mark, _, mark in _runs(line) if is_mark]
    numbers = {int(number) for mark in marks for number in re.findall(r"\d+", mark)}
    covered = sum(0 < number <= references for number in numbers)
    # Marks with several numbers are not footnotes.
    is_sure = sum(not mark.isdecimal() for mark in marks) >= _SEVERAL
    least = (_SURELY_COVERED if is_sure else _COVERED) * references
    if references < _MIN_REFERENCES or covered < least:
        return
    for line in text:
        runs = list(_runs(line))
        if not any(is_mark for is_mark, _, _ in runs):
            continue
        words: list[Word] = []
        for is_mark, run, mark in runs:
            shown = f"[{', '.join(mark.split(','))}]"
            cited = replace(run[0], text=shown, x1=run[-1].x1, glued=False)
            words += [cited] if is_mark else run
        line.text = join_words(words)


def _runs(line: Line) -> Iterator[tuple[bool, list[Word], str]]:
    """The runs of words in a line, each with a flag for citation marks and with its text."""
    size, height = _MARK_SIZE * line.size, line.y - 0.12 * line.size
    before = ""
    for is_raised, run in groupby(line.words, lambda w: w.font.size < size and w.y < height):
        words = list(run)
        text = "".join(word.text for word in words).strip(" ,")
        is_mark = is_raised and _RAISED_NUMBERS.fullmatch(text) is not None
        yield is_mark and _BEFORE_MARK.search(before) is not None, words, text
        before = words[-1].text
