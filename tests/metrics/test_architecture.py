"""Shape and value consistency of layers, computed by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vivavoce.errors import InputError
from vivavoce.metrics.architecture import consistency, score_architecture, score_tracks

shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
arrays = hnp.arrays(np.float64, shapes, elements=st.floats())
layers = st.dictionaries(st.sampled_from(["layer_00", "layer_01", "layer_02"]), arrays, max_size=3)

ONE = {"layer_00": np.array([[1.0, 2.0], [3.0, 4.0]])}


def test_equal_layers_give_one_and_in_the_printed_equation_one_half() -> None:
    assert score_architecture(ONE, ONE)[0] == {"tsc": 1.0, "tvc": 1.0}
    assert score_architecture(ONE, ONE, legacy=True)[0] == {"tsc": 0.5, "tvc": 0.5}


def test_the_shorter_side_is_padded_with_zeros() -> None:
    produced = {"layer_00": np.array([1.0, 0.0, 3.0])}
    # Shapes (2, 2) and (3, 0): (1 + 2) / 2. Values 1 2 3 4 and 1 0 3 0: (2 + 4) / 4.
    expected = 2 / (1 + math.exp(1.5))
    score = score_architecture(ONE, produced)
    assert score[0] == {"tsc": pytest.approx(expected), "tvc": pytest.approx(expected)}
    legacy = score_architecture(ONE, produced, legacy=True)
    assert legacy[0]["tsc"] == pytest.approx(expected / 2)


def test_deeper_layers_weigh_more() -> None:
    gold = {f"layer_{index:02}": np.ones(1) for index in (2, 0, 1)}
    produced = {**gold, "layer_02": np.array([2.0])}
    # Weights 1.1, 1.21, 1.331; the third layer differs by 1: 2 / (1 + e)
    third = 2 / (1 + math.e)
    assert score_architecture(gold, produced)[0]["tvc"] == pytest.approx(
        (1.1 + 1.21 + 1.331 * third) / (1.1 + 1.21 + 1.331)
    )
    assert score_architecture(gold, produced, gamma=1.0)[0]["tvc"] == pytest.approx((2 + third) / 3)


def test_a_layer_that_one_side_lacks_scores_nothing() -> None:
    two = {**ONE, "layer_01": np.ones(2)}
    for gold, produced in ((two, ONE), (ONE, two)):
        score = score_architecture(gold, produced)
        assert score[0]["tsc"] == score[0]["tvc"] == pytest.approx(1.1 / (1.1 + 1.21))
        assert score[1]["layer_01"]["tvc"] == 0.0
    assert score_architecture(ONE, {})[0] == {"tsc": 0.0, "tvc": 0.0}
    assert score_architecture({}, ONE)[0] == {"tsc": None, "tvc": None}


def test_not_a_number_equals_itself_and_ruins_anything_else() -> None:
    odd = {"layer_00": np.array([math.nan, math.inf, -math.inf])}
    assert score_architecture(odd, odd)[0]["tvc"] == 1.0
    for other in (0.0, math.inf):
        assert (
            score_architecture({"a": np.array([math.nan])}, {"a": np.array([other])})[0]["tvc"]
            == 0.0
        )
    assert score_architecture({"a": np.array([1e308])}, {"a": np.array([-1e308])})[0]["tvc"] == 0.0


def test_integers_booleans_and_half_floats_are_compared_as_numbers() -> None:
    unsigned = {"a": np.array([0], np.uint8)}
    assert score_architecture(unsigned, {"a": np.array([1], np.uint8)})[0]["tvc"] == consistency(
        1.0
    )
    half = {"a": np.array([60000], np.float16)}
    assert score_architecture(half, {"a": np.array([-60000.0])})[0]["tvc"] == 0.0
    assert score_architecture({"a": np.array([True])}, {"a": np.array([1.0])})[0]["tvc"] == 1.0


@pytest.mark.parametrize("gamma", [0.0, -1.0, math.nan, math.inf])
def test_gamma_must_be_a_positive_number(gamma: float) -> None:
    with pytest.raises(InputError, match="gamma"):
        score_architecture(ONE, ONE, gamma=gamma)


@given(layers, layers)
def test_scores_lie_in_range_and_do_not_depend_on_the_sides(gold, produced) -> None:
    score = score_architecture(gold, produced)
    for value in score[0].values():
        assert value is None or 0.0 <= value <= 1.0
    if gold and produced:
        assert score_architecture(produced, gold)[0] == score[0]


@given(layers.filter(bool))
def test_the_gold_itself_is_the_maximum(gold) -> None:
    assert score_architecture(gold, gold)[0] == {"tsc": 1.0, "tvc": 1.0}


@given(st.floats(0, 1e6))
def test_consistency_is_one_less_the_hyperbolic_tangent(difference: float) -> None:
    assert consistency(difference) == pytest.approx(1 - math.tanh(difference / 2), abs=1e-15)


def test_rounding_is_forgiven_and_a_layer_matches_as_a_whole() -> None:
    gold = {"a": np.array([1.0, 0.0]), "b": np.array([10.0, 3.0])}
    # nearer than 1e-5 + 1e-4 * |gold|: 1.1e-4, 1e-5, 1.01e-3
    near = {"a": np.array([1.0001, 0.00001]), "b": np.array([10.001, 3.0])}
    assert set(score_tracks(gold, near, gold, near).values()) == {1.0}
    far = {**near, "b": np.array([10.002, 3.0])}
    values = score_tracks(gold, near, gold, far)
    assert values["match"] == 3 / 4  # of two layers on each of two tracks
    assert values["tvc"] == values["tsc_unseen"] == 1.0
    # mean difference (0.002 + 0) / 2 in the second of two layers, S = 1 - tanh(0.001 / 2)
    expected = (1.1 + 1.1**2 * (1 - math.tanh(0.0005))) / (1.1 + 1.1**2)
    assert values["tvc_unseen"] == pytest.approx(expected, abs=1e-12)


def test_a_track_without_layers_and_layers_too_many_count_against_match() -> None:
    gold = {"a": np.ones(2)}
    extra = {"a": np.ones(2), "b": np.ones(2)}
    values = score_tracks(gold, extra, gold, {})
    assert values["match"] == 1 / 3  # a on the main track, of a and b there and a unseen
    assert (values["tvc_unseen"], values["tsc_unseen"]) == (0.0, 0.0)
    # b is given and not asked for: S = 0 with weight 1.1^2
    assert values["tvc"] == pytest.approx(1.1 / (1.1 + 1.1**2))


def test_a_layer_of_another_shape_is_no_match_though_its_values_are_right() -> None:
    gold = {"a": np.ones((2, 1))}
    values = score_tracks(gold, {"a": np.ones(2)}, gold, gold)
    assert (values["tvc"], values["match"]) == (1.0, 1 / 2)
    assert values["tsc"] < 1.0


def test_the_output_is_right_by_itself_whatever_the_layers_before() -> None:
    gold = {"layer_00": np.ones(2), "layer_01": np.array([1.0, 2.0])}
    wrong_before = {"layer_00": np.zeros(2), "layer_01": np.array([1.0, 2.0])}
    wrong_last = {"layer_00": np.ones(2), "layer_01": np.array([1.0, 2.1])}
    assert score_tracks(gold, wrong_before, gold, wrong_before)["output"] == 1.0
    assert score_tracks(gold, wrong_before, gold, wrong_last)["output"] == 1 / 2
    assert score_tracks(gold, wrong_last, gold, {})["output"] == 0.0


def test_half_precision_is_right_within_its_own_rounding_and_no_further() -> None:
    # 4 * 2^-11 = 0.00195; the median of |gold| is 2, so 4 may be off by 0.00195 * (4 + 2) = 0.0117
    gold = {"a": np.array([1.0, 2.0, 4.0])}
    for values, kind, right in (
        ([1.0, 2.0, 4.0078], np.float16, 1.0),
        ([1.0, 2.0, 4.0078], np.float32, 0.0),
        ([1.0, 2.0, 4.0156], np.float16, 0.0),
    ):
        produced = {"a": np.array(values, dtype=kind)}
        assert score_tracks(gold, produced, gold, produced)["match"] == right
