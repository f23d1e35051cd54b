"""Ranks, ties and the smallest difference, on the items all contestants answered."""

from __future__ import annotations

from typing import Any

import numpy as np

from vivavoce.results.bootstrap import resample
from vivavoce.results.comparison import smallest_detectable_difference
from vivavoce.results.standing import Contestant, add_standing, contestant_label

ITEMS = [f"paper-{number:02d}" for number in range(40)]
NOISE = np.random.default_rng(1).normal(0, 0.05, len(ITEMS))


def contestant(
    model: str, values: Any, *, family: str = "writing", metric: str = "rougeL", **changes: Any
) -> Contestant:
    row: dict[str, Any] = {
        "model": model,
        "method": "direct",
        "decoding": "attempts=1",
        "prompt_hash": "abc",
        "partial": False,
        "n": len(ITEMS),
        "undefined": int(np.isnan(np.asarray(values, dtype=float)).sum()),
        "rank": None,
        "rank_interval": None,
        "tied_with": None,
        "detectable": None,
        **changes,
    }
    table = {item: np.array([value]) for item, value in zip(ITEMS, values, strict=True)}
    return Contestant({metric: row}, family, {item: item for item in ITEMS}, table)


def standing(*contestants: Contestant, resamples: int = 2000) -> list[dict[str, Any]]:
    add_standing(contestants, resamples=resamples, seed=0)
    return [next(iter(found.rows.values())) for found in contestants]


def test_a_clear_winner_is_first_and_two_that_cannot_be_told_apart_are_tied() -> None:
    first, second, third = standing(
        contestant("a/best", 0.8 + NOISE),
        contestant("a/middle", 0.5 + NOISE),
        contestant("a/other", 0.501 + NOISE[::-1]),
    )
    assert (first["rank"], first["rank_interval"], first["tied_with"]) == (1, [1, 1], [])
    assert {second["rank"], third["rank"]} == {2, 3}
    assert second["rank_interval"] == third["rank_interval"] == [2, 3]
    assert (second["tied_with"], third["tied_with"]) == (["a/other"], ["a/middle"])


def test_equal_values_share_a_rank() -> None:
    rows = standing(contestant("a/x", 0.5 + NOISE), contestant("b/x", 0.5 + NOISE))
    assert [row["rank"] for row in rows] == [1, 1]
    assert [row["tied_with"] for row in rows] == [["b/x"], ["a/x"]]


def test_the_oracle_and_a_partial_log_take_no_place() -> None:
    oracle, partial, ranked = standing(
        contestant("none", np.ones(len(ITEMS)), method="oracle"),
        contestant("a/half", 0.9 + NOISE, partial=True),
        contestant("a/whole", 0.2 + NOISE),
    )
    assert (oracle["rank"], partial["rank"], ranked["rank"]) == (None, None, 1)


def test_a_metric_undefined_for_over_five_percent_ranks_nobody() -> None:
    holes = 0.5 + NOISE
    holes[:3] = np.nan  # 3 of 40: 7.5%
    rows = standing(contestant("a/x", holes), contestant("a/y", 0.5 + NOISE))
    assert [row["rank"] for row in rows] == [None, None]


def test_without_draws_there_are_ranks_but_no_word_on_ties() -> None:
    rows = standing(contestant("a/x", 0.5 + NOISE), contestant("a/y", 0.4 + NOISE), resamples=0)
    assert [row["rank"] for row in rows] == [1, 2]
    assert [row["rank_interval"] for row in rows] == [None, None]
    assert [row["tied_with"] for row in rows] == [None, None]


def test_the_smallest_difference_is_that_of_the_paired_items() -> None:
    one, other = 0.5 + NOISE, 0.4 + NOISE[::-1]
    row, _ = standing(contestant("a/x", one), contestant("a/y", other))
    draws = resample(ITEMS, resamples=0)
    assert row["detectable"] == smallest_detectable_difference({"x": one, "y": other}, draws)


def test_runs_of_one_model_are_told_apart_by_what_they_differ_in() -> None:
    first, second = standing(
        contestant("a/x", 0.5 + NOISE, decoding="temperature=0.0"),
        contestant("a/x", 0.5 + NOISE, decoding="temperature=1.0"),
    )
    assert first["tied_with"] == ["a/x (temperature=1.0)"]
    assert second["tied_with"] == ["a/x (temperature=0.0)"]


def test_a_label_names_the_model_and_a_method_other_than_direct() -> None:
    assert contestant_label({"model": "a/x", "method": "direct"}) == "a/x"
    assert contestant_label({"model": "a/x", "method": "rag"}) == "a/x + rag"
    assert contestant_label({"model": "none", "method": "null"}) == "null"
