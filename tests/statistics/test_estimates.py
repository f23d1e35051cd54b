"""Estimates of one number: a mean over what is defined, with its interval and its count."""

import math

import numpy as np
import pytest

from vivavoce.statistics.estimates import (
    Draws,
    Estimate,
    agreement_estimates,
    estimate_from_sums,
    mean_estimate,
    paired_row,
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
