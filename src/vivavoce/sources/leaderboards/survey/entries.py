"""Reader of a printed list of references: its entries, and the entries that a table cites.

Converters join entries and break them apart, so neither lines nor paragraphs are reliable. An entry
starts at the next higher number or, in a list without numbers, at a list of names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from vivavoce.records import Reference
from vivavoce.sources.fulltext.citing import PrintedCitations, RowsCited, TableText
from vivavoce.sources.fulltext.model import Entry
from vivavoce.sources.fulltext.references import (
    BETWEEN_NAMES,
    NAMES,
    first_author,
    split_printed,
)
from vivavoce.text.identifiers import PRINTED_YEAR, find_arxiv_id, find_doi

if TYPE_CHECKING:
    from vivavoce.sources.leaderboards.survey import MarkdownTable

_BRACKETED = re.compile(r"\[([0-9]{1,4})\]")
_DOTTED = re.compile(r"(?<![0-9])([0-9]{1,16})\.[ \t\n]{1,3}(?=[^\W\d_a-z]|[\"“])")
_MAX_ENTRIES = 10_000
_LARGEST_GAP = 8
_LOOK_AHEAD = 8
_MIN_NUMBERED = 3
_FARTHEST_FIRST = 200
_MAX_ENTRY = 3_000
_MAX_NAMES = 2_000
_MIN_ENTRY = 40

_ENTRY_MARK = re.compile(rf"{PRINTED_YEAR.pattern}|http|arXiv")
_BARE_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_END = re.compile(r"[.?!\]]\s{0,3}(?=[^\W\d_a-z])")
_BACK_PAGES = re.compile(r"(?<=[.\]])\s{1,2}[0-9]{1,2}(?:[,.] ?[0-9]{1,2}){0,30}$")
_SAME_AUTHORS = re.compile(r"[—–-]{2,6}[,.]")
_PART_OF_LINK = re.compile(r"(?<=/)\s(?=[a-z0-9])|(?<=arXiv:)\s(?=[0-9])")
_BROKEN_DOI = re.compile(r"10\.[0-9]{4,9}/\S{0,100}- (?:\S{1,60}- ){0,5}(?=\S{0,60}[0-9]|[a-z]\b)")
_MAX_TEXT = 2_000_000
"""Most characters searched in all tables; spanning cells are repeated in every place."""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An entry of the list, with the keys by which the text cites it."""

    reference: Reference
    number: int | None
    """The number printed before the entry."""
    people: Sequence[str]
    """The authors as printed."""


def read_list(paragraphs: Sequence[str]) -> list[ListEntry]:
    """Read the entries of a list of references, in order."""
    text = "\n\n".join(paragraphs)
    for pattern in (_BRACKETED, _DOTTED):
        numbered = _numbered(text, pattern)
        if numbered:
            listed = [_entry(raw, place, number) for place, (number, raw) in enumerate(numbered)]
            return list(_with_same_authors(listed))
    entries = [raw for raw in _unnumbered(paragraphs) if _ENTRY_MARK.search(raw)]
    return [_entry(raw, place, None) for place, raw in enumerate(entries[:_MAX_ENTRIES])]


def _with_same_authors(entries: Sequence[ListEntry]) -> Iterator[ListEntry]:
    """Give each entry that has a dash for authors the authors of the entry before it."""
    before: ListEntry | None = None
    for entry in entries:
        if before is not None and _SAME_AUTHORS.match(entry.reference.raw):
            author = before.reference.first_author
            work = replace(entry.reference, first_author=author)
            entry = replace(entry, reference=work, people=before.people)
        yield entry
        before = entry


def _numbered(text: str, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """(Number, entry) if the numbers count up from 1 with few missing; else no entries."""
    marks = list(islice(pattern.finditer(text), 4 * _MAX_ENTRIES))
    chain: list[tuple[int, int, int]] = []
    expected = 1
    for place, mark in enumerate(marks):
        following = [other[1] for other in marks[place + 1 : place + _LOOK_AHEAD]]
        number = _counted(mark[1], expected, following)
        if number is not None:
            chain.append((number, mark.end(1) - len(str(number)), mark.end()))
            expected = number + 1
    if len(chain) < _MIN_NUMBERED or chain[0][1] > _FARTHEST_FIRST:
        return []
    bracket = int(pattern is _BRACKETED)
    ends = [*(start - bracket for _, start, _ in chain[1:]), len(text)]
    entries = []
    for (number, _, start), end in zip(chain, ends, strict=True):
        raw = text[start:end]
        if end == len(text):
            raw = raw.partition("\n\n")[0]  # the text after the list is not part of it
        entries.append((number, " ".join(raw.split())))
    return [(number, raw) for number, raw in entries if raw][:_MAX_ENTRIES]


def _counted(digits: str, expected: int, following: Sequence[str]) -> int | None:
    """Number of an entry printed as `digits`, given the expected one; None if not an entry."""
    if digits == str(expected):
        return expected
    if str(expected) in following:
        return None
    if _ends_in(digits, expected):
        return expected
    if any(_ends_in(other, expected) for other in following):
        return None
    near = range(expected + 1, expected + _LARGEST_GAP + 1)
    return next((number for number in near if _ends_in(digits, number)), None)


def _ends_in(digits: str, number: int) -> bool:
    """Check whether digits are a number, or end in it and are not a year."""
    is_whole = digits == str(number)
    return is_whole or (digits.endswith(str(number)) and not _BARE_YEAR.fullmatch(digits))


def _unnumbered(paragraphs: Sequence[str]) -> Iterator[str]:
    """Entries that start with names; a paragraph may hold several, or the rest of one."""
    current = ""
    for paragraph in paragraphs:
        cuts = [0, *_starts(paragraph), len(paragraph)]
        pieces = [paragraph[start:end].strip() for start, end in pairwise(cuts)]
        for place, piece in enumerate(pieces):
            if place == 0 and current:
                # The paragraph may continue the entry before it.
                is_open = not current.endswith((".", "]", ")", "/"))
                if piece[:1].islower() or (is_open and not piece[:1].isupper()):
                    current = f"{current} {piece}"
                    continue
            if current:
                yield current
            current = piece
    if current:
        yield current


def _starts(paragraph: str) -> Iterator[int]:
    """Starts of lists of names that follow an entry with a year."""
    years = [year.start() for year in PRINTED_YEAR.finditer(paragraph)]
    last = 0
    for sentence_end in _END.finditer(paragraph):
        start = sentence_end.end()
        has_year = bisect_left(years, last) < bisect_left(years, start)
        if not has_year or start - last < _MIN_ENTRY:
            continue
        if NAMES.match(paragraph, start, start + _MAX_NAMES):
            yield start
            last = start


def _entry(raw: str, ordinal: int, number: int | None) -> ListEntry:
    raw = _BACK_PAGES.sub("", raw)[:_MAX_ENTRY].strip()
    names, year, _, title = split_printed(raw)
    whole = _PART_OF_LINK.sub("", raw)
    whole = _BROKEN_DOI.sub(lambda match: match[0].replace("- ", "-"), whole)
    arxiv, doi = find_arxiv_id(whole), find_doi(whole)
    reference = Reference(
        ordinal=ordinal,
        raw=raw,
        title=title or None,
        year=year,
        first_author=first_author(names),
        arxiv_id=arxiv[0] if arxiv else None,
        doi=None if doi is None or doi.endswith("-") else doi,  # half a DOI may match another work
    )
    return ListEntry(reference, number, BETWEEN_NAMES.split(names))


class ListedCitations:
    """Finds the works that tables cite, by the printed numbers, else by authors and year."""

    def __init__(self, entries: Sequence[ListEntry]) -> None:
        self._room = _MAX_TEXT
        self._numbers: dict[int, int] = {}
        for entry in entries:
            if entry.number is not None:
                self._numbers.setdefault(entry.number, entry.reference.ordinal)
        works = [entry.reference for entry in entries]
        listed = [Entry(raw=one.reference.raw, people=one.people) for one in entries]
        self._printed = PrintedCitations(listed, works, numbers=self._numbers)

    def cited_in(self, table: MarkdownTable) -> tuple[tuple[int, ...], RowsCited]:
        """References that a table or its caption cites unambiguously, in all and by row."""
        self._room -= sum(len(cell) for row in table.cells for cell in row)
        if self._room < 0:
            return (), ()
        # A row is one line, so that other markers explain a bracket alone in its cell.
        lines = [(" ".join(row),) for row in table.cells] if self._numbers else table.cells
        between = "\n" if self._numbers else "\n\n"
        return self._printed.cited_in(TableText(table.caption, lines, between_rows=between))
