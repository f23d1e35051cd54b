"""Metrics over all items, spread over them: the means are those of `aggregate_tables`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics import Ratio
from vivavoce.metrics.tables.literature_tables import ASPECTS, TableScore, aggregate_tables
from vivavoce.statistics.ratios import Counts, Pooling, spread

AVERAGES = {"avg": ("schema_f1", "unary_f1", "pairwise_f1")}
NAMES = [f"{aspect}_{part}" for aspect in ASPECTS for part in "pr"]

count = st.integers(0, 6).flatmap(
    lambda asked: st.tuples(
        st.integers(0, asked),
        st.just(asked),
        st.sampled_from([None, 0.0]) if not asked else st.none(),
    )
)
item = st.fixed_dictionaries(dict.fromkeys(NAMES, count))


def whole(**counts: tuple[int, int]) -> Counts:
    """Counts of one answer; what is not named was not asked."""
    return {name: [*counts.get(name, (0, 0)), None] for name in NAMES}


@given(items=st.lists(item, min_size=1, max_size=8), how=st.sampled_from(["macro", "micro"]))
@settings(deadline=None)
def test_the_mean_over_items_is_the_metric_over_all_of_them(
    items: list[Counts], how: Pooling
) -> None:
    scores = [
        TableScore({name: Ratio(*one[name]) for name in NAMES}, 0, False)  # type: ignore[arg-type]
        for one in items
    ]
    expected = aggregate_tables(scores, how)
    found = spread([[one] for one in items], how, AVERAGES)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        mean = found[name].mean()
        assert np.isnan(mean) if value is None else mean == pytest.approx(value, abs=1e-12), name


def test_each_item_has_the_value_that_it_adds() -> None:
    items = [[whole(unary_r=(1, 1), unary_p=(1, 2))], [whole(unary_r=(0, 3), unary_p=(2, 2))]]
    macro, micro = (spread(items, how, AVERAGES) for how in ("macro", "micro"))
    assert macro["unary_r"].tolist() == [1.0, 0.0]
    # Pooled 1 of 4; questions an item 2: 1/4 + (1 - 1/4) / 2, and 1/4 + (0 - 3/4) / 2.
    assert micro["unary_r"].tolist() == [0.625, -0.125]
    # P 3/4 and R 1/2: F1 3/5; slopes 2 R^2 / (P + R)^2 = 8/25 and 2 P^2 / (P + R)^2 = 18/25.
    first = 3 / 5 + 8 / 25 * (1 / 2 - 3 / 4) + 18 / 25 * (1 - 1 / 2)
    assert macro["unary_f1"][0] == pytest.approx(first)
    assert macro["unary_f1"].mean() == pytest.approx(3 / 5)


def test_several_answers_to_an_item_count_with_their_mean() -> None:
    twice = [[whole(unary_r=(1, 2)), whole(unary_r=(2, 2))], [whole(unary_r=(0, 4))] * 2]
    assert spread(twice, "macro", {})["unary_r"].tolist() == [0.75, 0.0]
    # 1.5 of 2 and 0 of 4: a quarter.
    assert spread(twice, "micro", {})["unary_r"].mean() == pytest.approx(0.25)


def test_an_item_that_is_not_asked_changes_nothing() -> None:
    items = [[whole(unary_r=(1, 2))], [whole()], [whole(unary_r=(2, 2))]]
    for how in ("macro", "micro"):
        values = spread(items, how, {})["unary_r"]
        assert values.mean() == pytest.approx(0.75)
        assert values[1] == pytest.approx(0.75)
    assert np.isnan(spread(items, "micro", {})["schema_r"]).all()
    assert spread([], "micro", {}) == {}
