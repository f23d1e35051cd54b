"""Which documents describe one paper."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.merge import Merge, merge_documents
from vivavoce.records import Document

IS_METADATA = {"metadata": True, "tei": False, "jats": False}


def tei(name: str = "a.tei.xml", **fields: Any) -> Document:
    return Document(kind="tei", key=name, source_file=name, **fields)


def row(key: str = "id:1", **fields: Any) -> Document:
    return Document(kind="metadata", key=key, **fields)


def merge(*documents: Document) -> Merge:
    return merge_documents(documents, IS_METADATA)


def grouped(*documents: Document) -> dict[str, list[str]]:
    """Paper id -> keys of its documents."""
    return {p.paper_id: [d.key for d in p.documents] for p in merge(*documents).papers}


def test_metadata_comes_before_extracted_text() -> None:
    found = merge(tei(title="Of graphs"), row(title="On Graphs", source_file="a.tei.xml"))
    assert [d.title for d in found.papers[0].documents] == ["On Graphs", "Of graphs"]
    # Not because of the alphabet.
    text = Document(kind="jats", key="a", title="Of graphs")
    assert [d.kind for d in merge(text, row(title="OF GRAPHS")).papers[0].documents] == [
        "metadata",
        "jats",
    ]


def test_one_arxiv_id_is_one_paper_although_preprint_and_print_have_different_dois() -> None:
    printed = row("arxiv:1410.5401", arxiv_id="1410.5401", doi="10.1000/print")
    preprint = tei(arxiv_id="1410.5401", doi="10.48550/arxiv.1410.5401")
    assert grouped(printed, preprint) == {"arxiv:1410.5401": ["arxiv:1410.5401", "a.tei.xml"]}


def test_a_doi_does_not_join_papers_with_different_arxiv_ids() -> None:
    one = tei(arxiv_id="1410.5401", doi="10.1000/x")
    other = row("arxiv:1412.6575", arxiv_id="1412.6575", doi="10.1000/x")
    assert sorted(grouped(one, other)) == ["arxiv:1410.5401", "arxiv:1412.6575"]


def test_a_row_completes_the_file_it_names_although_their_dois_differ() -> None:
    found = grouped(tei(doi="10.1000/preprint"), row(doi="10.1000/x", source_file="a.tei.xml"))
    assert found == {"doi:10.1000/x": ["id:1", "a.tei.xml"]}


def test_a_file_name_does_not_join_papers_with_different_arxiv_ids() -> None:
    one, other = tei(arxiv_id="1410.5401"), row(arxiv_id="1412.6575", source_file="a.tei.xml")
    assert len(grouped(one, other)) == 2


def test_titles_join_documents_of_different_kinds_after_normalisation() -> None:
    found = grouped(tei(title="Deep-Nets: a Study"), row(title="DEEP NETS — A study", given_id="p"))
    assert found == {"p": ["id:1", "a.tei.xml"]}


def test_two_papers_of_one_source_that_share_a_title_stay_two() -> None:
    found = merge(tei("a.tei.xml", title="Preface"), tei("b.tei.xml", title="Preface"))
    assert [p.paper_id for p in found.papers] == ["file:a.tei.xml", "file:b.tei.xml"]
    assert found.ambiguous_titles == 0


def test_a_title_that_fits_two_papers_completes_neither_and_is_counted() -> None:
    texts = (tei("a.tei.xml", title="Preface"), tei("b.tei.xml", title="Preface"))
    found = merge(*texts, row(title="Preface", given_id="p", published="1999"))
    assert [len(p.documents) for p in found.papers] == [1, 1, 1]
    assert found.ambiguous_titles == 1


def test_a_title_does_not_join_what_identifiers_keep_apart() -> None:
    found = merge(tei(title="Preface", doi="10.1000/a"), row(title="Preface", doi="10.1000/b"))
    assert len(found.papers) == 2
    assert found.ambiguous_titles == 1


def test_titles_without_letters_or_digits_join_nothing() -> None:
    assert len(grouped(tei(title="???"), row(title="!!!", given_id="p"))) == 2


def test_a_row_that_only_names_a_file_is_no_paper_of_its_own() -> None:
    lonely = row("file:gone.tei.xml", source_file="gone.tei.xml", title="Gone")
    assert merge(lonely, tei(title="Here")).unmatched == (lonely,)
    # A title joins it to a text under another name.
    assert merge(lonely, tei(title="Gone")).unmatched == ()


def test_the_surest_identifier_names_the_paper() -> None:
    ids: dict[str, str] = {"given_id": "g", "source_url": "u", "source_file": "f"}
    assert merge(row(**ids)).papers[0].paper_id == "g"
    assert merge(row(**ids, doi="10.1000/x")).papers[0].paper_id == "doi:10.1000/x"
    assert merge(row(**ids, acl_id="P18-1001")).papers[0].paper_id == "acl:P18-1001"
    assert merge(row(source_url="u")).papers[0].paper_id == "url:u"
    assert merge(row("odd")).papers[0].paper_id == "metadata:odd"


def few(*values: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *values])


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    """Documents whose identifiers, files and titles collide often."""
    count = draw(st.integers(1, 8))
    return [
        Document(
            kind=draw(st.sampled_from(sorted(IS_METADATA))),
            key=str(number),
            source_file=draw(few("f", "g")),
            given_id=draw(few("p", "q")),
            arxiv_id=draw(few("1410.5401", "1412.6575")),
            acl_id=draw(few("P18-1001", "P18-1002")),
            doi=draw(few("10.1000/a", "10.1000/b")),
            title=draw(few("Preface", "Of graphs")),
        )
        for number in range(count)
    ]


@given(documents(), st.randoms())
def test_the_order_of_documents_never_matters(found: list[Document], rng: random.Random) -> None:
    shuffled = rng.sample(found, len(found))
    assert merge(*shuffled) == merge(*found)


@given(documents())
def test_every_document_is_in_one_paper_and_paper_ids_are_unique(found: list[Document]) -> None:
    merged = merge(*found)
    ids = [paper.paper_id for paper in merged.papers]
    assert len(set(ids)) == len(ids)
    kept = [d.key for paper in merged.papers for d in paper.documents]
    assert sorted([*kept, *(d.key for d in merged.unmatched)]) == sorted(d.key for d in found)


@given(documents())
def test_documents_with_one_arxiv_id_are_always_one_paper(found: list[Document]) -> None:
    for number in {d.arxiv_id for d in found if d.arxiv_id}:
        holders = [
            p for p in merge(*found).papers if any(d.arxiv_id == number for d in p.documents)
        ]
        assert len(holders) == 1
