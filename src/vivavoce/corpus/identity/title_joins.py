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
    find_namesakes,
    fit,
    lowest_holders,
)
from vivavoce.corpus.identity.matching import YEAR_SLACK, skeleton, title_key
from vivavoce.records import Document


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
    shared = [holders for _, holders in sorted(by_key.items()) if len(holders) > 1]
    for strength in (SURE, LIKELY):
        for holders in shared:
            _join_namesakes(groups, documents, holders, own, strength)
    apart: list[Apart] = []
    undecided = 0
    for holders in shared:
        namesakes = find_namesakes(groups, documents, holders, own)
        apart += _near_misses(groups, documents, namesakes)
        undecided += len(namesakes) > 1 and len({g.kinds for g in namesakes}) > 1
    apart += _lookalikes(groups, documents, by_key)
    return [*apart, *complete_by_title(groups, documents, own, by_key, of_lists)], undecided


def _join_namesakes(
    groups: Groups,
    documents: Sequence[Document],
    holders: Sequence[int],
    own: Collection[int],
    strength: int,
) -> None:
    """Join what fits at least so well, where everything that fits fits each other."""
    namesakes = find_namesakes(groups, documents, holders, own)
    if not 1 < len(namesakes) <= MAX_NAMESAKES:
        return
    title = documents[holders[0]].title or ""
    fits = {
        (one.holder, other.holder)
        for one, other in combinations(namesakes, 2)
        if fit(groups, one, other, title)[0] >= strength
    }
    for component in _components([g.holder for g in namesakes], fits):
        if all(pair in fits for pair in combinations(component, 2)):
            for other in component[1:]:
                groups.join(Join(component[0], other, "title", title))


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


def _near_misses(
    groups: Groups, documents: Sequence[Document], namesakes: Sequence[Namesake]
) -> list[Apart]:
    """One near miss for each namesake after the first, against the first."""
    return [
        Apart(other.holder, namesakes[0].holder, fit(groups, namesakes[0], other, title)[1])
        for other in namesakes[1:]
        if (title := documents[other.holder].title)
    ]


def _lookalikes(
    groups: Groups, documents: Sequence[Document], by_key: Mapping[str, Sequence[int]]
) -> list[Apart]:
    """Titles that pass for each other on sight and are spelt with different characters."""
    first: dict[str, int] = {}
    apart = []
    for index in sorted(holders[0] for holders in by_key.values()):
        other = first.setdefault(skeleton(documents[index].title or ""), index)
        if groups.root(other) != groups.root(index):
            apart.append(Apart(index, other, LOOKALIKE))
    return apart


class _Pair(NamedTuple):
    """A group without a paper, and a paper of the same title."""

    work: Namesake
    paper: Namesake
    title: str
    strength: int
    reason: str


def complete_by_title(
    groups: Groups,
    documents: Sequence[Document],
    own: Set[int],
    of_papers: Mapping[str, Sequence[int]],
    of_lists: Mapping[str, Sequence[int]],
) -> list[Apart]:
    """Join what only completes papers to the one paper that it fits; returns the near misses.

    Args:
        groups: All documents, the papers joined.
        documents: All documents.
        own: Those that are more than a completion.
        of_papers: Documents of papers by the key of their title.
        of_lists: Documents that only complete, by the key of their title.
    """
    by_work: dict[int, list[_Pair]] = defaultdict(list)
    for key in sorted(of_papers.keys() & of_lists.keys()):
        for pair in _pairs(groups, documents, own, of_papers[key], of_lists[key]):
            by_work[groups.root(pair.work.holder)].append(pair)
    apart: list[Apart] = []
    by_paper: dict[int, list[_Pair]] = defaultdict(list)
    for pairs in by_work.values():
        best = _the_one(groups, pairs)
        if best:
            by_paper[groups.root(best.paper.holder)].append(best)
        else:
            nearest = max(pairs, key=lambda pair: pair.strength)
            apart.append(_apart(nearest, nearest.reason))
    for pairs in by_paper.values():
        believed, doubted = _agreeing(groups, pairs)
        apart += doubted
        for pair in believed:
            groups.join(Join(pair.paper.holder, pair.work.holder, "title", pair.title))
    return sorted(apart)


def _pairs(
    groups: Groups,
    documents: Sequence[Document],
    own: Set[int],
    papers: Sequence[int],
    lists: Sequence[int],
) -> Iterator[_Pair]:
    """Each work of one title that has no paper, with each paper of the title."""
    known = lowest_holders(groups, papers)
    works = {
        root: holder
        for root, holder in lowest_holders(groups, lists).items()
        if own.isdisjoint(groups.group_of(holder))
    }
    if not works or len(known) > MAX_NAMESAKES:
        return
    described = [
        describe(holder, [documents[i] for i in groups.group_of(holder) if i in own])
        for holder in known.values()
    ]
    for holder in works.values():
        work = describe(holder, [documents[i] for i in groups.group_of(holder)])
        for paper in described:
            title = documents[holder].title or ""
            yield _Pair(work, paper, title, *fit(groups, work, paper, title))


def _the_one(groups: Groups, pairs: Sequence[_Pair]) -> _Pair | None:
    """The pair with the only paper that a work fits, surely before likely."""
    for strength in (SURE, LIKELY):
        fits = [pair for pair in pairs if pair.strength >= strength]
        if len({groups.root(pair.paper.holder) for pair in fits}) == 1:
            return fits[0]
    return None


def _agreeing(groups: Groups, pairs: Sequence[_Pair]) -> tuple[list[_Pair], list[Apart]]:
    """The works of one paper that do not contradict each other in what the paper lacks."""
    ids = [groups.strong_ids(pair.work.holder) for pair in pairs]
    doubtful = [s for s in STRONG if len({names[s] for names in ids if s in names}) > 1]
    years = [year for pair in pairs for year in pair.work.years]
    is_dated = bool(pairs[0].paper.years) or not years or max(years) - min(years) <= YEAR_SLACK
    believed, apart = [], []
    for pair, names in zip(pairs, ids, strict=True):
        if any(scheme in names for scheme in doubtful):
            apart.append(_apart(pair, IDS))
        elif pair.work.years and not is_dated:
            apart.append(_apart(pair, YEARS))
        else:
            believed.append(pair)
    return believed, apart


def _apart(pair: _Pair, reason: str) -> Apart:
    return Apart(pair.work.holder, pair.paper.holder, reason)
