"""Ranks, undecided pairs and the smallest difference, on the items all contestants answered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vivavoce.results.board.ranks import Contestant, add_ranks, decided, open_question
from vivavoce.results.logs.records import contestant_label, distinct_labels
from vivavoce.statistics.comparison import smallest_detectable_difference
from vivavoce.statistics.estimates import Draws
from vivavoce.statistics.intervals import resample

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
        "undecided_with": None,
        "detectable": None,
        **changes,
    }
    table = {item: np.array([value]) for item, value in zip(ITEMS, values, strict=True)}
    return Contestant({metric: row}, family, {item: item for item in ITEMS}, table)


def standing(*contestants: Contestant, resamples: int = 2000) -> list[dict[str, Any]]:
    add_ranks(contestants, Draws(resamples))
    return [next(iter(found.rows.values())) for found in contestants]


def test_a_clear_winner_is_first_and_two_that_cannot_be_told_apart_are_undecided() -> None:
    first, second, third = standing(
        contestant("a/best", 0.8 + NOISE),
        contestant("a/middle", 0.5 + NOISE),
        contestant("a/other", 0.501 + NOISE[::-1]),
    )
    assert (first["rank"], first["rank_interval"], first["undecided_with"]) == (1, [1, 1], [])
    assert {second["rank"], third["rank"]} == {2, 3}
    assert second["rank_interval"] == third["rank_interval"] == [2, 3]
    assert (second["undecided_with"], third["undecided_with"]) == (["a/other"], ["a/middle"])
    # On 40 papers 0.001 does not show, and 10,000 would not do either.
    assert (first["more_papers_needed"], second["more_papers_needed"]) == ([], [None])


def test_the_oracle_and_a_partial_log_take_no_place() -> None:
    oracle, partial, ranked = standing(
        contestant("none", np.ones(len(ITEMS)), method="oracle"),
        contestant("a/half", 0.9 + NOISE, partial=True),
        contestant("a/whole", 0.2 + NOISE),
    )
    assert (oracle["rank"], partial["rank"], ranked["rank"]) == (None, None, 1)


def test_without_draws_there_are_ranks_but_no_word_on_who_is_undecided() -> None:
    rows = standing(contestant("a/x", 0.5 + NOISE), contestant("a/y", 0.4 + NOISE), resamples=0)
    assert [row["rank"] for row in rows] == [1, 2]
    assert [row["rank_interval"] for row in rows] == [None, None]
    assert [row["undecided_with"] for row in rows] == [None, None]


def test_the_smallest_difference_is_that_of_the_paired_items() -> None:
    one, other = 0.5 + NOISE, 0.4 + NOISE[::-1]
    row, _ = standing(contestant("a/x", one), contestant("a/y", other))
    draws = resample(ITEMS, resamples=0)
    found = smallest_detectable_difference({"x": one, "y": other}, draws, span=1.0)
    assert row["detectable"] == found


def test_runs_of_one_model_are_told_apart_by_what_they_differ_in() -> None:
    first, second = standing(
        contestant("a/x", 0.5 + NOISE, decoding="temperature=0.0"),
        contestant("a/x", 0.5 + NOISE, decoding="temperature=1.0"),
    )
    assert first["undecided_with"] == ["a/x (temperature=1.0)"]
    assert second["undecided_with"] == ["a/x (temperature=0.0)"]


def test_names_of_one_model_hold_only_the_words_that_differ() -> None:
    rows = [
        {
            "model": "a/x",
            "method": "direct",
            "decoding": f"attempts=1 context={n}",
            "prompt_hash": p,
        }
        for n, p in ((8000, "old"), (32000, "old"), (32000, "new"))
    ]
    other = {"model": "a/y", "method": "direct", "decoding": "attempts=1", "prompt_hash": "old"}
    assert distinct_labels([*rows, other]) == [
        "a/x (context=8000)",
        "a/x (context=32000) (old)",
        "a/x (context=32000) (new)",
        "a/y",
    ]


def test_a_label_names_the_model_and_a_method_other_than_direct() -> None:
    assert contestant_label({"model": "a/x", "method": "direct"}) == "a/x"
    assert contestant_label({"model": "a/x", "method": "rag"}) == "a/x + rag"
    assert contestant_label({"model": "none", "method": "null"}) == "null"


def judged(judge: str, rouge: Any, win: Any, model: str = "a/x") -> Contestant:
    """A contestant with a metric of its own, one of a judge, and a diagnostic."""
    found = contestant(model, rouge, judge=judge or None)
    rows = dict(found.rows)
    if judge:
        rows["judge_win"] = dict(rows["rougeL"])
    rows["length_ratio"] = dict(rows["rougeL"])
    columns = [rouge, win, rouge] if judge else [rouge, rouge]
    table = dict(zip(ITEMS, np.array(columns).T, strict=True))
    names = frozenset({"length_ratio"}), frozenset({"judge_win"})
    return Contestant(rows, found.family, found.clusters, table, *names)


def test_win_rates_of_two_judges_are_not_compared() -> None:
    found = [
        judged("lab/strict", 0.5 + NOISE, 0.2 + NOISE),
        judged("lab/kind", 0.6 + NOISE, 0.9 + NOISE),
        judged("lab/kind", 0.7 + NOISE, 0.3 + NOISE, model="b/x"),
    ]
    add_ranks(found, Draws(500))
    assert [each.rows["judge_win"]["rank"] for each in found] == [1, 1, 2]
    assert found[1].rows["judge_win"]["undecided_with"] == []


def test_a_contestant_that_two_judges_saw_is_ranked_once_by_what_no_judge_says() -> None:
    found = [
        judged("lab/strict", 0.5 + NOISE, 0.2 + NOISE),
        judged("lab/kind", 0.6 + NOISE, 0.9 + NOISE),
        judged("", 0.4 + NOISE, None),
        judged("lab/kind", 0.7 + NOISE, 0.3 + NOISE, model="b/x"),
    ]
    add_ranks(found, Draws(500))
    assert [each.rows["rougeL"]["rank"] for each in found] == [None, None, 2, 1]
    assert found[3].rows["rougeL"]["undecided_with"] == []


def test_nobody_is_ranked_by_a_diagnostic() -> None:
    found = [judged("", 0.5 + NOISE, None), judged("", 0.6 + NOISE, None, model="b/x")]
    add_ranks(found, Draws(500))
    assert [each.rows["length_ratio"]["rank"] for each in found] == [None, None]
    assert [each.rows["rougeL"]["rank"] for each in found] == [2, 1]


def stopped(
    comparison: str,
    number: int,
    beats: list[list[int]],
    looks: int = 2,
    ties: Sequence[list[int]] = (),
) -> dict[str, Any]:
    about = {"comparison": comparison, "contestant": number, "beats": beats, "ties": ties}
    return {**about, "looks": looks}


def cut(found: Contestant, count: int) -> Contestant:
    """The contestant as a run leaves it that stopped after so many items."""
    kept = {item: found.values[item] for item in ITEMS[:count]}
    return replace(found, values=kept, clusters={item: item for item in kept})


def test_runs_that_stopped_stand_in_one_column_with_whole_runs() -> None:
    record = {n: {"stopped": stopped("first", n, [[1, 0]]), "headline": True} for n in (0, 1)}
    low, middle, lead = standing(
        cut(contestant("a/low", 0.1 + NOISE, **record[0]), 20),
        cut(contestant("a/middle", 0.2 + NOISE, **record[1]), 20),
        contestant("lead", 0.6 + NOISE[::-1]),
    )
    assert [row["rank"] for row in (lead, middle, low)] == [1, 2, 3]
    assert [row["rank_interval"] for row in (lead, middle, low)] == [[1, 1], [2, 2], [3, 3]]
    assert [row["undecided_with"] for row in (lead, middle, low)] == [[], [], []]


def test_what_a_run_did_not_decide_no_test_decides() -> None:
    record = {n: {"stopped": stopped("first", n, []), "headline": True} for n in (0, 1)}
    low, high, _ = standing(
        cut(contestant("a/low", 0.3 + NOISE, **record[0]), 20),
        cut(contestant("a/high", 0.9 + NOISE, **record[1]), 20),
        contestant("null", 0.0 + NOISE),
    )
    assert (high["rank"], low["rank"]) == (1, 2)
    assert high["rank_interval"] == low["rank_interval"] == [1, 2]
    assert (high["undecided_with"], high["tied_with"]) == (["a/low"], [])


def test_a_decision_on_a_contestant_that_is_not_here_is_left_out() -> None:
    records = [{"contestant": 2, "beats": [[2, 0], [2, 1]]}, {"contestant": 0, "beats": []}]
    assert decided(records).tolist() == [[False, True], [False, False]]


def test_two_that_a_run_showed_to_be_near_are_tied() -> None:
    record = {
        n: {"stopped": stopped("first", n, [], ties=[[0, 1]]), "headline": True} for n in (0, 1)
    }
    one, other, _ = standing(
        cut(contestant("a/one", 0.51 + NOISE, **record[0]), 20),
        cut(contestant("a/other", 0.5 + NOISE, **record[1]), 20),
        contestant("null", 0.0 + NOISE),
    )
    assert (one["tied_with"], one["undecided_with"]) == (["a/other"], [])
    assert (other["tied_with"], other["undecided_with"]) == (["a/one"], [])


def test_an_open_question_names_the_rival_that_fewest_more_papers_decide() -> None:
    row = {"undecided_with": ["far", "near", "odd"], "more_papers_needed": [900, 30, None]}
    assert open_question({**row, "clusters": 43}) == (
        "Undecided against near and 2 others: about 30 more papers would probably decide."
    )
    assert open_question({**row, "clusters": 4}) == (
        "Undecided against near and 2 others: there are only 4 papers, and at least 12 are needed."
    )
    alone = {"undecided_with": ["odd"], "more_papers_needed": [None], "clusters": 43}
    assert open_question(alone).endswith(
        "too close to tell apart with any realistic number of papers."
    )
    assert open_question({"undecided_with": None, "more_papers_needed": None}) == ""


@pytest.mark.parametrize(("looks", "rivals"), [(2, []), (200, ["lead"])])
def test_a_test_of_a_run_that_stopped_is_shared_out_over_its_looks(
    looks: int, rivals: list[str]
) -> None:
    # Twelve papers of twelve: 2 / 4096 = 0.0005 is below 0.05 / 2 and above 0.05 / 200.
    record = {"stopped": stopped("first", 0, [], looks), "headline": True}
    early, _ = standing(
        cut(contestant("a/early", 0.9 + NOISE, **record), 12),
        contestant("lead", 0.1 + NOISE[::-1]),
    )
    assert (early["rank"], early["undecided_with"]) == (1, rivals)


def test_a_test_is_shared_out_over_the_looks_of_the_two_runs_that_meet() -> None:
    # On twelve papers all pairs are decided at 0.05 / 2²; at 0.05 / 2³ they would not be.
    early = [
        cut(
            contestant(f"a/{name}", level + NOISE, stopped=stopped(name, 0, []), headline=True),
            12,
        )
        for name, level in (("low", 0.1), ("middle", 0.4), ("high", 0.8))
    ]
    assert [row["undecided_with"] for row in standing(*early)] == [[], [], []]


def test_pairs_are_ordered_by_the_items_that_both_answered() -> None:
    # The early one answered the easy half; there the whole run is better than it.
    hard = np.array([0.8] * 20 + [0.2] * 20)
    record = {"stopped": stopped("first", 0, []), "headline": True}
    early, whole = standing(
        cut(contestant("a/early", 0.7 + NOISE, **record), 20), contestant("b/whole", hard + NOISE)
    )
    assert (early["rank"], whole["rank"]) == (2, 1)


def test_who_has_no_rank_has_a_reason() -> None:
    holes = 0.5 + NOISE
    holes[:3] = np.nan  # 3 of 40: 7.5%
    rows = standing(contestant("a/x", holes), contestant("a/y", 0.5 + NOISE))
    assert [row["rank"] for row in rows] == [None, None]
    assert {row["unranked"] for row in rows} == {"over 5% of the answers of a/x are undefined"}
    found = [judged("lab/kind", 0.5 + NOISE, 0.2 + NOISE), judged("", 0.5 + NOISE, None)]
    add_ranks(found, Draws(500))
    assert found[0].rows["rougeL"]["unranked"] == "it is ranked in its row with no judge"
    assert found[1].rows["length_ratio"]["unranked"] == "this metric does not rank"
