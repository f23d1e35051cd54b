"""Titles of the corpus found inside the text of references of which no title was read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vivavoce.corpus.identity.matching import count_words, fold
from vivavoce.corpus.resolve.hashing import Kind
from vivavoce.corpus.resolve.known_papers import MAX_RAW
from vivavoce.corpus.resolve.near_titles import Census

_WORD = re.compile(r"[^\W_]+")
BLOCK = 10
"""Titles are looked up by so many of their first letters."""
MAX_BLOCK = 2_000
"""A block of more titles is passed over."""
MIN_LETTERS = 8
"""A title of fewer letters is not looked for."""
EDGES = frozenset(".,:;?!\"'”“’‘()[]{}|")


class Found(NamedTuple):
    """A title inside a text."""

    number: int
    """Number of the title."""
    start: int
    """Start in the folded text."""
    words: int


class RawTitles:
    """The titles of a corpus by their first letters."""

    def __init__(self, titles: Sequence[str], census: Census | None = None) -> None:
        self._blocks: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        for number, title in enumerate(titles):
            if key := letters_of(title):
                self._blocks[key[:BLOCK]].append((key, number, count_words(title)))
        sizes = {block: len(members) for block, members in self._blocks.items()}
        for block in (census or Census()).oversized(Kind.RAW_BLOCK, sizes, MAX_BLOCK):
            del self._blocks[block]

    def find(self, raw: str) -> tuple[str, list[Found]]:
        """The folded text, and the titles that stand in it by themselves, the longest first."""
        text = fold(raw[:MAX_RAW])
        found = sorted(self._inside(text), key=lambda hit: (-hit[0], hit[1]))
        return text, [hit for _, hit in found]

    def _inside(self, text: str) -> Iterator[tuple[int, Found]]:
        """(length, title) of every title between marks of punctuation."""
        words = list(_WORD.finditer(text))
        joined = "".join(word[0] for word in words)
        starts, ends = _clear_edges(text, words)
        for offset, start in starts.items():
            for length in range(BLOCK, MIN_LETTERS - 1, -1):
                for key, number, count in self._blocks.get(joined[offset : offset + length], ()):
                    if offset + len(key) in ends and joined.startswith(key, offset):
                        yield len(key), Found(number, start, count)


def letters_of(title: str) -> str:
    """The letters and digits that a title is found by; empty when they are too few."""
    key = "".join(_WORD.findall(fold(title)))
    return key if len(key) >= MIN_LETTERS else ""


def _clear_edges(text: str, words: Sequence[re.Match[str]]) -> tuple[dict[int, int], set[int]]:
    """Places where a title may start and end, by the number of letters before: at punctuation."""
    starts: dict[int, int] = {}
    ends: set[int] = set()
    letters, last_end = 0, 0
    for word in words:
        gap = text[last_end : word.start()].strip()
        if not letters or (gap and gap[-1] in EDGES):
            starts[letters] = word.start()
        if gap and gap[0] in EDGES:
            ends.add(letters)
        letters += len(word[0])
        last_end = word.end()
    return starts, ends | {letters}
