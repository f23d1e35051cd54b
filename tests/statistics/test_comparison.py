"""Paired differences, ties, ranks and win rates: by hand, as properties and on simulated data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.statistics.comparison import (
    Difference,
    Rank,
    more_clusters,
    paired_difference,
    rank_contestants,
    shown_by,
    smallest_detectable_difference,
)
from vivavoce.statistics.intervals import percentile_interval, resample
from vivavoce.statistics.ranks import Contrasts, rank

NAN = math.nan
PAPERS = [f"paper {number:03d}" for number in range(40)]

scores = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0, NAN])
two_contestants = st.lists(
    st.tuples(st.sampled_from(["p", "q", "r", "s"]), scores, scores), min_size=1, max_size=12
)
three_contestants = st.lists(
    st.tuples(st.sampled_from(["p", "q", "r", "s"]), scores, scores, scores),
    min_size=1,
    max_size=10,
)


def compare(rows: list[tuple[str, float, float]]) -> Difference:
    draws = resample([cluster for cluster, _, _ in rows], resamples=60)
    return paired_difference([a for _, a, _ in rows], [b for _, _, b in rows], draws)


def test_a_paired_difference_is_the_mean_of_the_differences() -> None:
    # (0.5 - 0.1 + 0.7 - 0.3 + 0.9 - 0.5) / 3 = 0.4, the same on every item: no spread at all
    for papers, is_undecided in ((PAPERS[:9], True), (PAPERS[:12], False)):
        times = len(papers) // 3
        found = paired_difference(
            [0.5, 0.7, 0.9] * times, [0.1, 0.3, 0.5] * times, resample(papers, resamples=1_000)
        )
        assert found.value == pytest.approx(0.4)
        assert found.interval == pytest.approx([0.4, 0.4])
        assert found.undecided is is_undecided


def test_the_interval_is_the_percentile_interval_of_the_resampled_differences() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.random(40), generator.random(40)
    draws = resample(PAPERS, resamples=1_000)
    means = draws.means(np.column_stack([a, b]))
    found = paired_difference(a, b, draws)
    assert found.interval == pytest.approx(
        percentile_interval(means[:, 0] - means[:, 1]), abs=1e-12
    )


def test_only_items_with_both_values_are_compared() -> None:
    draws = resample(["p", "q", "r", "s"], resamples=100)
    # pairs: 0.8 - 0.2 and 0.6 - 0.4, mean (0.6 + 0.2) / 2
    found = paired_difference([0.8, NAN, 0.6, 1.0], [0.2, 0.9, 0.4, NAN], draws)
    assert found.value == pytest.approx(0.4)
    assert found.undecided is True  # two papers decide nothing
    nothing_shared = paired_difference([0.8, NAN, NAN, NAN], [NAN, 0.9, 0.4, NAN], draws)
    assert nothing_shared == Difference(None, None, None)


def test_one_cluster_or_no_draws_tell_nothing_apart() -> None:
    two = {"a": [1.0, 1.0], "b": [0.0, 0.0]}
    for draws in (resample(["p", "p"]), resample(["p", "q"], resamples=0)):
        assert paired_difference(*two.values(), draws) == Difference(1.0, None, None)
    assert rank_contestants(two, resample(["p", "q"], resamples=0)) == {
        "a": Rank(1, None, ()),
        "b": Rank(2, None, ()),
    }
    assert rank_contestants(two, resample(["p", "p"])) == {
        "a": Rank(1, (1, 2), ("b",), (None,)),
        "b": Rank(2, (1, 2), ("a",), (None,)),
    }


def test_rounding_makes_no_difference() -> None:
    # the same scores in another order: in floating point every draw is a little above 0
    a, b = [0.1, 0.2, 0.4] * 2, [0.2, 0.4, 0.1] * 2
    found = paired_difference(a, b, resample(["p"] * 3 + ["q"] * 3, resamples=100))
    assert 0 < found.interval[0] < 1e-15
    assert found.undecided is True


@pytest.mark.parametrize(("looks", "is_undecided"), [(1, False), (2, False), (3, True), (20, True)])
def test_several_looks_share_the_error_rate(looks: int, is_undecided: bool) -> None:
    # Ahead on 13 of 16 papers: by chance 697 of 32768 signs give that or more, 2.1%. The limit is
    # 5% at one look, 2.5% at each of two, 1.7% at each of three.
    wins, losses = [1.0] * 13 + [0.0] * 3, [0.0] * 13 + [1.0] * 3
    found = paired_difference(wins, losses, resample(PAPERS[:16]), looks=looks)
    assert found.undecided is is_undecided


def test_an_interval_that_ends_at_0_decides_nothing() -> None:
    # Ahead by 1 on 95 papers, behind by 9 on 5. A draw with ten of the five is 90 - 90 = 0: one of
    # 36 draws has ten or more, and one of 87 more than ten.
    columns = np.array([[1.0, 0.0]] * 95 + [[0.0, 9.0]] * 5)
    papers = [f"{number:03d}" for number in range(100)]
    assert rank(columns, papers)[0].beats == (1,)
    ahead = paired_difference(columns[:, 0], columns[:, 1], resample(papers))
    assert (ahead.interval[0], ahead.undecided) == (0.0, True)
    behind = paired_difference(columns[:, 1], columns[:, 0], resample(papers))
    assert (behind.interval[1], behind.undecided) == (0.0, True)


@given(two_contestants)
@settings(deadline=None)
def test_swapping_contestants_turns_a_difference(rows: list[tuple[str, float, float]]) -> None:
    there = compare(rows)
    back = compare([(cluster, b, a) for cluster, a, b in rows])
    assert back.undecided == there.undecided
    (low, high), (back_low, back_high) = (each.interval or [None, None] for each in (there, back))
    for first, second in ((there.value, back.value), (low, back_high), (high, back_low)):
        assert first == (None if second is None else pytest.approx(-second, abs=1e-12))


@given(three_contestants, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_neither_the_order_of_items_nor_of_names_changes_a_rank(rows: list, random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    before = rank_contestants(
        dict(zip("abc", list(zip(*rows, strict=True))[1:], strict=True)),
        resample([row[0] for row in rows], resamples=60),
    )
    columns = list(zip(*shuffled, strict=True))
    after = rank_contestants(
        {"c": columns[3], "a": columns[1], "b": columns[2]}, resample(columns[0], resamples=60)
    )
    assert after == before


@given(three_contestants)
@settings(deadline=None)
def test_ranks_lie_in_their_intervals_and_undecided_pairs_are_mutual(rows: list) -> None:
    columns = list(zip(*rows, strict=True))
    ranks = rank_contestants(
        dict(zip("abc", columns[1:], strict=True)), resample(columns[0], resamples=60)
    )
    for name, found in ranks.items():
        if found.rank_interval is not None:
            low, high = found.rank_interval
            assert 1 <= low <= found.rank <= high <= 3
        for rival in found.undecided_with:
            assert name in ranks[rival].undecided_with


@given(three_contestants)
@settings(deadline=None)
def test_lower_is_better_ranks_what_is_left_to_one(rows: list) -> None:
    columns = list(zip(*rows, strict=True))
    draws = resample(columns[0], resamples=60)
    named = dict(zip("abc", columns[1:], strict=True))
    losses = {name: [-value for value in column] for name, column in named.items()}
    assert rank_contestants(losses, draws, higher_is_better=False) == rank_contestants(named, draws)


def test_ranks_with_an_undecided_pair() -> None:
    wave = np.where(np.arange(40) % 2 == 0, 0.1, -0.1)
    ranks = rank_contestants(
        {
            "null": np.zeros(40),
            "close behind": 0.5 - wave + np.where(np.arange(40) < 2, -0.2, 0.0),
            "front": 0.5 + wave,
            "oracle": np.ones(40),
        },
        resample(PAPERS, resamples=1_000),
    )
    assert ranks == {
        "oracle": Rank(1, (1, 1), ()),
        "front": Rank(2, (2, 3), ("close behind",), (5268,)),
        "close behind": Rank(3, (2, 3), ("front",), (5268,)),
        "null": Rank(4, (4, 4), ()),
    }


def test_equal_values_share_a_rank() -> None:
    papers = PAPERS[:20]
    ranks = rank_contestants(
        {"a": [0.2, 0.4] * 10, "b": [0.4, 0.2] * 10, "c": [0.0, 0.0] * 10},
        resample(papers, resamples=1_000),
    )
    assert ranks["a"] == Rank(1, (1, 2), ("b",), (None,))
    assert ranks["b"] == Rank(1, (1, 2), ("a",), (None,))
    assert ranks["c"] == Rank(3, (3, 3), ())


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize(("span", "rivals"), [(1.0, ()), (2.0, ("b",))])
def test_one_more_paper_of_half_the_range_must_not_undo_a_rank(
    higher_is_better: bool, span: float, rivals: tuple[str, ...]
) -> None:
    # 20 differences of 0.1: (2 - 0.5) / sqrt(0.2 + 0.25) = 2.24 is enough, and of a metric up to 2
    # (2 - 1) / sqrt(0.2 + 1) = 0.91 is not
    columns = {"a": [0.3] * 20, "b": [0.2] * 20}
    ranks = rank_contestants(columns, resample(PAPERS[:20]), higher_is_better, span)
    assert ranks["a"].undecided_with == rivals


def test_a_contestant_without_values_is_not_ranked() -> None:
    papers = PAPERS[:20]
    ranks = rank_contestants(
        {"a": [0.2, 0.4] * 10, "silent": [NAN] * 20, "b": [0.1, 0.1] * 10},
        resample(papers, resamples=1_000),
    )
    assert list(ranks) == ["a", "silent", "b"]
    assert ranks["silent"] == Rank(None, None, ())
    assert ranks["b"] == Rank(2, (2, 2), ())
    assert rank_contestants({}, resample(["p", "q"])) == {}
    alone = rank_contestants({"a": [0.2, 0.4]}, resample(["p", "q"]))
    assert alone == {"a": Rank(1, (1, 1), ())}


def test_the_smallest_detectable_difference_by_hand() -> None:
    draws = resample(PAPERS[:16], resamples=0)
    # a - b = 1, -1, 1, -1 ...: e = sqrt(16/15) / sqrt(16) = 0.258199; one more paper against takes
    # 0.5 / 16 = 0.03125 from the mean; 1.95996 hypot(e, 0.03125) + 0.84162 e + 0.03125
    a, b = [1.0, 0.0] * 8, [0.0, 1.0] * 8
    assert smallest_detectable_difference({"a": a, "b": b}, draws) == pytest.approx(0.758309, 1e-5)
    # a - c and b - c have half that error each, so the median over three pairs is half; for three
    # comparisons z(1 - 0.05 / 6) = 2.39398 takes the place of 1.95996
    three = {"a": a, "b": b, "c": [0.0] * 16}
    assert smallest_detectable_difference(three, draws) == pytest.approx(0.457890, 1e-5)
    # two neighbours in one cluster: the differences cancel within each
    pairs = resample([name for name in PAPERS[:16] for _ in range(2)], resamples=0)
    assert smallest_detectable_difference({"a": a * 2, "b": b * 2}, pairs) is None
    assert smallest_detectable_difference({"a": a, "again": a}, draws) is None
    assert smallest_detectable_difference({"a": a}, draws) is None
    few = resample(PAPERS[:11], resamples=0)
    assert smallest_detectable_difference({"a": a[:11], "b": b[:11]}, few) is None


def test_so_many_more_papers_show_what_these_do_not() -> None:
    # e = 0.2 s / sqrt(n), differences of 0.1 +- 0.2: shown where 2.80 e and the guard are below 0.1
    noise = np.where(np.arange(20) % 2 == 0, 0.2, -0.2)
    [more] = more_clusters(Contrasts(np.column_stack([0.1 + noise, 0 * noise]), range(20), 1.0))
    needed = 20 + more
    error = 0.2 * math.sqrt(20 / 19)  # of one paper
    assert shown_by(error / math.sqrt(needed), needed, 1.0) <= 0.1
    assert shown_by(error / math.sqrt(needed - 1), needed - 1, 1.0) > 0.1


def test_a_difference_that_needs_more_than_ten_thousand_papers_is_never_shown() -> None:
    noise = np.tile([0.5, -0.5], 10)
    tiny = Contrasts(np.column_stack([0.0001 + noise, 0 * noise]), range(20), 1.0)
    assert more_clusters(tiny) == [None]


@pytest.mark.parametrize(("papers", "more"), [(4, 8), (11, 1), (12, 1), (20, 1)])
def test_papers_that_agree_exactly_lack_the_rest_of_twelve_or_one(papers: int, more: int) -> None:
    agreeing = Contrasts(np.tile([0.9, 0.1, 0.1], (papers, 1)), range(papers))
    assert more_clusters(agreeing) == [more, more, None]  # without a difference nobody knows


def test_the_smallest_detectable_difference_is_detected_four_times_out_of_five() -> None:
    generator = np.random.default_rng(31)
    named = [f"{number:03d}" for number in range(100)]
    # standard error 0.3 / sqrt(100) = 0.03; a range of 2 takes 0.01: 2.80 x 0.03 + 0.01 and some
    truth, found, told_apart, data_sets = 0.0972, [], 0, 300
    draws = resample(named, resamples=400)
    for _ in range(data_sets):
        base = generator.random(100)
        better = base + generator.normal(truth, 0.3, size=100)
        columns = {"a": better, "b": base}
        found.append(smallest_detectable_difference(columns, draws, span=2.0))
        told_apart += paired_difference(better, base, draws, span=2.0).undecided is False
    assert np.median(found) == pytest.approx(truth, rel=0.02)
    assert 0.74 <= told_apart / data_sets <= 0.87


@pytest.mark.parametrize(
    "wrong",
    [
        lambda draws: paired_difference([1.0, 2.0], [1.0, 2.0, 3.0], draws),
        lambda draws: paired_difference([1.0], [1.0], draws),
        lambda draws: rank_contestants({"a": [[1.0, 2.0]]}, draws),
    ],
)
def test_wrong_use_says_what_to_do(wrong) -> None:
    with pytest.raises(InputError):
        wrong(resample(["p", "q"]))
