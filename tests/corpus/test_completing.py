"""Lists of results complete the papers that they name, and make none."""

from __future__ import annotations

import random
from typing import Any

from vivavoce.corpus.identity.merge import Merge, merge_documents
from vivavoce.records import Document

IS_METADATA = {"metadata": True, "tei": False, "pwc": True, "tdms": True}
LISTS = {"pwc", "tdms"}
STUDY = "A study of small graphs"


def merge(*documents: Document) -> Merge:
    return merge_documents(documents, IS_METADATA, LISTS)


def grouped(*documents: Document) -> dict[str, list[str]]:
    return {p.paper_id: [d.key for d in p.documents] for p in merge(*documents).papers}


def tei(key: str = "a.xml", **fields: Any) -> Document:
    return Document(kind="tei", key=key, source_file=key, **fields)


def listed(key: str = "l", kind: str = "pwc", **fields: Any) -> Document:
    return Document(kind=kind, key=key, **fields)


def apart(*documents: Document) -> list[tuple[str | None, str]]:
    rows = [join for join in merge(*documents).joins if join.joined_by == "apart"]
    return [(join.paper_id, join.detail.partition(":")[0]) for join in rows]


def test_a_listed_work_that_is_no_paper_of_the_corpus_makes_none() -> None:
    work = listed(arxiv_id="1801.00001", title=STUDY)
    found = merge(work, tei(title="Another study of trees"))
    assert [paper.paper_id for paper in found.papers] == ["file:a.xml"]
    assert found.outside == (work,)
    assert found.unmatched == found.joins == ()


def test_two_lists_of_one_work_do_not_make_a_paper_together() -> None:
    works = (listed(arxiv_id="1801.00001"), listed("t", "tdms", arxiv_id="1801.00001"))
    assert merge(*works).papers == ()
    assert merge(*works).outside == works


def test_an_id_a_file_and_a_title_find_the_paper() -> None:
    by_id = listed("i", arxiv_id="1801.00001", source_url="https://arxiv.org/abs/1801.00001")
    by_file = listed("f", "tdms", source_file="a.xml", acl_id="P18-1001")
    by_title = listed("t", title=STUDY.upper(), source_url="https://example.org/study")
    text = tei(title=STUDY, arxiv_id="1801.00001")
    assert grouped(by_id, by_file, by_title, text) == {"arxiv:1801.00001": ["i", "t", "f", "a.xml"]}


def test_a_list_does_not_rename_a_paper() -> None:
    work = listed(title=STUDY, source_url="https://example.org/study", arxiv_id="1801.00001")
    assert list(grouped(work, tei(title=STUDY))) == ["file:a.xml"]
    # Its id finds the paper for others nevertheless.
    other = Document(kind="metadata", key="m", arxiv_id="1801.00001")
    assert list(grouped(listed(source_file="a.xml", arxiv_id="1801.00001"), other, tei())) == [
        "arxiv:1801.00001"
    ]


def test_one_list_may_know_a_paper_by_several_addresses() -> None:
    works = [listed(f"l{n}", title=STUDY, source_url=f"https://example.org/{n}") for n in (1, 2)]
    assert grouped(*works, tei(title=STUDY)) == {"file:a.xml": ["l1", "l2", "a.xml"]}


def test_a_title_that_fits_two_papers_completes_neither() -> None:
    texts = (tei(title=STUDY, published="2015"), tei("b.xml", title=STUDY, published="2010"))
    assert sorted(grouped(listed(title=STUDY), *texts)) == ["file:a.xml", "file:b.xml"]
    assert merge(listed(title=STUDY), *texts).outside
    assert (None, "it fits more than one paper") in apart(listed(title=STUDY), *texts)
    # The year decides.
    found = grouped(listed(title=STUDY, published="2009"), *texts)
    assert found == {"file:a.xml": ["a.xml"], "file:b.xml": ["l", "b.xml"]}


def test_short_titles_other_ids_and_other_years_keep_a_list_apart() -> None:
    assert merge(listed(title="Of graphs"), tei(title="Of graphs")).outside
    one = (listed(title=STUDY, arxiv_id="1801.00001"), tei(title=STUDY, arxiv_id="1801.00002"))
    assert apart(*one) == [(None, "ids differ")]
    other = (listed(title=STUDY, published="2010"), tei(title=STUDY, arxiv_id="1801.00002"))
    assert apart(*other) == [(None, "years differ")]


def test_works_that_name_different_ids_for_one_paper_are_not_believed() -> None:
    works = [listed(f"l{n}", title=STUDY, arxiv_id=f"1801.0000{n}") for n in (1, 2)]
    sure = listed("sure", title=STUDY, acl_id="P18-1001")
    assert grouped(*works, sure, tei(title=STUDY)) == {"file:a.xml": ["sure", "a.xml"]}
    assert apart(*works, sure, tei(title=STUDY)) == [(None, "ids differ")] * 2


def test_lists_join_no_papers_that_they_would_not_be_joined_without() -> None:
    texts = (tei(title=STUDY), tei("b.xml", title=STUDY, arxiv_id="1801.00001"))
    alone = merge(*texts)
    work = listed(title=STUDY, arxiv_id="1801.00001")
    assert len(merge(work, *texts).papers) == len(alone.papers) == 2


def test_the_order_of_the_documents_changes_nothing() -> None:
    documents = [
        *(tei(f"{n}.xml", title=f"{STUDY} {n % 4}", published=f"{2010 + n}") for n in range(6)),
        *(listed(f"l{n}", title=f"{STUDY} {n % 5}", published=f"{2009 + n}") for n in range(8)),
        *(listed(f"t{n}", "tdms", source_file=f"{n}.xml") for n in range(3)),
    ]
    expected = merge(*documents)
    assert expected.outside
    for seed in range(5):
        random.Random(seed).shuffle(documents)
        assert merge(*documents) == expected
