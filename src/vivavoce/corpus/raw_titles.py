"""Titles of the corpus found inside the text of references of which no title was read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vivavoce.corpus.known_papers import MAX_RAW
from vivavoce.corpus.matching import count_words, fold

_WORD = re.compile(r"[^\W_]+")
_BLOCK = 10
"""Titles are looked up by so many of their first letters."""
MAX_BLOCK = 2_000
"""A block of more titles is passed over."""
_MIN_LETTERS = 8
_EDGES = frozenset(".,:;?!\"'”“’‘()[]{}|")


class Found(NamedTuple):
    """A title inside a text."""

    number: int
    """Which of the titles."""
    start: int
    """Where it starts in the folded text."""
    words: int


class RawTitles:
    """The titles of a corpus by their first letters."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._blocks: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        for number, title in enumerate(titles):
            key = "".join(_WORD.findall(fold(title)))
            if len(key) >= _MIN_LETTERS:
                self._blocks[key[:_BLOCK]].append((key, number, count_words(title)))

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
            for length in (_BLOCK, _BLOCK - 1, _BLOCK - 2):
                members = self._blocks.get(joined[offset : offset + length], [])
                if len(members) > MAX_BLOCK:
                    continue
                for key, number, count in members:
                    if offset + len(key) in ends and joined.startswith(key, offset):
                        yield len(key), Found(number, start, count)


def _clear_edges(text: str, words: Sequence[re.Match[str]]) -> tuple[dict[int, int], set[int]]:
    """Where a title may start and end, by the number of letters before: at punctuation."""
    starts: dict[int, int] = {}
    ends: set[int] = set()
    letters, last_end = 0, 0
    for word in words:
        gap = text[last_end : word.start()].strip()
        if not letters or (gap and gap[-1] in _EDGES):
            starts[letters] = word.start()
        if gap and gap[0] in _EDGES:
            ends.add(letters)
        letters += len(word[0])
        last_end = word.end()
    return starts, ends | {letters}
