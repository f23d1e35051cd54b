"""What is counted over all titles of a corpus, for an index that may hold a part of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Protocol


class Census(Protocol):
    """Counts over the whole corpus."""

    def seen(self, words: Collection[str]) -> Mapping[str, int]:
        """In how many titles each word stands; 0 for a word of none."""
        ...

    def full_near(self, blocks: Mapping[str, int], limit: int) -> Set[str]:
        """Which blocks of near titles hold more titles than the limit, of those at hand."""
        ...

    def full_raw(self, blocks: Mapping[str, int], limit: int) -> Set[str]:
        """Which blocks of first letters hold more titles than the limit, of those at hand."""
        ...


class LocalCensus:
    """Counts over the titles at hand, which are all there are."""

    def __init__(self, titles: Sequence[Sequence[str]] = ()) -> None:
        """Count the words of each title once."""
        self._seen = Counter(word for words in titles for word in set(words))

    def seen(self, words: Collection[str]) -> Mapping[str, int]:
        """In how many titles each word stands."""
        return {word: self._seen[word] for word in words}

    def full_near(self, blocks: Mapping[str, int], limit: int) -> Set[str]:
        """The blocks of more titles than the limit."""
        return {block for block, count in blocks.items() if count > limit}

    def full_raw(self, blocks: Mapping[str, int], limit: int) -> Set[str]:
        """The blocks of more titles than the limit."""
        return {block for block, count in blocks.items() if count > limit}
