"""Groups of documents that may be one work, and the fit of namesakes: papers of one title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.corpus.dating import date_paper
from vivavoce.corpus.identity.matching import is_telling, names_agree, years_agree
from vivavoce.records import Document

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

    A group knows the strong identifiers of its documents. The group's value of a scheme is the
    first one, which is that of its lowest document.
    """

    def __init__(self, names: Sequence[Mapping[str, str]]) -> None:
        self.joins: list[Join] = []
        """Reasons why two groups were joined, in the order of joining."""
        self._names = names
        self._parent = list(range(len(names)))
        self._members = [[index] for index in self._parent]
        self._strong = [{s: name[s] for s in STRONG if s in name} for name in names]

    def root(self, index: int) -> int:
        """The lowest document of a document's group, which represents the group."""
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def contradict(self, one: int, other: int, schemes: Sequence[str] = STRONG) -> bool:
        """Return whether two documents' groups hold different values in one of some schemes."""
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

    def lowest_of_each(self, documents: Sequence[int]) -> dict[int, int]:
        """The lowest of some documents in each group, by the group."""
        lowest: dict[int, int] = {}
        for index in documents:
            lowest.setdefault(self.root(index), index)
        return lowest

    def members(self) -> list[list[int]]:
        """The documents of each group."""
        return [self._members[i] for i, parent in enumerate(self._parent) if i == parent]


MAX_AUTHORS = 50
"""Authors of a group that are looked at."""
MAX_NAMESAKES = 40
"""A title of more groups is a standing heading, and joins nothing."""
SURE, LIKELY = 2, 1
"""Degrees to which two namesakes fit; 0 where they do not."""
IDS, AUTHORS, YEARS, LITTLE_KNOWN, AMBIGUOUS, LOOKALIKE = (
    "ids differ",
    "first authors differ",
    "years differ",
    "too little is known to join them",
    "it fits more than one paper",
    "the titles look alike and are spelt with different characters",
)


class Apart(NamedTuple):
    """Two documents of one title that were not joined, and why."""

    one: int
    other: int
    reason: str


@dataclass(frozen=True, slots=True)
class Namesake:
    """Facts of a group of documents, for comparing it with its namesakes."""

    holder: int
    """Its lowest document that bears the title."""
    kinds: frozenset[str]
    given: Mapping[str, frozenset[str]]
    """Its own ids inside each source."""
    first_authors: tuple[str, ...]
    """Of its documents, one each."""
    authors: tuple[str, ...]
    years: frozenset[int]


def describe(holder: int, documents: Sequence[Document]) -> Namesake:
    """Facts that some documents of a group tell."""
    given: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        if document.given_id:
            given[document.kind].add(document.given_id)
    return Namesake(
        holder=holder,
        kinds=frozenset(document.kind for document in documents),
        given={kind: frozenset(ids) for kind, ids in given.items()},
        first_authors=tuple(dict.fromkeys(d.authors[0].name for d in documents if d.authors)),
        authors=tuple(dict.fromkeys(a.name for d in documents for a in d.authors[:MAX_AUTHORS])),
        years=frozenset(year for d in documents if (year := year_of(d)) is not None),
    )


def fit(groups: Groups, one: Namesake, other: Namesake, title: str) -> tuple[int, str]:
    """Degree to which two namesakes fit, and the reason where they do not."""
    same_kind = bool(one.kinds & other.kinds)
    named = one.given.keys() & other.given.keys()
    if groups.contradict(one.holder, other.holder) or any(
        one.given[kind].isdisjoint(other.given[kind]) for kind in named
    ):
        return 0, IDS
    authors = _authors_agree(one, other)
    years = years_agree(one.years, other.years)
    if authors is False or years is False:
        return 0, AUTHORS if authors is False else YEARS
    if not is_telling(title):
        is_sure = bool(authors and years) and not same_kind
    elif same_kind:
        is_sure = bool(authors)
    else:
        is_sure = bool(authors or years)
    if is_sure:
        return SURE, AMBIGUOUS
    if same_kind or not is_telling(title):
        return 0, LITTLE_KNOWN
    return LIKELY, AMBIGUOUS


def year_of(document: Document) -> int | None:
    """The year a document says, or that its identifier tells."""
    published = date_paper(document.published, document.arxiv_id, document.acl_id).published
    return int(published[:4]) if published else None


def _authors_agree(one: Namesake, other: Namesake) -> bool | None:
    """Return whether the first author of each is an author of the other, in any order."""
    if not one.first_authors or not other.first_authors:
        return None
    return all(
        any(names_agree(first, name) for first in mine.first_authors for name in theirs.authors)
        for mine, theirs in ((one, other), (other, one))
    )
