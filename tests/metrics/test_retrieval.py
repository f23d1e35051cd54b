"""Precision and recall at k, and average precision."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from vivavoce.errors import InputError
from vivavoce.metrics import list_metrics
from vivavoce.metrics.retrieval import average_precision, precision_at, recall_at

RETRIEVED = ["d1", "d2", "d3", "d4", "d5"]
RELEVANT = {"d1", "d4", "d9"}

ids = st.lists(st.sampled_from("abcdefé模"), max_size=12)


def test_worked_example():
    # Hits at ranks 1 and 4 of 3 relevant.
    assert precision_at(RETRIEVED, RELEVANT, 1) == 1.0
    assert precision_at(RETRIEVED, RELEVANT, 4) == 2 / 4
    assert recall_at(RETRIEVED, RELEVANT, 4) == 2 / 3
    assert average_precision(RETRIEVED, RELEVANT) == pytest.approx((1 / 1 + 2 / 4) / 3)


def test_places_that_were_not_filled_count_against_precision():
    assert precision_at(["d1"], RELEVANT, 10) == 1 / 10


def test_an_item_retrieved_again_is_no_second_hit():
    # d1 at ranks 1 and 2, d4 at rank 3.
    assert precision_at(["d1", "d1", "d4"], RELEVANT, 3) == 2 / 3
    assert recall_at(["d1", "d1"], RELEVANT, 2) == 1 / 3
    assert average_precision(["d1", "d1", "d4"], RELEVANT) == pytest.approx((1 + 2 / 3) / 3)


def test_nothing_retrieved_scores_zero():
    assert precision_at([], RELEVANT, 5) == 0.0
    assert recall_at([], RELEVANT, 5) == 0.0
    assert average_precision([], RELEVANT) == 0.0


def test_nothing_relevant_leaves_recall_undefined():
    assert precision_at(RETRIEVED, [], 5) == 0.0
    assert recall_at(RETRIEVED, [], 5) is None
    assert average_precision(RETRIEVED, []) is None


@pytest.mark.parametrize("k", [0, -1])
def test_a_cutoff_below_one_is_refused(k):
    with pytest.raises(InputError, match=f"cutoff k is {k}"):
        precision_at(RETRIEVED, RELEVANT, k)
    with pytest.raises(InputError, match=f"cutoff k is {k}"):
        recall_at(RETRIEVED, RELEVANT, k)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_average_precision_equals_scikit_learn(is_relevant):
    relevant = [place for place, flag in enumerate(is_relevant) if flag]
    ours = average_precision(range(len(is_relevant)), relevant)
    if ours is None:
        assert not relevant
    else:
        falling = range(len(is_relevant), 0, -1)
        assert ours == pytest.approx(average_precision_score(is_relevant, list(falling)))


@settings(deadline=None)
@given(ids, ids, st.integers(1, 15))
def test_values_lie_between_zero_and_one_and_duplicates_of_relevance_change_nothing(
    retrieved, relevant, k
):
    for value in (
        precision_at(retrieved, relevant, k),
        recall_at(retrieved, relevant, k),
        average_precision(retrieved, relevant),
    ):
        assert value is None or 0 <= value <= 1
    assert recall_at(retrieved, relevant * 2, k) == recall_at(retrieved, relevant, k)
    doubled = average_precision(retrieved, relevant * 2)
    assert doubled == average_precision(retrieved, relevant)


@settings(deadline=None)
@given(ids, ids.filter(bool))
def test_a_perfect_order_is_the_best(retrieved, relevant):
    perfect = list(dict.fromkeys(relevant))
    assert average_precision(perfect, relevant) == pytest.approx(1.0)
    assert recall_at(perfect, relevant, len(perfect)) == 1.0
    found_first = perfect + retrieved
    assert average_precision(found_first, relevant) == pytest.approx(1.0)
    assert math.isclose(precision_at(found_first, relevant, len(perfect)), 1.0)


def test_every_value_is_described():
    names = {metric.name for metric in list_metrics() if metric.family == "retrieval"}
    assert names >= {"p_at_k", "r_at_k", "ap"}
