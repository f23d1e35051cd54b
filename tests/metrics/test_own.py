"""Metrics of one's own questions, by values that a reader can compute."""

import pytest

from vivavoce.metrics import Metric
from vivavoce.metrics.own import (
    MAX_CHARACTERS,
    exact_match,
    list_f1,
    list_precision,
    list_recall,
    number_match,
    rougeL,
)


def value(metric: Metric, answer: str, gold: str, **row: float) -> float | None:
    assert metric.compute is not None
    return metric.compute(answer, {"target": gold, **row})


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("paris", "Paris"),
        ("**Paris**.", "Paris"),
        ("Here is the answer:\n\nParis", "Paris"),
        ("Straße", "STRASSE"),
        ("2019–2020", "2019-2020"),
        ("U.S.", "U.S."),
        ("...", "..."),
    ],
)
def test_form_does_not_matter(answer: str, gold: str) -> None:
    assert value(exact_match, answer, gold) == 1.0


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("Paris, France", "Paris"),
        ("5", "-5"),
        ("no table", "notable"),
        ("C", "C++"),
        ("1.5", "15"),
        ("", "."),
    ],
)
def test_another_text_is_no_match(answer: str, gold: str) -> None:
    assert value(exact_match, answer, gold) == 0.0


@pytest.mark.parametrize(
    ("answer", "gold", "tolerance", "expected"),
    [
        ("12", "12", 0.0, 1.0),
        ("1,200", "1200", 0.0, 1.0),
        ("12.1", "12", 0.01, 1.0),  # off by 0.1, and 0.12 is allowed
        ("12.2", "12", 0.01, 0.0),
        ("-12", "12", 1.0, 0.0),
        ("0.001", "0", 1.0, 0.0),  # a share of nothing is nothing
        ("12 or 13", "12", 0.5, 0.0),
        ("a dozen of them", "12", 0.5, 0.0),
        ("12", "twelve of them", 0.5, None),
    ],
)
def test_a_number_may_be_off_by_a_share_of_the_gold(
    answer: str, gold: str, tolerance: float, expected: float | None
) -> None:
    assert value(number_match, answer, gold, tolerance=tolerance) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "red; yellow; blue",
        "Blue, red, yellow",
        "1. Red\n2. Blue\n3) **Yellow**.",
        '["red", "blue", "yellow"]',
        "Here are the colours:\n\n- red\n- blue\n- yellow",
    ],
)
def test_a_list_may_have_any_form_and_order(answer: str) -> None:
    assert value(list_f1, answer, "red; yellow; blue") == 1.0


def test_the_parts_of_a_list_that_are_right_count() -> None:
    answer, gold = "red\ngreen\nblue\nblack", "red; yellow; blue"
    assert value(list_precision, answer, gold) == 2 / 4
    assert value(list_recall, answer, gold) == 2 / 3
    assert value(list_f1, answer, gold) == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))
    assert value(list_f1, "none of them", gold) == 0.0


def test_a_comma_inside_an_item_stays_where_semicolons_or_lines_divide() -> None:
    assert value(list_f1, "- Paris, Texas\n- London", "Paris, Texas; London") == 1.0


def test_a_reference_in_brackets_is_no_list() -> None:
    assert value(list_recall, "Paris [1], London [2]", "Paris [1]; London [2]") == 1.0


def test_a_text_is_compared_by_its_longest_common_subsequence() -> None:
    # "the cat sat" and "the dog sat" share "the ... sat": 2 of 3 words on either side.
    assert value(rougeL, "the dog sat", "the cat sat") == pytest.approx(2 / 3)


def test_what_is_longer_than_any_gold_is_no_match() -> None:
    assert value(exact_match, "a" * (MAX_CHARACTERS + 1), "a" * MAX_CHARACTERS) == 0.0
