"""Documents that only tell of a work, such as rows of results, find its paper by the title.

A title joins them to a paper as it joins documents of different sources: where it is telling,
nothing contradicts and no other paper fits. They neither join papers to each other nor need to
fit each other, but where two of them name different ids for one paper, neither is believed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from vivavoce.corpus.matching import YEAR_SLACK
from vivavoce.corpus.merge_groups import STRONG, Groups, Join
from vivavoce.corpus.namesakes import (
    IDS,
    LIKELY,
    MAX_NAMESAKES,
    SURE,
    YEARS,
    Apart,
    Namesake,
    describe,
    fit,
    lowest_holders,
)
from vivavoce.records import Document


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
