"""The cluster bootstrap, against arithmetic by hand, scipy and simulated data."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.one_metric import interval

from vivavoce.errors import InputError
from vivavoce.statistics import intervals
from vivavoce.statistics.intervals import percentile_interval, resample

NAN = math.nan

items = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "d"]), st.floats(0, 1) | st.just(NAN)),
    min_size=1,
    max_size=12,
)


def singletons(n: int) -> list[str]:
    return [f"table {number:05d}" for number in range(n)]


def test_a_draw_of_clusters_gives_the_ratio_of_their_sums() -> None:
    draws = resample(["a", "a", "b"], resamples=200, seed=3)
    [drawn] = list(draws.indices())
    # a holds 1 + 0 over 2 items, b holds 1 over 1:
    # a, a -> 2/4; a, b or b, a -> 2/3; b, b -> 2/2
    by_times_b_is_drawn = {0: 2 / 4, 1: 2 / 3, 2: 2 / 2}
    expected = [by_times_b_is_drawn[int(pair.sum())] for pair in drawn]
    assert draws.means([1.0, 0.0, 1.0])[:, 0].tolist() == expected
    assert set(expected) == {2 / 4, 2 / 3, 1.0}


def test_an_undefined_value_counts_neither_above_nor_below_the_line() -> None:
    draws = resample(["a", "a", "b"], resamples=200, seed=3)
    [drawn] = list(draws.indices())
    # a holds 1 over 1 defined item, b holds nothing: every draw with an a is 1, b, b is undefined
    means = draws.means([1.0, NAN, NAN])
    only_b = drawn.sum(axis=1) == 2
    assert np.isnan(means[only_b, 0]).all()
    assert (means[~only_b, 0] == 1.0).all()
    assert int(np.isnan(means).sum()) == int(only_b.sum())


def test_the_interval_is_that_of_scipy_for_the_same_integers() -> None:
    values = np.random.default_rng(8).random((60, 3))
    theirs = scipy.stats.bootstrap(
        (values,),
        np.mean,
        axis=0,
        n_resamples=2_000,
        batch=77,
        method="percentile",
        rng=np.random.default_rng(5),
    )
    draws = resample(singletons(60), resamples=2_000, seed=5)
    ours = np.array(draws.intervals(values))
    np.testing.assert_allclose(
        draws.means(values).T, theirs.bootstrap_distribution, rtol=0, atol=1e-14
    )
    assert ours[:, 0] == pytest.approx(theirs.confidence_interval.low, abs=1e-14)
    assert ours[:, 1] == pytest.approx(theirs.confidence_interval.high, abs=1e-14)


def test_clusters_of_several_items_follow_scipy_with_a_ratio_as_statistic() -> None:
    generator = np.random.default_rng(2)
    sizes = generator.integers(1, 6, size=25)
    clusters = [f"{cluster:02d}" for cluster, size in enumerate(sizes) for _ in range(size)]
    values = generator.random(len(clusters))
    sums = np.add.reduceat(values, np.cumsum(sizes) - sizes)
    theirs = scipy.stats.bootstrap(
        (sums, sizes.astype(float)),
        lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
        paired=True,
        n_resamples=1_000,
        method="percentile",
        rng=np.random.default_rng(11),
    ).confidence_interval
    ours = interval(values, clusters, resamples=1_000, seed=11)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-14)


def test_the_size_of_a_batch_changes_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = resample(singletons(7), resamples=101, seed=1)
    values = np.random.default_rng(0).random(7)
    whole, means = np.vstack(list(draws.indices())), draws.means(values)
    for cells in (1, 7, 50, 333):
        monkeypatch.setattr(intervals, "_BATCH_CELLS", cells)
        assert (np.vstack(list(draws.indices())) == whole).all()
        assert draws.means(values) == pytest.approx(means, abs=1e-15)
    assert (whole == np.random.default_rng(1).integers(0, 7, size=(101, 7))).all()


@given(items, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_shuffling_the_items_changes_nothing(rows: list[tuple[str, float]], random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    before, after = (
        resample([cluster for cluster, _ in order], resamples=50).means([v for _, v in order])
        for order in (rows, shuffled)
    )
    assert np.array_equal(before, after, equal_nan=True)


@given(items)
@settings(deadline=None)
def test_every_resampled_mean_lies_between_the_smallest_and_the_largest_value(
    rows: list[tuple[str, float]],
) -> None:
    values = np.array([value for _, value in rows])
    draws = resample([cluster for cluster, _ in rows], resamples=50)
    means = draws.means(values)
    defined, drawn = values[~np.isnan(values)], means[~np.isnan(means)]
    if drawn.size:
        assert defined.min() - 1e-12 <= drawn.min()
        assert drawn.max() <= defined.max() + 1e-12
    assert int(np.isnan(means).sum()) == 50 - drawn.size


def test_there_is_no_interval_without_two_clusters_or_without_draws() -> None:
    assert interval([0.1, 0.9], ["a", "a"]) is None
    assert interval([0.1, 0.9], ["a", "b"], resamples=0) is None
    assert interval([0.1, NAN], ["a", "b"]) is None
    assert interval([], []) is None
    assert np.isnan(resample([], resamples=3).means([])).all()
    assert interval([0.1, 0.9], ["a", "b"], resamples=100) == [0.1, 0.9]
    low, high = interval([0.1, 0.9], ["a", "b"], resamples=1)
    assert low == high  # one draw


def test_the_percentile_interval_interpolates_between_draws() -> None:
    # 0..100 has its q-quantile at 100 q; NaN is dropped
    draws = [NAN, *range(101), NAN]
    assert percentile_interval(draws) == pytest.approx((2.5, 97.5), abs=1e-12)
    assert percentile_interval(draws, level=0.9) == pytest.approx((5.0, 95.0), abs=1e-12)
    assert percentile_interval([NAN, NAN]) is None


def test_the_mean_is_over_defined_values() -> None:
    draws = resample(["a", "a", "b"])
    values = np.array([[0.1, NAN, NAN], [0.2, 0.5, NAN], [0.3, 1.0, NAN]])
    assert draws.mean(values) == [pytest.approx(0.2), 0.75, None]  # (0.1+0.2+0.3)/3, (0.5+1)/2


def test_an_integer_and_a_string_name_different_clusters() -> None:
    assert resample([1, "1", 2, 1]).clusters == 3
    assert resample([1, "1", 2, 1]).codes.tolist() == [0, 2, 1, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: resample(["a", "b"], resamples=-1),
        lambda: resample(["a", "b"], seed=-1),
        lambda: resample(["a", "b"]).means([1.0]),
        lambda: resample(["a", "b"]).means([1.0, math.inf]),
        lambda: percentile_interval([1.0, 2.0], level=95),
        lambda: percentile_interval([1.0, 2.0], level=0.0),
    ],
)
def test_wrong_use_says_what_to_do(wrong) -> None:
    with pytest.raises(InputError):
        wrong()


def test_the_interval_covers_the_true_mean_of_clustered_data() -> None:
    generator = np.random.default_rng(2024)
    true_mean, covered, covered_if_items_were_alone, data_sets = 0.4, 0, 0, 300
    for _ in range(data_sets):
        sizes = generator.integers(1, 8, size=50)
        shared = np.repeat(generator.normal(true_mean, 0.2, size=50), sizes)
        values = shared + generator.normal(0, 0.1, size=sizes.sum())
        clusters = [f"{c:02d}" for c in np.repeat(np.arange(50), sizes)]
        low, high = interval(values, clusters, resamples=400)
        covered += low <= true_mean <= high
        low, high = interval(values, singletons(len(values)), resamples=400)
        covered_if_items_were_alone += low <= true_mean <= high
    assert 0.90 <= covered / data_sets <= 0.98
    assert covered_if_items_were_alone / data_sets < 0.85  # why clusters are drawn whole
