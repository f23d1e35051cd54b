"""Disjoint groups of documents, each one paper, whose identifiers do not contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STRONG = ("arxiv", "acl", "doi")
"""Schemes in which one paper has one value, the surest first."""


class Join(NamedTuple):
    """Two documents found to describe one paper, and what they share."""

    one: int
    other: int
    scheme: str
    value: str


class Groups:
    """Documents by number, joined step by step.

    A group knows the strong identifiers of its documents. The first value of a scheme stands for
    the group, which is that of its lowest document.
    """

    def __init__(self, names: Sequence[Mapping[str, str]]) -> None:
        self.joins: list[Join] = []
        """What joined two groups, in the order of joining."""
        self._names = names
        self._parent = list(range(len(names)))
        self._members = [[index] for index in self._parent]
        self._strong = [{s: name[s] for s in STRONG if s in name} for name in names]

    def root(self, index: int) -> int:
        """The lowest document of a document's group, which stands for the group."""
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def contradict(self, one: int, other: int, schemes: Sequence[str] = STRONG) -> bool:
        """Whether two documents' groups hold different values in one of some schemes."""
        mine, theirs = self._strong[self.root(one)], self._strong[self.root(other)]
        return any(s in mine and s in theirs and mine[s] != theirs[s] for s in schemes)

    def strong_ids(self, index: int) -> Mapping[str, str]:
        """The strong identifiers of a document's group, by scheme."""
        return self._strong[self.root(index)]

    def join(self, join: Join, contradicting: Sequence[str] = STRONG) -> bool:
        """Join the groups of two documents; False when one of some schemes contradicts."""
        low, high = sorted((self.root(join.one), self.root(join.other)))
        if low == high:
            return True
        if self.contradict(low, high, contradicting):
            return False
        self._parent[high] = low
        self._strong[low] = {**self._strong[high], **self._strong[low]}
        self._members[low] = sorted(self._members[low] + self._members[high])
        self.joins.append(join)
        return True

    def holders(self, scheme: str) -> list[tuple[str, list[int]]]:
        """The documents that hold each value of a scheme, where they are several."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self._names):
            if scheme in name:
                found[name[scheme]].append(index)
        return [(value, members) for value, members in found.items() if len(members) > 1]

    def group_of(self, index: int) -> list[int]:
        """The documents of one document's group, in order."""
        return self._members[self.root(index)]

    def members(self) -> list[list[int]]:
        """The documents of each group."""
        return [self._members[i] for i, parent in enumerate(self._parent) if i == parent]
