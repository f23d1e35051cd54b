"""All pairs at once give what one pair at a time gives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.statistics import comparison
from vivavoce.statistics.comparison import errors_of_pairs, paired_difference, signs_of_pairs
from vivavoce.statistics.intervals import resample

VALUES = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
ITEMS = st.lists(
    st.tuples(st.sampled_from("pqrst"), VALUES, VALUES, VALUES, VALUES), min_size=2, max_size=25
)


@settings(max_examples=200)
@given(rows=ITEMS, draws=st.sampled_from([1, 2, 39, 40, 41, 200]))
def test_a_sign_is_that_of_the_interval_of_the_difference(rows: list, draws: int) -> None:
    drawn = resample([row[0] for row in rows], resamples=draws)
    columns = {name: np.array([row[at] for row in rows]) for at, name in enumerate("abcd", start=1)}
    pairs = list(combinations("abcd", 2))
    if not drawn.gives_intervals:
        return
    margins = dict.fromkeys(columns, 1e-12)
    for pair, sign in signs_of_pairs(columns, pairs, drawn, margins):
        found = paired_difference(columns[pair[0]], columns[pair[1]], drawn)
        assert found.low is not None
        assert found.high is not None
        assert sign == (1 if found.low > 1e-12 else -1 if found.high < -1e-12 else 0)


def test_a_bound_between_two_draws_is_interpolated() -> None:
    # 41 draws: the lower bound lies at 0.025 x 40 = 1.0, just beyond the second smallest draw
    draws = np.array([-1.0, 0.5, *[2.0] * 39])
    assert comparison._lies_above(draws, 0.49)
    assert not comparison._lies_above(draws, 0.51)
    # 21 draws: at 0.5, half way between the two smallest, which is (-1 + 2) / 2 = 0.5
    draws = np.array([-1.0, *[2.0] * 20])
    assert comparison._lies_above(draws, 0.49)
    assert not comparison._lies_above(draws, 0.51)


@given(rows=ITEMS)
def test_an_error_is_that_of_the_difference(rows: list) -> None:
    drawn = resample([row[0] for row in rows], resamples=0)
    columns = {name: np.array([row[at] for row in rows]) for at, name in enumerate("abcd", start=1)}
    found = dict(errors_of_pairs(columns, drawn))
    for first, second in combinations("abcd", 2):
        (alone,) = drawn.standard_error(columns[first] - columns[second])
        assert found.get((first, second)) == (
            None if alone is None else pytest.approx(alone, rel=1e-9, abs=1e-15)
        )


def test_nobody_and_one_alone_make_no_pair() -> None:
    drawn = resample(["p", "q"])
    assert list(signs_of_pairs({}, [], drawn, {})) == []
    assert list(errors_of_pairs({"a": np.array([0.1, 0.2])}, drawn)) == []
