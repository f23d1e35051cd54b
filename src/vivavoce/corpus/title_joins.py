"""Papers of several sources that share a title and no identifier.

Groups of documents under one title are joined when the first author of each is an author of the
other, or one names none and the years agree; years may differ by two. Documents of different
sources are also joined when nothing more is known of one of them and nothing contradicts. All
groups that could be joined must fit each other: a title that fits two papers joins neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from vivavoce.corpus.dating import date_paper
from vivavoce.corpus.matching import is_telling, names_agree, skeleton, title_key, years_agree
from vivavoce.corpus.merge_groups import Groups, Join
from vivavoce.records import Document

MAX_AUTHORS = 50
"""Authors of a group that are looked at."""
MAX_NAMESAKES = 40
"""A title of more groups is a standing heading, and joins nothing."""
_SURE, _LIKELY = 2, 1
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
class _Group:
    """What is known of a group of documents, for comparing it with its namesakes."""

    holder: int
    """Its lowest document that bears the title."""
    kinds: frozenset[str]
    given: Mapping[str, frozenset[str]]
    """Its own ids inside each source."""
    first_authors: tuple[str, ...]
    """Of its documents, one each."""
    authors: tuple[str, ...]
    years: frozenset[int]


def join_by_title(
    groups: Groups, documents: Sequence[Document], no_papers: Collection[str] = ()
) -> tuple[list[Apart], int]:
    """Join groups that share a title.

    Returns the near misses, and the number of titles that documents of different sources share
    without having been joined.
    """
    by_key: dict[str, list[int]] = defaultdict(list)
    for index, document in enumerate(documents):
        if document.kind in no_papers or not document.title:
            continue
        if key := title_key(document.title):
            by_key[key].append(index)
    shared = [holders for _, holders in sorted(by_key.items()) if len(holders) > 1]
    for strength in (_SURE, _LIKELY):
        for holders in shared:
            _join_namesakes(groups, documents, holders, strength)
    apart: list[Apart] = []
    undecided = 0
    for holders in shared:
        namesakes = _namesakes(groups, documents, holders)
        apart += _near_misses(groups, documents, namesakes)
        undecided += len(namesakes) > 1 and len({g.kinds for g in namesakes}) > 1
    return [*apart, *_lookalikes(groups, documents, by_key)], undecided


def _join_namesakes(
    groups: Groups, documents: Sequence[Document], holders: Sequence[int], strength: int
) -> None:
    """Join what fits at least so well, where everything that fits fits each other."""
    namesakes = _namesakes(groups, documents, holders)
    if not 1 < len(namesakes) <= MAX_NAMESAKES:
        return
    title = documents[holders[0]].title or ""
    fits = {
        (one.holder, other.holder)
        for one, other in combinations(namesakes, 2)
        if _fit(groups, one, other, title)[0] >= strength
    }
    for component in _components([g.holder for g in namesakes], fits):
        if all(pair in fits for pair in combinations(component, 2)):
            for other in component[1:]:
                groups.join(Join(component[0], other, "title", title))


def _fit(groups: Groups, one: _Group, other: _Group, title: str) -> tuple[int, str]:
    """How well two namesakes fit, and the reason where they do not."""
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
        return _SURE, AMBIGUOUS
    if same_kind or not is_telling(title):
        return 0, LITTLE_KNOWN
    return _LIKELY, AMBIGUOUS


def _authors_agree(one: _Group, other: _Group) -> bool | None:
    """Whether the first author of each is an author of the other; the order may have changed."""
    if not one.first_authors or not other.first_authors:
        return None
    return all(
        any(names_agree(first, name) for first in mine.first_authors for name in theirs.authors)
        for mine, theirs in ((one, other), (other, one))
    )


def _namesakes(
    groups: Groups, documents: Sequence[Document], holders: Sequence[int]
) -> list[_Group]:
    lowest: dict[int, int] = {}
    for index in holders:
        lowest.setdefault(groups.root(index), index)
    if len(lowest) == 1:
        return []
    return [
        _describe(index, [documents[i] for i in groups.group_of(index)])
        for index in lowest.values()
    ]


def _describe(holder: int, documents: Sequence[Document]) -> _Group:
    given: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        if document.given_id:
            given[document.kind].add(document.given_id)
    return _Group(
        holder=holder,
        kinds=frozenset(document.kind for document in documents),
        given={kind: frozenset(ids) for kind, ids in given.items()},
        first_authors=tuple(dict.fromkeys(d.authors[0].name for d in documents if d.authors)),
        authors=tuple(dict.fromkeys(a.name for d in documents for a in d.authors[:MAX_AUTHORS])),
        years=frozenset(year for d in documents if (year := year_of(d)) is not None),
    )


def year_of(document: Document) -> int | None:
    """The year a document says, or that its identifier tells."""
    published = date_paper(document.published, document.arxiv_id, document.acl_id).published
    return int(published[:4]) if published else None


def _components(nodes: Sequence[int], edges: Collection[tuple[int, int]]) -> list[list[int]]:
    """What hangs together, each part in order; nodes without an edge are left out."""
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
    groups: Groups, documents: Sequence[Document], namesakes: Sequence[_Group]
) -> list[Apart]:
    """One near miss for each namesake after the first, against the first."""
    return [
        Apart(other.holder, namesakes[0].holder, _fit(groups, namesakes[0], other, title)[1])
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
