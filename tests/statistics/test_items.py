"""Items by hand, against scipy, and with items that nothing can be said of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from vivavoce.errors import InputError
from vivavoce.results.audits.items import item_statistics

NAN = math.nan


def test_two_items_by_hand() -> None:
    # means 0.5 and 2/3; contestants by the other item: 1, 0, 1 against 1, 0, 0.5
    found = item_statistics([[1.0, 0.0, 0.5], [1.0, 0.0, 1.0]])
    assert found.mean.tolist() == [0.5, pytest.approx(2 / 3)]
    # s = 0.5, t(2) = 4.30265: 0.5 -+ 4.30265 * 0.5 / sqrt(3)
    assert found.high[0] == pytest.approx(0.5 + 4.30265 * 0.5 / 3**0.5, rel=1e-5)
    # r of (1, 0, .5) and (1, 0, 1) = 0.5 / sqrt(0.5 * 2/3)
    assert found.rest.tolist() == [pytest.approx(0.5 / (0.5 * 2 / 3) ** 0.5)] * 2
    assert np.isnan(found.rest_low).all()  # takes four contestants
    assert found.contestants.tolist() == [3, 3]


@example(2542)  # a contestant has a value on one item alone
@given(st.integers(0, 10_000))
def test_correlations_are_those_of_scipy(seed: int) -> None:
    generator = np.random.default_rng(seed)
    table = generator.random((6, 7))
    table[generator.random(table.shape) < 0.15] = NAN
    found = item_statistics(table)
    for item, row in enumerate(table):
        others = np.delete(table, item, axis=0)
        known = ~np.isnan(row) & ~np.isnan(others).all(axis=0)
        if known.sum() < 4:
            continue
        oracle = stats.pearsonr(row[known], np.nanmean(others[:, known], axis=0))
        assert found.rest[item] == pytest.approx(oracle.statistic, abs=1e-9)
        low, high = oracle.confidence_interval(0.95)
        if not np.isnan(row).any():
            assert (found.rest_low[item], found.rest_high[item]) == pytest.approx((low, high))


def test_an_item_that_is_alike_for_all_says_nothing() -> None:
    found = item_statistics([[0.3] * 4, [0.1, 0.4, 0.2, 0.6], [NAN] * 4, [0.5, NAN, NAN, NAN]])
    assert found.is_alike.tolist() == [True, False, False, False]
    assert found.contestants.tolist() == [4, 4, 0, 1]
    assert np.isnan(found.rest[[0, 2, 3]]).all()
    assert (found.low[0], found.mean[0], found.high[0]) == pytest.approx((0.3, 0.3, 0.3))
    assert np.isnan(found.mean[2])
    assert np.isnan(found.low[3])


@pytest.mark.parametrize("wrong", [[0.1, 0.2], [[math.inf, 0.1]]])
def test_wrong_use_is_refused(wrong: list) -> None:
    with pytest.raises(InputError):
        item_statistics(wrong)
