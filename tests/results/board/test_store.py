"""Comparisons that are remembered: the same ranks, and only new pairs compared."""

from __future__ import annotations

import numpy as np

from vivavoce.results.board.ranks import Memory
from vivavoce.statistics.comparison import rank
from vivavoce.statistics.intervals import resample

DRAWS = resample(list(range(40)), resamples=200, seed=0)


def values_of(*names: str) -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(7)
    return {name: drawn.random(40) + place / 10 for place, name in enumerate(names)}


def test_ranks_from_remembered_pairs_are_those_computed_anew() -> None:
    first = values_of("c", "a", "d")
    everybody = {**first, "b": values_of("x")["x"]}
    contents = {name: f"content of {name}" for name in everybody}
    memory = Memory()
    signs = memory.known("f1", contents)
    rank(first, DRAWS, signs=signs)
    memory.keep("f1", {name: contents[name] for name in first}, signs)
    again = Memory(memory.kept).known("f1", contents)
    assert sorted(again) == [("a", "c"), ("a", "d"), ("c", "d")]
    assert rank(everybody, DRAWS, signs=again) == rank(everybody, DRAWS)


def test_a_contestant_with_other_values_is_compared_again() -> None:
    signs = {("a", "b"): 1}
    memory = Memory()
    memory.keep("f1", {"a": "old", "b": "same"}, signs)
    assert Memory(memory.kept).known("f1", {"a": "new", "b": "same"}) == {}
    assert Memory(memory.kept).known("f1", {"a": "old", "b": "same"}) == signs
    # The names may change their order; who is ahead does not.
    assert Memory(memory.kept).known("f1", {"z": "old", "b": "same"}) == {("b", "z"): -1}
