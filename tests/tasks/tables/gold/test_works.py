"""What is known of works: papers of the corpus, and works that are only cited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.tables.printed_tables import OLD, SURVEY, survey_corpus
from tests.tasks.tables.table_corpora import reference

from vivavoce.corpus.schema import TABLES, paper_from_row
from vivavoce.tasks.library import library_as_bytes, read_library
from vivavoce.tasks.tables.items.cited_works import (
    corpus_works,
    is_outside,
    merge_works,
    work_id,
    work_of_reference,
    works_library,
)
from vivavoce.tasks.tables.items.table_items import Work


def test_two_papers_that_cite_one_title_mean_one_work() -> None:
    first = work_of_reference(reference("a", 0, "Ames", 2019, title="Deep Nets: A Tour"))
    second = work_of_reference(reference("b", 7, "A. Ames", 2020, title="Deep nets - a tour"))
    assert first.paper_id == second.paper_id
    assert is_outside(first.paper_id)
    assert first.published == "2019"
    assert first.evidence == "title"


def test_without_a_title_the_entry_itself_tells_works_apart() -> None:
    first = work_of_reference(reference("a", 0, "Ames", 2019, raw="Ames. Nature  2019."))
    same = work_of_reference(reference("b", 0, "Ames", 2019, raw="Ames. Nature 2019."))
    other = work_of_reference(reference("b", 1, "Ames", 2020, raw="Ames. Nature 2020."))
    assert first.title == ""
    assert first.paper_id == same.paper_id != other.paper_id


def test_an_address_or_a_venue_is_no_title() -> None:
    for title in (
        "doi: 10.1609/aaai.v38i17.29946",
        "https://example.org",
        "URL https://example.org",
        "arXiv preprint arXiv:2001.00001",
        "In The Thirty-eighth Annual Conference on Nets",
        "--",
    ):
        assert work_of_reference(reference("a", 0, "Ames", 2019, title=title)).title == ""
    kept = work_of_reference(reference("a", 0, "Ames", 2019, title="In Praise of Trees"))
    assert kept.title == "In Praise of Trees"


def test_the_corpus_goes_before_what_citations_say() -> None:
    row: dict[str, Any] = dict.fromkeys(TABLES["papers"].names) | {"categories": [], "gates": []}
    known = {"title": "Parsing", "abstract": "On parsing.", "first_public": "2020-01-05"}
    paper = paper_from_row(row | {"paper_id": "p"} | known)
    works = [
        Work("p", "Parsing (extended)", None, "2019", False),
        Work("work:1", "", None, None, False),
        Work("work:1", "Later named", None, "2018", False),
        Work("work:1", "And renamed", None, "2017", False),
    ]
    assert merge_works(works, {"p": paper}, {"p"}) == {
        "p": Work("p", "Parsing", "On parsing.", "2020-01-05", True),
        "work:1": Work("work:1", "Later named", None, "2018", False),
    }


def test_evidence_is_the_most_that_is_known() -> None:
    assert Work("p", "T", None, None, False).evidence == "title"
    assert Work("p", "T", "A", None, False).evidence == "abstract"
    assert Work("p", "T", "A", None, True).evidence == "fulltext"


def test_the_library_of_a_round_holds_works_outside_of_the_corpus_too(tmp_path: Path) -> None:
    corpus = survey_corpus(tmp_path)
    outside = Work(work_id("A work", ""), "A work", None, "2018", False)
    rows = works_library(corpus, [outside, corpus_works(corpus)[OLD]])
    library = read_library(library_as_bytes(rows))
    assert list(library) == sorted([OLD, outside.paper_id])
    assert library[OLD].sections[0].text == "Of ash."
    assert library[outside.paper_id].title == "A work"
    assert library[outside.paper_id].sections == ()


def test_every_titled_paper_of_a_corpus_is_a_work(tmp_path: Path) -> None:
    works = corpus_works(survey_corpus(tmp_path))
    assert sorted(works) == [OLD, SURVEY]
    assert works[OLD].abstract == "On ash."


@given(st.text(min_size=1, max_size=40))
def test_an_id_does_not_depend_on_case_and_spaces(title: str) -> None:
    assert work_id(title, "raw") == work_id(f"  {title.strip()}\n", "raw")
