"""Errors and intervals of the differences of all pairs at once."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.statistics.ranks import Contrasts

NAN = float("nan")
VALUES = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=2, max_size=25)


def test_an_error_sums_deviations_over_clusters() -> None:
    # mean (1+1+0+0)/4 = 0.5; deviations: a 0.5+0.5 = 1, b -0.5-0.5 = -1; 2 clusters, 4 items
    # sqrt(2/1 * (1 + 1)) / 4 = 2/4; taken one by one the same items give less: s/sqrt(4)
    values = [[1, 0], [1, 0], [0, 0], [0, 0]]
    assert Contrasts(values, ["a", "a", "b", "b"]).errors().tolist() == [0.5]
    assert np.isnan(Contrasts(values, ["a"] * 4).errors()).all()


def test_a_difference_that_is_the_same_but_for_rounding_has_no_error() -> None:
    values = [[1e6 + 0.1 * place, 0.1 * place] for place in range(4)]
    assert np.isnan(Contrasts(values, range(4)).errors()).all()


@given(rows=ROWS)
def test_without_clusters_it_is_the_usual_one_of_every_pair(rows: list) -> None:
    table = np.array(rows)
    found = Contrasts(table, range(len(rows))).errors()
    for error, (first, second) in zip(found, combinations(range(3), 2), strict=True):
        usual = scipy.stats.sem(table[:, first] - table[:, second])
        assert np.nan_to_num(error) == pytest.approx(usual, rel=1e-9, abs=1e-11)


def test_an_undefined_value_leaves_its_pairs_alone() -> None:
    table = [[0.1, 0.5, 0.2], [0.9, NAN, 0.3], [0.4, 0.4, 0.6], [0.7, 0.1, 0.8]]
    whole = [0.1 - 0.5, 0.4 - 0.4, 0.7 - 0.1]
    found = Contrasts(table, range(4)).errors()
    assert found[0] == pytest.approx(scipy.stats.sem(whole))
    assert found[1] == pytest.approx(scipy.stats.sem([-0.1, 0.6, -0.2, -0.1]))


def test_one_alone_makes_no_pair() -> None:
    assert Contrasts([[0.1], [0.2]], ["p", "q"]).errors().tolist() == []


def test_an_interval_holds_the_differences_that_the_bound_allows() -> None:
    # Sums 2, 0 and 1 over 2, 1 and 1 items. With a bound of 1 the ends solve
    # (3 - 4 d)^2 = (2 - 2 d)^2 + d^2 + (1 - d)^2, so 5 d^2 - 7 d + 2 = 0: d = 0.4 or 1
    contrasts = Contrasts([[1, 0], [1, 0], [0, 0], [1, 0]], ["p", "p", "q", "r"])
    low, high = contrasts.intervals(1.0)
    assert (low[0], high[0]) == pytest.approx((0.4, 1.0))


@pytest.mark.parametrize("bound", [0.5, 1.0, 2.0, 3.99, 3.999])
def test_at_the_ends_of_an_interval_the_statistic_is_the_bound(bound: float) -> None:
    values = np.random.default_rng(6).normal([0.3, 0.0], 1.0, (16, 2))
    low, high = Contrasts(values, range(16)).intervals(bound)
    for end in (low[0], high[0]):
        [statistic] = Contrasts(values - [end, 0.0], range(16)).statistics
        assert abs(statistic) == pytest.approx(bound)
    assert low[0] < (values[:, 0] - values[:, 1]).mean() < high[0]


@pytest.mark.parametrize("bound", [4.0, 5.0])
def test_no_statistic_of_sixteen_papers_exceeds_four(bound: float) -> None:
    [low], [high] = Contrasts([[0.7, 0.2]] * 8 + [[0.2, 0.2]] * 8, range(16)).intervals(bound)
    assert (low, high) == (-np.inf, np.inf)
