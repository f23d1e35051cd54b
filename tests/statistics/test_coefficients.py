"""Coefficients of rank: those of scipy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.statistics.estimates import kendall, spearman

levels = st.lists(st.integers(0, 4).map(float), min_size=2, max_size=8)


@settings(deadline=None)
@given(levels.flatmap(lambda a: st.tuples(st.just(a), st.permutations(a) | st.just(a))))
def test_coefficients_are_those_of_scipy(sides: tuple[list[float], list[float]]) -> None:
    first, second = (np.array([side]) for side in sides)
    if len(set(sides[0])) == 1:
        assert math.isnan(spearman(first, second)[0])
        assert math.isnan(kendall(first, second)[0])
        return
    assert spearman(first, second)[0] == pytest.approx(scipy.stats.spearmanr(*sides).statistic)
    assert kendall(first, second)[0] == pytest.approx(scipy.stats.kendalltau(*sides).statistic)


def test_a_row_with_a_nan_has_no_coefficient() -> None:
    first, second = np.array([[1.0, math.nan, 2.0]]), np.array([[1.0, 2.0, 3.0]])
    assert math.isnan(spearman(first, second)[0])
    assert math.isnan(kendall(first, second)[0])
