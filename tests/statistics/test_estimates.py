"""Estimates of one number: a mean over what is defined, with its interval and its count."""

import math

import pytest

from vivavoce.statistics.estimates import Draws, mean_estimate


def test_a_mean_leaves_out_what_is_undefined() -> None:
    estimate = mean_estimate([1.0, math.nan, 2.0, 6.0], ["a", "b", "c", "d"], Draws(200, 0))
    assert (estimate.value, estimate.n) == (3.0, 3)
    assert estimate.interval is not None
    low, high = estimate.interval
    assert 1.0 <= low < 3.0 < high <= 6.0


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_a_mean_of_nothing_is_undefined(values: list[float]) -> None:
    estimate = mean_estimate(values, ["a", "b"][: len(values)], Draws(200, 0))
    assert (estimate.value, estimate.interval, estimate.n) == (None, None, 0)
