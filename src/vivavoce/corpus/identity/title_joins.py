"""Papers of several sources that share a title and no identifier.

Groups of documents under one title are joined when the first author of each is an author of the
other, or one names none and the years agree; years may differ by two. Documents of different
sources are also joined when nothing more is known of one of them and nothing contradicts. All
groups that could be joined must fit each other: a title that fits two papers joins neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import NamedTuple

from vivavoce.corpus.identity.groups import (
    IDS,
    LIKELY,
    LOOKALIKE,
    MAX_NAMESAKES,
    STRONG,
    SURE,
    YEARS,
    Apart,
    Groups,
    Join,
    Namesake,
    describe,
    fit,
)
from vivavoce.corpus.identity.matching import YEAR_SLACK, skeleton, title_key
from vivavoce.records import Document


class _Pair(NamedTuple):
    """A group without a paper, and a paper of the same title."""

    work: Namesake
    paper: Namesake
    title: str
    strength: int
    reason: str

    def apart(self, reason: str) -> Apart:
        """The near miss that the two are."""
        return Apart(self.work.holder, self.paper.holder, reason)


def join_by_title(
    groups: Groups,
    documents: Sequence[Document],
    no_papers: Collection[str] = (),
    completing: Collection[str] = (),
) -> tuple[list[Apart], int]:
    """Join groups that share a title.

    Papers are compared by what their own documents say, as if there were none that only complete
    them; then those find their papers.

    Returns the near misses, and the number of titles that papers of different sources share
    without having been joined.
    """
    by_key: dict[str, list[int]] = defaultdict(list)
    of_lists: dict[str, list[int]] = defaultdict(list)
    own = {i for i, document in enumerate(documents) if document.kind not in completing}
    for index, document in enumerate(documents):
        if (document.kind in no_papers and index in own) or not document.title:
            continue
        if key := title_key(document.title):
            (by_key if index in own else of_lists)[key].append(index)
    joiner = _Joiner(groups, documents, own)
    apart, undecided = joiner.join_papers(by_key)
    return [*apart, *joiner.complete(by_key, of_lists)], undecided


class _Joiner:
    """Groups of documents, joined by title."""

    def __init__(self, groups: Groups, documents: Sequence[Document], own: Set[int]) -> None:
        self._groups = groups
        self._documents = documents
        self._own = own
        """Documents that tell of a paper; the others only complete one."""

    def join_papers(self, by_key: Mapping[str, Sequence[int]]) -> tuple[list[Apart], int]:
        """Join the papers of each title; the near misses, and the number of undecided titles."""
        shared = [holders for _, holders in sorted(by_key.items()) if len(holders) > 1]
        for strength in (SURE, LIKELY):
            for holders in shared:
                self._join_namesakes(holders, strength)
        apart: list[Apart] = []
        undecided = 0
        for holders in shared:
            namesakes = self._namesakes(holders)
            for other in namesakes[1:]:
                reason = self._fit(namesakes[0], other)[1]
                apart.append(Apart(other.holder, namesakes[0].holder, reason))
            undecided += len(namesakes) > 1 and len({g.kinds for g in namesakes}) > 1
        return [*apart, *self._lookalikes(by_key)], undecided

    def complete(
        self, of_papers: Mapping[str, Sequence[int]], of_lists: Mapping[str, Sequence[int]]
    ) -> list[Apart]:
        """Join what only completes papers to the one paper that it fits; the near misses.

        Both are by the keys of their titles.
        """
        by_work: dict[int, list[_Pair]] = defaultdict(list)
        for key in sorted(of_papers.keys() & of_lists.keys()):
            for pair in self._pairs(of_papers[key], of_lists[key]):
                by_work[self._groups.root(pair.work.holder)].append(pair)
        apart: list[Apart] = []
        by_paper: dict[int, list[_Pair]] = defaultdict(list)
        for pairs in by_work.values():
            best = self._the_one(pairs)
            if best:
                by_paper[self._groups.root(best.paper.holder)].append(best)
            else:
                nearest = max(pairs, key=lambda pair: pair.strength)
                apart.append(nearest.apart(nearest.reason))
        for pairs in by_paper.values():
            believed, doubted = self._agreeing(pairs)
            apart += doubted
            for pair in believed:
                self._join(pair.paper.holder, pair.work.holder, pair.title)
        return sorted(apart)

    def _join(self, one: int, other: int, title: str) -> None:
        self._groups.join(Join(one, other, "title", title))

    def _title(self, index: int) -> str:
        return self._documents[index].title or ""

    def _fit(self, one: Namesake, other: Namesake) -> tuple[int, str]:
        return fit(self._groups, one, other, self._title(other.holder))

    def _describe(self, holder: int, *, own: bool) -> Namesake:
        """Facts of the group of a document, told by all its documents or by its own ones."""
        members = self._groups.group_of(holder)
        return describe(holder, [self._documents[i] for i in members if not own or i in self._own])

    def _namesakes(self, holders: Sequence[int]) -> list[Namesake]:
        """The groups of the documents that bear one title; empty where that is one group."""
        lowest = self._groups.lowest_of_each(holders)
        if len(lowest) == 1:
            return []
        return [self._describe(index, own=True) for index in lowest.values()]

    def _join_namesakes(self, holders: Sequence[int], strength: int) -> None:
        """Join what fits at least so well, where everything that fits fits each other."""
        namesakes = self._namesakes(holders)
        if not 1 < len(namesakes) <= MAX_NAMESAKES:
            return
        title = self._title(holders[0])
        fits = {
            (one.holder, other.holder)
            for one, other in combinations(namesakes, 2)
            if fit(self._groups, one, other, title)[0] >= strength
        }
        for component in _components([g.holder for g in namesakes], fits):
            if all(pair in fits for pair in combinations(component, 2)):
                for other in component[1:]:
                    self._join(component[0], other, title)

    def _lookalikes(self, by_key: Mapping[str, Sequence[int]]) -> Iterator[Apart]:
        """Titles that pass for each other on sight and are spelt with different characters."""
        first: dict[str, int] = {}
        for index in sorted(holders[0] for holders in by_key.values()):
            other = first.setdefault(skeleton(self._title(index)), index)
            if self._groups.root(other) != self._groups.root(index):
                yield Apart(index, other, LOOKALIKE)

    def _pairs(self, papers: Sequence[int], lists: Sequence[int]) -> Iterator[_Pair]:
        """Each work of one title that has no paper, with each paper of the title."""
        known = self._groups.lowest_of_each(papers)
        works = [
            holder
            for holder in self._groups.lowest_of_each(lists).values()
            if self._own.isdisjoint(self._groups.group_of(holder))
        ]
        if not works or len(known) > MAX_NAMESAKES:
            return
        described = [self._describe(holder, own=True) for holder in known.values()]
        for holder in works:
            work, title = self._describe(holder, own=False), self._title(holder)
            for paper in described:
                yield _Pair(work, paper, title, *fit(self._groups, work, paper, title))

    def _the_one(self, pairs: Sequence[_Pair]) -> _Pair | None:
        """The pair with the only paper that a work fits, surely before likely."""
        for strength in (SURE, LIKELY):
            fits = [pair for pair in pairs if pair.strength >= strength]
            if len({self._groups.root(pair.paper.holder) for pair in fits}) == 1:
                return fits[0]
        return None

    def _agreeing(self, pairs: Sequence[_Pair]) -> tuple[list[_Pair], list[Apart]]:
        """Works that agree in the fields missing from their paper, and the others apart."""
        ids = [self._groups.strong_ids(pair.work.holder) for pair in pairs]
        doubtful = [s for s in STRONG if len({names[s] for names in ids if s in names}) > 1]
        years = [year for pair in pairs for year in pair.work.years]
        is_dated = bool(pairs[0].paper.years) or not years or max(years) - min(years) <= YEAR_SLACK
        believed, apart = [], []
        for pair, names in zip(pairs, ids, strict=True):
            if any(scheme in names for scheme in doubtful):
                apart.append(pair.apart(IDS))
            elif pair.work.years and not is_dated:
                apart.append(pair.apart(YEARS))
            else:
                believed.append(pair)
        return believed, apart


def _components(nodes: Sequence[int], edges: Collection[tuple[int, int]]) -> list[list[int]]:
    """Connected components, each in order; nodes without an edge are left out."""
    neighbours: dict[int, list[int]] = defaultdict(list)
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    seen: set[int] = set()
    components = []
    for node in nodes:
        if node in seen or node not in neighbours:
            continue
        component, waiting = {node}, [node]
        while waiting:
            new = [n for n in neighbours[waiting.pop()] if n not in component]
            component.update(new)
            waiting += new
        seen |= component
        components.append(sorted(component))
    return components
