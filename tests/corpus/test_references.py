"""References resolved to papers of the corpus."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.references import PaperIndex
from vivavoce.records import Document, Reference


def index(*papers: tuple[str, str, int | None]) -> PaperIndex:
    """An index of (paper id, title, year)."""
    merged = [
        MergedPaper(
            paper_id,
            (Document("tei", paper_id, title=title, arxiv_id="1410.5401", doi="10.1000/x"),),
        )
        for paper_id, title, _ in papers
    ]
    return PaperIndex(merged, {paper_id: year for paper_id, _, year in papers})


def resolved(known: PaperIndex, **fields: Any) -> tuple[str, float] | None:
    found = known.resolve(Reference(0, "raw", **fields))
    return (found.resolver, found.confidence) if found else None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"arxiv_id": "1410.5401", "doi": "10.1000/x"}, ("arxiv_id", 1.0)),
        ({"doi": "10.1000/x", "title": "another"}, ("doi", 1.0)),
        ({"title": "Small nets can learn", "year": 2014}, ("title", 0.95)),
        ({"title": "SMALL NETS, can learn!", "year": 2016}, ("title", 0.95)),  # within two years
        ({"title": "Small nets can learn", "year": 2017}, ("title", 0.6)),
        ({"title": "Small nets can learn"}, ("title", 0.8)),
        ({"title": "Small nets"}, None),
        ({}, None),
    ],
)
def test_an_identifier_goes_before_a_title_and_a_near_year_adds_confidence(
    fields: dict[str, Any], expected: tuple[str, float] | None
) -> None:
    assert resolved(index(("p", "Small nets can learn", 2014)), **fields) == expected


@pytest.mark.parametrize(("year", "is_found"), [(2014, True), (2017, False), (None, False)])
def test_a_title_of_three_words_needs_a_year_that_agrees(year: int | None, is_found: bool) -> None:
    found = resolved(
        index(("p", "Adam optimizer revisited", 2014)), title="Adam optimizer revisited", year=year
    )
    assert (found is not None) == is_found


def test_a_title_that_two_papers_share_resolves_to_neither() -> None:
    known = index(("p", "Small nets can learn", 2014), ("q", "Small Nets Can Learn", 2014))
    assert resolved(known, title="Small nets can learn", year=2014) is None
