"""Ranks, looks at a run and a corrected judge where there is little or nothing to say."""

from typing import Any

import numpy as np
import pytest

from vivavoce.statistics.corrected import corrected_mean
from vivavoce.statistics.ranks import Standing, rank
from vivavoce.statistics.sequential import Sequential

NAN = float("nan")
CLEAR = np.random.default_rng(0).normal([0.2, 0.8], 0.05, (12, 2))
HOLES = np.where(np.random.default_rng(1).random((200, 2)) < 0.4, NAN, 0.0) + np.random.default_rng(
    2
).normal([0.2, 0.8], 0.1, (200, 2))
TIED = [Standing(1, 1, 2, ()), Standing(1, 1, 2, ())]
SECOND_WINS = [Standing(2, 2, 2, ()), Standing(1, 1, 1, (0,))]

CASES: dict[str, tuple[Any, Any, list[Standing]]] = {
    "two contestants": (CLEAR, range(12), SECOND_WINS),
    "one cluster": (CLEAR, ["p"] * 12, TIED),
    "constant": (np.full((12, 2), 0.5), range(12), TIED),
    "all undefined": (np.full((12, 2), NAN), range(12), TIED),
    "40% undefined": (HOLES, range(200), SECOND_WINS),
    "one contestant all undefined": (np.column_stack([CLEAR[:, 0], [NAN] * 12]), range(12), TIED),
}


@pytest.mark.parametrize(("values", "clusters", "standings"), CASES.values(), ids=CASES)
def test_ranks_and_looks_say_the_same(values: Any, clusters: Any, standings: Any) -> None:
    assert rank(values, clusters) == standings
    decision = Sequential("top", k=1, looks=1).look(values, clusters)
    is_decided = standings == SECOND_WINS
    assert decision.beats == ({(1, 0)} if is_decided else frozenset())
    assert decision.done == is_decided
    assert decision.top == ((1,) if is_decided else ())


@pytest.mark.parametrize(
    ("judged", "clusters", "human", "expected"),
    [
        ([1.0, 0.0, 1.0], "ppp", [1.0, 0.0], (0.5, None, None)),
        ([1.0] * 8, "abcdefgh", [1.0] * 4, (1.0, None, None)),
        ([NAN] * 8, "abcdefgh", [1.0] * 4, (None, None, None)),
        ([1.0] * 8, "abcdefgh", [NAN] * 4, (None, None, None)),
    ],
    ids=["one cluster", "constant", "no value of the judge", "no label"],
)
def test_a_judge_is_corrected_where_there_is_something_to_correct_it_by(
    judged: list[float], clusters: str, human: list[float], expected: tuple[Any, ...]
) -> None:
    found = corrected_mean(judged, clusters, range(len(human)), human)
    assert (found.value, found.low, found.high) == expected


@pytest.mark.parametrize(("resamples", "is_decided"), [(18, False), (19, True), (38, True)])
def test_a_test_at_5_percent_needs_nineteen_draws(resamples: int, is_decided: bool) -> None:
    # the observed signs count as one more: 1 of 20 is 5%
    assert rank(CLEAR, range(12), resamples=resamples) == (SECOND_WINS if is_decided else TIED)
    decision = Sequential("all", looks=1, resamples=resamples).look(CLEAR, range(12))
    assert decision.done is is_decided


def test_the_seed_is_0_unless_one_is_given() -> None:
    values = np.random.default_rng(5).normal([0.0, 0.35, 0.7], 1.0, (40, 3))

    def ranks(**seed: int) -> list[Standing]:
        return rank(values, range(40), resamples=39, **seed)

    def beats(**seed: int) -> frozenset[tuple[int, int]]:
        return Sequential("all", looks=1, resamples=39, **seed).look(values, range(40)).beats

    assert ranks() == ranks(seed=0) != ranks(seed=1)
    assert beats() == beats(seed=0) != beats(seed=1)
