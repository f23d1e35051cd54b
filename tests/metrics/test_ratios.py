"""Shares, their means and their pools."""

from vivavoce.metrics import Ratio, aggregate_ratios, harmonic_mean


def test_macro_means_shares_and_micro_pools_questions() -> None:
    shares = [Ratio(1, 2), Ratio(3, 10)]
    assert aggregate_ratios(shares, "macro") == 0.4  # (0.5 + 0.3) / 2
    assert aggregate_ratios(shares, "micro") == 4 / 12


def test_an_undefined_share_leaves_the_mean_and_a_failure_stays_in_it() -> None:
    assert aggregate_ratios([Ratio(1, 2), Ratio(0, 0)]) == 0.5
    assert aggregate_ratios([Ratio(1, 2), Ratio(0, 0, 0.0)]) == 0.25
    assert aggregate_ratios([Ratio(0, 0)]) is None
    assert aggregate_ratios([Ratio(0, 0, 0.0)], "micro") == 0.0


def test_the_harmonic_mean_of_nothing_is_nothing() -> None:
    assert harmonic_mean(0.5, 0.25) == 2 * 0.5 * 0.25 / 0.75
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(None, 1.0) is None
