"""Average precision."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from vivavoce.metrics.titles_list import average_precision

RETRIEVED = ["d1", "d2", "d3", "d4", "d5"]
RELEVANT = {"d1", "d4", "d9"}

ids = st.lists(st.sampled_from("abcdefé模"), max_size=12)


def test_worked_example():
    # Hits at ranks 1 and 4 of 3 relevant.
    assert average_precision(RETRIEVED, RELEVANT) == pytest.approx((1 / 1 + 2 / 4) / 3)


def test_an_item_retrieved_again_is_no_second_hit():
    # d1 at ranks 1 and 2, d4 at rank 3.
    assert average_precision(["d1", "d1", "d4"], RELEVANT) == pytest.approx((1 + 2 / 3) / 3)


def test_nothing_relevant_leaves_average_precision_undefined():
    assert average_precision(RETRIEVED, []) is None


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
@given(ids, ids)
def test_values_lie_between_zero_and_one_and_duplicates_of_relevance_change_nothing(
    retrieved, relevant
):
    value = average_precision(retrieved, relevant)
    assert value is None or 0 <= value <= 1
    doubled = average_precision(retrieved, relevant * 2)
    assert doubled == average_precision(retrieved, relevant)
