"""Which entries of the list of references a survey means where it cites."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from vivavoce.sources.survey.entries import Listed
from vivavoce.sources.survey.markdown import Table
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    find_numeric_markers,
    name_key,
)

_WORD = re.compile(r"[^\W\d_]+(?:['’`´-][^\W\d_]+)*")
_MOST_NAMESAKES = 50


class Citations:
    """Resolves citation markers by the printed numbers, else by first author and year."""

    def __init__(self, entries: Sequence[Listed]) -> None:
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

    def cited_in(self, table: Table) -> tuple[int, ...]:
        """The references that a table or its caption cites, where that is beyond doubt."""
        found: set[int] = set()
        if self._numbers:
            # A row is one line: brackets that stand alone in a cell are told by the others.
            lines = [table.caption, *(" ".join(row) for row in table.cells)]
            for numeric in find_numeric_markers("\n".join(lines)):
                if all(number in self._numbers for number in numeric.numbers):
                    found.update(self._numbers[number] for number in numeric.numbers)
            return tuple(sorted(found))
        rows = ["\n".join(cell for cell in row if cell) for row in table.cells]
        for marker in find_author_year_markers("\n\n".join([table.caption, *rows])):
            ordinal = self._resolve(marker)
            if ordinal is not None:
                found.add(ordinal)
        return tuple(sorted(found))

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
