"""Agreement of two annotators: worked by hand, against three packages."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from vivavoce.statistics.estimates import (
    ac1_of_counts,
    alpha_of_counts,
    cohen_of_counts,
    fleiss_of_counts,
    pair_cells,
    pairwise_agreement,
    pairwise_of_counts,
)

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
        theirs = krippendorff.alpha(
            reliability_data=np.array(pairs, dtype=float).T, level_of_measurement="nominal"
        )
        assert ours == pytest.approx(theirs, abs=1e-9)


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
