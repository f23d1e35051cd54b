"""Merging of documents that describe the same paper.

Two documents describe one paper if they share an identifier or a file name, or if they share a
title and their other fields agree. The order of the documents does not matter: the merged papers
depend only on the set of documents.

Groups of documents with one title are joined if the first author of each is an author of the other,
or if one names no author and the years agree (they may differ by two). Documents from different
sources are also joined if nothing more is known about one of them and nothing contradicts. All
groups that could be joined must fit each other: a title that fits two papers joins neither.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath
from typing import NamedTuple

from vivavoce.corpus.dating import date_paper
from vivavoce.corpus.matching import YEAR_SLACK, is_telling, names_agree, title_key, years_agree
from vivavoce.records import Document
from vivavoce.text.identifiers import ids_in_doi

DELETED = "deleted:"
"""Key prefix of a document that only records the deletion of a paper."""
STRONG = ("arxiv", "acl", "doi")
"""Schemes in which a paper has only one value, most reliable first."""
_CONTRADICTING: Mapping[str, tuple[str, ...]] = {
    "arxiv": (),
    "acl": ("arxiv",),
    "file": ("arxiv", "acl"),
    "doi": ("arxiv", "acl"),
    "given": STRONG,
    "url": STRONG,
}
"""For each scheme that joins documents, in this order: the schemes in which they may not differ.

DOIs may differ for one arXiv id or file: a preprint and its printed version have one each.
"""


@dataclass(frozen=True, slots=True)
class MergedPaper:
    """The documents of one paper, metadata first, and the id that they give the paper."""

    paper_id: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """The papers, sorted by id, and undecided documents."""

    papers: tuple[MergedPaper, ...]
    unmatched: tuple[Document, ...]
    """Metadata that only names a file, or deletes a record, if no such paper was ingested."""
    outside: tuple[Document, ...]
    """Completing documents about works that are not papers of the corpus."""


def merge_documents(
    documents: Sequence[Document],
    is_metadata: Mapping[str, bool],
    completing: Collection[str] = (),
) -> Merge:
    """Group documents, unique by (kind, key), into papers.

    Titles, authors and dates from metadata kinds take precedence. Documents of `completing` kinds
    only complete papers, which they find by identifier or title.
    """
    ordered = sorted(
        documents, key=lambda d: (not is_metadata[d.kind], d.kind in completing, d.kind, d.key)
    )
    own = [identifiers(document) for document in ordered]
    groups = Groups([with_implied(names) for names in own])
    for scheme, contradicting in _CONTRADICTING.items():
        for members in groups.holders(scheme):
            for other in members[1:]:
                groups.join(members[0], other, contradicting)
    join_by_title(groups, ordered, completing)
    papers, unmatched, outside = [], [], []
    for members in groups.members():
        merged = tuple(ordered[index] for index in members)
        if all(d.kind in completing or only_names_a_file(d, is_metadata) for d in merged):
            outside += [d for d in merged if d.kind in completing]
            unmatched += [d for d in merged if d.kind not in completing]
            continue
        paper_id = paper_id_of(merged, [own[index] for index in members], completing)
        papers.append(MergedPaper(paper_id, merged))
    papers.sort(key=lambda paper: paper.paper_id)
    return Merge(tuple(papers), tuple(unmatched), tuple(outside))


def identifiers(document: Document) -> dict[str, str]:
    """Return a document's identifiers, by scheme."""
    values = {
        "arxiv": document.arxiv_id,
        "acl": document.acl_id,
        "doi": document.doi,
        "file": PurePosixPath(document.source_file).name if document.source_file else None,
        "given": document.given_id,
        "url": document.source_url,
    }
    return {scheme: value for scheme, value in values.items() if value}


def only_names_a_file(document: Document, is_metadata: Mapping[str, bool]) -> bool:
    """Check whether a document only completes or deletes a paper from another document."""
    return is_metadata[document.kind] and document.key.startswith(("file:", DELETED))


def with_implied(names: Mapping[str, str]) -> dict[str, str]:
    """Add identifiers found inside a DOI; a preprint's DOI is not kept as the paper's DOI."""
    implied = ids_in_doi(names.get("doi", ""))
    return {**implied, **{s: v for s, v in names.items() if s != "doi" or "arxiv" not in implied}}


def paper_id_of(
    documents: Sequence[Document],
    names: Sequence[Mapping[str, str]],
    completing: Collection[str] = (),
) -> str:
    """The id of the paper described by documents; `names` are their identifiers.

    Completing documents do not affect the id, so adding a list of results does not change it.
    """
    own = [n for d, n in zip(documents, names, strict=True) if d.kind not in completing]
    for scheme in (*STRONG, "given", "url", "file"):
        for name in own:
            if value := name.get(scheme):
                return value if scheme == "given" else f"{scheme}:{value}"
    first = next((d for d in documents if d.kind not in completing), documents[0])
    return f"{first.kind}:{first.key}"


class Groups:
    """Documents by number, joined step by step.

    A group knows the strong identifiers of its documents. For each scheme, it takes the value from
    its lowest document that has one.
    """

    def __init__(self, names: Sequence[Mapping[str, str]]) -> None:
        self._names = names
        self._parent = list(range(len(names)))
        self._members = [[index] for index in self._parent]
        self._strong = [{s: name[s] for s in STRONG if s in name} for name in names]

    def root(self, index: int) -> int:
        """The lowest document in a document's group; it represents the group."""
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def contradict(self, one: int, other: int, schemes: Sequence[str] = STRONG) -> bool:
        """Return whether the groups of two documents have different values in any of `schemes`."""
        ids, other_ids = self._strong[self.root(one)], self._strong[self.root(other)]
        return any(s in ids and s in other_ids and ids[s] != other_ids[s] for s in schemes)

    def strong_ids(self, index: int) -> Mapping[str, str]:
        """The strong identifiers of a document's group, by scheme."""
        return self._strong[self.root(index)]

    def join(self, one: int, other: int, contradicting: Sequence[str] = STRONG) -> None:
        """Join the groups of two documents, unless they differ in a `contradicting` scheme."""
        low, high = sorted((self.root(one), self.root(other)))
        if low == high or self.contradict(low, high, contradicting):
            return
        self._parent[high] = low
        self._strong[low] = {**self._strong[high], **self._strong[low]}
        self._members[low] = sorted(self._members[low] + self._members[high])

    def holders(self, scheme: str) -> list[list[int]]:
        """For each value that several documents share in a scheme, these documents."""
        by_value: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self._names):
            if scheme in name:
                by_value[name[scheme]].append(index)
        return [members for members in by_value.values() if len(members) > 1]

    def group_of(self, index: int) -> list[int]:
        """All documents in the group of one document, in order."""
        return self._members[self.root(index)]

    def lowest_of_each(self, documents: Sequence[int]) -> dict[int, int]:
        """The lowest of some documents in each group, by the group's root."""
        lowest: dict[int, int] = {}
        for index in documents:
            lowest.setdefault(self.root(index), index)
        return lowest

    def members(self) -> list[list[int]]:
        """The documents of each group."""
        return [self._members[i] for i, parent in enumerate(self._parent) if i == parent]


MAX_AUTHORS = 50
"""Maximum number of authors compared per document."""
MAX_NAMESAKES = 40
"""Maximum groups with the same title; a title with more is generic and ignored."""
SURE, LIKELY = 2, 1
"""Degrees to which two namesakes fit; 0 if they do not."""


@dataclass(frozen=True, slots=True)
class Namesake:
    """Facts about a group of documents, for comparison with other groups of the same title."""

    holder: int
    """The group's lowest document with the title."""
    kinds: frozenset[str]
    given: Mapping[str, frozenset[str]]
    """The group's given ids, by source."""
    first_authors: tuple[str, ...]
    """The first author of each document, without duplicates."""
    authors: tuple[str, ...]
    years: frozenset[int]


def fit(groups: Groups, one: Namesake, other: Namesake, title: str) -> int:
    """Degree to which two namesakes fit."""
    same_kind = bool(one.kinds & other.kinds)
    named = one.given.keys() & other.given.keys()
    if groups.contradict(one.holder, other.holder) or any(
        one.given[kind].isdisjoint(other.given[kind]) for kind in named
    ):
        return 0
    authors = _authors_agree(one, other)
    years = years_agree(one.years, other.years)
    if authors is False or years is False:
        return 0
    if not is_telling(title):
        is_sure = bool(authors and years) and not same_kind
    elif same_kind:
        is_sure = bool(authors)
    else:
        is_sure = bool(authors or years)
    if is_sure:
        return SURE
    return 0 if same_kind or not is_telling(title) else LIKELY


def year_of(document: Document) -> int | None:
    """The year of a document, else the year in its identifier."""
    published = date_paper(document.published, document.arxiv_id, document.acl_id).published
    return int(published[:4]) if published else None


def _authors_agree(one: Namesake, other: Namesake) -> bool | None:
    """Return whether the first author of each is an author of the other, in any order."""
    if not one.first_authors or not other.first_authors:
        return None
    return all(
        any(names_agree(first, name) for first in a.first_authors for name in b.authors)
        for a, b in ((one, other), (other, one))
    )


class _Pair(NamedTuple):
    """A completing group and a paper with the same title."""

    work: Namesake
    paper: Namesake
    strength: int


def join_by_title(
    groups: Groups,
    documents: Sequence[Document],
    completing: Collection[str] = (),
) -> None:
    """Join groups that share a title.

    Papers are first compared by their own documents alone, without those that only complete papers.
    Then the completing documents find their papers.
    """
    by_key: dict[str, list[int]] = defaultdict(list)
    of_lists: dict[str, list[int]] = defaultdict(list)
    own = {i for i, document in enumerate(documents) if document.kind not in completing}
    for index, document in enumerate(documents):
        if key := title_key(document.title or ""):
            (by_key if index in own else of_lists)[key].append(index)
    joiner = _Joiner(groups, documents, own)
    shared = [holders for _, holders in sorted(by_key.items()) if len(holders) > 1]
    for strength in (SURE, LIKELY):
        for holders in shared:
            joiner.join_namesakes(holders, strength)
    joiner.complete(by_key, of_lists)


class _Joiner:
    """Joins groups of documents by title; those in `own` make papers, others complete papers."""

    def __init__(self, groups: Groups, documents: Sequence[Document], own: Set[int]) -> None:
        self._groups, self._documents, self._own = groups, documents, own

    def join_namesakes(self, holders: Sequence[int], strength: int) -> None:
        """Join namesakes that fit at least to this degree, if all those also fit each other."""
        lowest = self._groups.lowest_of_each(holders)
        if not 1 < len(lowest) <= MAX_NAMESAKES:
            return
        title = self._documents[holders[0]].title or ""
        fitting = {holder: {holder} for holder in lowest.values()}
        namesakes = [self._describe(holder, own=True) for holder in fitting]
        for one, other in combinations(namesakes, 2):
            if fit(self._groups, one, other, title) >= strength:
                fitting[one.holder].add(other.holder)
                fitting[other.holder].add(one.holder)
        for holder, members in fitting.items():
            if holder == min(members) and all(fitting[other] == members for other in members):
                for joined in sorted(members - {holder}):
                    self._groups.join(holder, joined)

    def complete(
        self, of_papers: Mapping[str, Sequence[int]], of_lists: Mapping[str, Sequence[int]]
    ) -> None:
        """Join completing documents to the only paper that they fit.

        Both arguments map title keys to documents.
        """
        by_work: dict[int, list[_Pair]] = defaultdict(list)
        for key in sorted(of_papers.keys() & of_lists.keys()):
            for pair in self._pairs(of_papers[key], of_lists[key]):
                by_work[self._groups.root(pair.work.holder)].append(pair)
        by_paper: dict[int, list[_Pair]] = defaultdict(list)
        for pairs in by_work.values():
            best = self._the_one(pairs)
            if best:
                by_paper[self._groups.root(best.paper.holder)].append(best)
        for pairs in by_paper.values():
            for pair in self._agreeing(pairs):
                self._groups.join(pair.paper.holder, pair.work.holder)

    def _describe(self, holder: int, *, own: bool) -> Namesake:
        """Facts about a document's group, from all its documents or only from those in `own`."""
        members = self._groups.group_of(holder)
        documents = [self._documents[i] for i in members if not own or i in self._own]
        given: dict[str, set[str]] = defaultdict(set)
        for document in documents:
            if document.given_id:
                given[document.kind].add(document.given_id)
        named = [(d.authors[0].name, d) for d in documents if d.authors]
        return Namesake(
            holder=holder,
            kinds=frozenset(document.kind for document in documents),
            given={kind: frozenset(ids) for kind, ids in given.items()},
            first_authors=tuple(dict.fromkeys(first for first, _ in named)),
            authors=tuple(dict.fromkeys(a.name for _, d in named for a in d.authors[:MAX_AUTHORS])),
            years=frozenset(year for d in documents if (year := year_of(d)) is not None),
        )

    def _pairs(self, papers: Sequence[int], lists: Sequence[int]) -> Iterator[_Pair]:
        """Pair each work that has no paper yet with each paper of the same title."""
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
            work, title = self._describe(holder, own=False), self._documents[holder].title or ""
            for paper in described:
                yield _Pair(work, paper, fit(self._groups, work, paper, title))

    def _the_one(self, pairs: Sequence[_Pair]) -> _Pair | None:
        """The pair with the only paper that fits a work; sure fits go before likely ones."""
        for strength in (SURE, LIKELY):
            fits = [pair for pair in pairs if pair.strength >= strength]
            if len({self._groups.root(pair.paper.holder) for pair in fits}) == 1:
                return fits[0]
        return None

    def _agreeing(self, pairs: Sequence[_Pair]) -> list[_Pair]:
        """Keep works unless they differ in fields that are missing from their paper."""
        ids = [self._groups.strong_ids(pair.work.holder) for pair in pairs]
        doubtful = [s for s in STRONG if len({names[s] for names in ids if s in names}) > 1]
        years = [year for pair in pairs for year in pair.work.years]
        is_dated = bool(pairs[0].paper.years) or not years or max(years) - min(years) <= YEAR_SLACK
        return [
            pair
            for pair, names in zip(pairs, ids, strict=True)
            if not any(scheme in names for scheme in doubtful) and (is_dated or not pair.work.years)
        ]
