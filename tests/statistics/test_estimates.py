"""Estimates with intervals and counts; agreement of annotators; coefficients of rank."""

import math

import krippendorff
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from vivavoce.statistics.estimates import (
    Draws,
    Estimate,
    ac1_of_counts,
    agreement_estimates,
    alpha_of_counts,
    cohen_of_counts,
    estimate_from_sums,
    fleiss_of_counts,
    kendall,
    mean_estimate,
    pair_cells,
    paired_row,
    pairwise_agreement,
    pairwise_of_counts,
    spearman,
)
from vivavoce.statistics.intervals import (
    Floats,
    Measured,
    Shares,
    average,
    estimate,
    harmonic,
    means_of,
    resample,
)


def test_a_mean_leaves_out_what_is_undefined() -> None:
    estimate = mean_estimate([1.0, math.nan, 2.0, 6.0], ["a", "b", "c", "d"], Draws(200, 0))
    assert (estimate.value, estimate.n) == (3.0, 3)
    low, high = estimate.ci
    assert 1.0 <= low < 3.0 < high <= 6.0


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_a_mean_of_nothing_is_undefined(values: list[float]) -> None:
    estimate = mean_estimate(values, ["a", "b"][: len(values)], Draws(200, 0))
    assert (estimate.value, estimate.ci, estimate.n) == (None, None, 0)


def test_a_ratio_of_sums_is_that_of_all_cases_together() -> None:
    # 1 of 2 right in one paper and 3 of 4 in another: 4 of 6, and a resample draws 1/2, 2/3 or 3/4
    estimate = estimate_from_sums(
        [[1.0, 2.0], [3.0, 4.0]], ["p", "q"], lambda sums: sums[:, 0] / sums[:, 1], Draws(500, 0)
    )
    assert estimate == Estimate(4 / 6, [0.5, 0.75], 2)


def test_a_ratio_that_is_undefined_or_of_one_paper_has_no_interval() -> None:
    def ratio(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[:, 0] / sums[:, 1])

    of_nothing = estimate_from_sums([[0.0, 0.0]] * 2, ["p", "q"], ratio, Draws(200, 0))
    assert of_nothing == Estimate(None, None, 2)
    of_one_paper = estimate_from_sums([[1.0, 2.0]] * 2, ["p", "p"], ratio, Draws(200, 0))
    assert of_one_paper == Estimate(0.5, None, 2)


def test_figures_of_no_case_are_undefined() -> None:
    nothing = Estimate(None, None, 0)
    assert estimate_from_sums([], [], lambda sums: sums[:, 0], Draws(200, 0)) == nothing
    assert set(agreement_estimates([], [], Draws(200, 0)).values()) == {nothing}


def test_a_pair_is_compared_on_the_items_where_both_have_a_value() -> None:
    clusters = dict.fromkeys("wxyz", "p")
    first = {"x": 1.0, "y": 0.5, "z": math.nan}
    row = paired_row(first, {"x": 0.5, "y": 0.5, "z": 1.0, "w": 1.0}, clusters, Draws(200, 0))
    assert (row["a"], row["b"], row["difference"], row["n"]) == (0.75, 0.5, -0.25, 2)
    assert row["ci"] is None  # of one paper there is no interval


def test_a_pair_without_a_common_item_has_no_figure() -> None:
    row = paired_row({"x": 1.0}, {"y": 1.0}, {"x": "p", "y": "p"}, Draws(200, 0))
    assert row == dict.fromkeys(("a", "b", "difference", "ci", "undecided")) | {"n": 0}


# Numbers and intervals out of values of items


CLUSTERS = ["a", "b", "c", "d"]


def of(shares, derived=None, clusters=CLUSTERS, resamples=500):
    measured = Measured(shares, derived or {})
    return estimate(measured, resample(clusters, resamples=resamples, seed=3))


def test_a_mean_leaves_undefined_values_out_and_counts_them():
    found = of({"ktau": means_of([1.0, None, 0.0, 0.5])})["ktau"]
    assert found["value"] == pytest.approx((1.0 + 0.0 + 0.5) / 3)
    assert (found["n"], found["undefined"]) == (4, 1)


def test_a_pooled_share_weighs_items_by_their_questions():
    # 1 of 2 and 9 of 10: pooled 10/12, not the mean of .5 and .9
    found = of({"p": Shares([1, 9], [2, 10])}, clusters=["a", "b"])["p"]
    assert found["value"] == pytest.approx(10 / 12)


def test_an_f1_is_the_harmonic_mean_of_the_aggregated_two():
    shares = {"p": means_of([1.0, 0.0, 0.5, 0.5]), "r": means_of([1.0, 1.0, 1.0, 1.0])}
    found = of(shares, {"f1": harmonic("p", "r")})["f1"]
    # P = 0.5, R = 1: 2 * 0.5 * 1 / 1.5, and not the mean of each item's F1
    assert found["value"] == pytest.approx(2 / 3)
    assert found["ci"][0] <= found["value"] <= found["ci"][1]


def test_nothing_defined_is_null_not_nan():
    found = of({"x": means_of([None] * 4)})["x"]
    assert found == {"value": None, "ci": None, "n": 4, "undefined": 4}


def test_both_zero_gives_an_f1_of_zero():
    zero = means_of([0.0] * 4)
    assert of({"p": zero, "r": zero}, {"f": harmonic("p", "r")})["f"]["value"] == 0.0


def test_an_average_leaves_undefined_metrics_out():
    shares = {"a": means_of([1.0] * 4), "b": means_of([None] * 4)}
    assert of(shares, {"avg": average("a", "b")})["avg"]["value"] == 1.0


def test_without_resamples_or_with_one_cluster_there_is_no_interval():
    values = means_of([0.1, 0.9, 0.4, 0.2])
    assert of({"x": values}, resamples=0)["x"]["ci"] is None
    assert of({"x": values}, clusters=["a"] * 4)["x"]["ci"] is None


def test_a_metric_with_values_in_one_cluster_has_no_interval_nor_what_is_derived_from_it():
    shares = {"p": means_of([0.2, 0.6, None, None]), "r": means_of([0.2, 0.6, 0.9, None])}
    found = of(shares, {"f1": harmonic("p", "r")}, clusters=["a", "a", "b", "c"])
    assert found["p"] == {"value": 0.4, "ci": None, "n": 4, "undefined": 2}
    assert found["f1"]["ci"] is None
    assert found["r"]["ci"] == pytest.approx([0.4, 0.9])


# Three raters, four units: aaa, aab, bbb, abb.
UNITS = [["a", "a", "a"], ["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]]
ALL = (pairwise_of_counts, cohen_of_counts, fleiss_of_counts, alpha_of_counts)

pairs_of_labels = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=12)


def of_pairs(measure, pairs, *more):
    labels = sorted({label for pair in pairs for label in pair})
    counts = pair_cells(pairs, labels).sum(axis=0).reshape(1, len(labels), len(labels))
    return float(measure(counts, *more)[0])


def test_worked_example():
    # Two raters, six units: aa, aa, ab, bb, bb, ba. Labels: 6 a, 6 b.
    pairs = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b"), ("b", "b"), ("b", "a")]
    assert of_pairs(pairwise_of_counts, pairs) == 4 / 6
    # Both raters chose a and b three times each: e = 1/2, (2/3 - 1/2) / (1/2) = 1/3.
    assert of_pairs(cohen_of_counts, pairs) == pytest.approx(1 / 3)
    assert of_pairs(fleiss_of_counts, pairs) == pytest.approx(1 / 3)
    # e = (1/4 + 1/4) / (2 - 1) = 1/2.
    assert of_pairs(ac1_of_counts, pairs, 2) == pytest.approx(1 / 3)
    # Mixed ordered pairs: 4. Expected: (144 - 72) / 11.
    assert of_pairs(alpha_of_counts, pairs) == pytest.approx(1 - 4 / (72 / 11))


def test_pairwise_agreement_takes_more_raters():
    # Agreeing pairs of 3 in each unit: 3, 1, 3, 1 -> 8/12.
    assert pairwise_agreement(UNITS) == 8 / 12
    # a-a and b-a-a with 1 agreeing of 3.
    assert pairwise_agreement([["a", "a"], ["b", "a", "a"], ["b"]]) == (1 + 1) / (1 + 3)


@pytest.mark.parametrize("units", [[], [[]], [["a"]]])
def test_without_pairs_nothing_is_defined(units):
    assert pairwise_agreement(units) is None


def test_one_label_alone_leaves_chance_undefined():
    pairs = [("a", "a"), ("a", "a")]
    assert of_pairs(pairwise_of_counts, pairs) == 1.0
    for measure in (cohen_of_counts, fleiss_of_counts):
        assert np.isnan(of_pairs(measure, pairs))
    assert np.isnan(of_pairs(alpha_of_counts, pairs))
    assert np.isnan(of_pairs(ac1_of_counts, pairs, 1))
    # Told that b was there to choose: p(1 - p) = 0, so e = 0 and AC1 = pairwise = 1.
    assert of_pairs(ac1_of_counts, pairs, 2) == 1.0


def test_ac1_stays_high_where_one_label_is_frequent_and_kappa_does_not():
    # 9 units yes-yes, 1 yes-no: P = 0.9. p(no) = 0.05: AC1 = (0.9 - 0.095)/(1 - 0.095).
    pairs = [("yes", "yes")] * 9 + [("yes", "no")]
    assert of_pairs(ac1_of_counts, pairs, 2) == pytest.approx((0.9 - 0.095) / 0.905)
    # e = 0.95² + 0.05² = 0.905: kappa = -0.005/0.095.
    assert of_pairs(fleiss_of_counts, pairs) == pytest.approx(-0.005 / 0.095)


@settings(deadline=None)
@given(pairs_of_labels)
def test_kappas_equal_statsmodels_and_scikit_learn(pairs):
    if len({label for pair in pairs for label in pair}) == 1:
        return
    table, _ = inter_rater.aggregate_raters(np.array(pairs))
    assert of_pairs(fleiss_of_counts, pairs) == pytest.approx(
        inter_rater.fleiss_kappa(table), abs=1e-12
    )
    first, second = zip(*pairs, strict=True)
    assert of_pairs(cohen_of_counts, pairs) == pytest.approx(
        cohen_kappa_score(first, second), abs=1e-12
    )


@settings(deadline=None, max_examples=300)
@given(pairs_of_labels)
def test_alpha_equals_the_krippendorff_package(pairs):
    ours = of_pairs(alpha_of_counts, pairs)
    if not np.isnan(ours):
        reference = krippendorff.alpha(
            reliability_data=np.array(pairs, dtype=float).T, level_of_measurement="nominal"
        )
        assert ours == pytest.approx(reference, abs=1e-9)


@settings(deadline=None)
@given(pairs_of_labels)
def test_ac1_equals_its_definition_over_pairs(pairs):
    labels = sorted({label for pair in pairs for label in pair})
    ours = of_pairs(ac1_of_counts, pairs, len(labels))
    if len(labels) == 1:
        assert np.isnan(ours)
        return
    shares = [np.mean(np.array(pairs) == label) for label in labels]
    chance = sum(share * (1 - share) for share in shares) / (len(labels) - 1)
    agreeing = pairwise_agreement(pairs)
    assert ours == pytest.approx((agreeing - chance) / (1 - chance), abs=1e-12)


@settings(deadline=None)
@given(pairs_of_labels, st.randoms())
def test_order_of_units_and_names_of_labels_do_not_matter(pairs, chooser):
    names = {1: "α", 2: "ß", 3: "模", 4: "d"}
    renamed = [(names[first], names[second]) for first, second in chooser.sample(pairs, len(pairs))]
    for measure in ALL:
        expected = pytest.approx(of_pairs(measure, pairs), abs=1e-12, nan_ok=True)
        assert of_pairs(measure, renamed) == expected


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
