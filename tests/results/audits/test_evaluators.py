"""Evaluators held against each other: by hand, and against the coefficients of scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.results.audits.evaluators import (
    EVALUATED,
    Evaluated,
    compare_evaluators,
    kendall,
    spearman,
)
from vivavoce.statistics.estimates import Draws

NO_DRAWS = Draws(resamples=0)


def case(
    evaluator: str, contestant: str, item: str, value: float | None, **more: float | None
) -> Evaluated:
    """A case whose precision and recall are one value, but for what is given apart."""
    values = {f"{aspect}_{part}": value for aspect in EVALUATED for part in "pr"}
    return Evaluated(evaluator, contestant, item, item, {**values, **more})


def scored(evaluator: str, **contestants: list[float]) -> list[Evaluated]:
    return [
        case(evaluator, name, f"t{number}", value)
        for name, values in contestants.items()
        for number, value in enumerate(values)
    ]


def test_drift_and_ranks_counted_by_hand() -> None:
    cases = [
        *scored("large", one=[0.2, 0.4], two=[0.5, 0.5], three=[0.6, 0.8]),
        *scored("small", one=[0.3, 0.5], two=[0.7, 0.9], three=[0.6, 0.7]),
    ]
    audit = compare_evaluators(cases, "large", draws=NO_DRAWS)
    drift = {row["aspect"]: row for row in audit.drift}
    assert list(drift) == [*EVALUATED, "macro"]
    # F1 0.3, 0.5, 0.7 under the base; 0.4, 0.8, 0.65 under the other: +0.1, +0.3, -0.05.
    for row in drift.values():
        assert row["mean"] == pytest.approx(0.45 / 3)
        assert row["shift"] == pytest.approx(0.35 / 3)
        assert row["relative"] == pytest.approx((0.1 / 0.3 + 0.3 / 0.5 - 0.05 / 0.7) / 3)
        assert (row["max"], row["max_of"]) == (pytest.approx(0.3), "two")
        assert (row["contestants"], row["items"], row["mean_ci"]) == (3, 2, None)
    # Ranks 1 2 3 and 1 3 2: one pair of three is turned; rho = 1 - 6 * 2 / (3 * 8).
    for row in audit.ranks:
        assert row["kendall"] == pytest.approx(1 / 3)
        assert row["spearman"] == pytest.approx(0.5)
    assert audit.notes == ()


def test_f1_is_taken_of_mean_precision_and_mean_recall() -> None:
    cases = [
        case("large", "one", "x", 1.0),
        case("large", "one", "y", 0.0, schema_p=0.0, schema_r=0.5),
        case("small", "one", "x", 1.0),
        case("small", "one", "y", 0.0),
    ]
    [schema, *others] = compare_evaluators(cases, "large", draws=NO_DRAWS).drift
    # P = 0.5 and R = 0.75 against P = R = 0.5.
    assert schema["shift"] == pytest.approx(0.5 - 2 * 0.5 * 0.75 / 1.25)
    assert [row["shift"] for row in others[:2]] == [0.0, 0.0]
    assert others[2]["aspect"] == "macro"


def test_the_same_scores_neither_drift_nor_change_places() -> None:
    values = {"one": [0.1, 0.2, 0.9], "two": [0.5, 0.5, 0.5], "three": [0.9, 0.7, 0.8]}
    cases = scored("large", **values) + scored("small", **values)
    audit = compare_evaluators(cases, "large", draws=Draws(resamples=300))
    for row in audit.drift:
        assert (row["mean"], row["max"], row["mean_ci"]) == (0.0, 0.0, [0.0, 0.0])
    for row in audit.ranks:
        assert row["spearman"] == row["kendall"] == 1.0
        assert row["kendall_ci"] == [1.0, 1.0]


def test_intervals_hold_the_value_and_narrow_with_more_tables() -> None:
    chance = np.random.default_rng(5)
    widths = []
    for tables in (10, 160):
        truth = {name: chance.uniform(0, 1, tables) for name in ("one", "two", "three", "four")}
        other = {
            name: np.clip(v + chance.normal(0.02, 0.1, tables), 0, 1) for name, v in truth.items()
        }
        cases = [
            *scored("large", **{name: list(map(float, v)) for name, v in truth.items()}),
            *scored("small", **{name: list(map(float, v)) for name, v in other.items()}),
        ]
        [row, *_] = compare_evaluators(cases, "large", draws=Draws(resamples=1000)).drift
        low, high = row["shift_ci"]
        assert low <= row["shift"] <= high
        widths.append(high - low)
    # Sixteen times the tables: a quarter of the width, as for any mean.
    assert widths[1] == pytest.approx(widths[0] / 4, rel=0.5)


def test_only_what_both_scored_is_compared() -> None:
    cases = [
        *scored("large", one=[0.2, 0.4, 1.0], two=[0.5, 0.5], three=[0.1]),
        *scored("small", one=[0.2, 0.4], two=[0.5, 0.5]),
    ]
    audit = compare_evaluators(cases, "large", draws=NO_DRAWS)
    assert {row["max"] for row in audit.drift} == {0.0}
    assert {row["contestants"] for row in audit.ranks} == {2}
    assert audit.notes == (
        "small: no item is shared for three.",
        "small: 1 scores without a counterpart are left out.",
    )


def test_an_undefined_value_is_left_out_on_both_sides() -> None:
    cases = [
        case("large", "one", "x", 0.4),
        case("large", "one", "y", 1.0, pairwise_p=None),
        case("small", "one", "x", 0.4),
        case("small", "one", "y", 1.0, pairwise_p=0.0),
    ]
    audit = compare_evaluators(cases, "large", draws=NO_DRAWS)
    assert {row["max"] for row in audit.drift} == {0.0}
    # One contestant has no ranking.
    assert {(row["spearman"], row["kendall"]) for row in audit.ranks} == {(None, None)}


def test_an_aspect_that_nobody_has_is_undefined() -> None:
    cases = [case(each, "one", "x", None) for each in ("large", "small")]
    for row in compare_evaluators(cases, "large", draws=NO_DRAWS).drift:
        assert (row["mean"], row["max"], row["max_of"]) == (None, None, None)


def test_evaluators_without_a_common_item_have_nothing_to_compare() -> None:
    cases = [case("large", "one", "x", 0.5), case("small", "one", "y", 0.5)]
    audit = compare_evaluators(cases, "large", draws=Draws(resamples=10))
    assert {(row["mean"], row["items"]) for row in audit.drift} == {(None, 0)}
    assert {row["kendall"] for row in audit.ranks} == {None}
    assert audit.notes == ("small: no item is shared for one.",)


def test_what_cannot_be_compared_is_told() -> None:
    cases = scored("large", one=[0.2])
    with pytest.raises(InputError, match="small cannot be compared with others"):
        compare_evaluators(cases, "small")
    with pytest.raises(InputError, match="large cannot be compared"):
        compare_evaluators(cases, "large")
    with pytest.raises(InputError, match="scored one twice on t0"):
        compare_evaluators([*cases, *cases], "large")


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
