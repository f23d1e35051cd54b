"""Citations of a text, among the works of a numbered list.

A work is cited by its number in square brackets (`[3]`, `[2, 5-7]`) or by its full title, if that
has at least three words. A list of references at the end of the text does not count as citing.

- `reference_precision` = cited works that the paper itself cites / all works cited, each counted
  once. Numbers beyond the list count as cited, and so do names with a year (`Author et al., 2020`)
  that no number follows: the list has no authors to match them with. Undefined if nothing is cited.
- `reference_recall` = works cited / works that the paper itself cites; undefined if it cites none.
- `importance` = median citation count of the works cited / median citation count of the works that
  the paper itself cites. A work outside the list counts as having no citations. Works with an
  unknown number are left out of both medians. 0 for a text that cites nothing; undefined if a
  median has no work, or if the paper's own is 0.

Source: DeepScholar-Bench (Patel et al. 2025), reference coverage and document importance. There
only a cited work's first mention in a list of important references counts, and document importance
is capped at 1; here every work that the section cites counts, and nothing is capped.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from vivavoce.text.citation_markers import find_author_year_markers, find_numeric_markers
from vivavoce.text.normalise import normalise_title

MAX_CHARACTERS = 200_000
"""Maximum number of characters read from a text."""

_MIN_WORDS = 3
"""Minimum number of words of a title that is recognised within a sentence."""
_REACH = 12
"""Maximum number of characters between a year and the number that belongs to it."""
_REFERENCES = re.compile(
    r"^[ \t#*_]{0,8}(?:references|bibliography|works cited|reference list)[ \t#*_:]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Citations:
    """Citations of a text, matched with a numbered list of works."""

    listed: frozenset[int]
    """Numbers of the works in the list, from 1."""
    unlisted: int
    """Number of distinct citations of works outside the list."""

    def precision(self, wanted: Collection[int]) -> float | None:
        """Share of the cited works that are wanted; None without any citation."""
        cited = len(self.listed) + self.unlisted
        return len(self.listed & frozenset(wanted)) / cited if cited else None

    def recall(self, wanted: Collection[int]) -> float | None:
        """Share of the wanted works that are cited; None when none is wanted."""
        expected = frozenset(wanted)
        return len(self.listed & expected) / len(expected) if expected else None

    def importance(self, counts: Sequence[int | None], wanted: Collection[int]) -> float | None:
        """Median citation count of the cited works over that of the works the paper itself cites.

        `counts` holds the number of citations of each listed work, None if unknown.
        """

        def known(numbers: Collection[int]) -> list[int]:
            listed = (counts[number - 1] for number in numbers)
            return [count for count in listed if count is not None]

        usual = known(wanted)
        if not usual or not median(usual):
            return None
        if not (self.listed or self.unlisted):
            return 0.0
        cited = known(self.listed) + [0] * self.unlisted
        return median(cited) / median(usual) if cited else None


def body_of(text: str) -> str:
    """Remove the list of references at the end of a text."""
    text = text[:MAX_CHARACTERS]
    headings = [match.start() for match in _REFERENCES.finditer(text)]
    return text[: headings[-1]] if headings else text


def find_citations(text: str, works: Sequence[str]) -> Citations:
    """Find the works that a text cites; `works` are the listed titles, in order."""
    text = body_of(text)
    markers = list(find_numeric_markers(text))
    numbers = {number for marker in markers for number in marker.numbers}
    beyond = {number for number in numbers if number > len(works)}
    starts = [marker.start for marker in markers]
    strangers = {
        (marker.names, marker.year, marker.letter)
        for marker in find_author_year_markers(text)
        # Several names and a year are surely a citation; `June 2020` is not.
        if (marker.has_others or marker.is_pair) and not _has_number(marker.start, starts)
    }
    words = f" {normalise_title(text)} "
    keys = map(normalise_title, works)
    titled = {
        number
        for number, key in enumerate(keys, start=1)
        if key.count(" ") + 1 >= _MIN_WORDS and f" {key} " in words
    }
    return Citations(
        listed=frozenset(numbers - beyond) | titled,
        unlisted=len(beyond) + len(strangers),
    )


def _has_number(year: int, starts: Sequence[int]) -> bool:
    """Check whether a number in brackets directly follows a year: `Author et al. (2020) [3]`."""
    place = bisect_left(starts, year)
    return place < len(starts) and starts[place] - year <= _REACH
