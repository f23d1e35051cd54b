"""BM25 and TF-IDF by hand and against other packages, and documents with every term of a query."""

import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from vivavoce.errors import InputError
from vivavoce.retrieval import Hit, Retriever, best_hits
from vivavoce.retrieval.sparse import (
    Bm25Retriever,
    PostingsIndex,
    TermsDocument,
    TfidfRetriever,
    words,
)
from vivavoce.text.dates import earlier
from vivavoce.text.normalise import normalise_title

PASSAGES = [
    "graph networks learn graph structure",
    "transformers translate text",
    "text summaries of long papers",
    "citation networks",
]
LETTERS = st.text(alphabet="abcdefg ", max_size=30)
COLLECTIONS = st.lists(LETTERS, min_size=1, max_size=12).filter(lambda ts: "".join(ts).strip())


def test_a_bm25_score_by_hand() -> None:
    retriever: Retriever = Bm25Retriever(PASSAGES)
    # Lengths 5, 3, 5, 2: mean 3.75. "graph" twice in one of four: idf = ln 3.5 - ln 1.5.
    # 2 x 2.5 / (2 + 1.5 (0.25 + 0.75 x 5 / 3.75)) = 5 / 3.875
    expected = (math.log(3.5) - math.log(1.5)) * 5 / 3.875
    hits = retriever.search("Graph?", 2)
    assert hits == [Hit(0, pytest.approx(expected)), Hit(1, 0.0)]
    assert len(retriever) == 4
    assert retriever.search("graph graph", 1)[0].score == pytest.approx(2 * expected)


@settings(deadline=None)
@given(COLLECTIONS, LETTERS)
def test_scores_are_those_of_rank_bm25(passages: list[str], query: str) -> None:
    rank_bm25 = pytest.importorskip("rank_bm25", reason="needs pip install rank-bm25")
    expected = rank_bm25.BM25Okapi([text.split() for text in passages]).get_scores(query.split())
    retriever = Bm25Retriever(passages, str.split)
    found = retriever.scores(query)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    hits = retriever.search(query, len(passages))
    known = set(" ".join(passages).split())
    assert bool(hits) == any(term in known for term in query.split())
    if hits:
        assert [hit.score for hit in hits] == pytest.approx(sorted(expected, reverse=True))


def test_a_term_in_most_passages_gets_a_share_of_the_mean_idf() -> None:
    # N = 3; "a" in 3: ln 0.5 - ln 3.5; "b", "c", "d" in 1 each: ln 2.5 - ln 1.5
    mean = (math.log(0.5 / 3.5) + 3 * math.log(2.5 / 1.5)) / 4
    # All lengths are 2, so a term that stands once weighs 2.5 / 2.5.
    assert Bm25Retriever(["a b", "a c", "a d"]).scores("a") == pytest.approx([0.25 * mean] * 3)


def test_one_query_is_not_taken_for_many() -> None:
    with pytest.raises(InputError, match="list of queries"):
        Bm25Retriever(PASSAGES).search_many("graph", 2)
    with pytest.raises(InputError, match="k=-1"):
        Bm25Retriever(PASSAGES).search("graph", -1)


def test_nothing_to_search_for_or_in_gives_no_hit_by_bm25() -> None:
    retriever = Bm25Retriever(PASSAGES)
    assert [retriever.search(query, 3) for query in ("", " ?", "unheard")] == [[], [], []]
    assert retriever.search("graph", 0) == []
    assert Bm25Retriever([]).search("graph", 3) == []
    assert Bm25Retriever(["", " "]).search("graph", 3) == []
    with_empty = Bm25Retriever(["", "graph", "text", ""])
    assert [hit.index for hit in with_empty.search("graph", 9)] == [1, 0, 2, 3]


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 1.5, -2.0]), max_size=30), st.integers(0, 35))
def test_equal_scores_are_ordered_by_index(scores: list[float], k: int) -> None:
    ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    assert best_hits(np.array(scores), k) == [Hit(index, scores[index]) for index in ranked[:k]]


def test_words_keep_their_repetitions() -> None:
    assert words("The graph, the GRAPH: C++!") == ["the", "graph", "the", "graph", "c"]
    assert words("Écoles d’été — ﬁne") == ["écoles", "d", "été", "fine"]
    assert len(words("a" + "\u0301\u0316" * 500_000)) > 0


def test_a_tfidf_score_by_hand() -> None:
    retriever: Retriever = TfidfRetriever(["graph graph network", "network", "text"])
    # idf: graph in 1 of 3, ln(4/2) + 1; network in 2 of 3, ln(4/3) + 1
    graph, network = math.log(2) + 1, math.log(4 / 3) + 1
    expected = 2 * graph / math.hypot(2 * graph, network)
    hits = retriever.search("graph", 2)
    assert [hit.index for hit in hits] == [0, 1]
    assert [hit.score for hit in hits] == pytest.approx([expected, 0.0])
    # A word that no passage has does not make the query longer.
    assert retriever.search("network unheard", 1)[0].score == pytest.approx(1.0)
    assert len(retriever) == 3


@settings(deadline=None)
@given(COLLECTIONS, LETTERS)
def test_scores_are_those_of_scikit_learn(passages: list[str], query: str) -> None:
    vectorizer = TfidfVectorizer(analyzer=str.split)
    matrix = vectorizer.fit_transform(passages)
    expected = (matrix @ vectorizer.transform([query]).T).toarray().ravel()
    found = TfidfRetriever(passages, str.split).scores(query)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_changing_the_query_changes_the_hits() -> None:
    retriever = TfidfRetriever(["a graph", "a text", "a table"])
    first = [hits[0].index for hits in retriever.search_many(["table", "graph"], 1)]
    assert first == [2, 0]
    with pytest.raises(InputError, match="list of queries"):
        retriever.search_many("graph", 1)


def test_nothing_to_search_for_or_in_gives_no_hit_by_tfidf() -> None:
    retriever = TfidfRetriever(["graph", ""])
    assert [retriever.search(query, 2) for query in ("", "unheard")] == [[], []]
    assert [hit.index for hit in retriever.search("graph", 2)] == [0, 1]
    assert TfidfRetriever([]).search("graph", 2) == []
    assert TfidfRetriever(["", "?"]).search("graph", 2) == []


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


@settings(max_examples=20, deadline=None)
@given(collections(), st.lists(st.tuples(TEXTS, DAYS), min_size=1, max_size=5))
def test_an_index_finds_what_a_scan_finds(
    documents: list[TermsDocument], queries: list[tuple[str, date | None]]
) -> None:
    index = PostingsIndex(documents)
    own = [(" ".join(document.text.split()[:3]), None) for document in documents]
    for query, as_of in queries + own:
        assert index.all_terms(query, as_of=as_of) == scan(documents, query, as_of)


def test_two_documents_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="'a'"):
        PostingsIndex([TermsDocument("a", "x"), TermsDocument("b", "y"), TermsDocument("a", "z")])
