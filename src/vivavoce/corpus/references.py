"""References resolved to papers of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce.corpus.merge import MergedPaper, identifiers
from vivavoce.records import Reference
from vivavoce.text.normalise import normalise_title

YEAR_SLACK = 2
"""A preprint and its proceedings may be dated this many years apart."""
_LONG_TITLE_WORDS = 4


class Resolution(NamedTuple):
    """The paper a reference means, how that was found and how sure it is."""

    paper_id: str
    resolver: str
    """`arxiv_id`, `doi` or `title`."""
    confidence: float


class PaperIndex:
    """Finds papers by identifier, else by normalised title.

    A title that two papers share resolves to neither. A title of fewer than four words needs a
    year that agrees within `YEAR_SLACK`.
    """

    def __init__(self, papers: Sequence[MergedPaper], years: Mapping[str, int | None]) -> None:
        self._years = years
        self._by_scheme: dict[str, dict[str, str]] = {"arxiv": {}, "doi": {}}
        self._by_title: dict[str, str | None] = {}
        for paper in papers:
            for document in paper.documents:
                self._add_identifiers(paper.paper_id, identifiers(document))
                if document.title:
                    self._add_title(normalise_title(document.title), paper.paper_id)

    def resolve(self, reference: Reference) -> Resolution | None:
        """The paper a reference means; None when it is not in the corpus."""
        for scheme, value, name in (
            ("arxiv", reference.arxiv_id, "arxiv_id"),
            ("doi", reference.doi, "doi"),
        ):
            if value and (paper_id := self._by_scheme[scheme].get(value)):
                return Resolution(paper_id, name, 1.0)
        return self._by_title_and_year(reference)

    def _by_title_and_year(self, reference: Reference) -> Resolution | None:
        title = normalise_title(reference.title) if reference.title else ""
        paper_id = self._by_title.get(title)
        if not paper_id:
            return None
        known = self._years.get(paper_id)
        dated = reference.year is not None and known is not None
        agrees = dated and abs((reference.year or 0) - (known or 0)) <= YEAR_SLACK
        if agrees:
            return Resolution(paper_id, "title", 0.95)
        if len(title.split()) >= _LONG_TITLE_WORDS:
            return Resolution(paper_id, "title", 0.6 if dated else 0.8)
        return None

    def _add_identifiers(self, paper_id: str, values: Mapping[str, str]) -> None:
        for scheme, known in self._by_scheme.items():
            if value := values.get(scheme):
                known.setdefault(value, paper_id)

    def _add_title(self, title: str, paper_id: str) -> None:
        if title:
            other = self._by_title.setdefault(title, paper_id)
            if other != paper_id:
                self._by_title[title] = None
