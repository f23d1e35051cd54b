"""Papers of several sources that share a title and no identifier.

Groups of documents under one title are joined when the first author of each is an author of the
other, or one names none and the years agree; years may differ by two. Documents of different
sources are also joined when nothing more is known of one of them and nothing contradicts. All
groups that could be joined must fit each other: a title that fits two papers joins neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from vivavoce.corpus.completing import complete_by_title
from vivavoce.corpus.matching import skeleton, title_key
from vivavoce.corpus.merge_groups import Groups, Join
from vivavoce.corpus.namesakes import (
    LIKELY,
    LOOKALIKE,
    MAX_NAMESAKES,
    SURE,
    Apart,
    Namesake,
    find_namesakes,
    fit,
)
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
