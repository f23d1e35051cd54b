"""Ranks of many contestants: by hand, against all sign vectors, as properties, by simulation."""

import math
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.statistics import Standing, rank, ranks
from vivavoce.statistics.ranks import Contrasts

NAN = math.nan
DECIDED = [Standing(1, 1, 1, (1,)), Standing(2, 2, 2, ())]
UNDECIDED = [Standing(1, 1, 2, ()), Standing(1, 1, 2, ())]


def apart(rows: list[tuple], gap: float) -> list[tuple]:
    """Raise each contestant's values above those of the one before."""
    return [
        (cluster, *(round(gap * place + value, 9) for place, value in enumerate(values)))
        for cluster, *values in rows
    ]


VALUES = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0, NAN])
ROWS = st.tuples(st.integers(1, 30), *[VALUES] * 4)
# Only of twelve clusters or more is a pair ever decided.
tables = st.builds(
    apart,
    st.lists(ROWS, min_size=1, max_size=40) | st.lists(ROWS, min_size=25, max_size=40),
    st.sampled_from([0.0, 1.0]),
)


@pytest.mark.parametrize("papers", [1, 2, 6, 11, 12, 30])
def test_twelve_papers_that_agree_tell_two_apart(papers: int) -> None:
    found = rank([[0.7, 0.2]] * papers, range(papers))
    assert found == (DECIDED if papers >= ranks.MIN_CLUSTERS else UNDECIDED)
    again = rank([[0.7, 0.2]] * 3 * papers, [*range(papers)] * 3, span=1.0)
    assert again == (DECIDED if papers >= ranks.MIN_CLUSTERS else UNDECIDED)


def test_a_paper_on_which_one_has_no_value_does_not_count_towards_the_twelve() -> None:
    assert rank([[0.7, 0.2]] * 11 + [[0.7, NAN]], range(12)) == UNDECIDED


def test_small_values_are_told_apart_like_large_ones() -> None:
    for unit in (1e-14, 1.0, 1e14):
        assert rank([[0.7 * unit, 0.2 * unit]] * 12, range(12)) == DECIDED


def test_one_more_paper_of_half_the_range_must_not_undo_a_decision() -> None:
    # By hand: 20 differences of 0.1, and one of -0.5: (2 - 0.5) / sqrt(0.2 + 0.25) = 2.236, above
    # the 1.96 or so of random signs; of a metric up to 2 it is (2 - 1) / sqrt(0.2 + 1) = 0.913.
    values = [[0.3, 0.2]] * 20
    assert rank(values, range(20), span=1.0) == DECIDED
    assert rank(values, range(20), span=2.0) == UNDECIDED
    # Five items a paper are five times as far apart on the further one.
    assert rank(values * 5, [*range(20)] * 5, span=2.0) == UNDECIDED


def test_a_rare_hit_that_nobody_has_seen_decides_nothing() -> None:
    # Hits of 3% against an even 0.03: on 43 papers without a hit the even one is ahead on each.
    values = np.column_stack([np.zeros(43), np.full(43, 0.03) + np.linspace(-0.003, 0.003, 43)])
    assert rank(values, range(43)) == [Standing(2, 2, 2, ()), Standing(1, 1, 1, (0,))]
    assert rank(values, range(43), span=1.0) == UNDECIDED


def by_enumeration(values: np.ndarray, alpha: float) -> set[tuple[int, int]]:
    """Decided pairs (better, worse) of the step-down over every vector of signs."""
    pairs = list(combinations(range(values.shape[1]), 2))
    sums = np.column_stack([values[:, i] - values[:, j] for i, j in pairs])
    signs = np.array(list(product((-1, 1), repeat=len(values))))
    scale, total, one = np.sqrt((sums**2).sum(axis=0)), sums.sum(axis=0), np.ptp(values) / 2
    drawn = np.abs(signs @ sums) / scale
    observed = np.sign(total) * (np.abs(total) - one).clip(0) / np.hypot(scale, one)
    decided: set[tuple[int, int]] = set()
    left = list(range(len(pairs)))
    while left:
        clearest = max(left, key=lambda pair: abs(observed[pair]))
        p = (drawn[:, left].max(axis=1) >= abs(observed[clearest]) - 1e-9).mean()
        if p > alpha:
            break
        pair = pairs[clearest]
        decided.add(pair if observed[clearest] > 0 else pair[::-1])
        left.remove(clearest)
    return decided


def decided_by(found: list[Standing]) -> set[tuple[int, int]]:
    return {(better, worse) for better, of in enumerate(found) for worse in of.beats}


@pytest.mark.parametrize("seed", range(5))
def test_random_signs_decide_what_all_signs_do(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal([0.0, 0.3, 0.6, 0.9], 0.3, (12, 4))
    found = decided_by(rank(values, range(12), resamples=40_000))
    # 40,000 draws of 4,096 vectors: a p between these levels could fall on either side
    assert by_enumeration(values, 0.045) <= found <= by_enumeration(values, 0.055)


@given(tables, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_neither_order_nor_a_common_shift_nor_the_unit_has_a_say(rows: list, random) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    values, clusters = np.array([row[1:] for row in rows]), [row[0] for row in rows]
    before = rank(values, clusters, resamples=99)
    moved = 3 + 0.5 * values[order]
    assert rank(moved, [clusters[i] for i in order], resamples=99) == before
    turned = rank(values[:, ::-1], clusters, resamples=99)
    assert decided_by(turned) == {(3 - a, 3 - b) for a, b in decided_by(before)}


def test_differences_beyond_single_precision_are_none() -> None:
    tiny = 2.5e-70
    assert rank([[0.0, tiny]] * 12, range(12), resamples=99) == UNDECIDED
    assert rank([[1e-25, 0.0]] * 12, range(12), resamples=99) == DECIDED


@given(tables)
@settings(deadline=None)
def test_ranges_follow_from_who_beats_whom(rows: list) -> None:
    found = rank([row[1:] for row in rows], [row[0] for row in rows], resamples=99)
    for own, standing in enumerate(found):
        losses = sum(own in other.beats for other in found)
        assert standing.rank == standing.low == 1 + losses
        assert standing.high == 4 - len(standing.beats)
        assert standing.low <= standing.high


def test_an_undefined_value_leaves_the_pairs_other_items() -> None:
    generator = np.random.default_rng(2)
    values = generator.normal([0.0, 0.0, 1.0], 0.1, (100, 3))
    values[generator.random((100, 3)) < 0.4] = NAN
    assert [each.beats for each in rank(values, range(100))] == [(), (), (0, 1)]
    values[:50, 0] = values[50:, 2] = NAN  # nothing that both have
    assert [each.beats for each in rank(values, range(100))] == [(), (), (1,)]


def test_nothing_to_compare_decides_nothing() -> None:
    tied = Standing(1, 1, 3, ())
    assert rank(np.zeros((0, 3)), []) == [tied] * 3
    assert rank(np.full((20, 3), NAN), range(20)) == [tied] * 3
    assert rank(np.full((20, 3), 0.3), range(20)) == [tied] * 3
    for resamples in (0, 18):  # of which none may be as great, at a level of 95%
        assert rank([[0.1, 0.2, 0.3]] * 20, range(20), resamples=resamples) == [tied] * 3
    assert rank([[0.1]] * 20, range(20)) == [Standing(1, 1, 1, ())]
    assert rank(np.zeros((20, 0)), range(20)) == []


def test_rounding_is_no_difference() -> None:
    values = np.tile([0.1 + 0.2, 0.3], (50, 1))
    assert rank(values, range(50)) == UNDECIDED


def test_near_copies_cost_the_others_nothing() -> None:
    # Sums in single precision would lose differences of 1e-9, and call them great.
    generator = np.random.default_rng(3)
    values = generator.random((100, 4)) + np.array([0, 0, 0, 0.5])
    values[:, 1] = values[:, 0] + generator.normal(0, 1e-9, 100)
    found = rank(values, range(100))
    assert found[3].beats == (0, 1, 2)
    assert (found[0].beats, found[1].beats) == ((), ())


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(8).normal(np.linspace(0, 0.5, 9), 0.5, (50, 9))
    values[3, 4] = NAN
    whole = rank(values, [i // 2 for i in range(50)], resamples=500)
    monkeypatch.setattr(ranks, "CELLS", 1_500)  # three pairs or clusters at a time
    assert rank(values, [i // 2 for i in range(50)], resamples=500) == whole


def test_signs_stay_when_clusters_are_added() -> None:
    columns = np.random.default_rng(0).random((30, 2))
    columns[20:] = 0.0
    flips = ranks.Flips(70, seed=4)
    assert (flips.sums(columns) == flips.sums(columns[:20])).all()


@pytest.mark.parametrize(("size", "skewed"), [(1, False), (5, True)])
def test_at_most_one_board_in_twenty_of_equals_names_a_winner(size: int, skewed: bool) -> None:
    # `python -m benchmarks.coverage ranks` does this in 2,000 worlds of nine kinds.
    generator, false = np.random.default_rng(size), 0
    for world in range(300):
        shared = generator.normal(0, 1, (100 // size, 10)).repeat(size, axis=0)
        values = shared + generator.normal(0, 1, (100, 10))
        values = np.exp(values) if skewed else values
        clusters = [item // size for item in range(100)]
        false += any(each.beats for each in rank(values, clusters, resamples=400, seed=world))
    assert false / 300 <= 0.085  # 5% and 2.8 standard errors


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: rank([[1.0, 2.0]], ["p", "q"]),
        lambda: rank([1.0, 2.0], ["p", "q"]),
        lambda: rank([[1.0, math.inf]], ["p"]),
        lambda: rank([[1.0, 2.0]], ["p"], level=1.0),
    ],
)
def test_wrong_use_is_refused(wrong) -> None:
    with pytest.raises(InputError):
        wrong()


# Errors and intervals of the differences of all pairs at once.

DEFINED = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
TRIPLES = st.lists(st.tuples(DEFINED, DEFINED, DEFINED), min_size=2, max_size=25)


def test_an_error_sums_deviations_over_clusters() -> None:
    # mean (1+1+0+0)/4 = 0.5; deviations: a 0.5+0.5 = 1, b -0.5-0.5 = -1; 2 clusters, 4 items
    # sqrt(2/1 * (1 + 1)) / 4 = 2/4; taken one by one the same items give less: s/sqrt(4)
    values = [[1, 0], [1, 0], [0, 0], [0, 0]]
    assert Contrasts(values, ["a", "a", "b", "b"]).errors().tolist() == [0.5]
    assert np.isnan(Contrasts(values, ["a"] * 4).errors()).all()


def test_a_difference_that_is_the_same_but_for_rounding_has_no_error() -> None:
    values = [[1e6 + 0.1 * place, 0.1 * place] for place in range(4)]
    assert np.isnan(Contrasts(values, range(4)).errors()).all()


@given(rows=TRIPLES)
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
