"""Figures in print."""

import pytest

from vivavoce.text.printing import bracket


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
