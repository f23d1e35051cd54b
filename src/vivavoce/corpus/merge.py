"""Documents that describe one paper, found and merged.

Two documents describe one paper when they share an identifier or a file name, or when their
normalised titles agree and nothing contradicts it. Which of them came first does not matter: the
merged papers depend only on the set of documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from vivavoce.records import Document
from vivavoce.text.normalise import normalise_title

_STRONG = ("arxiv", "acl", "doi")
"""Schemes in which one paper has one value, the surest first."""
_CONTRADICTING: Mapping[str, tuple[str, ...]] = {
    "arxiv": (),
    "acl": ("arxiv",),
    "file": ("arxiv", "acl"),
    "doi": ("arxiv", "acl"),
    "given": _STRONG,
    "url": _STRONG,
    "title": _STRONG,
}
"""What may not differ in documents that agree in a scheme, tried in this order.

DOIs may differ beside one arXiv id or file: a preprint and its print have one each.
"""


@dataclass(frozen=True, slots=True)
class MergedPaper:
    """The documents of one paper, metadata first, and the identity they give it."""

    paper_id: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """The papers found, sorted by id, and what could not be decided."""

    papers: tuple[MergedPaper, ...]
    unmatched: tuple[Document, ...]
    """Metadata rows that only name a file which no ingested paper came from."""
    ambiguous_titles: int
    """Titles of documents left apart because more than one pairing was possible."""


def merge_documents(documents: Sequence[Document], is_metadata: Mapping[str, bool]) -> Merge:
    """Group documents into papers.

    Args:
        documents: One for each (kind, key).
        is_metadata: Whether a kind's titles, authors and dates go before those of the others.
    """
    ordered = sorted(documents, key=lambda d: (not is_metadata[d.kind], d.kind, d.key))
    names = [identifiers(document) for document in ordered]
    groups = _Groups(names)
    for scheme in _CONTRADICTING:
        for members in _by_identifier(names, scheme).values():
            for other in members[1:]:
                groups.join(members[0], other, scheme)
    ambiguous = _join_by_title(groups, ordered)
    papers, unmatched = [], []
    for members in groups.members():
        merged = tuple(ordered[index] for index in members)
        if len(merged) == 1 and is_metadata[merged[0].kind] and merged[0].key.startswith("file:"):
            unmatched.append(merged[0])
        else:
            papers.append(MergedPaper(_paper_id(merged, [names[i] for i in members]), merged))
    papers.sort(key=lambda paper: paper.paper_id)
    return Merge(tuple(papers), tuple(unmatched), ambiguous)


def identifiers(document: Document) -> dict[str, str]:
    """A document's identifiers by scheme."""
    values = {
        "arxiv": document.arxiv_id,
        "acl": document.acl_id,
        "doi": document.doi,
        "file": PurePosixPath(document.source_file).name if document.source_file else None,
        "given": document.given_id,
        "url": document.source_url,
    }
    return {scheme: value for scheme, value in values.items() if value}


class _Groups:
    """Disjoint sets of documents whose strong identifiers do not contradict each other."""

    def __init__(self, names: Sequence[Mapping[str, str]]) -> None:
        self._parent = list(range(len(names)))
        self._strong = [{s: name[s] for s in _STRONG if s in name} for name in names]

    def root(self, index: int) -> int:
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def join(self, one: int, other: int, scheme: str) -> bool:
        """Join two groups that agree in a scheme; False when a surer one contradicts."""
        low, high = sorted((self.root(one), self.root(other)))
        if low == high:
            return True
        mine, theirs = self._strong[low], self._strong[high]
        both = (s for s in _CONTRADICTING[scheme] if s in mine and s in theirs)
        if any(mine[s] != theirs[s] for s in both):
            return False
        self._parent[high] = low
        self._strong[low] = {**theirs, **mine}
        return True

    def members(self) -> list[list[int]]:
        groups: dict[int, list[int]] = defaultdict(list)
        for index in range(len(self._parent)):
            groups[self.root(index)].append(index)
        return list(groups.values())


def _by_identifier(names: Sequence[Mapping[str, str]], scheme: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, name in enumerate(names):
        if scheme in name:
            found[name[scheme]].append(index)
    return found


def _join_by_title(groups: _Groups, documents: Sequence[Document]) -> int:
    """Join the two groups that share a title, when their kinds differ; count undecided titles."""
    by_title: dict[str, dict[int, None]] = defaultdict(dict)
    kinds: dict[int, set[str]] = defaultdict(set)
    for index, document in enumerate(documents):
        root = groups.root(index)
        kinds[root].add(document.kind)
        if document.title and (title := normalise_title(document.title)):
            by_title[title][root] = None
    ambiguous = 0
    for _, roots in sorted(by_title.items()):
        current = list(dict.fromkeys(groups.root(root) for root in roots))
        if len(current) == 1 or len({kind for root in current for kind in kinds[root]}) == 1:
            continue
        one, other = current[0], current[1]
        if len(current) > 2 or kinds[one] & kinds[other] or not groups.join(one, other, "title"):
            ambiguous += 1
            continue
        kinds[groups.root(one)] = kinds[one] | kinds[other]
    return ambiguous


def _paper_id(documents: Sequence[Document], names: Sequence[Mapping[str, str]]) -> str:
    for scheme in (*_STRONG, "given", "url", "file"):
        for name in names:
            if value := name.get(scheme):
                return value if scheme == "given" else f"{scheme}:{value}"
    return f"{documents[0].kind}:{documents[0].key}"
