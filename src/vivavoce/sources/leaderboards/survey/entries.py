"""A printed list of references: its entries, their fields, and the entries that a table cites.

Converters run entries together and break them apart, so neither lines nor paragraphs can be relied
on. Numbers are followed as they count up, else lists of names show the start of an entry.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from vivavoce.records import Reference
from vivavoce.sources.row_citations import Mention, RowsCited, TableText
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    name_keys,
    numeric_mentions,
    surname_keys,
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
_SHORTEST_ENTRY = 40

_ENTRY_MARK = re.compile(rf"{PRINTED_YEAR.pattern}|http|arXiv")
_BARE_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_AFTER_NAMES = re.compile(r"\.\s{0,2}\(?((?:19|20)\d\d)([a-z]?)\)?\.\s{1,2}")
_YEAR_IN_BRACKETS = re.compile(r"\(((?:19|20)\d\d)([a-z]?)\)[.,:]?\s{1,2}")
_QUOTED = re.compile(r"[\"“]([^\"“”]{4,400})[\"”]")
# What stands behind a sentence: a capital, a quotation mark, or the start of a place to find it.
_NEXT = r"(?=[^\W_a-z]|[\"“*(]|arXiv\b|https?:|doi\b)"
_STOP = re.compile(rf"(?<!\b[^\W\d_a-z])([.?!])[ \n]{{1,2}}{_NEXT}")
_STOP_AFTER_INITIALS = re.compile(rf"([.?!])[ \n]{{1,2}}{_NEXT}")
_MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s"
_DATE_AFTER_TITLE = re.compile(rf",\s{{0,2}}(?:{_MONTHS})?(?:19|20)\d\d[a-z]?$")
_END = re.compile(r"[.?!\]]\s{0,3}(?=[^\W\d_a-z])")
# A hyphen at the end of a printed line stays, with a space behind it.
_WORD = r"[^\W\d_a-z](?:[\w'’`]|-(?=\w)){0,30}"
_INITIAL = r"[^\W\d_a-z]\."
_PARTICLE = r"(?:al|bin|da|de|del|den|der|di|la|le|van|von)(?= )"
_NAME = rf"(?:{_WORD}|{_INITIAL})(?:-? (?:{_WORD}|{_INITIAL}|{_PARTICLE})){{1,4}}"
_NAMES = re.compile(rf"{_NAME}(?:, {_NAME}){{0,40}}(?:,? and {_NAME}|, et al|, others)\.")
# Surnames with initials that no dot follows: One A B, Two C.
_INITIALS_LAST = re.compile(r"[^\W\d_a-z][\w'’-]{1,30}(?: [^\W\d_a-z]){1,3}[,.] ")
_BACK_PAGES = re.compile(r"(?<=[.\]])\s{1,2}[0-9]{1,2}(?:[,.] ?[0-9]{1,2}){0,30}$")
_SURNAME_FIRST = re.compile(r"([^,]{2,60}?)\s((?:[^\W\d_a-z]\.?[ -]?){1,3})")
_IN_VOLUME = re.compile(r",\s{1,2}in:\s")
# A. One, B. Two and C. Three, A Title Without Quotation Marks, ser. Series.
_INITIALS_FIRST = rf"(?:{_INITIAL}[- ]{{1,2}}){{1,4}}(?:{_PARTICLE} )?{_WORD}"
_NAMES_BEFORE_BOOK = re.compile(
    rf"{_INITIALS_FIRST}(?:, {_INITIALS_FIRST}){{0,40}}(?:,? and {_INITIALS_FIRST}| et al\.)?, "
    r"(?=[^\W\d_a-z][^\s.])"
)
_END_OF_BOOK = re.compile(r",\s(?:ser|vol|ed|[0-9]+(?:st|nd|rd|th) ed)\.")
# One, A., Two, B.C., et al.: A title
_COLON_AFTER_NAMES = re.compile(
    rf"(?:{_PARTICLE} )?{_WORD}[^,:]{{0,40}}, {_INITIAL}(?:[^:]{{0,2000}}(?:[^\W\d_a-z]|al)\.)?:\s"
)
_SAME_AUTHORS = re.compile(r"[—–-]{2,6}[,.]")
_PART_OF_LINK = re.compile(r"(?<=/)\s(?=[a-z0-9])|(?<=arXiv:)\s(?=[0-9])")
_BROKEN_DOI = re.compile(r"10\.[0-9]{4,9}/\S{0,100}- (?:\S{1,60}- ){0,5}(?=\S{0,60}[0-9]|[a-z]\b)")
_ACCESSED = re.compile(r"\b(?:accessed|retrieved|visited)\b", re.IGNORECASE)
_MAX_NAMESAKES = 50
_MAX_TEXT = 2_000_000
"""Characters searched in all tables; cells that span are repeated in every place."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the list and how the text can point to it."""

    reference: Reference
    number: int | None
    """The number printed before it."""
    letter: str
    """The letter after its year; empty without one."""
    names: str
    """Text before its title or year: the authors."""


def read_list(paragraphs: Sequence[str]) -> list[Listed]:
    """The entries of a list of references, in order."""
    text = "\n\n".join(paragraphs)
    for pattern in (_BRACKETED, _DOTTED):
        numbered = _numbered(text, pattern)
        if numbered:
            listed = [_entry(raw, place, number) for place, (number, raw) in enumerate(numbered)]
            return list(_with_same_authors(listed))
    entries = [raw for raw in _unnumbered(paragraphs) if _ENTRY_MARK.search(raw)]
    return [_entry(raw, place, None) for place, raw in enumerate(entries[:_MAX_ENTRIES])]


def _with_same_authors(entries: Sequence[Listed]) -> Iterator[Listed]:
    """The entries, where a dash means the authors of the one before it."""
    before: Listed | None = None
    for entry in entries:
        if before is not None and _SAME_AUTHORS.match(entry.reference.raw):
            author = before.reference.first_author
            work = replace(entry.reference, first_author=author)
            entry = replace(entry, reference=work, names=before.names)
        yield entry
        before = entry


def _numbered(text: str, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """(Number, entry) where numbers count up from 1; nothing where they do not.

    A number may be lost, or have grown together with a number before it.
    """
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
    found = []
    for (number, _, start), end in zip(chain, ends, strict=True):
        raw = text[start:end]
        if end == len(text):
            raw = raw.partition("\n\n")[0]  # what follows the list is not part of it
        found.append((number, " ".join(raw.split())))
    return [(number, raw) for number, raw in found if raw][:_MAX_ENTRIES]


def _counted(digits: str, expected: int, following: Sequence[str]) -> int | None:
    """The number of an entry written in digits, where another is expected next."""
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
                # The paragraph may go on with the entry before it.
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
    """Start of a list of names behind an entry that has a year."""
    years = [found.start() for found in PRINTED_YEAR.finditer(paragraph)]
    last = 0
    for found in _END.finditer(paragraph):
        start = found.end()
        has_year = bisect_left(years, last) < bisect_left(years, start)
        if not has_year or start - last < _SHORTEST_ENTRY:
            continue
        if _NAMES.match(paragraph, start, start + _MAX_NAMES):
            yield start
            last = start


def _entry(raw: str, ordinal: int, number: int | None) -> Listed:
    raw = _BACK_PAGES.sub("", raw)[:_MAX_ENTRY].strip()
    names, year, letter, title = _parse(raw)
    whole = _PART_OF_LINK.sub("", raw)
    whole = _BROKEN_DOI.sub(lambda found: found[0].replace("- ", "-"), whole)
    arxiv, doi = find_arxiv_id(whole), find_doi(whole)
    reference = Reference(
        ordinal=ordinal,
        raw=raw,
        title=title or None,
        year=year,
        first_author=_first_author(names),
        arxiv_id=arxiv[0] if arxiv else None,
        doi=None if doi is None or doi.endswith("-") else doi,  # half of one is another's too
    )
    return Listed(reference, number, letter, names)


def _parse(raw: str) -> tuple[str, int | None, str, str]:
    """The authors, the year, the letter after it and the title of an entry."""
    quoted = _quoted_title(raw)
    if quoted is not None:
        year, letter = _last_year(raw[quoted.end() :])
        return raw[: quoted.start()].strip(" ,"), year, letter, quoted[1].strip(" ,.")
    for pattern in (_YEAR_AFTER_NAMES, _YEAR_IN_BRACKETS):
        dated = pattern.search(raw[:_MAX_NAMES])
        if dated is not None and len(raw) - dated.end() > 8:
            title = _sentence(raw[dated.end() :])
            return raw[: dated.start()].strip(" ,"), int(dated[1]), dated[2], title
    colon = _COLON_AFTER_NAMES.match(raw)
    if colon is not None:
        return (raw[: colon.end()].strip(" ,:"), *_last_year(raw), _sentence(raw[colon.end() :]))
    book = _NAMES_BEFORE_BOOK.match(raw)
    if book is not None and not _NAMES.match(raw, book.end()):
        title = _END_OF_BOOK.split(raw[book.end() :], maxsplit=1)[0]
        return (raw[: book.end()].strip(" ,"), *_last_year(raw[book.end() :]), _sentence(title))
    has_initials_last = _INITIALS_LAST.match(raw) is not None
    stop = (_STOP_AFTER_INITIALS if has_initials_last else _STOP).search(raw)
    year, letter = _last_year(raw)
    if stop is None:
        return "", year, letter, ""
    return raw[: stop.start()], year, letter, _sentence(raw[stop.end() :])


def _quoted_title(raw: str) -> re.Match[str] | None:
    """The title in quotation marks; quoted words inside a title are skipped."""
    quoted = _QUOTED.search(raw)
    if quoted is None or raw[quoted.end() :].startswith(":"):
        return None
    before = raw[: quoted.start()].rstrip()
    return quoted if not before or not before[-1].isalnum() else None


def _sentence(text: str) -> str:
    text = _IN_VOLUME.split(text, maxsplit=1)[0]
    stop = _STOP.search(text)
    end = len(text) if stop is None else stop.start() + (stop[1] in "?!")
    return _DATE_AFTER_TITLE.sub("", text[:end].strip(" *.,"))


def _last_year(text: str) -> tuple[int | None, str]:
    years = PRINTED_YEAR.findall(_ACCESSED.split(text, maxsplit=1)[0]) or PRINTED_YEAR.findall(text)
    return (int(years[-1][0]), years[-1][1]) if years else (None, "")


def _first_author(names: str) -> str | None:
    """The first name as printed, a surname without the initials behind it."""
    first = re.split(r",| and | & |;", names, maxsplit=1)[0]
    first = first.removesuffix(" et al.").removesuffix(" et al").strip(" .*")
    words = first.split()
    if not 0 < len(words) <= 6 or not any(map(str.isalpha, first)):
        return None
    surname = _SURNAME_FIRST.fullmatch(first)
    return surname[1] if surname is not None else first


class ListedCitations:
    """Resolves citation markers by the printed numbers, else by first author and year."""

    def __init__(self, entries: Sequence[Listed]) -> None:
        self._room = _MAX_TEXT
        self._numbers: dict[int, int] = {}
        self._by_author: dict[tuple[str, int], list[Listed]] = defaultdict(list)
        self._words = [name_keys(entry.names) for entry in entries]
        for entry in entries:
            reference = entry.reference
            if entry.number is not None:
                self._numbers.setdefault(entry.number, reference.ordinal)
            elif reference.year is not None and reference.first_author:
                for key in sorted(surname_keys(reference.first_author)):
                    self._by_author[key, reference.year].append(entry)

    def cited_in(self, table: MarkdownTable) -> tuple[tuple[int, ...], RowsCited]:
        """References that a table or its caption cites beyond doubt, and those of each row."""
        self._room -= sum(len(cell) for row in table.cells for cell in row)
        if self._room < 0:
            return (), ()
        if self._numbers:
            # A row is one line: brackets that stand alone in a cell are told by the others.
            lines = [(" ".join(row),) for row in table.cells]
            printed = TableText(table.caption, lines, between_rows="\n")
            mentions = list(numeric_mentions(printed.text, self._numbers))
        else:
            printed = TableText(table.caption, table.cells)
            mentions = list(self._by_name(printed.text))
        cited = tuple(sorted({one for _, meant in mentions for one in meant}))
        return cited, printed.by_row(mentions, cited)

    def _by_name(self, text: str) -> Iterator[Mention]:
        for marker in find_author_year_markers(text):
            # Its first reading that fits any entry tells, unless it fits several.
            fitting = (self._fitting(names, marker) for names in marker.readings)
            meant = next(filter(None, fitting), [])
            if len(meant) == 1:
                yield marker.start, (meant[0],)

    def _fitting(self, names: tuple[str, ...], marker: AuthorYearMarker) -> list[int]:
        namesakes = self._by_author.get((names[0], marker.year), [])
        if len(namesakes) > _MAX_NAMESAKES:
            return []
        fitting = [
            entry
            for entry in namesakes
            if all(name in self._words[entry.reference.ordinal] for name in names[1:])
        ]
        if marker.letter and any(entry.letter for entry in fitting):
            fitting = [entry for entry in fitting if entry.letter == marker.letter]
        return list(dict.fromkeys(entry.reference.ordinal for entry in fitting))
