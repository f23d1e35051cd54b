"""The outline that a PDF carries, matched with the lines that may be headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate

_ENOUGH = 3
"""So many of its titles have to be found before an outline is believed."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline that a PDF carries."""

    depth: int
    title: str
    page: int


def compact(text: str) -> str:
    """Letters and digits, for comparison."""
    return "".join(character for character in text.casefold() if character.isalnum())


def match_bookmarks(
    candidates: Sequence[HeadingCandidate], bookmarks: Iterable[Bookmark]
) -> dict[int, int]:
    """The level that the outline gives to candidates with the same words, in the same order."""
    wanted = [(compact(mark.title), mark.depth) for mark in bookmarks]
    depths = [depth for _, depth in wanted]
    shallow = min(depths, default=0)
    if depths.count(shallow) == 1 and len(depths) > _ENOUGH:  # the title, above everything
        shallow += 1
    found: dict[int, int] = {}
    place = 0
    for title, depth in wanted:
        for other in range(place, len(candidates)):
            texts = {compact(candidates[other].text)}
            texts |= {compact(number.text) for number in candidates[other].numbers}
            if title and title in texts and not candidates[other].runs_in:
                found[other] = max(depth - shallow + 1, 0)
                place = other + 1
                break
    found = {place: depth for place, depth in found.items() if depth}
    return found if len(found) >= _ENOUGH else {}
