"""Citations of a text, among the works that were given in a numbered list.

A work is cited by its number in square brackets (`[3]`, `[2, 5-7]`) or by its title in full, if
that has three words or more. A list of references at the end of the text cites nothing.

- `reference_precision` = citations of works in the list / all citations, each work counted once.
  Not in the list are numbers beyond it, and names with a year (`Author et al., 2020`) that no
  number follows: the list gives no authors to find them by. Undefined without any citation.
- `reference_recall` = works cited / works that the paper itself cites; undefined where it cites
  none.

Source: ours; they ask of a related-work section what AcademicEval's metrics leave open.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from vivavoce.text.citation_markers import (
    find_author_year_markers,
    find_numeric_markers,
)
from vivavoce.text.normalise import normalise_title

MAX_CHARACTERS = 200_000
"""A text beyond this is not read."""

_MIN_WORDS = 3
"""Of a title that is told from the words of a sentence."""
_REACH = 12
"""Characters between a year and the number that belongs to it."""
_REFERENCES = re.compile(
    r"^[ \t#*_]{0,8}(?:references|bibliography|works cited|reference list)[ \t#*_:]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Citations:
    """Citations of a text, told by a numbered list of works."""

    listed: frozenset[int]
    """Numbers of the works in the list, from 1."""
    unlisted: int
    """Different citations of anything else."""

    @property
    def precision(self) -> float | None:
        """Share of the cited works that are in the list; None without any citation."""
        cited = len(self.listed) + self.unlisted
        return len(self.listed) / cited if cited else None

    def recall(self, wanted: Collection[int]) -> float | None:
        """Share of the wanted works that are cited; None when none is wanted."""
        expected = frozenset(wanted)
        return len(self.listed & expected) / len(expected) if expected else None


def body_of(text: str) -> str:
    """A text without the list of references at its end."""
    text = text[:MAX_CHARACTERS]
    headings = [match.start() for match in _REFERENCES.finditer(text)]
    return text[: headings[-1]] if headings else text


def find_citations(text: str, works: Sequence[str]) -> Citations:
    """Find what a text cites; `works` are the titles of the list, by their numbers."""
    text = body_of(text)
    markers = list(find_numeric_markers(text))
    numbers = {number for marker in markers for number in marker.numbers}
    beyond = {number for number in numbers if number > len(works)}
    starts = [marker.start for marker in markers]
    strangers = {
        (marker.names, marker.year, marker.letter)
        for marker in find_author_year_markers(text)
        # Names and a year are plainly a citation: `June 2020` is none.
        if (marker.has_others or marker.is_pair) and not _has_number(marker.start, starts)
    }
    return Citations(
        listed=frozenset(numbers - beyond) | frozenset(_find_titles(text, works)),
        unlisted=len(beyond) + len(strangers),
    )


def _has_number(year: int, starts: Sequence[int]) -> bool:
    """Check whether a number in brackets follows a year at once: `Author et al. (2020) [3]`."""
    place = bisect_left(starts, year)
    return place < len(starts) and starts[place] - year <= _REACH


def _find_titles(text: str, works: Sequence[str]) -> Iterator[int]:
    words = f" {normalise_title(text)} "
    for number, title in enumerate(works, start=1):
        key = normalise_title(title)
        if key.count(" ") + 1 >= _MIN_WORDS and f" {key} " in words:
            yield number
