"""Shares, their means and their pools."""

from vivavoce.metrics import harmonic_mean


def test_the_harmonic_mean_of_nothing_is_nothing() -> None:
    assert harmonic_mean(0.5, 0.25) == 2 * 0.5 * 0.25 / 0.75
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(None, 1.0) is None
