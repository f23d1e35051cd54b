"""A judge corrected by people: by hand, as other libraries compute it, by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from vivavoce.errors import InputError
from vivavoce.statistics import Estimate, corrected_mean

# fmt: off
JUDGED = [0.25, 0.95, 0.19, 0.18, 0.35, 0.23, 0.67, 0.12, 0.9, 0.86, 0.0, 0.54, 0.11, 0.26, 0.42,
          0.45, 0.47, 0.93, 0.26, 0.19, 0.67, 0.95, 0.92, 0.88, 0.06, 0.94, 0.65, 0.87, 0.41, 0.22,
          0.79, 0.66, 0.78, 0.2, 0.13, 0.76, 0.02, 0.95, 0.14, 0.6]
HUMAN = [0.22, 0.61, 0.23, 0.11, 0.3, 0.22, 0.43, 0.0, 0.6, 0.66, 0.0, 0.42]
# fmt: on
LABELLED = list(range(12))
BOUNDS = (0.0, 1.0)


def test_it_agrees_with_ppi_python_and_truescore() -> None:
    # ppi_py 0.2.3: ppi_mean_pointestimate(human, judged[:12], judged[12:], lam=0.477383155262104)
    # = 0.35866502, ppi_mean_ci with normal quantiles (0.28685434, 0.4304757)
    # truescore 0.7.4: ppi_estimate gives 0.3568 [0.2828, 0.4308], its weight from another variance
    found = corrected_mean(JUDGED, range(40), LABELLED, HUMAN, least=5)
    assert found.value == pytest.approx(0.35866502, abs=1e-8)
    assert found.weight == pytest.approx(0.477383155262104)
    assert found.raw == pytest.approx(0.49825)
    # Student's t, leaving out items, and one more label against the judge make it wider
    assert 0.23 < found.low < 0.28685434
    assert 0.4304757 < found.high < 0.49


def test_by_hand() -> None:
    # people 1, 0, 1, 1 where the judge says 1, 1, 1, 0; no covariance, so the judge has no weight:
    # their mean 3/4, and leaving out one in turn the usual s / sqrt(n) = 0.5 / 2, t(3) = 3.18245
    found = corrected_mean([1, 1, 1, 0, 1, 0], range(6), [0, 1, 2, 3], [1, 0, 1, 1], least=1)
    assert found.weight == 0.0
    assert found.value == 0.75
    assert found.high - found.value == pytest.approx(3.18245 * 0.25, rel=1e-5)


def test_by_hand_where_the_judge_counts() -> None:
    # The judge is right on three labelled papers, 0, 1/2 and 1: the variance of their mean is
    # 1/4 / 3 = 1/12. On two others it says 1 and 1/2: mean 3/4, variance 1/8 / 2 = 1/16.
    # So its weight is 1/12 / (1/12 + 1/16) = 4/7, and the value 1/2 + 4/7 (3/4 - 1/2) = 9/14.
    judged, human = [0.0, 0.5, 1.0, 1.0, 0.5], [0.0, 0.5, 1.0]
    found = corrected_mean(judged, range(5), [0, 1, 2], human, least=1)
    assert found.weight == pytest.approx(4 / 7)
    assert found.value == pytest.approx(9 / 14)
    # Without one in turn: 0.75, 0.7 and 0.5, whose squares around 0.65 sum to 0.035; times 2/3 and,
    # for the weight, 2/1; then one more label that contradicts the judge completely.
    people, others = 0.035 * 2 / 3 * 2 + (4 / 7 / 3) ** 2, (4 / 7) ** 2 / 16
    degrees = (people + others) ** 2 / (people**2 + others**2)
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(people + others)
    assert (found.low, found.high) == pytest.approx((9 / 14 - reach, 9 / 14 + reach))


def test_a_judge_needs_three_labelled_clusters_and_two_others() -> None:
    judged, human = [0.0, 0.5, 1.0, 1.0, 0.5], [0.0, 0.5, 1.0]
    one_other = corrected_mean(judged[:4], range(4), [0, 1, 2], human, least=1)
    assert (one_other.value, one_other.weight) == (0.5, 0.0)
    two_labelled = corrected_mean(judged, range(5), [0, 2], [0.0, 1.0], least=1)
    assert (two_labelled.value, two_labelled.weight) == (0.5, 0.0)
    # without one of the two the mean is 0 or 1: s / sqrt(n) = 1/2, and t(1) = 12.7062
    assert two_labelled.high == pytest.approx(0.5 + 12.7062 / 2, rel=1e-5)


def test_a_judge_that_is_right_counts_almost_as_much_as_people() -> None:
    generator = np.random.default_rng(1)
    values = generator.random(2_000)
    labelled = list(range(50))
    found = corrected_mean(values, range(2_000), labelled, values[:50])
    assert found.weight > 0.95
    assert found.value == pytest.approx(values.mean(), abs=0.01)
    assert found.high - found.low < 0.09  # people alone: 0.16; one more label against it: 0.08


@pytest.mark.parametrize("size", [1, 5])
def test_its_interval_holds_the_truth_where_the_lenient_judges_does_not(size: int) -> None:
    # `python -m benchmarks.coverage judge` does this in 2,000 worlds of nine kinds.
    generator, hits, judge_hits = np.random.default_rng(size), 0, 0
    for _ in range(300):
        shared = generator.normal(0, 0.7, 500 // size).repeat(size)
        human = (shared + generator.normal(0, 1, 500) < 0).astype(float)
        judged = np.where(generator.random(500) < 0.25, 1.0, human)
        labelled = np.flatnonzero(
            np.isin(np.arange(500) // size, generator.permutation(500 // size)[:40])
        )
        found = corrected_mean(judged, np.arange(500) // size, labelled, human[labelled])
        hits += found.low <= 0.5 <= found.high
        judge_hits += abs(found.raw - 0.5) < 1.96 * 0.5 / 500**0.5
    assert 0.91 <= hits / 300 <= 0.985
    assert judge_hits < 30


SCALES = pytest.mark.parametrize("scale", [(0.0, 1.0), (1.0, 5.0), (-2.0, -1.5)], ids=str)
"""Lowest and highest score."""


@SCALES
def test_fewer_than_twenty_labels_of_a_kind_are_peoples_alone(scale: tuple[float, float]) -> None:
    # 19 of 60 labels are the best score, worth 59 by their variance, with t(59) = 2.00100. The ends
    # are (p + t2 / 2n +- t sqrt(p q / n + t2 / 4 n2)) / (1 + t2 / n) of the scale: Wilson's.
    worst, best = scale
    human, judged = [best] * 19 + [worst] * 41, np.resize([best, worst], 200)
    found = corrected_mean(judged, range(200), range(60), human)
    assert (found.weight, found.lacking) == (0.0, 1)
    p, n, t2 = 19 / 60, 59, 2.00100**2
    middle, reach = p + t2 / (2 * n), (t2 * (p * (1 - p) / n + t2 / (4 * n**2))) ** 0.5
    ends = (middle - reach) / (1 + t2 / n), (middle + reach) / (1 + t2 / n)
    value, low, high = (worst + share * (best - worst) for share in (p, *ends))
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-4)
    assert corrected_mean(judged, range(200), range(60), [best, *human[:-1]]).lacking == 0


@SCALES
def test_labels_that_are_all_alike_leave_room_for_others(scale: tuple[float, float]) -> None:
    # None of four with t(3) = 3.18245: the upper end is t2 / (4 + t2) of the scale
    worst, best = scale
    found = corrected_mean([best] * 8, range(8), range(4), [worst] * 4)
    assert (found.value, found.low) == (worst, worst)
    share = 3.18245**2 / (4 + 3.18245**2)
    assert found.high == pytest.approx(worst + share * (best - worst), rel=1e-5)


def test_labels_that_are_alike_in_every_cluster_leave_no_room() -> None:
    # a 0 and a 1 in each of three papers: without any one of them the mean is still 1/2
    found = corrected_mean([0.0, 1.0] * 3, "ppqqrr", range(6), [0.0, 1.0] * 3, least=3)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_labels_of_part_of_a_cluster_leave_the_rest_out() -> None:
    judged, human = [0.2, 0.9, 0.4, 0.6, 0.5, 0.3], [0.1, 0.5]
    part = corrected_mean(judged, ["p", "p", "q", "q", "r", "s"], [0, 2], human, bounds=BOUNDS)
    without = corrected_mean([0.2, 0.4, 0.5, 0.3], list("pqrs"), [0, 1], human, bounds=BOUNDS)
    assert (part.value, part.low, part.high) == (without.value, without.low, without.high)


def test_few_labels() -> None:
    nothing = Estimate(None, None, None, 0.5, 0.0, 0)
    assert corrected_mean([0.4, 0.6], "pq", [], []) == nothing
    assert corrected_mean([0.4, 0.6], "pq", [0], [math.nan]) == nothing
    alike = corrected_mean([1.0] * 8, "abcdefgh", range(4), [1.0] * 4)
    assert (alike.value, alike.low, alike.high) == (1.0, None, None)
    one = corrected_mean([0.4, 0.6, 0.5], "ppq", [0, 1], [0.2, 0.4])
    assert (one.value, one.low, one.high) == (pytest.approx(0.3), None, None)
    assert (one.weight, one.labels) == (0.0, 2)
    unjudged = corrected_mean([math.nan] * 2, "pq", [0, 1], [0.2, 0.4])
    assert (unjudged.raw, unjudged.value) == (None, None)
    everything = corrected_mean([0.4, 0.6, 0.5], "pqr", [0, 1, 2], [0.1, 0.2, 0.3])
    assert (everything.value, everything.weight) == (pytest.approx(0.2), 0.0)


def test_an_item_labelled_twice_counts_with_its_mean() -> None:
    twice = corrected_mean(JUDGED, range(40), [*LABELLED, 0], [*HUMAN[:1], *HUMAN[1:], 0.32])
    assert twice == corrected_mean(JUDGED, range(40), LABELLED, [0.27, *HUMAN[1:]])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: corrected_mean([0.1, 0.2], ["p"], [0], [0.1]),
        lambda: corrected_mean([0.1, 0.2], ["p", "q"], [2], [0.1]),
        lambda: corrected_mean([0.1, math.inf], ["p", "q"], [0], [0.1]),
        lambda: corrected_mean([0.1, 0.2], ["p", "q"], [0], [0.1], level=1.5),
    ],
)
def test_wrong_use_is_refused(wrong) -> None:
    with pytest.raises(InputError):
        wrong()
