"""Numbers and intervals out of values of items."""

import pytest

from vivavoce.statistics.intervals import (
    Measured,
    Shares,
    average,
    estimate,
    harmonic,
    means_of,
    resample,
)

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
