"""Verdicts and what two orders make of them, by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.judged_text import (
    ASPECTS,
    CRITERIA,
    OVERALL,
    Outcome,
    Verdict,
    check_values,
    combine,
    flip_rate,
    judgement_values,
    read_verdict,
    vote_verdicts,
    win_rate,
)

FIRST: Verdict = dict.fromkeys(ASPECTS, "first")
SECOND: Verdict = dict.fromkeys(ASPECTS, "second")


@pytest.mark.parametrize("overall", ["Overall Winner", "OVERALL_WINNER", "overall winner"])
@pytest.mark.parametrize("last", ["Answer 2", {"Winner": "answer 2"}, {"Overall Winner": 2}])
def test_the_published_form_is_read_in_any_capitals(overall: str, last: object) -> None:
    given = {
        "Novelty": {"Winner": "Answer 1", "Explanation": "It is bolder."},
        "FEASIBILITY": {"WINNER": "ANSWER 2"},
        "consistency": {"winner": "answer 1"},
        "Factuality": {"Winner": "Answer 2"},
        "Academic Style": {"Winner": "Answer 1"},
        overall: last,
    }
    assert read_verdict(given) == {
        "novelty": "first",
        "feasibility": "second",
        "consistency": "first",
        "factuality": "second",
        "style": "first",
        "overall": "second",
    }


def words(**changes: Any) -> dict[str, Any]:
    """A verdict as a judge writes it: the first text in everything, but for the changes."""
    return {**dict.fromkeys(ASPECTS, "Answer 1"), **changes}


@pytest.mark.parametrize(
    "value",
    [
        "Answer 1",
        "ANSWER_1",
        1,
        "**Answer 1**",
        {"reason": "Answer 2 is vague.", "winner": "Answer 1"},
        {"verdict": 1},
        {"Winner": "Answer 1", "Explanation": "Answer 2 is vague."},
    ],
)
def test_a_place_in_many_words(value: Any) -> None:
    assert read_verdict(words(novelty=value)) == FIRST


@pytest.mark.parametrize(
    "value",
    [
        "",
        "tie",
        "Answer 12",
        "Answer 1 or Answer 2",
        None,
        True,
        12,
        ["Answer 1"],
        {"reason": "Answer 1"},
        "x" * 300 + "1",
    ],
)
def test_what_names_no_single_place_makes_the_verdict_malformed(value: Any) -> None:
    assert read_verdict(words(novelty=value)) is None


def test_names_of_criteria_may_be_spelled_as_people_do() -> None:
    value = words()
    del value["style"], value["overall"]
    spelled = {name.title(): given for name, given in value.items()}
    assert read_verdict({**spelled, "Academic Style": 2, "Overall Winner": 2}) == {
        **FIRST,
        "style": "second",
        "overall": "second",
    }


@pytest.mark.parametrize("missing", [*CRITERIA, OVERALL])
def test_a_verdict_lacks_nothing(missing: str) -> None:
    value = words()
    del value[missing]
    assert read_verdict(value) is None


def test_a_verdict_of_academicevals_form_says_nothing_of_organisation() -> None:
    value = words()
    del value["organisation"]
    verdict = read_verdict(value)
    assert verdict == dict.fromkeys((*CRITERIA, OVERALL), "first")
    assert judgement_values([verdict, SECOND])["organisation"] is None


@pytest.mark.parametrize("value", [None, [], "Answer 1", 1, [words()]])
def test_what_is_no_object_is_no_verdict(value: Any) -> None:
    assert read_verdict(value) is None


def test_two_orders_by_hand() -> None:
    # Answer first: it wins (first) novelty and style; reference first: "second" is the answer.
    answer_first: Verdict = {**SECOND, "novelty": "first", "style": "first"}
    reference_first: Verdict = {**FIRST, "novelty": "second", "feasibility": "second"}
    assert combine(answer_first, reference_first) == {
        "novelty": "win",  # first, then second: the answer both times
        "feasibility": "tie",  # second, then second: the reference, then the answer
        "consistency": "loss",  # second, then first: the reference both times
        "factuality": "loss",
        "style": "tie",  # first, then first
        "organisation": "loss",
        "overall": "loss",
    }


def test_rates_by_hand() -> None:
    # 2 wins, 1 tie, 1 loss: (2 + 1/2) / 4 = 0.625; 1 of 4 changed with the order.
    outcomes: list[Outcome | None] = ["win", "tie", None, "loss", "win"]
    assert win_rate(outcomes) == 0.625
    assert flip_rate(outcomes) == 0.25
    assert win_rate([None]) is flip_rate([]) is None


def test_one_answers_values() -> None:
    assert judgement_values([FIRST, SECOND]) == {
        "judge_win": 1.0,
        **{f"judge_{name}": 1.0 for name in CRITERIA},
        "organisation": 1.0,
        "judge_flip": 0.0,
    }
    # One of two verdicts is malformed: no outcome.
    assert judgement_values([FIRST, None]) == {
        "judge_win": None,
        **{f"judge_{name}": None for name in CRITERIA},
        "organisation": None,
        "judge_flip": None,
    }


def test_what_judges_left_unsaid_by_hand() -> None:
    # Of 6 answers asked for, one was refused and one cannot be read.
    assert check_values(6, 1, 1) == {"judge_malformed": 1 / 6, "judge_refused": 1 / 6}
    assert check_values(0, 0, 0) == {"judge_malformed": None, "judge_refused": None}


def test_the_majority_counts_aspect_by_aspect() -> None:
    # novelty: first, first, second; style: first, second, second.
    votes: list[Verdict | None] = [
        FIRST,
        {**FIRST, "style": "second"},
        {**SECOND, "overall": "first"},
    ]
    assert vote_verdicts(votes) == {**FIRST, "style": "second"}
    # One of three is silent, and two agree in style alone: that is a majority; a split is none.
    assert vote_verdicts([FIRST, None, {**SECOND, "overall": "first", "style": "first"}]) == {
        "overall": "first",
        "style": "first",
    }
    assert vote_verdicts([FIRST, SECOND, None]) is vote_verdicts([None]) is None


@given(st.floats(0, 1), st.integers(0, 2**32))
def test_answer_and_reference_share_one_rate_whatever_the_bias(bias: float, seed: int) -> None:
    draw = random.Random(seed)

    def verdict() -> Verdict:
        return FIRST if draw.random() < bias else SECOND

    pairs = [(verdict(), verdict()) for _ in range(20)]
    rate = win_rate(found["overall"] for pair in pairs if (found := combine(*pair)))
    swapped = win_rate(found["overall"] for a, b in pairs if (found := combine(b, a)))
    assert rate is not None
    assert swapped is not None
    assert rate + swapped == pytest.approx(1.0)
