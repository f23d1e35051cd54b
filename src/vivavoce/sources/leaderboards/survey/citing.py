"""Which entries of the list of references a survey means where it cites."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from vivavoce.sources.leaderboards.survey.entries import Listed
from vivavoce.sources.leaderboards.survey.markdown import Table
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    find_numeric_markers,
    name_key,
)
from vivavoce.text.row_citations import Mention, RowsCited, TableText

_WORD = re.compile(r"[^\W\d_]+(?:['’`´-][^\W\d_]+)*")
_MOST_NAMESAKES = 50
_MOST_TEXT = 2_000_000
"""Characters searched in all tables; cells that span are repeated in every place."""


class Citations:
    """Resolves citation markers by the printed numbers, else by first author and year."""

    def __init__(self, entries: Sequence[Listed]) -> None:
        self._room = _MOST_TEXT
        self._numbers: dict[int, int] = {}
        self._by_author: dict[tuple[str, int], list[Listed]] = defaultdict(list)
        self._words = [_keys(entry.names) for entry in entries]
        for entry in entries:
            reference = entry.reference
            if entry.number is not None:
                self._numbers.setdefault(entry.number, reference.ordinal)
            elif reference.year is not None and reference.first_author:
                for key in sorted(_surname_keys(reference.first_author)):
                    self._by_author[key, reference.year].append(entry)

    def cited_in(self, table: Table) -> tuple[tuple[int, ...], RowsCited]:
        """What a table or its caption cites, where that is beyond doubt, and what each row does."""
        self._room -= sum(len(cell) for row in table.cells for cell in row)
        if self._room < 0:
            return (), ()
        if self._numbers:
            # A row is one line: brackets that stand alone in a cell are told by the others.
            lines = [(" ".join(row),) for row in table.cells]
            printed = TableText(table.caption, lines, between_rows="\n")
            mentions = list(self._by_number(printed.text))
        else:
            printed = TableText(table.caption, table.cells)
            mentions = list(self._by_name(printed.text))
        cited = tuple(sorted({one for _, meant in mentions for one in meant}))
        return cited, printed.by_row(mentions, cited)

    def _by_number(self, text: str) -> Iterator[Mention]:
        for numeric in find_numeric_markers(text):
            known = (self._numbers.get(number) for number in numeric.numbers)
            meant = tuple(ordinal for ordinal in known if ordinal is not None)
            if len(meant) == len(numeric.numbers):
                yield numeric.start, meant

    def _by_name(self, text: str) -> Iterator[Mention]:
        for marker in find_author_year_markers(text):
            ordinal = self._resolve(marker)
            if ordinal is not None:
                yield marker.start, (ordinal,)

    def _resolve(self, marker: AuthorYearMarker) -> int | None:
        """The entry a marker means; words before its names may look like names."""
        last = len(marker.names) - (2 if marker.is_pair else 1)
        for start in range(last + 1):
            meant = self._fitting(marker.names[start:], marker)
            if meant:
                return meant[0] if len(meant) == 1 else None
        return None

    def _fitting(self, names: tuple[str, ...], marker: AuthorYearMarker) -> list[int]:
        namesakes = self._by_author.get((names[0], marker.year), [])
        if len(namesakes) > _MOST_NAMESAKES:
            return []
        fitting = [
            entry
            for entry in namesakes
            if all(name in self._words[entry.reference.ordinal] for name in names[1:])
        ]
        if marker.letter and any(entry.letter for entry in fitting):
            fitting = [entry for entry in fitting if entry.letter == marker.letter]
        return list(dict.fromkeys(entry.reference.ordinal for entry in fitting))


def _keys(text: str) -> set[str]:
    return {name_key(word) for word in _WORD.findall(text)} - {""}


def _surname_keys(name: str) -> set[str]:
    """A name as a whole, and its last word, which is what markers show of it."""
    return {name_key(name), name_key(name.split()[-1])} - {""}
