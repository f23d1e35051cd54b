"""Accuracy beyond the best constant, by hand and against every constant there is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.implementation.factor import (
    FactorFrame,
    best_constant,
    frame_from_columns,
    score_factor,
    score_skill,
)


def frame(values: list[float]) -> FactorFrame:
    return frame_from_columns(
        {
            "datetime": np.full(len(values), np.datetime64("2024-01-01")),
            "instrument": [f"S{i}" for i in range(len(values))],
            "value": np.array(values, dtype=float),
        }
    )


def test_the_best_constant_is_the_commonest_value() -> None:
    assert best_constant(frame([0, 0, 0, 1, -1])) == 3 / 5
    assert best_constant(frame([math.nan, math.nan, 1, 2, 2.5])) == 2 / 5
    assert best_constant(frame([])) == 0


def test_values_within_the_tolerance_count_together() -> None:
    # 0.5e-6 is less than 1e-6 away from 0 and from 1e-6; 3e-6 is not
    assert best_constant(frame([0, 1e-6, 3e-6, 1])) == 2 / 4


def test_skill_by_hand() -> None:
    assert score_skill(0.9, 0.6) == pytest.approx(0.75)  # 0.3 / 0.4
    assert score_skill(0.6, 0.6) == 0
    assert score_skill(0.1, 0.6) == 0
    assert score_skill(1, 0.6) == 1
    assert math.isnan(score_skill(1, 1))


@given(st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e-7, 0.5, math.nan]), min_size=1, max_size=12))
def test_no_constant_has_skill(values: list[float]) -> None:
    gold = frame(values)
    constant = best_constant(gold)
    for guess in {*values, 0.0, 5e-7}:
        acc = score_factor(gold, frame([guess] * len(values))).acc
        assert acc is not None
        assert acc <= constant
        assert constant == 1 or score_skill(acc, constant) == 0
