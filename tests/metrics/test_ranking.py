"""Ranking metrics by hand, against scipy and scikit-learn, and the published numbers."""

import gzip
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.metrics.ranking import (
    QUERIES,
    count_pairs,
    kendall_tau,
    ndcg,
    read_paper_ids,
    score_paper_ranking,
    score_ranking_legacy,
    score_ranking_row,
    score_ranking_row_legacy,
)
from vivavoce.metrics.titles_list import find_titles

GOLD = ["Alpha Nets", "Beta Nets", "Gamma Nets", "Delta Nets"]
scores_of_items = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


def scored(gold, text, scores=None):
    return score_ranking_row(gold, find_titles(text, gold), scores)


def answer(*titles: str) -> str:
    return "\n".join(f"{number}. {title}" for number, title in enumerate(titles, start=1))


def test_one_swap_of_neighbours():
    # Of 4 * 3 / 2 = 6 pairs, one is against the gold order: cp = 5/6, tau = (5 - 1)/6.
    score = scored(GOLD, answer("Alpha nets", "Gamma nets", "Beta nets", "Delta nets"))
    assert (score["cis"], score["bem"], score["bem_complete"]) == (1.0, 0.0, 0.0)
    assert (score["cp"], score["cp_partial"]) == (5 / 6, 5 / 6)
    assert score["ktau"] == 4 / 6
    # Gains 4, 2, 3, 1 at places 1 to 4, against 4, 3, 2, 1.
    places = [math.log2(place + 1) for place in (1, 2, 3, 4)]
    gained = 4 / places[0] + 2 / places[1] + 3 / places[2] + 1 / places[3]
    best = 4 / places[0] + 3 / places[1] + 2 / places[2] + 1 / places[3]
    assert score["ndcg"] == pytest.approx(gained / best)


def test_an_incomplete_answer_scores_zero_but_for_partial_credit():
    # Delta, Alpha, Beta: of the 6 gold pairs only Alpha before Beta is there and in order.
    score = scored(GOLD, answer("Delta Nets", "Alpha Nets", "Beta Nets"))
    assert (score["cis"], score["bem"], score["cp"]) == (0.0, 0.0, 0.0)
    assert (score["bem_complete"], score["ktau"]) == (None, None)
    assert score["cp_partial"] == 1 / 6
    # Gains 1, 4, 3 at places 1 to 3.
    best = 4 + 3 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    assert score["ndcg"] == pytest.approx((1 + 4 / math.log2(3) + 3 / 2) / best)


def test_invented_titles_are_ignored():
    plain = scored(GOLD, answer(*GOLD))
    padded = scored(GOLD, answer("Made Up", *GOLD, "Made Up Too"))
    assert padded == plain


def test_an_empty_answer_is_zero_except_where_it_is_undefined():
    assert scored(GOLD, None) == {
        "cis": 0.0,
        "bem": 0.0,
        "cp": 0.0,
        "cp_partial": 0.0,
        "bem_complete": None,
        "ktau": None,
        "ndcg": 0.0,
    }


def test_one_title_has_no_tau():
    score = scored(["Alpha Nets"], "1. Alpha Nets")
    assert (score["cis"], score["bem"], score["cp"], score["ndcg"], score["ktau"]) == (
        1.0,
        1.0,
        1.0,
        1.0,
        None,
    )
    assert scored(["Alpha Nets"], "1. Beta Nets")["cp"] == 0.0


def test_a_gold_title_that_is_there_twice_counts_at_its_better_rank():
    gold = ["Alpha", "Beta", "ALPHA", "Gamma"]
    assert scored(gold, answer("Alpha", "Beta", "Gamma"))["bem"] == 1.0
    assert scored(gold, answer("Beta", "Alpha", "Gamma"))["ktau"] == 1 / 3


def test_tied_titles_may_stand_in_either_order():
    # Beta and Gamma are tied: 5 of the 6 pairs count.
    scores = [90.0, 80.0, 80.0, 70.0]
    for order in (GOLD, [GOLD[0], GOLD[2], GOLD[1], GOLD[3]]):
        score = scored(GOLD, answer(*order), scores)
        assert (score["cp"], score["ktau"], score["bem"], score["ndcg"]) == (
            1.0,
            1.0,
            1.0,
            pytest.approx(1.0),
        )
    turned = scored(GOLD, answer(GOLD[1], GOLD[0], GOLD[2], GOLD[3]), scores)
    assert (turned["cp"], turned["ktau"], turned["bem"]) == (4 / 5, 3 / 5, 0.0)
    # Both tied titles gain (3 + 2) / 2.
    best = 4 + 2.5 / math.log2(3) + 2.5 / 2 + 1 / math.log2(5)
    found = 2.5 + 4 / math.log2(3) + 2.5 / 2 + 1 / math.log2(5)
    assert turned["ndcg"] == pytest.approx(found / best)


def test_titles_that_are_all_tied_have_no_order_to_get_wrong():
    score = scored(GOLD, answer(*reversed(GOLD)), [1.0] * 4)
    assert (score["cp"], score["bem"], score["ktau"]) == (1.0, 1.0, None)


def test_pairs_with_ties():
    # Items a (1, 1), b (1, 2), c (2, 2), d (3, 1): ab tied first, bc and ad tied second,
    # ac in order, bd and cd against.
    counts = count_pairs([1, 1, 2, 3], [1, 2, 2, 1])
    assert (counts.pairs, counts.concordant, counts.discordant) == (6, 1, 2)
    assert (counts.tied_first, counts.tied_second) == (1, 2)
    assert kendall_tau([1, 1, 2, 3], [1, 2, 2, 1]) == -1 / math.sqrt(5 * 4)


@pytest.mark.parametrize(
    ("first", "second"),
    [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1.0, math.nan], [1.0, 2.0])],
)
def test_undefined_correlations_are_none(first, second):
    assert kendall_tau(first, second) is None


def test_lists_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        kendall_tau([1, 2, 3], [1, 2])


@settings(deadline=None)
@given(scores_of_items)
def test_tau_b_equals_scipy(items):
    first, second = [one for one, _ in items], [other for _, other in items]
    ours = kendall_tau(first, second)
    if ours is None:
        assert len(set(first)) < 2 or len(set(second)) < 2
    else:
        theirs = stats.kendalltau(first, second).statistic
        assert ours == pytest.approx(theirs, abs=1e-12)


@settings(deadline=None)
@given(scores_of_items)
def test_pair_counts_equal_the_definition(items):
    products = [
        (one[0] - other[0]) * (one[1] - other[1])
        for place, one in enumerate(items)
        for other in items[:place]
    ]
    counts = count_pairs(*zip(*items, strict=True)) if items else count_pairs([], [])
    assert counts.concordant == sum(product > 0 for product in products)
    assert counts.discordant == sum(product < 0 for product in products)


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=20), st.randoms())
def test_ndcg_equals_scikit_learn(gains, chooser):
    predicted = list(gains)
    chooser.shuffle(predicted)
    ours = ndcg(predicted, gains)
    if ours is None:
        assert not any(gains)
    else:
        falling = [list(range(len(gains), 0, -1))]
        assert ours == pytest.approx(ndcg_score([predicted], falling))


@settings(deadline=None)
@given(st.permutations(range(6)), st.integers(0, 6))
def test_every_value_lies_in_its_range(order, cut):
    gold = [f"Paper {letter}" for letter in "uvwxyz"]
    score = scored(gold, answer(*(gold[index] for index in order[:cut])))
    for name, metric in metrics_of("ranking").items():
        value = score.get(name)
        assert value is None or metric.low <= value <= metric.high


@settings(deadline=None)
@given(st.permutations(range(5)), st.integers(0, 4))
def test_saying_a_title_again_changes_nothing(order, repeated):
    gold = [f"Paper {letter}" for letter in "vwxyz"]
    titles = [gold[index] for index in order]
    once = scored(gold, answer(*titles))
    again = scored(gold, answer(*titles, titles[repeated]))
    assert once == again


BOARD = ["a", "b", "c", "d"]
answers = st.permutations([*BOARD, "x", "y"]).flatmap(
    lambda order: st.integers(0, 6).map(lambda count: order[:count])
)


def test_papers_that_were_not_found_count_nothing_for_their_pairs() -> None:
    # c, a of a, b, c, d: one pair, against the order. Of 6 pairs: -1/6; of those found: -1/1.
    score = score_paper_ranking(BOARD, ["x", "c", "a", "y"])
    assert score["ktau_all"] == -1 / 6
    assert score["ktau"] == -1.0
    assert (score["candidate_recall"], score["bem"]) == (0.5, 0.0)
    # Gains 2 and 4 at places 1 and 2, against 4, 3, 2, 1.
    best = 4 + 3 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    assert score["ndcg"] == pytest.approx((2 + 4 / math.log2(3)) / best)


def test_tied_papers_may_stand_in_either_order() -> None:
    scores = [9.0, 8.0, 8.0, 7.0]
    score = score_paper_ranking(BOARD, ["a", "c", "b", "d"], scores)
    assert (score["ktau_all"], score["ktau"], score["bem"], score["ndcg"]) == (1.0, 1.0, 1.0, 1.0)
    # The answer has only the two tied papers: none of the board's 5 pairs is among them.
    tied = score_paper_ranking(BOARD, ["c", "b"], scores)
    assert (tied["ktau_all"], tied["ktau"]) == (0.0, None)


def test_a_board_that_is_all_tied_asks_only_how_many_were_found() -> None:
    assert score_paper_ranking(BOARD, ["c", "x", "b", "d"], [9.0] * 4)["ktau_all"] == 3 / 4


def test_papers_off_the_board_cost_nothing() -> None:
    alone = score_paper_ranking(BOARD, BOARD)
    among = score_paper_ranking(BOARD, ["x", "a", "y", "b", "z", "c", "d"])
    assert (alone["ktau_all"], alone["bem"], alone["candidate_recall"], alone["ndcg"]) == (
        1,
        1,
        1,
        1,
    )
    assert (among["ktau_all"], among["bem"], among["ndcg"], among["ktau"]) == (1, 1, 1, 1)


@pytest.mark.parametrize("answer", [[], ["x"], ["b"]])
def test_one_paper_or_none_has_no_order(answer: list[str]) -> None:
    score = score_paper_ranking(BOARD, answer)
    assert (score["ktau_all"], score["ktau"], score["bem"]) == (0.0, None, 0.0)
    assert score["candidate_recall"] == (0.25 if answer == ["b"] else 0.0)


def test_a_board_of_one_paper_asks_only_whether_it_was_found() -> None:
    assert score_paper_ranking(["a"], ["x", "a"])["ktau_all"] == 1.0
    assert score_paper_ranking(["a"], ["x"])["ktau_all"] == 0.0
    assert score_paper_ranking(["a"], ["a"])["bem"] == 1.0


def test_a_paper_listed_again_stands_where_it_stood_first() -> None:
    assert read_paper_ids(" a\n\nb\na \n") == ["a", "b"]
    assert read_paper_ids(None) == []
    marked = '1. arxiv:1\n- `b-2`\n3) "c"\n2020.acl-1.3'
    assert read_paper_ids(marked) == ["arxiv:1", "b-2", "c", "2020.acl-1.3"]
    assert score_paper_ranking(BOARD, ["a", "b", "a"])["ktau"] == 1.0


@settings(deadline=None)
@given(answers)
def test_a_found_part_has_scipys_tau_and_the_whole_its_share_of_pairs(answer: list[str]) -> None:
    score = score_paper_ranking(BOARD, answer)
    places = [answer.index(paper) for paper in BOARD if paper in answer]
    k = len(places)
    assert score["candidate_recall"] == k / 4
    if k > 1:
        expected = stats.kendalltau(range(k), places).statistic
        assert score["ktau"] == pytest.approx(expected)
        assert score["ktau_all"] == pytest.approx(expected * k * (k - 1) / 12)
    assert -1 <= score["ktau_all"] <= 1
    assert 0 <= score["ndcg"] <= 1 + 1e-12
    assert (score["bem"] == 1.0) == (k == 4 and score["ktau_all"] == 1.0)


# LEGOBench, Table 9: CIS, BEM, KTau, CP.
TABLE_9 = {
    "falcon_7b": (1.24, 0.20, -0.17, 1.65),
    "llama2_7b_chat": (16.17, 0.11, 0.02, 35.87),
    "vicuna_13b": (14.18, 0.09, 0.07, 34.66),
    "gemini": (18.91, 0.09, 0.06, 46.06),
    "GPT4": (21.89, 0.08, 0.10, 51.93),
}
GREEK = ["Alpha", "Beta", "Gamma"]


def cells(scores):
    return {
        name: sum(shares.numerators) / sum(shares.denominators)
        if any(shares.denominators)
        else None
        for name, shares in scores.items()
    }


@pytest.mark.parametrize("model", TABLE_9)
def test_every_printed_cell_is_reproduced(data_dir, model):
    with (data_dir / "rplm" / "gold.jsonl").open(encoding="utf-8") as stream:
        golds = [json.loads(line)["gold"] for line in stream]
    path = data_dir / "rplm" / "responses" / f"{model}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["text"] for line in stream]
    scores = score_ranking_legacy([*zip(golds, texts, strict=True)])
    assert tuple(cells(scores)[name] for name in ("cis", "bem", "ktau", "cp")) == pytest.approx(
        TABLE_9[model], abs=0.006
    )


def test_a_title_counts_where_it_first_occurs_even_inside_other_text():
    # alphabet < gamma < beta: Alpha-Beta and Alpha-Gamma in order, Beta-Gamma not.
    score = score_ranking_row_legacy(GREEK, "An alphabet of gammas and BETAS, then beta and gamma")
    assert (score["cis"], score["bem"]) == (True, False)
    assert score["cp"] == 2 / 3
    assert score["ktau"] == 1 / 3


def test_the_stored_text_is_searched_as_it_is():
    assert score_ranking_row_legacy(["It's"], "It\\'s")["cis"] == 0.0
    assert score_ranking_row_legacy(["It's"], "It's")["cis"] == 1.0


def test_a_pair_with_a_missing_title_is_not_in_order():
    score = score_ranking_row_legacy(GREEK, "Alpha, Gamma")
    assert (score["cis"], score["cp"], score["ktau"]) == (False, 1 / 3, None)


def test_one_title_has_no_pairs_and_no_tau():
    score = score_ranking_row_legacy(["Alpha"], "alpha")
    assert (score["cis"], score["bem"], score["cp"], score["ktau"]) == (*(True, True, 0.0, None),)


def test_the_share_is_of_101_rows_over_402():
    exact = (GREEK, "Alpha Beta Gamma")
    empty = (GREEK, None)
    # 4 complete among the first 101, the 301 after them are not looked at: CIS = 400/402.
    rows = [exact] * 3 + [empty] * 97 + [(GREEK, "Gamma Beta Alpha")] + [exact] * 301
    scores = score_ranking_legacy(rows)
    assert cells(scores) == pytest.approx(
        {"cis": 400 / 402, "bem": None, "ktau": None, "cp": 300 / 101}
    )
    rows[3] = exact
    scores = score_ranking_legacy(rows)
    assert cells(scores) == pytest.approx(
        {"cis": 500 / 402, "bem": 4 / 5, "ktau": 3 / 5, "cp": 400 / 101}
    )


def test_the_mean_tau_leaves_single_titles_out():
    rows = [(["Alpha"], "Alpha")] * 100 + [(GREEK, "Gamma Beta Alpha")] * 302
    assert cells(score_ranking_legacy(rows))["ktau"] == -1.0
    only_single = [(["Alpha"], "Alpha")] * QUERIES
    assert cells(score_ranking_legacy(only_single))["ktau"] is None


@pytest.mark.parametrize("count", [0, 101, 401, 403])
def test_another_number_of_queries_is_refused(count):
    with pytest.raises(InputError, match=f"402 queries, and there are {count}"):
        score_ranking_legacy([(GREEK, "")] * count)
