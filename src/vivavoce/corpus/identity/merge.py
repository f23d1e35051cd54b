"""Documents that describe one paper, found and merged.

Two documents describe one paper when they share an identifier or a file name, or when they share a
title and their other fields agree (`title_joins`). The order of the documents does not matter: the
merged papers depend only on the set of documents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from vivavoce.corpus.identity.title_joins import STRONG, Groups, join_by_title
from vivavoce.records import Document
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id

_ARXIV_DOI = "10.48550/arxiv."
DELETED = "deleted:"
"""Start of the key of a document that only says that its repository deleted the paper."""
ACL_DOIS = ("10.18653/v1/", "10.3115/v1/")
"""Prefix of DOIs that are made of an Anthology id."""
_CONTRADICTING: Mapping[str, tuple[str, ...]] = {
    "arxiv": (),
    "acl": ("arxiv",),
    "file": ("arxiv", "acl"),
    "doi": ("arxiv", "acl"),
    "given": STRONG,
    "url": STRONG,
}
"""Schemes that may not differ in documents that agree in a scheme, tried in this order.

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
    """Metadata that only names a file, or a deleted record, of which no paper was ingested."""
    outside: tuple[Document, ...]
    """Documents that complete papers, of works that are not a paper of the corpus."""


def merge_documents(
    documents: Sequence[Document],
    is_metadata: Mapping[str, bool],
    completing: Collection[str] = (),
) -> Merge:
    """Group documents into papers.

    Args:
        documents: One for each (kind, key).
        is_metadata: Whether a kind's titles, authors and dates go before those of the others.
        completing: Kinds whose documents only complete papers; their titles may find one.
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


def ids_in_doi(doi: str) -> dict[str, str]:
    """The arXiv or Anthology id that a DOI is made of, by scheme; empty for other DOIs."""
    if doi.startswith(_ARXIV_DOI) and (found := find_arxiv_id(doi.removeprefix(_ARXIV_DOI))):
        return {"arxiv": found[0]}
    if doi.startswith(ACL_DOIS) and (acl_id := find_acl_id(doi)):
        return {"acl": acl_id}
    return {}


def only_names_a_file(document: Document, is_metadata: Mapping[str, bool]) -> bool:
    """Check whether a document only completes, or deletes, a paper that another one brings."""
    return is_metadata[document.kind] and document.key.startswith(("file:", DELETED))


def with_implied(names: Mapping[str, str]) -> dict[str, str]:
    """Identifiers, with those inside a DOI; a preprint's DOI is not a second DOI of the paper."""
    implied = ids_in_doi(names.get("doi", ""))
    return {**implied, **{s: v for s, v in names.items() if s != "doi" or "arxiv" not in implied}}


def paper_id_of(
    documents: Sequence[Document],
    names: Sequence[Mapping[str, str]],
    completing: Collection[str] = (),
) -> str:
    """The id of the paper that documents with some identifiers make.

    What only completes a paper does not name it: its id stays when a list of results comes.
    """
    own = [n for d, n in zip(documents, names, strict=True) if d.kind not in completing]
    for scheme in (*STRONG, "given", "url", "file"):
        for name in own:
            if value := name.get(scheme):
                return value if scheme == "given" else f"{scheme}:{value}"
    first = next((d for d in documents if d.kind not in completing), documents[0])
    return f"{first.kind}:{first.key}"
