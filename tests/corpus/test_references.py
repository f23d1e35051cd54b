"""References resolved to papers of the corpus."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.references import PaperIndex, know_paper
from vivavoce.records import Author, Document, Reference


def index(*papers: tuple[str, str, int | None]) -> PaperIndex:
    """An index of (paper id, title, year)."""
    merged = [
        MergedPaper(
            paper_id,
            (Document("tei", paper_id, title=title, arxiv_id="1410.5401", doi="10.1000/x"),),
        )
        for paper_id, title, _ in papers
    ]
    years = [year for _, _, year in papers]
    return PaperIndex(list(map(know_paper, merged, years)))


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
        # A title of three words needs a year that agrees; one of two papers resolves to neither.
        ({"title": "Adam optimizer revisited", "year": 2014}, ("title", 0.95)),
        ({"title": "Adam optimizer revisited", "year": 2017}, None),
        ({"title": "Adam optimizer revisited"}, None),
        ({"title": "Large nets can forget", "year": 2014}, None),
    ],
)
def test_an_identifier_goes_before_a_title_and_a_near_year_adds_confidence(
    fields: dict[str, Any], expected: tuple[str, float] | None
) -> None:
    titles = ("Small nets can learn", "Adam optimizer revisited", *["Large Nets can forget"] * 2)
    papers = [(f"p{number}", title, 2014) for number, title in enumerate(titles)]
    assert resolved(index(*papers), **fields) == expected


def papers(*known: dict[str, Any]) -> PaperIndex:
    """An index of papers with their ids, titles, authors and years."""
    merged = []
    for number, fields in enumerate(known):
        authors = tuple(Author(name) for name in fields.get("authors", ()))
        document = Document("metadata", str(number), **{**fields, "authors": authors})
        merged.append(MergedPaper(f"p{number}", (document,)))
    return PaperIndex([know_paper(paper, None) for paper in merged])


NETS = {
    "title": "Small nets: learning by heart and by rote",
    "authors": ("Ann Müller", "Bo Da"),
    "published": "2014",
}


def found(known: PaperIndex, **fields: Any) -> tuple[str, str] | None:
    raw = fields.pop("raw", "")
    got = known.resolve(Reference(0, raw, **fields))
    return (got.paper_id, got.resolver) if got else None


@pytest.mark.parametrize(
    ("fields", "resolver"),
    [
        ({"doi": "10.48550/arxiv.1410.5401"}, "arxiv_id"),
        ({"doi": "10.18653/v1/p15-1001"}, "acl_id"),
        ({"raw": "Ann. 2015. https://aclanthology.org/P15-1001.pdf"}, "acl_id"),
        ({"raw": "http://www.aclweb.org/anthology/P15-1001"}, "acl_id"),
        ({"doi": "10.18653/v1/p15-", "raw": "doi: 10.18653/v1/P15- 1001. URL"}, "acl_id"),
        ({"raw": "In room P15-1001."}, None),  # an id only where an address says so
    ],
)
def test_ids_are_read_in_dois_and_addresses(fields: dict[str, Any], resolver: str | None) -> None:
    known = papers({"arxiv_id": "1410.5401", "acl_id": "P15-1001", "title": "T"})
    assert found(known, **fields) == (("p0", resolver) if resolver else None)


@pytest.mark.parametrize(
    "title",
    [
        "Small nets: learning by heart and by rote. CoRR",
        "Small nets: learning by heart and by rote, Proceedings of the 9th Conference",
        "B. Da, and C. Eh. Small nets: learning by heart and by rote",
        "Learning by heart and by rote",  # without the main title
        "Small nets",  # without the subtitle
    ],
)
def test_a_damaged_title_is_found_with_author_and_year(title: str) -> None:
    assert found(papers(NETS), title=title, first_author="Müller", year=2014) == (
        "p0",
        "near_title",
    )
    assert found(papers(NETS), title=title, first_author="Xi", year=2014) is None
    assert found(papers(NETS), title=title, first_author="Müller", year=1999) is None
    assert found(papers(NETS), title=title) is None


@pytest.mark.parametrize(
    "title",
    [
        "Small nets: learning by heart and by rote II",
        "Small nets: learning by heart and by rote: Part Two",
        "Small nets: learning by heart and by rote. Revisited",
        "Small nets: learning by heart and by root",
    ],
)
def test_the_title_of_another_work_is_not_taken_for_near(title: str) -> None:
    known = papers(NETS)
    assert found(known, title=title, first_author="Müller", year=2014) is None


def test_an_equal_title_by_another_author_is_another_work() -> None:
    known = papers(NETS)
    title = NETS["title"]
    assert found(known, title=title, first_author="Xi", year=2014) is None
    assert found(known, title=title, first_author="Da", year=2014) == ("p0", "title")
    # Readers of reference lists take one author for another: the entry itself names her.
    raw = "Xi. A. Muller, B. Da. Small nets."
    assert found(known, raw=raw, title=title, first_author="Xi", year=2014) == ("p0", "title")
    torn = "Mu´llerMu´ller"
    assert found(known, title=title, first_author=torn, year=2014) == ("p0", "title")


def test_of_two_papers_of_one_title_the_author_tells_which() -> None:
    known = papers(NETS, {**NETS, "authors": ("Cy Eh",)})
    assert found(known, title=NETS["title"], first_author="Eh", year=2014) == ("p1", "title")
    assert found(known, title=NETS["title"], year=2014) is None


def test_another_arxiv_id_makes_an_equal_title_doubtful_and_a_near_one_nothing() -> None:
    known = papers({**NETS, "arxiv_id": "1410.5401"})
    fields = {"first_author": "Müller", "year": 2014, "arxiv_id": "1412.6575"}
    got = known.resolve(Reference(0, "", title=str(NETS["title"]), **fields))
    assert got == ("p0", "title", 0.6)
    assert found(known, title="Small nets", **fields) is None


def test_titles_of_metadata_go_before_a_wrong_one_read_from_the_text() -> None:
    right = Document("metadata", "m", title="Small nets by heart")
    wrong = Document("tei", "t", title="Large nets by rote")
    known = PaperIndex([know_paper(MergedPaper("p", (right, wrong)), None, {"metadata"})])
    assert found(known, title="Small nets by heart") == ("p", "title")
    assert found(known, title="Large nets by rote") is None


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=20))
def test_no_text_breaks_the_index(title: str, raw: str, name: str) -> None:
    known = papers(NETS, {"title": title, "authors": (name,)})
    known.resolve(Reference(0, raw, title=title, first_author=name))
    known.resolve(Reference(0, raw))


@pytest.mark.timeout(60)
def test_a_long_hostile_entry_takes_little_time() -> None:
    known = papers(NETS)
    raw = "Small nets: " * 20_000
    assert known.resolve(Reference(0, raw, title=raw)) is None
    assert known.resolve(Reference(0, ". " * 100_000, title="aclweb.org" * 20_000)) is None
