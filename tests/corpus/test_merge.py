"""Which documents describe one paper."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.merge import Merge, merge_documents
from vivavoce.records import Author, Document

IS_METADATA = {"metadata": True, "snapshot": True, "tei": False, "jats": False}
LISTS = {"pwc", "tdms"}


def tei(name: str = "a.tei.xml", **fields: Any) -> Document:
    return Document(kind="tei", key=name, source_file=name, **fields)


def row(key: str = "id:1", **fields: Any) -> Document:
    return Document(kind="metadata", key=key, **fields)


def by(*names: str) -> tuple[Author, ...]:
    return tuple(Author(name) for name in names)


def merge(*documents: Document) -> Merge:
    return merge_documents(documents, IS_METADATA | dict.fromkeys(LISTS, True), LISTS)


def grouped(*documents: Document) -> dict[str, list[str]]:
    """Paper id -> keys of its documents."""
    return {p.paper_id: [d.key for d in p.documents] for p in merge(*documents).papers}


def test_metadata_comes_before_extracted_text() -> None:
    found = merge(tei(title="Of graphs"), row(title="On Graphs", source_file="a.tei.xml"))
    assert [d.title for d in found.papers[0].documents] == ["On Graphs", "Of graphs"]
    # Not because of the alphabet.
    text = Document(kind="jats", key="a", title="Of small graphs")
    assert [d.kind for d in merge(text, row(title="OF SMALL GRAPHS")).papers[0].documents] == [
        "metadata",
        "jats",
    ]


def test_one_arxiv_id_is_one_paper_although_preprint_and_print_have_different_dois() -> None:
    printed = row("arxiv:1410.5401", arxiv_id="1410.5401", doi="10.1000/print")
    preprint = tei(arxiv_id="1410.5401", doi="10.48550/arxiv.1410.5401")
    assert grouped(printed, preprint) == {"arxiv:1410.5401": ["arxiv:1410.5401", "a.tei.xml"]}


def test_a_row_completes_the_file_it_names_although_their_dois_differ() -> None:
    found = grouped(tei(doi="10.1000/preprint"), row(doi="10.1000/x", source_file="a.tei.xml"))
    assert found == {"doi:10.1000/x": ["id:1", "a.tei.xml"]}


def test_titles_join_documents_of_different_kinds_after_normalisation() -> None:
    found = grouped(tei(title="Deep-Nets: a Study"), row(title="DEEP NETS — A study", given_id="p"))
    assert found == {"p": ["id:1", "a.tei.xml"]}


def test_a_row_that_only_names_a_file_is_no_paper_of_its_own() -> None:
    lonely = row("file:gone.tei.xml", source_file="gone.tei.xml", title="Gone with it")
    assert merge(lonely, tei(title="Here")).unmatched == (lonely,)
    # A title joins it to a text under another name.
    assert merge(lonely, tei(title="Gone with it")).unmatched == ()


def test_the_surest_identifier_names_the_paper() -> None:
    ids: dict[str, str] = {"given_id": "g", "source_url": "u", "source_file": "f"}
    assert merge(row(**ids)).papers[0].paper_id == "g"
    assert merge(row(**ids, doi="10.1000/x")).papers[0].paper_id == "doi:10.1000/x"
    assert merge(row(**ids, acl_id="P18-1001")).papers[0].paper_id == "acl:P18-1001"
    assert merge(row(source_url="u")).papers[0].paper_id == "url:u"
    assert merge(row("odd")).papers[0].paper_id == "metadata:odd"


STUDY = "A study of small graphs"


@pytest.mark.parametrize(
    ("one", "other", "papers"),
    [
        # P15 is of 2015: three years from 2018, two from 2017.
        ({"published": "2018", "authors": by("A Ba")}, {"authors": by("A Ba")}, 2),
        ({"published": "2017", "authors": by("A Ba")}, {"authors": by("A Ba")}, 1),
        ({"authors": by("C Du")}, {"authors": by("A Ba")}, 2),
        ({"authors": by("Carl Ba")}, {"authors": by("A. Ba")}, 2),
        ({"acl_id": "P15-1002", "authors": by("A Ba")}, {"authors": by("A Ba")}, 2),
        ({"published": "2016"}, {"authors": by("A Ba")}, 1),
        ({"published": "2018"}, {"authors": by("A Ba")}, 2),
        ({}, {}, 1),
    ],
)
def test_a_shared_title_joins_unless_author_year_or_id_contradict(
    one: dict[str, Any], other: dict[str, Any], papers: int
) -> None:
    text = tei(title=STUDY, **one)
    metadata = row("acl:P15-1001", acl_id="P15-1001", title=STUDY, **other)
    assert len(merge(text, metadata).papers) == papers


def same(title: str, published: str | None = None) -> tuple[Document, Document]:
    """A text and metadata of one title, author and year."""
    fields = {"title": title, "authors": by("A Ba"), "published": published}
    return tei(**fields), row(given_id="p", **fields)


STANDING = ("Editorial", "Book reviews", "Table of Contents", "导论")
CROWD = [tei(f"{n}", title="Report of the committee", authors=by(f"Name{n}")) for n in range(41)]
LIKE = ("A study of sm\u0430ll graphs", "A study\u200b of small graphs")
ONE, OTHER = {"arxiv_id": "1410.5401"}, {"arxiv_id": "1412.6575"}


@pytest.mark.parametrize(
    ("documents", "papers"),
    [
        # A DOI, a file name or a title does not join what identifiers keep apart.
        ((tei(doi="10.1000/x", **ONE), row(doi="10.1000/x", **OTHER)), 2),
        ((tei(**ONE), row(source_file="a.tei.xml", **OTHER)), 2),
        ((tei(title="Preface", doi="10.1000/a"), row(title="Preface", doi="10.1000/b")), 2),
        # A DOI made of an id counts as that id.
        ((tei(doi="10.48550/arxiv.1410.5401"), row(doi="10.1000/print", **ONE)), 1),
        ((tei(doi="10.18653/v1/p15-1001"), row(acl_id="P15-1001")), 1),
        # Files of metadata without a shared id meet in title, first author and year.
        (
            (
                row(title=STUDY, authors=by("J. Müller", "B"), **ONE),
                row("acl", acl_id="P15-1001", title=STUDY, authors=by("Muller, Jane")),
                Document("snapshot", "s", title=STUDY, authors=by("Jane Muller")),
            ),
            1,
        ),
        # The order of the authors may change between preprint and print.
        (
            (
                tei(title=STUDY, authors=by("A Ba", "Bo Da")),
                row(given_id="p", title=STUDY, authors=by("Da, Bo", "Ba, A.")),
            ),
            1,
        ),
        # Within one source a shared title needs the author, and no two ids.
        ((tei("a", title=STUDY), tei("b", title=STUDY)), 2),
        (tuple(tei(name, title=STUDY, authors=by("A Ba")) for name in "ab"), 1),
        (tuple(row(n, given_id=n, title=STUDY) for n in "12"), 2),
        # Titles without letters, short or standing ones and those of many works join nothing.
        ((tei(title="???"), row(title="!!!", given_id="p")), 2),
        *(((tei(title=t), row(title=t, given_id="p", published="1999")), 2) for t in STANDING),
        *((same(title, "1999"), 1) for title in STANDING),
        ((*CROWD, row(title="Report of the committee", given_id="p", authors=by("Name"))), 42),
        # Titles that only look alike are others.
        *(((tei(title=STUDY), row(title=other, given_id="p")), 2) for other in LIKE),
        *((same(other), 1) for other in LIKE),
    ],
)
def test_what_joins_documents_and_what_does_not(documents: Sequence[Document], papers: int) -> None:
    assert len(merge(*documents).papers) == papers


def test_a_title_of_two_works_joins_neither_and_a_sure_pair_goes_first() -> None:
    ba, du = (tei(name, title=STUDY, authors=by(name)) for name in ("Ba", "Du"))
    nameless = row(title=STUDY, given_id="p", published="2015")
    assert len(grouped(ba, du, nameless)) == 3
    named = row(title=STUDY, given_id="p", authors=by("A. Du"))
    assert grouped(ba, du, named) == {"file:Ba": ["Ba"], "p": ["id:1", "Du"]}


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
            title=draw(few("Preface", STUDY, "Of n\u00efve trees", "Of naive trees")),
            authors=draw(st.sampled_from([(), by("A. Ba"), by("Ann Ba"), by("C. Du", "A. Ba")])),
            published=draw(few("2014", "2016", "2018")),
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


# Lists of results complete the papers that they name, and make none.


def listed(key: str = "l", kind: str = "pwc", **fields: Any) -> Document:
    return Document(kind=kind, key=key, **fields)


def test_a_listed_work_that_is_no_paper_of_the_corpus_makes_none() -> None:
    work = listed(arxiv_id="1801.00001", title=STUDY)
    found = merge(work, tei(title="Another study of trees"))
    assert [paper.paper_id for paper in found.papers] == ["file:a.tei.xml"]
    assert found.outside == (work,)
    assert found.unmatched == ()


def test_two_lists_of_one_work_do_not_make_a_paper_together() -> None:
    works = (listed(arxiv_id="1801.00001"), listed("t", "tdms", arxiv_id="1801.00001"))
    assert merge(*works).papers == ()
    assert merge(*works).outside == works


def test_an_id_a_file_and_a_title_find_the_paper() -> None:
    by_id = listed("i", arxiv_id="1801.00001", source_url="https://arxiv.org/abs/1801.00001")
    by_file = listed("f", "tdms", source_file="a.tei.xml", acl_id="P18-1001")
    by_title = listed("t", title=STUDY.upper(), source_url="https://example.org/study")
    text = tei(title=STUDY, arxiv_id="1801.00001")
    assert grouped(by_id, by_file, by_title, text) == {
        "arxiv:1801.00001": ["i", "t", "f", "a.tei.xml"]
    }


def test_a_list_does_not_rename_a_paper() -> None:
    work = listed(title=STUDY, source_url="https://example.org/study", arxiv_id="1801.00001")
    assert list(grouped(work, tei(title=STUDY))) == ["file:a.tei.xml"]
    # Its id finds the paper for others nevertheless.
    other = Document(kind="metadata", key="m", arxiv_id="1801.00001")
    assert list(grouped(listed(source_file="a.tei.xml", arxiv_id="1801.00001"), other, tei())) == [
        "arxiv:1801.00001"
    ]


def test_a_listed_title_that_fits_two_papers_completes_neither() -> None:
    texts = (tei(title=STUDY, published="2015"), tei("b.xml", title=STUDY, published="2010"))
    assert sorted(grouped(listed(title=STUDY), *texts)) == ["file:a.tei.xml", "file:b.xml"]
    assert merge(listed(title=STUDY), *texts).outside
    # The year decides.
    found = grouped(listed(title=STUDY, published="2009"), *texts)
    assert found == {"file:a.tei.xml": ["a.tei.xml"], "file:b.xml": ["l", "b.xml"]}


@pytest.mark.parametrize(
    ("work", "text"),
    [
        ({"title": "Of graphs"}, {"title": "Of graphs"}),
        ({"title": STUDY, **ONE}, {"title": STUDY, **OTHER}),
        ({"title": STUDY, "published": "2010"}, {"title": STUDY, **OTHER}),
    ],
)
def test_short_titles_other_ids_and_other_years_keep_a_list_apart(
    work: dict[str, Any], text: dict[str, Any]
) -> None:
    assert merge(listed(**work), tei(**text)).outside


def test_works_that_name_different_ids_for_one_paper_are_not_believed() -> None:
    works = [listed(f"l{n}", title=STUDY, arxiv_id=f"1801.0000{n}") for n in (1, 2)]
    sure = listed("sure", title=STUDY, acl_id="P18-1001")
    assert grouped(*works, sure, tei(title=STUDY)) == {"file:a.tei.xml": ["sure", "a.tei.xml"]}


def test_lists_join_no_papers_that_they_would_not_be_joined_without() -> None:
    texts = (tei(title=STUDY), tei("b.xml", title=STUDY, arxiv_id="1801.00001"))
    alone = merge(*texts)
    work = listed(title=STUDY, arxiv_id="1801.00001")
    assert len(merge(work, *texts).papers) == len(alone.papers) == 2
