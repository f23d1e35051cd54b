"""Looks at a comparison that goes on: what is decided when, and how often it is false."""

import math

import numpy as np
import pytest

from vivavoce.errors import InputError
from vivavoce.statistics import Decision, Sequential, Standing, rank
from vivavoce.statistics.ranks import Contrasts
from vivavoce.statistics.sequential import StoppingRule


def looks_at(test: Sequential, values: np.ndarray, size: int) -> list[Decision]:
    """Looks after every `size` rows until it is done; who is decided is asked no more."""
    seen = np.full_like(values, math.nan)
    active: tuple[int, ...] = tuple(range(values.shape[1]))
    found = []
    for start in range(0, len(values), size):
        seen[start : start + size, active] = values[start : start + size, active]
        found.append(test.look(seen[: start + size], range(start + size)))
        active = found[-1].active
        if found[-1].done:
            break
    return found


CLEAR = np.random.default_rng(0).normal([0.2, 0.8], 0.05, (12, 2))
TIED = [Standing(1, 1, 2, ()), Standing(1, 1, 2, ())]
SECOND_WINS = [Standing(2, 2, 2, ()), Standing(1, 1, 1, (0,))]


def noisy(means: list[float], items: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(means, 0.2, (items, len(means)))


def test_a_clear_winner_is_found_early_and_the_rest_is_not_compared() -> None:
    found = looks_at(Sequential("top", k=1), noisy([0.1, 0.9, 0.1, 0.1], 400), 20)
    assert len(found) <= 3
    last = found[-1]
    assert (last.done, last.top, last.active) == (True, (1,), ())
    assert {(1, 0), (1, 2), (1, 3)} <= last.beats


def test_who_is_out_is_asked_no_more() -> None:
    found = looks_at(Sequential("top", k=1), noisy([0.5, 0.52, 0.0, 0.0], 200), 20)
    assert found[-1].active == (0, 1)
    assert not found[-1].done
    assert any(decision.active == (0, 1) for decision in found[:4])


def test_who_is_out_is_compared_no_more() -> None:
    # 2 and 3 fall behind together; only then does 3 overtake 2
    early, late = noisy([0.5, 0.5, 0.0, 0.0], 40), noisy([0.5, 0.5, 0.0, 5.0], 40, seed=1)
    values = np.vstack([early, late])
    top, every = (Sequential(question, k=2, looks=2) for question in ("top", "all"))
    assert top.look(early, range(40)).top == (0, 1)
    every.look(early, range(40))
    assert (3, 2) not in top.look(values, range(80)).beats
    assert (3, 2) in every.look(values, range(80)).beats


def test_two_of_the_best_need_not_be_told_apart() -> None:
    found = looks_at(Sequential("top", k=2), noisy([0.5, 0.0, 0.5, 0.0], 400), 20)
    assert found[-1].done
    assert found[-1].top == (0, 2)
    assert (0, 2) not in found[-1].beats
    assert (2, 0) not in found[-1].beats


def test_all_pairs_end_when_the_others_differ_by_less_than_matters() -> None:
    values = noisy([0.8, 0.5, 0.5], 2_000)
    found = looks_at(Sequential("all", indifference=0.1), values, 100)
    assert found[-1].done
    assert (found[-1].beats, found[-1].ties) == ({(0, 1), (0, 2)}, {(1, 2)})
    assert not looks_at(Sequential("all"), values, 100)[-1].done
    # Which of two that may stand in either order is among the best: the one ahead so far.
    top = looks_at(Sequential("top", k=2, indifference=0.1), values, 100)[-1]
    assert top.done
    assert top.top in ((0, 1), (0, 2))


@pytest.mark.parametrize(("indifference", "is_tied"), [(0.053, False), (0.055, True)])
def test_a_tie_is_what_one_more_paper_does_not_undo(indifference: float, is_tied: bool) -> None:
    # Differences of +-0.24 on 100 papers. 5% of random signs give 20 of 100 or more, a bound of 2:
    # the interval reaches 2 * 0.24 / sqrt(100 - 4) = 0.049, and half a paper of 100 is 0.005 more.
    wave = np.where(np.arange(100) % 2 == 0, 0.24, -0.24)
    values = np.column_stack([0.5 + wave, np.full(100, 0.5)])
    test = Sequential("all", indifference=indifference, looks=1, span=1.0)
    assert test.look(values, range(100)).ties == (frozenset({(0, 1)}) if is_tied else frozenset())


@pytest.mark.parametrize(("papers", "is_tied"), [(11, False), (12, True)])
def test_fewer_than_twelve_papers_make_no_tie(papers: int, is_tied: bool) -> None:
    values = np.tile(np.arange(papers)[:, None] % 2.0, (1, 2))  # equal: 3 / 11 and 3 / 12 are < 0.3
    decision = Sequential("all", indifference=0.3).look(values, range(papers))
    assert decision.ties == (frozenset({(0, 1)}) if is_tied else frozenset())


@pytest.mark.parametrize(("lead", "best"), [(0.001, 0), (0.0, 0), (-0.001, 1)])
def test_of_two_that_are_tied_the_one_ahead_so_far_is_the_best(lead: float, best: int) -> None:
    wave = np.where(np.arange(100) % 2 == 0, 0.25, -0.25)
    values = np.column_stack([0.5 + wave + lead, np.full(100, 0.5)])
    decision = Sequential("top", k=1, indifference=0.1, looks=1).look(values, range(100))
    assert (decision.ties, decision.top) == ({(0, 1)}, (best,))


def test_equal_contestants_end_where_a_difference_matters() -> None:
    values = np.tile(np.arange(100)[:, None] % 2.0, (1, 3))
    # After m items without a difference 3 / m of all may still show one: 3 / 35 < 0.1 < 3 / 30.
    found = looks_at(Sequential("all", indifference=0.1), values, 5)
    assert (len(found), found[-1].beats) == (7, frozenset())
    assert len(looks_at(Sequential("top", k=1, indifference=0.1), values, 5)[-1].top) == 1
    assert not looks_at(Sequential("all"), values, 5)[-1].done


@pytest.mark.parametrize("undefined", [0.0, 0.4, 1.0])
def test_one_look_is_the_test_of_ranks(undefined: float) -> None:
    values = noisy([0.1, 0.2, 0.25, 0.3, 0.3], 100)
    values[np.random.default_rng(1).random(values.shape) < undefined] = math.nan
    clusters = [f"{item:03d}" for item in range(100)]
    once = Sequential("all", looks=1).look(values, clusters)
    ranked = rank(values, clusters)
    assert once.beats == {(i, j) for i, found in enumerate(ranked) for j in found.beats}


def test_what_is_decided_stays_decided() -> None:
    test = Sequential("all", looks=4)
    first = noisy([0.0, 1.0], 50)
    assert test.look(first, range(50)).beats == {(1, 0)}
    turned = np.vstack([first, noisy([9.0, 0.0], 50)])
    assert test.look(turned, range(100)).beats == {(1, 0)}


def test_equals_of_unlike_values_are_seldom_told_apart() -> None:
    # All have a mean of 0.2, one by even values and another by all or nothing: random signs alone
    # decide something in one such run of five. `python -m benchmarks.coverage stopping` does this
    # in 2,000 worlds of many kinds.
    looks, size = 5, 20
    generator, false = np.random.default_rng(looks), 0
    weight = np.array([40, 2, 0.5, 0.05])
    for world in range(200):
        values = generator.beta(0.2 * weight, 0.8 * weight, (100, 4))
        test = Sequential("all", looks=looks, resamples=1_000, seed=world)
        false += bool(looks_at(test, values, size)[-1].beats)
    assert false / 200 <= 0.095  # 5% and 2.9 standard errors


def test_a_lead_that_one_cluster_would_undo_is_not_decided() -> None:
    # 12 differences of 0.1, where values go up to 1: (1.2 - 0.5) / sqrt(0.12 + 0.25) = 1.151
    values = np.tile([0.1, 0.0, 1.0], (12, 1))
    guarded = Contrasts(values, range(12)).guarded
    assert guarded[0] == pytest.approx(1.150793)
    assert guarded[1] == pytest.approx((10.8 - 0.5) / (9.72 + 0.25) ** 0.5)
    for looks in (1, 2):
        assert Sequential("all", looks=looks).look(values, range(12)).beats == {(2, 0), (2, 1)}
    # of a metric that goes up to 12, one more paper would undo those as well
    assert Sequential("all", looks=1, span=12.0).look(values, range(12)).beats == frozenset()


def test_looks_at_fewer_than_twelve_papers_decide_nothing_and_spend_nothing() -> None:
    values = noisy([0.0, 5.0], 24)
    test = Sequential("all", looks=3)
    assert [test.look(values[:n], range(n)).beats for n in (8, 11, 12)] == [
        frozenset(),
        frozenset(),
        {(1, 0)},
    ]


def test_nothing_and_one_contestant_are_done_at_once() -> None:
    assert Sequential("all").look(np.zeros((3, 1)), range(3)) == Decision(
        True, frozenset(), frozenset(), (), (), 1
    )
    assert Sequential("top", k=3).look(np.zeros((3, 2)), range(3)).top == (0, 1)
    undefined = Sequential("top", k=1).look(np.full((9, 2), math.nan), range(9))
    assert (undefined.done, undefined.active) == (False, (0, 1))


def test_looks_beyond_those_that_were_planned_are_refused() -> None:
    test = Sequential(looks=1)
    test.look(noisy([0.1, 0.2], 10), range(10))
    with pytest.raises(InputError, match="looks are used up"):
        test.look(noisy([0.1, 0.2], 20), range(20))


def test_the_same_rows_may_be_looked_at_again_but_not_fewer_nor_other_columns() -> None:
    test, values = Sequential("all"), noisy([0.0, 1.0], 20)
    assert test.look(values, range(20)).beats == test.look(values, range(20)).beats == {(1, 0)}
    with pytest.raises(InputError, match="19 rows after 20"):
        test.look(values[:19], range(19))
    with pytest.raises(InputError, match="1 contestants after 2"):
        test.look(values[:, :1], range(20))


def test_without_options_it_asks_for_the_three_best() -> None:
    values = 0.01 * noisy([1.0, 2.0, 3.0, 4.0, 5.0], 40)  # a range of 1 would undo everything
    assert Sequential().look(values, range(40)).top == (2, 3, 4)


CLUSTERS = {f"item {number}": f"paper {number // 2}" for number in range(10)}


def test_a_rule_without_options_asks_for_every_pair() -> None:
    rule = StoppingRule()
    assert (rule.label, StoppingRule("top").label) == ("all", "top=1")
    values = noisy([0.0, 0.01, 1.0], 40)
    decision = rule.test(looks=20).look(0.01 * values, range(40))
    assert (decision.beats, decision.ties) == ({(2, 0), (2, 1)}, frozenset())
    assert rule.order(CLUSTERS) == StoppingRule(seed=0).order(CLUSTERS)
    assert rule.order(CLUSTERS) != StoppingRule(seed=1).order(CLUSTERS)


@pytest.mark.parametrize(
    ("looks", "papers"), [(1, [5]), (2, [2, 5]), (3, [1, 3, 5]), (20, [1, 2, 3, 4, 5])]
)
def test_each_look_adds_whole_papers_until_all_are_seen(looks: int, papers: list[int]) -> None:
    rule = StoppingRule(looks=looks)
    order = rule.order(CLUSTERS)
    assert sorted(order) == [f"paper {number}" for number in range(5)]
    for look, count in enumerate(papers, 1):
        items = [item for item, paper in CLUSTERS.items() if paper in order[:count]]
        assert rule.items_at(look, CLUSTERS) == set(items)
        assert len(items) == 2 * count


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


@pytest.mark.parametrize(
    "wrong",
    [{"question": "best"}, {"k": 0}, {"looks": 0}, {"alpha": 1.0}, {"indifference": -0.1},
     {"indifference": math.nan}, {"seed": -1}],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused(wrong: dict) -> None:
    with pytest.raises(InputError):
        Sequential(**wrong)
