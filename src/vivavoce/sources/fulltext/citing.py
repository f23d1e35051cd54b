"""The references that tables and their rows cite, found by cells that span rows or by markers.

PDF converters mark citations in running text only. Those resolved citations and the reference list
together resolve the markers inside tables; a marker that fits two references fits none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from vivavoce.records import Reference
from vivavoce.sources.fulltext.model import Entry
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    name_keys,
    numeric_mentions,
    surname_keys,
)
from vivavoce.text.normalise import normalise_title

_LONE_NUMBER = re.compile(r"[\s\[\](),;]*([0-9]{1,3})[\s\[\](),;]*")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_LETTERED_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([a-h])(?![^\W_])")
_COMMAND = re.compile(r"\\(?:[A-Za-z]*cite[a-z]*|[Cc]iteauthor)")
_OTHER_COMMANDS = frozenset(
    "nocite bibcite citestyle setcitestyle citename citeindextype citenamefont printbibliography"
    " defcitealias citeindextrue DeclareCiteCommand".split()
)
_ENOUGH_NUMBERS = 3
_MAX_NAMESAKES = 50
_MAX_MARK = 200
RowsCited = tuple[tuple[int, ...], ...]
"""References cited by each row, in order of mention, each once."""
Mention = tuple[int, tuple[int, ...]]
"""Place of a marker in a text, and the references it means."""

_MAX_CARRIED = 20
"""Most references that spanning cells carry into a row; a two-line table may claim millions."""
Row = list[tuple[tuple[int, ...], int]]
"""The cells of a row that cite: their references in order of mention, and the number of rows that
each cell covers from its own row down; a negative number counts up."""
_Key = tuple[tuple[str, ...], bool, int, str]
Marks = Sequence[tuple[str, frozenset[int]]]
"""Citation marks in running text, each with the references that it points to."""


def is_citation(command: str) -> bool:
    """Check by its name whether a LaTeX command cites."""
    return _COMMAND.fullmatch(command) is not None and command[1:] not in _OTHER_COMMANDS


@dataclass(frozen=True, slots=True)
class _CitedAuthors:
    """Authors as named in a reference."""

    ordinal: int
    first: frozenset[str]
    """Keys of the first author's surname."""
    words: frozenset[str]
    """Keys of all words in the people's names and in the start of the printed entry."""
    others: frozenset[str]
    """Keys of all words in the names after the first author's."""
    people: int
    """Number of names listed; some files count a name twice if it is printed surname first."""
    full_names: int
    year: int | None
    letter: str


class PrintedCitations:
    """Resolves the citation markers of one paper."""

    def __init__(
        self,
        entries: Sequence[Entry],
        references: Sequence[Reference],
        marks: Marks = (),
        itself: frozenset[int] = frozenset(),
        numbers: Mapping[int, int] | None = None,
    ) -> None:
        """Prepare the list; `numbers` are those printed in it, by default those `marks` tell."""
        self.itself = itself
        self.entries = list(map(_read_entry, entries, references))
        self.by_author: dict[tuple[str, int], list[_CitedAuthors]] = defaultdict(list)
        for entry in self.entries:
            if entry.year is not None:
                for key in sorted(entry.first):
                    self.by_author[key, entry.year].append(entry)
        self.numbers = _read_numbers(marks, len(references)) if numbers is None else numbers
        self.in_body = self._read_body(marks)

    def mentions_in(self, text: str) -> Iterator[Mention]:
        """The references that markers in a text mean, if there is no doubt."""
        mentions = list(numeric_mentions(text, self.numbers)) if self.numbers else []
        known: dict[_Key, int | None] = {}
        for marker in find_author_year_markers(text):
            key = (marker.names, marker.has_others, marker.year, marker.letter)
            if key not in known:
                known[key] = self.resolve(marker)
            ordinal = known[key]
            if ordinal is not None:
                mentions.append((marker.start, (ordinal,)))
        for place, meant in mentions:
            yield place, tuple(ordinal for ordinal in meant if ordinal not in self.itself)

    def cited_in(self, table: TableText) -> tuple[tuple[int, ...], RowsCited]:
        """The references that a table cites, in all and by row."""
        mentions = list(self.mentions_in(table.text))
        return tuple(sorted({n for _, meant in mentions for n in meant})), table.by_row(mentions)

    def resolve(self, marker: AuthorYearMarker) -> int | None:
        """The reference that an author-year marker means; None if it is unknown or in doubt."""
        for names in marker.readings:
            key = (names, marker.has_others, marker.year, marker.letter)
            meant = self._in_list(names, marker) | self.in_body.get(key, set())
            if meant:
                return min(meant) if len(meant) == 1 else None
        return None

    def _in_list(self, names: tuple[str, ...], marker: AuthorYearMarker) -> set[int]:
        namesakes = self.by_author.get((names[0], marker.year), [])
        if len(namesakes) > _MAX_NAMESAKES:
            return set()
        fitting = [entry for entry in namesakes if _fits(entry, names, marker.has_others)]
        if marker.letter:
            fitting = [entry for entry in fitting if entry.letter == marker.letter]
        elif marker.has_others and len(fitting) > 1:  # two authors are usually both named
            fitting = [entry for entry in fitting if entry.people > 2] or fitting
        return {entry.ordinal for entry in fitting}

    def _read_body(self, marks: Marks) -> dict[_Key, set[int]]:
        """References that the converter assigned to each author-year marker of the running text."""
        meant: dict[_Key, set[int]] = defaultdict(set)
        for text, targets in marks:
            if len(targets) != 1 or len(text) > _MAX_MARK:
                continue
            entry = self.entries[min(targets)]
            markers = list(find_author_year_markers(text))
            if len(markers) != 1 or entry.year not in {markers[0].year, None}:
                continue  # two entries merged into one, or another work
            (marker,) = markers
            for start, name in enumerate(marker.names):
                if name in entry.words or not entry.words:
                    key = (marker.names[start:], marker.has_others, marker.year, marker.letter)
                    meant[key].add(entry.ordinal)
                    break
        # Drop markers whose letters distinguish works that GROBID took for one.
        letters: Counter[tuple[tuple[str, ...], bool, int, int]] = Counter(
            (names, has_others, year, ordinal)
            for (names, has_others, year, letter), ordinals in meant.items()
            if letter
            for ordinal in ordinals
        )
        return {
            key: ordinals
            for key, ordinals in meant.items()
            if not key[3] or all(letters[(*key[:3], ordinal)] == 1 for ordinal in ordinals)
        }


def find_itself(
    references: Iterable[Reference], title: str, arxiv_id: str | None
) -> frozenset[int]:
    """The entries for the paper itself, found by its title or arXiv id."""
    own = normalise_title(title)
    return frozenset(
        reference.ordinal
        for reference in references
        if (own and normalise_title(reference.title or "") == own)
        or (arxiv_id and reference.arxiv_id == arxiv_id)
    )


def _read_numbers(marks: Marks, count: int) -> dict[int, int]:
    """The reference behind each printed number; empty for a paper that does not cite by number."""
    meant: dict[int, set[int]] = defaultdict(set)
    numeric = bracketed = author_year = 0
    for text, targets in marks:
        author_year += _YEAR.search(text) is not None and any(map(str.isalpha, text))
        lone = _LONE_NUMBER.fullmatch(text)
        if lone is None or len(targets) != 1:
            continue
        numeric += 1
        bracketed += "[" in text or "]" in text
        meant[int(lone[1])] |= targets
    if numeric < _ENOUGH_NUMBERS or numeric < 2 * author_year or 4 * bracketed < numeric:
        return {}
    numbers = {
        number: min(references) for number, references in meant.items() if len(references) == 1
    }
    is_in_order = all(references == {number - 1} for number, references in meant.items())
    if is_in_order and len(meant) >= _ENOUGH_NUMBERS:
        numbers = {number: number - 1 for number in range(1, count + 1)}
    return numbers


def _fits(entry: _CitedAuthors, names: tuple[str, ...], has_others: bool) -> bool:
    """Check whether an entry has the authors that a marker names."""
    if any(name not in entry.others for name in names[1:]):
        return False
    if has_others:  # if forenames are lost, so are the later authors
        return entry.people > len(names) or entry.full_names == 0
    return entry.full_names <= len(names) and entry.people <= 2 * len(names)


def _read_entry(entry: Entry, reference: Reference) -> _CitedAuthors:
    others = {key for name in entry.people[1:] for key in name_keys(name)}
    # If the list has no names, nothing can confirm a marker in the running text.
    start = reference.raw[:_MAX_MARK] if entry.raw or entry.people else ""
    lettered = {
        letter
        for year, letter in _LETTERED_YEAR.findall(reference.raw)
        if reference.year is None or int(year) == reference.year
    }
    return _CitedAuthors(
        ordinal=reference.ordinal,
        first=frozenset(surname_keys(reference.first_author or "")),
        words=frozenset(others | name_keys(start) | name_keys(reference.first_author or "")),
        others=frozenset(others),
        people=len(entry.people),
        full_names=entry.full_names,
        year=reference.year,
        letter=lettered.pop() if len(lettered) == 1 else "",
    )


def cited_by_rows(rows: Sequence[Row]) -> list[list[int]]:
    """The references that each row of a grid cites, in order of mention, each once."""
    cited: list[dict[int, None]] = [{} for _ in rows]
    for place, row in enumerate(rows):
        for ordinals, height in row:
            start = place if height > 0 else place + height + 1
            for other in range(start, start + abs(height)) if ordinals else ():
                if other == place:
                    cited[other].update(dict.fromkeys(ordinals))
                elif 0 <= other < len(rows) and len(cited[other]) < _MAX_CARRIED:
                    cited[other].update(dict.fromkeys(ordinals[:_MAX_CARRIED]))
    return list(map(list, cited))


class TableText:
    """A table as one text to search for markers, with the cell that each place is in.

    Each cell is a line; blank lines are after the caption, before notes, by default between rows.
    """

    def __init__(
        self,
        caption: str,
        cells: Sequence[Sequence[str]],
        notes: Iterable[str] = (),
        *,
        between_rows: str = "\n\n",
    ) -> None:
        self._row_count = len(cells)
        self._starts: list[int] = []
        self._cells: list[tuple[int, int]] = []
        pieces = [caption, "\n\n"]
        place = len(caption) + 2
        for number, row in enumerate(cells):
            before = between_rows if number else ""
            for column, cell in enumerate(row):
                if cell:
                    pieces += [before, cell]
                    self._starts.append(place + len(before))
                    self._cells.append((number, column))
                    place += len(before) + len(cell)
                    before = "\n"
        self._end = place
        self.text = "\n\n".join(["".join(pieces), *notes])

    def by_cell(self, mentions: Iterable[Mention]) -> dict[tuple[int, int], tuple[int, ...]]:
        """References cited in each cell, by row and column, in order of mention, each once."""
        works: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        for place, ordinals in sorted(mentions, key=lambda mention: mention[0]):
            number = bisect_right(self._starts, place) - 1
            if number >= 0 and place < self._end:
                works[self._cells[number]].append(ordinals)
        return {c: tuple(dict.fromkeys(chain.from_iterable(many))) for c, many in works.items()}

    def by_row(self, mentions: Iterable[Mention]) -> RowsCited:
        """The references that each row cites, in order of mention, each once."""
        rows: list[dict[int, None]] = [{} for _ in range(self._row_count)]
        for (row, _), ordinals in self.by_cell(mentions).items():
            rows[row].update(dict.fromkeys(ordinals))
        return tuple(map(tuple, rows))
