"""Columns chosen and numbers claimed, by hand."""

from __future__ import annotations

import math

import pytest

from vivavoce.metrics.factor import score_claim, score_columns


def test_columns_are_compared_as_sets() -> None:
    gold = ["daily_pv.$close", "daily_f.turnover"]

    assert score_columns(gold, gold) == 1.0
    # one of two found, one of two named is right: 2 * 1 / (2 + 2)
    assert score_columns(gold, ["daily_pv.$close", "daily_pv.$open"]) == 0.5
    # both found among four named: 2 * 2 / (2 + 4)
    extra = ["daily_pv.$open", "daily_pv.$high"]
    assert score_columns(gold, [*gold, *extra]) == pytest.approx(2 / 3)


def test_keys_case_and_repeats_cost_nothing() -> None:
    named = [" Daily_PV.$Close ", "daily_pv.$close", "daily_pv.datetime", "instrument", ""]

    assert score_columns(["daily_pv.$close"], named) == 1.0


@pytest.mark.parametrize("chosen", [[], ["datetime"], ["", " "]])
def test_nothing_chosen_is_zero(chosen: list[str]) -> None:
    assert score_columns(["daily_pv.$close"], chosen) == 0.0


@pytest.mark.parametrize(
    ("gold", "number", "value"),
    [
        (0.25, 0.25, 1.0),
        (0.25, 0.2500002, 1.0),  # 2e-7 off, of 2.5e-7 allowed
        (0.25, 0.250001, 0.0),
        (0.0, 1e-13, 1.0),
        (2e6, 2e6 + 1.0, 1.0),  # 5e-7 of the number
        (2e6, 2e6 + 3.0, 0.0),
        (0.25, None, 0.0),
        (0.25, math.nan, 0.0),
    ],
)
def test_a_number_is_right_within_a_millionth(
    gold: float, number: float | None, value: float
) -> None:
    assert score_claim(gold, number) == value
