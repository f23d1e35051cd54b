"""Papers of a corpus as references are compared with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.corpus.identity.matching import (
    fold,
    names_agree,
    surname,
    title_words,
    years_agree,
)
from vivavoce.corpus.identity.merge import MergedPaper, identifiers, ids_in_doi
from vivavoce.corpus.identity.title_joins import year_of
from vivavoce.records import Document, Reference

MAX_RAW = 2_000
"""Characters of an entry of a reference list that are looked at."""
MAX_AUTHORS, MAX_NAME = 50, 200
"""Authors of a paper, and characters of a name, that are looked at."""
SCHEMES = ("arxiv", "doi", "acl", "given")
"""The identifiers that references are resolved by."""
SHARED_IDS = "s2:"
"""The start of given ids that references bear as well: those of Semantic Scholar."""
_YEAR = re.compile(r"(?<![0-9.:/-])(?:19|20)[0-9]{2}(?![0-9]|\.[0-9])")
_WORD = re.compile(r"[^\W\d_]+")
_MIN_SURNAME = 2
# Accents that came loose from their letters leave a name that cannot be compared.
_TORN = re.compile("[´`¨˜ˆ¸˘ˇ~^\\\\{}0-9]")


@dataclass(frozen=True, slots=True)
class KnownPaper:
    """A paper of the corpus."""

    paper_id: str
    titles: tuple[str, ...]
    authors: tuple[str, ...]
    """The first author stands first."""
    years: frozenset[int]
    names: tuple[tuple[str, str], ...] = ()
    """Its identifiers as (scheme, value), those of metadata first."""


class Evidence(NamedTuple):
    """Agreement of a reference and a paper in all fields but the title."""

    author: bool | None
    year: bool | None

    @property
    def contradicts(self) -> bool:
        """True if anything speaks against the paper."""
        return self.author is False or self.year is False

    @property
    def supports(self) -> int:
        """Number of facts that speak for the paper: 0, 1 or 2."""
        return (self.author is True) + (self.year is True)


def know_papers(
    papers: Sequence[MergedPaper],
    years: Mapping[str, int | None],
    metadata_kinds: Collection[str] = (),
) -> list[KnownPaper]:
    """Papers as references are compared with them.

    Where metadata tell a paper's title, those that were extracted from its text do not count: a
    wrong one would draw the references of another work.
    """
    return [know_paper(paper, years.get(paper.paper_id), metadata_kinds) for paper in papers]


def know_paper(
    paper: MergedPaper, year: int | None, metadata_kinds: Collection[str] = ()
) -> KnownPaper:
    """One paper as references are compared with it."""
    documents = paper.documents
    titled = [d for d in documents if d.title and d.kind in metadata_kinds]
    titled = titled or [d for d in documents if d.title]
    found = {year_of(document) for document in documents} | {year}
    authors = next((d.authors for d in documents if d.authors), ())
    return KnownPaper(
        paper_id=paper.paper_id,
        titles=tuple(dict.fromkeys(d.title for d in titled if d.title)),
        authors=tuple(author.name[:MAX_NAME] for author in authors[:MAX_AUTHORS]),
        years=frozenset(year for year in found if year is not None),
        names=tuple(dict.fromkeys(name for d in documents for name in _names(d))),
    )


def weigh(reference: Reference, paper: KnownPaper) -> Evidence:
    """Compare author and year of a reference with those of a paper."""
    dated = years_of(reference)
    return Evidence(_author_agrees(reference, paper), years_agree(dated, paper.years))


def years_of(reference: Reference) -> frozenset[int]:
    """The year of a reference; of an entry without one, every year its text holds."""
    if reference.year is not None:
        return frozenset({reference.year})
    return frozenset(int(year) for year in _YEAR.findall(reference.raw[:MAX_RAW]))


def names_surname(text: str, paper: KnownPaper) -> bool:
    """Return whether a text holds the surname of a paper's first author."""
    found = surname(paper.authors[0]) if paper.authors else ""
    return len(found) >= _MIN_SURNAME and found in _WORD.findall(fold(text))


def _author_agrees(reference: Reference, paper: KnownPaper) -> bool | None:
    """Return whether the reference names the paper's first author, or shows one of the paper's.

    Readers of reference lists take one author for another, so the whole entry is searched, except
    for the words of the title.
    """
    if not paper.authors:
        return None
    named = (reference.first_author or "")[:MAX_NAME]
    if named and any(names_agree(named, name) for name in paper.authors):
        return True
    first = surname(paper.authors[0])
    if first not in title_words(reference.title or "") and names_surname(
        reference.raw[:MAX_RAW], paper
    ):
        return True
    return False if named and not _TORN.search(named) else None


def _names(document: Document) -> list[tuple[str, str]]:
    values = identifiers(document)
    if not values.get("given", "").startswith(SHARED_IDS):
        values.pop("given", None)
    named = {**ids_in_doi(values.get("doi", "")), **values}
    return [(scheme, value) for scheme, value in named.items() if scheme in SCHEMES]
