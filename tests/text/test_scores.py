"""Printed scores read as numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.sources.leaderboards.rows import read_score
from vivavoce.text.printing import bracket


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("93.3", 93.3),
        ("\ufeff93.3", 93.3),
        ("93.3%", 93.3),
        ("**96.8**", 96.8),
        ("90.0 ± 0.5", 90.0),
        ("63.7*", 63.7),
        ("70.14 (measured by Ge et al., 2018)", 70.14),
        ("1,234.5", 1234.5),
        ("−0.35", -0.35),
        (".851", 0.851),
        ("24M", 24_000_000.0),
        ("1.5e-3", 0.0015),
        ("≤ 80.1", 80.1),
        ("120 FPS", 120.0),
        ("$0.05", 0.05),
        ("5 x 10^4", 50_000.0),
        # A word behind a number is its unit, unless it stands for thousands or more.
        ("0.3 rad", 0.3),
        ("12°C", 12.0),
        ("12 ms", 12.0),
        ("5 million", 5_000_000.0),
        ("7 B", 7e9),
        ("–0.3", -0.3),
    ],
)
def test_a_number_is_read_with_its_marks_and_notes(printed: str, number: float) -> None:
    assert read_score(printed) == number


@pytest.mark.parametrize(
    "printed",
    ["", "-", "?", "12-14", "1e999", "1.2.3 x 10^4", "3 of 10", "ROUGE-1", "LSTM 93.3"],
)
def test_what_is_no_number_is_none(printed: str) -> None:
    assert read_score(printed) is None


@settings(deadline=None)
@given(st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4)))
def test_a_plain_decimal_is_itself(value: float) -> None:
    assert read_score(f"{value:.4f}") == value


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    value = read_score(text)
    assert value is None or value == value


# Figures in print


@pytest.mark.parametrize(
    ("ends", "plain", "signed"),
    [
        ((-0.058, -0.0002), "[-0.058, >-0.001]", "[-0.058, >-0.001]"),
        ((0.0001, 0.2), "[<0.001, 0.200]", "[<+0.001, +0.200]"),
        ((-0.0001, 0.2), "[0.000, 0.200]", "[+0.000, +0.200]"),
        ((0.0, 0.2), "[0.000, 0.200]", "[+0.000, +0.200]"),
    ],
)
def test_an_interval_that_leaves_0_out_does_not_look_as_if_it_held_it(
    ends: tuple[float, float], plain: str, signed: str
) -> None:
    assert bracket(ends) == plain
    assert bracket(ends, "+") == signed
