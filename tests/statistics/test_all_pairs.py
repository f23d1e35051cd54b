"""All pairs at once give what one pair at a time gives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.statistics.comparison import errors_of_pairs
from vivavoce.statistics.intervals import resample

VALUES = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
ITEMS = st.lists(
    st.tuples(st.sampled_from("pqrst"), VALUES, VALUES, VALUES, VALUES), min_size=2, max_size=25
)


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


def test_one_alone_makes_no_pair() -> None:
    drawn = resample(["p", "q"])
    assert list(errors_of_pairs({"a": np.array([0.1, 0.2])}, drawn)) == []
