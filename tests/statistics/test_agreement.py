"""Agreement of annotators: worked by hand, against statsmodels and krippendorff."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from vivavoce.errors import InputError
from vivavoce.metrics import list_metrics
from vivavoce.statistics.agreement import (
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pairwise_agreement,
)

# Three raters, four units: aaa, aab, bbb, abb.
UNITS = [["a", "a", "a"], ["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]]
ALL = (pairwise_agreement, fleiss_kappa, gwet_ac1, krippendorff_alpha)

full_units = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.integers(1, 4), min_size=raters, max_size=raters), min_size=1, max_size=12
    )
)
holed_units = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.none() | st.integers(1, 5), min_size=raters, max_size=raters),
        min_size=1,
        max_size=12,
    )
)


def test_worked_example():
    # Agreeing pairs of 3 in each unit: 3, 1, 3, 1 -> 8/12. Labels: 6 a, 6 b.
    assert pairwise_agreement(UNITS) == (8 / 12, None, 4)
    # Pe = 1/2: (2/3 - 1/2) / (1/2) = 1/3.
    assert fleiss_kappa(UNITS).value == pytest.approx(1 / 3)
    # q = 1/2 each: Pe = (1/4 + 1/4) / (2 - 1) = 1/2.
    assert gwet_ac1(UNITS).value == pytest.approx(1 / 3)
    # Mixed ordered pairs: 0, 4, 0, 4, each over 2 -> 4. Expected: (144 - 72) / 11.
    assert krippendorff_alpha(UNITS).value == pytest.approx(1 - 4 / (72 / 11))


def test_missing_labels_are_left_out():
    # Pairs: a-a and b-a-a with 1 agreeing of 3; the third unit has one label and no pair.
    units = [["a", "a", None], ["b", "a", "a"], [None, "b", None]]
    assert pairwise_agreement(units) == ((1 + 1) / (1 + 3), None, 2)
    # q: a = (1 + 2/3 + 0)/3 = 5/9, b = 4/9; Pe = 2 * 20/81; P = (1 + 1/3)/2.
    assert gwet_ac1(units).value == pytest.approx((2 / 3 - 40 / 81) / (1 - 40 / 81))


def test_kappa_needs_equally_many_labels():
    agreement = fleiss_kappa([["a", "a", "b"], ["a", "b", None]])
    assert agreement.value is None
    assert agreement.undefined == "units have from 2 to 3 labels, not equally many"


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("units", [[], [[]], [["a"]], [["a", None], [None, None]]])
def test_without_pairs_nothing_is_defined(measure, units):
    assert measure(units) == (None, "no unit has two labels", 0)


def test_one_label_alone_leaves_chance_undefined():
    units = [["a", "a"], ["a", "a"]]
    assert pairwise_agreement(units).value == 1.0
    assert fleiss_kappa(units) == (None, "only one label was ever used", 2)
    assert gwet_ac1(units) == (None, "only one label was ever used", 2)
    assert krippendorff_alpha(units) == (None, "the labels do not vary", 2)
    # Told that b was there to choose: q(1 - q) = 0, so Pe = 0 and AC1 = P = 1.
    assert gwet_ac1(units, labels=["a", "b"]).value == 1.0


def test_ac1_stays_high_where_one_label_is_frequent_and_kappa_does_not():
    # 9 units yes-yes, 1 yes-no: P = 0.9. q(no) = 0.05: AC1 = (0.9 - 0.095)/(1 - 0.095).
    units = [["yes", "yes"]] * 9 + [["yes", "no"]]
    assert gwet_ac1(units).value == pytest.approx((0.9 - 0.095) / 0.905)
    # Pe = 0.95² + 0.05² = 0.905: kappa = -0.005/0.095.
    assert fleiss_kappa(units).value == pytest.approx(-0.005 / 0.095)


def test_near_misses_cost_less_on_ordered_labels():
    units = [[1, 2], [3, 3], [5, 4], [1, 1], [5, 5]]
    nominal = krippendorff_alpha(units).value
    assert krippendorff_alpha(units, "ordinal").value > nominal
    assert krippendorff_alpha(units, "interval").value > nominal


@pytest.mark.parametrize("level", ["ordinal", "interval"])
@pytest.mark.parametrize("label", ["high", float("nan"), float("inf"), 10**400])
def test_ordered_labels_must_be_finite_numbers(level, label):
    with pytest.raises(InputError, match="not a finite number"):
        krippendorff_alpha([[1, label], [1, 2]], level)


@pytest.mark.parametrize("units", [[[1e308, -1e308], [0, 0]], [[5e-324, 0], [0, 0]]])
def test_extreme_numbers_do_not_become_nan(units):
    agreement = krippendorff_alpha(units, "interval")
    assert agreement.value is None or -1 <= agreement.value <= 1
    assert (agreement.value is None) == (agreement.undefined is not None)


@settings(deadline=None)
@given(full_units)
def test_kappa_equals_statsmodels(units):
    ours = fleiss_kappa(units).value
    if ours is None:
        assert len({label for unit in units for label in unit}) == 1
    else:
        table, _ = inter_rater.aggregate_raters(np.array(units))
        assert ours == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)


@settings(deadline=None, max_examples=300)
@given(holed_units, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_equals_the_krippendorff_package(units, level):
    ours = krippendorff_alpha(units, level).value
    if ours is not None:
        data = np.array([[np.nan if label is None else label for label in unit] for unit in units])
        theirs = krippendorff.alpha(reliability_data=data.T, level_of_measurement=level)
        assert ours == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(full_units)
def test_ac1_equals_its_definition_over_pairs(units):
    ours = gwet_ac1(units).value
    labels = sorted({label for unit in units for label in unit})
    if ours is None:
        assert len(labels) == 1
        return
    shares = [np.mean([np.mean(np.array(unit) == label) for unit in units]) for label in labels]
    chance = sum(share * (1 - share) for share in shares) / (len(labels) - 1)
    agreeing = pairwise_agreement(units).value
    assert ours == pytest.approx((agreeing - chance) / (1 - chance), abs=1e-12)


@settings(deadline=None)
@given(holed_units, st.randoms())
def test_order_of_units_raters_and_names_of_labels_do_not_matter(units, chooser):
    mixed = [chooser.sample(unit, len(unit)) for unit in chooser.sample(units, len(units))]
    names = {None: None, 1: "α", 2: "ß", 3: "模", 4: "d", 5: ""}
    renamed = [[names[label] for label in unit] for unit in mixed]
    for measure in ALL:
        before, after = measure(units), measure(renamed)
        assert after.undefined == before.undefined
        assert after.value == pytest.approx(before.value, abs=1e-12)


@settings(deadline=None)
@given(holed_units)
def test_a_number_or_a_reason_never_both(units):
    for measure in ALL:
        agreement = measure(units)
        assert (agreement.value is None) == (agreement.undefined is not None)
        if agreement.value is not None:
            assert -1 - 1e-12 <= agreement.value <= 1 + 1e-12


@settings(deadline=None)
@given(full_units)
def test_doubling_the_units_changes_only_the_alpha(units):
    for measure in (pairwise_agreement, fleiss_kappa, gwet_ac1):
        assert measure(units * 2).value == pytest.approx(measure(units).value, abs=1e-12)


def test_every_value_is_described():
    names = {metric.name for metric in list_metrics() if metric.family == "agreement"}
    assert names >= {measure.__name__ for measure in ALL}
