"""Lists of paper ids against a board: worked by hand, against scipy, and their properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vivavoce.metrics.ranking import read_paper_ids, score_paper_ranking

GOLD = ["a", "b", "c", "d"]
answers = st.permutations([*GOLD, "x", "y"]).flatmap(
    lambda order: st.integers(0, 6).map(lambda count: order[:count])
)


def test_papers_that_were_not_found_count_nothing_for_their_pairs() -> None:
    # c, a of a, b, c, d: one pair, against the order. Of 6 pairs: -1/6; of those found: -1/1.
    score = score_paper_ranking(GOLD, ["x", "c", "a", "y"])
    assert score.ktau_all == -1 / 6
    assert score.ktau == -1.0
    assert (score.candidate_recall, score.bem) == (0.5, 0.0)
    assert (score.found, score.listed) == (2, 4)
    # Gains 2 and 4 at places 1 and 2, against 4, 3, 2, 1.
    best = 4 + 3 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    assert score.ndcg == pytest.approx((2 + 4 / math.log2(3)) / best)


def test_tied_papers_may_stand_in_either_order() -> None:
    scores = [9.0, 8.0, 8.0, 7.0]
    score = score_paper_ranking(GOLD, ["a", "c", "b", "d"], scores)
    assert (score.ktau_all, score.ktau, score.bem, score.ndcg) == (1.0, 1.0, 1.0, 1.0)
    # Found are only the tied ones: of the board's 5 pairs none, and of theirs there is none.
    tied = score_paper_ranking(GOLD, ["c", "b"], scores)
    assert (tied.ktau_all, tied.ktau) == (0.0, None)


def test_papers_off_the_board_cost_nothing() -> None:
    alone = score_paper_ranking(GOLD, GOLD)
    among = score_paper_ranking(GOLD, ["x", "a", "y", "b", "z", "c", "d"])
    assert (alone.ktau_all, alone.bem, alone.candidate_recall, alone.ndcg) == (1, 1, 1, 1)
    assert (among.ktau_all, among.bem, among.ndcg, among.ktau) == (1, 1, 1, 1)


@pytest.mark.parametrize("answer", [[], ["x"], ["b"]])
def test_one_paper_or_none_has_no_order(answer: list[str]) -> None:
    score = score_paper_ranking(GOLD, answer)
    assert (score.ktau_all, score.ktau, score.bem) == (0.0, None, 0.0)
    assert score.candidate_recall == (0.25 if answer == ["b"] else 0.0)


def test_a_board_of_one_paper_asks_only_whether_it_was_found() -> None:
    assert score_paper_ranking(["a"], ["x", "a"]).ktau_all == 1.0
    assert score_paper_ranking(["a"], ["x"]).ktau_all == 0.0
    assert score_paper_ranking(["a"], ["a"]).bem == 1.0
    with pytest.raises(ValueError, match="without papers"):
        score_paper_ranking([], ["a"])


def test_a_paper_listed_again_stands_where_it_stood_first() -> None:
    assert read_paper_ids(" a\n\nb\na \n") == ["a", "b"]
    assert read_paper_ids(None) == []
    marked = '1. arxiv:1\n- `b-2`\n3) "c"\n2020.acl-1.3'
    assert read_paper_ids(marked) == ["arxiv:1", "b-2", "c", "2020.acl-1.3"]
    assert score_paper_ranking(GOLD, ["a", "b", "a"]).ktau == 1.0


@settings(deadline=None)
@given(answers)
def test_a_found_part_has_scipys_tau_and_the_whole_its_share_of_pairs(answer: list[str]) -> None:
    score = score_paper_ranking(GOLD, answer)
    places = [answer.index(paper) for paper in GOLD if paper in answer]
    k = len(places)
    assert score.candidate_recall == k / 4
    if k > 1:
        expected = stats.kendalltau(range(k), places).statistic
        assert score.ktau == pytest.approx(expected)
        assert score.ktau_all == pytest.approx(expected * k * (k - 1) / 12)
    assert -1 <= score.ktau_all <= 1
    assert 0 <= score.ndcg <= 1 + 1e-12
    assert (score.bem == 1.0) == (k == 4 and score.ktau_all == 1.0)
