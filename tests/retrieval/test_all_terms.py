"""Documents that contain every term of a query."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.retrieval.sparse import PostingsIndex, TermsDocument
from vivavoce.text.dates import earlier
from vivavoce.text.normalise import normalise_title


def scan(documents: list[TermsDocument], query: str, as_of: date | None = None) -> list[str]:
    """The plain meaning of the question."""
    wanted = set(normalise_title(query).split())
    return sorted(
        document.id
        for document in documents
        if wanted
        and wanted <= set(normalise_title(document.text).split())
        and (
            as_of is None
            or (document.published is not None and earlier(document.published, as_of.isoformat()))
        )
    )


FRUIT = [
    TermsDocument("d", "Apples and pears, and APPLES again"),
    TermsDocument("a", "pears"),
    TermsDocument("c", "apples: the case of pears"),
    TermsDocument("b", "apples"),
    TermsDocument("e", ""),
]


def test_a_document_is_found_when_it_has_every_term() -> None:
    index = PostingsIndex(FRUIT)
    assert index.all_terms("apples") == ["b", "c", "d"]
    assert index.all_terms("pears apples") == ["c", "d"]
    assert index.all_terms("Pears, PEARS (and apples)") == ["d"]
    assert index.all_terms("apples plums") == []


@pytest.mark.parametrize("query", ["", "   ", "?!", "++", "\ud800"])
def test_a_query_without_terms_finds_nothing(query: str) -> None:
    assert PostingsIndex(FRUIT).all_terms(query) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("apples OR pears", []),  # no document has the word or
        ("-apples", ["b", "c", "d"]),
        ('"pears apples"', ["c", "d"]),
        ("appl*", []),
        ("number:[0 TO 9]", []),
        ("apples) OR (pears", []),
        ("apples\\", ["b", "c", "d"]),
    ],
)
def test_no_character_of_a_query_has_a_meaning(query: str, found: list[str]) -> None:
    assert PostingsIndex(FRUIT).all_terms(query) == found


def test_long_words_are_told_apart_to_the_last_letter() -> None:
    long = "x" * 70_000
    index = PostingsIndex([TermsDocument("one", long + "a"), TermsDocument("two", long + "b c")])
    assert index.all_terms(long + "a") == ["one"]
    assert index.all_terms(f"C {long}B") == ["two"]
    assert index.all_terms(long) == []


def test_as_of_keeps_what_was_surely_there_before_the_day() -> None:
    dates = ["2023-04-30", "2023-05-01", "2023-04", "2023-05", "2022", "2023", None]
    index = PostingsIndex([TermsDocument(str(date_), "apples", date_) for date_ in dates])
    assert index.all_terms("apples", as_of=date(2023, 5, 1)) == ["2022", "2023-04", "2023-04-30"]
    assert len(index.all_terms("apples", as_of=date.max)) == 6  # all but the undated
    assert index.all_terms("apples", as_of=date.min) == []
    assert len(index.all_terms("apples")) == 7


def test_stop_words_of_a_query_can_be_dropped() -> None:
    index = PostingsIndex(FRUIT)
    assert index.all_terms("the pears") == ["c"]
    assert index.all_terms("the pears", drop_stop_words=True) == ["a", "c", "d"]
    assert index.all_terms("the", drop_stop_words=True) == []


WORDS = st.sampled_from(
    ["Graph", "graph", "GRAPHS", "straße", "STRASSE", "é", "e\u0301", "ﬁ", "fi", "数据", "C++", "-",
     "don't", "3.14", "x" * 300, "x" * 299 + "y", "\u200b", "हिन्दी", "\x00", "a_b", "İ", "ǅ"]
)  # fmt: skip
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=40))
DATES = st.sampled_from([None, "2021", "2022-02", "2022-02-28", "2022-03-01", "9999"])
DAYS = st.sampled_from([None, date(2021, 12, 31), date(2022, 1, 1), date(2022, 3, 1)])


@st.composite
def collections(draw: st.DrawFn) -> list[TermsDocument]:
    texts = draw(st.lists(st.tuples(TEXTS, DATES), max_size=10))
    ids = draw(st.lists(st.text(), unique=True, min_size=len(texts), max_size=len(texts)))
    pairs = zip(ids, texts, strict=True)
    return [TermsDocument(id_, text, published) for id_, (text, published) in pairs]


@settings(max_examples=40, deadline=None)
@given(collections(), st.lists(st.tuples(TEXTS, DAYS), min_size=1, max_size=5))
def test_an_index_finds_what_a_scan_finds(
    documents: list[TermsDocument], queries: list[tuple[str, date | None]]
) -> None:
    index = PostingsIndex(documents)
    own = [(" ".join(document.text.split()[:3]), None) for document in documents]
    assert len(index) == len(documents)
    for query, as_of in queries + own:
        assert index.all_terms(query, as_of=as_of) == scan(documents, query, as_of)


def test_two_documents_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="'a'"):
        PostingsIndex([TermsDocument("a", "x"), TermsDocument("b", "y"), TermsDocument("a", "z")])
