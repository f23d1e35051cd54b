"""Right values beyond the best constant, by hand and against every constant there is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.factor import (
    FactorFrame,
    frame_from_columns,
    free_share,
    score_factor,
    score_skill,
)
from vivavoce.tasks.implementation.items.composed_formulas import compose
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.items.market import generate


def frame(values: list[float]) -> FactorFrame:
    return frame_from_columns(
        {
            "datetime": np.full(len(values), np.datetime64("2024-01-01")),
            "instrument": [f"S{i}" for i in range(len(values))],
            "value": np.array(values, dtype=float),
        }
    )


def test_the_free_share_is_the_commonest_value() -> None:
    assert free_share(frame([0, 0, 0, 1, -1])) == 3 / 5
    # A number in the right rows is one thing, to leave the other rows empty another.
    assert free_share(frame([math.nan, math.nan, 1, 2, 2.5])) == 3 / 5
    assert free_share(frame([])) == 0


def test_values_within_the_tolerance_count_together() -> None:
    # The scale is the median of 1, 1.00002 and 3: a constant between the first two is within
    # 1e-5 (1 + 1.00002) of both.
    assert free_share(frame([1, 1.00002, 3, 0])) == 2 / 4
    assert free_share(frame([1, 1.0001, 3, 0])) == 1 / 4


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1, 1e6])
def test_the_scale_of_a_factor_does_not_matter(scale: float) -> None:
    truth = np.random.default_rng(1).lognormal(size=200) * scale
    gold = frame(list(truth))

    def skill(values: np.ndarray) -> float:
        near = score_factor(gold, frame(list(values))).near
        assert near is not None
        return score_skill(near, free_share(gold))

    assert skill(truth) == 1
    assert skill(truth.astype(np.float32).astype(float)) == 1
    assert skill(truth * 1.001) == 0
    assert skill(truth * 0.99) == 0
    assert skill(np.zeros(200)) == 0
    if scale == 1e-8:  # the published measure takes anything for right that is so small
        assert score_factor(gold, frame(list(truth * 1.01))).acc == 1


def test_numbers_near_zero_come_for_nothing() -> None:
    # The scale is 100: 1 and -0.5 are 0.1% off within 1e-5 (|g| + 100), and 2 is not.
    assert free_share(frame([100, 200, 300, 2, 1, -0.5, 0, 100])) == 3 / 8


def test_skill_by_hand() -> None:
    assert score_skill(0.9, 0.6) == pytest.approx(0.75)  # 0.3 / 0.4
    assert score_skill(0.6, 0.6) == 0
    assert score_skill(0.1, 0.6) == 0
    assert score_skill(1, 0.6) == 1
    assert math.isnan(score_skill(1, 1))


@given(st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e-7, 0.5, math.nan]), min_size=1, max_size=12))
def test_no_constant_has_skill(values: list[float]) -> None:
    gold = frame(values)
    constant = free_share(gold)
    for guess in {*values, 0.0, 5e-7}:
        everywhere = [guess] * len(values)
        for table in (everywhere, [math.nan if math.isnan(v) else guess for v in values]):
            near = score_factor(gold, frame(table)).near
            assert near is not None
            assert near <= constant
            assert constant == 1 or score_skill(near, constant) == 0


@pytest.mark.slow
def test_values_a_thousandth_off_have_no_skill_on_any_formula() -> None:
    tables = generate(5)
    made = [each.values(tables) for each in list_formulas().values()]
    made += [values for _, values in compose(5, 24, tables)]
    for values in made:
        truth = values.to_numpy(float)
        gold = frame(list(truth))
        for wrong in (truth * 1.001, truth * 0.99, truth * 2):
            near = score_factor(gold, frame(list(wrong))).near
            assert near is not None
            assert score_skill(near, free_share(gold)) == 0
