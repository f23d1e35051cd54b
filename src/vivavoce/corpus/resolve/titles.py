"""Titles that nearly agree with that of a reference.

Titles that are misspelt, hyphenated, cut short or have something attached are compared inside
blocks only: those that share one of a paper's rarest words, or its first or last letters. So the
time grows with the number of references, not with its product with the number of papers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, Levenshtein

from vivavoce.corpus.identity.matching import title_words


class Kind(IntEnum):
    """Kind of a key: its highest bits."""

    ID = 0
    TITLE = 1
    PART = 2
    NEAR = 3
    """A block of near titles."""


class Census:
    """Counts over the whole corpus: here over the given titles, which are the whole."""

    def __init__(self, titles: Sequence[Sequence[str]] = ()) -> None:
        """Count the words of each title once."""
        self._seen = Counter(word for words in titles for word in set(words))

    def seen(self, words: Collection[str]) -> Mapping[str, int]:
        """In how many titles each word stands; 0 for a word of none."""
        return {word: self._seen[word] for word in words}

    def oversized(self, blocks: Mapping[str, int]) -> Set[str]:
        """The blocks of the given titles that hold too many of them."""
        return {block for block, count in blocks.items() if count > MAX_BLOCK}


MAX_RAW = 2_000
"""Characters of an entry of a reference list that are looked at."""
MAX_TITLE = 500
"""Characters of a title that are looked at."""
MAX_BLOCK = 150
"""A block of more papers tells nothing apart and is passed over."""
MIN_RATIO = 85.0
RARE_WORDS = 4
"""Words of a title that it is found by, the rarest of the corpus."""
_EDGE = 12
_KEPT = 5
LIGHT = frozenset(
    "a an the of for on in to and with via using by from at as is are und der die das".split()
)
_NUMERAL = re.compile(r"[0-9]|^[ivx]+$")
_LONG_WORD, _MIN_MISSPELT = 8, 5
_MIN_INFLECTED = 4
_PART_END = re.compile(r"\s*[:?!–—]\s+|\s+[-–—]\s+|\.\s+")
# What makes another work of it when it follows a title.
_SEQUEL = re.compile(
    r"\W*(?:part|vol|volume|chapter|revisited|reloaded|continued|extended|supplement\w*|appendix"
    r"|corrigend\w+|errat\w+|correction|reply|comments?|second|third|two|three|again|[ivx]+|[0-9]+)"
    r"\b",
    re.IGNORECASE,
)
_VENUE = re.compile(
    r"[\s,.;(]+(?:in:?\s+)?(?:proc(?:eedings)?\b|arxiv\b|corr\b|advances in\b"
    r"|transactions (?:of|on)\b|journal of\b|conference on\b"
    r"|(?:\w+ )?international (?:conference|joint|workshop)\b"
    r"|workshop on\b|ph\.?d\.? thesis)",
    re.IGNORECASE,
)


class Near(NamedTuple):
    """A title of the corpus close to that of a reference."""

    number: int
    """Number of the title."""
    similarity: float
    """1.0 for the same letters."""
    is_risky: bool
    """True if the difference may be one of meaning, so that author and year have to agree."""


class NearTitles:
    """The titles of a corpus, in blocks."""

    def __init__(self, titles: Sequence[str], census: Census | None = None) -> None:
        self._words = [title_words(title[:MAX_TITLE]) for title in titles]
        self._keys = ["".join(words) for words in self._words]
        self._census = census or Census(self._words)
        seen = self._census.seen({word for words in self._words for word in words})
        self._blocks: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for block in (*rarest(words, seen), *edges(words)):
                self._blocks[block].append(number)
        sizes = {block: len(members) for block, members in self._blocks.items()}
        for block in self._census.oversized(sizes):
            del self._blocks[block]

    def find(self, title: str) -> list[Near]:
        """The nearest titles, the nearest first."""
        words = title_words(title[:MAX_TITLE])
        if not words:
            return []
        candidates: dict[int, None] = {}
        for block in (*telling(words), *edges(words)):
            candidates.update(dict.fromkeys(self._blocks.get(block, ())))
        choices = {number: self._keys[number] for number in sorted(candidates)}
        close = process.extract(
            "".join(words), choices, scorer=fuzz.ratio, score_cutoff=MIN_RATIO, limit=_KEPT
        )
        found = [near for _, _, n in close if (near := self._compare(words, n))]
        return sorted(found, key=lambda near: (-near.similarity, near.number))

    def _compare(self, words: Sequence[str], number: int) -> Near | None:
        """Nearness of a title; None when a difference is one of meaning."""
        theirs = self._words[number]
        edits, misspelt, is_risky = 0, 0, False
        for one, other in _changes(words, theirs):
            change = self._change(one, other)
            if change is None:
                return None
            edits += change[0]
            is_risky |= change[1]
            misspelt += change[0] > 0
        if misspelt > 1 + len(theirs) // 6:
            return None
        return Near(number, round(1 - edits / max(len(self._keys[number]), 1), 4), is_risky)

    def _change(self, one: Sequence[str], other: Sequence[str]) -> tuple[int, bool] | None:
        """Edits of a change of words, and whether it is risky; None for one of meaning."""
        mine, theirs = "".join(one), "".join(other)
        if mine == theirs:  # spaced or hyphenated otherwise
            return 0, False
        light = [word for word in (*one, *other) if word in LIGHT]
        if len(light) == len(one) + len(other):
            return sum(map(len, light)), False
        if any(_NUMERAL.search(word) for word in (*one, *other)):
            return None
        length = min(len(mine), len(theirs))
        if max(len(mine), len(theirs)) < _MIN_MISSPELT:
            return None
        if mine.endswith(theirs) or theirs.endswith(mine):  # supervised, unsupervised
            return None
        allowed = 1 if length < _LONG_WORD else 2
        distance = OSA.distance(mine, theirs, score_cutoff=allowed)
        if distance > allowed:
            return None
        is_word = all(count > 0 for count in self._census.seen(set(one)).values())
        return distance, is_word and not _is_inflected(mine, theirs)


def telling(words: Sequence[str]) -> set[str]:
    """The words of a title that it may be found by."""
    return {word for word in words if word not in LIGHT}


def rarest(words: Sequence[str], seen: Mapping[str, int]) -> list[str]:
    """The words that a title of the corpus is found by: its rarest in the corpus."""
    return sorted(telling(words), key=lambda word: (seen[word], word))[:RARE_WORDS]


def edges(words: Sequence[str]) -> tuple[str, str]:
    """The first and the last letters of a title, marked with `^` and `$`."""
    start = 1 if words[:1] and words[0] in ("a", "an", "the") else 0
    key = "".join(words[start:])
    return f"^{key[:_EDGE]}", f"${key[-_EDGE:]}"


def _changes(
    words: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The runs of words in which two titles differ."""
    mine_at, theirs_at = 0, 0
    for block in Levenshtein.editops(words, theirs).as_matching_blocks():
        one, other = words[mine_at : block.a], theirs[theirs_at : block.b]
        if one or other:
            yield one, other
        mine_at, theirs_at = block.a + block.size, block.b + block.size


def parts_of_title(title: str) -> tuple[list[str], list[str]]:
    """The main title and the subtitle, where a title has both: (mains, subtitles).

    What continues another work, such as `Part Two`, is not a subtitle.
    """
    found = _PART_END.search(title[:MAX_TITLE])
    if found is None or not found.start() or _SEQUEL.match(title, found.end()):
        return [], []
    return [title[: found.start()]], [title[found.end() : MAX_TITLE]]


def titles_inside(title: str) -> list[str]:
    """Possible titles in a reference's title that has something attached.

    The venue after it and the authors before it, as readers of reference lists leave them.
    """
    title = title[:MAX_TITLE]
    found: dict[str, None] = {}
    if venue := _VENUE.search(title):
        found[title[: venue.start()]] = None
    cuts = [match for match in _PART_END.finditer(title) if match[0].startswith(".")][:4]
    for cut in cuts:
        found[title[cut.end() :]] = None
        if not _SEQUEL.match(title, cut.end()):
            found[title[: cut.start()]] = None
    return [part for part in found if part.strip()]


def _is_inflected(one: str, other: str) -> bool:
    """Return whether two words differ in their ending only: `model` and `models`."""
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    stem = min(len(one), len(other)) if shared is None else shared
    return stem >= max(_MIN_INFLECTED, max(len(one), len(other)) - 3)
