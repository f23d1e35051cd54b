"""Verdicts in two orders and labels of lines: what follows from them, by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from vivavoce.metrics.citation_list import Citations
from vivavoce.metrics.judged_text import (
    ASPECTS,
    CLAIM_LABELS,
    CRITERIA,
    GRADES,
    NUGGET_LABELS,
    OVERALL,
    Ruling,
    Verdict,
    check_values,
    citation_values,
    combine,
    judgement_values,
    nugget_values,
    read_claims,
    read_rulings,
    read_verdict,
    relevance_values,
    support_values,
    vote_labels,
    vote_verdicts,
)

WORKS = ["Nets that read", "Trees that grow tall", "Maps of the deep sea"]


def rulings(*labels: str | None) -> list[Ruling | None]:
    return [None if label is None else Ruling(label) for label in labels]


def test_facts_by_trecs_definitions() -> None:
    # Vital: supported, partial, absent; okay: supported, absent. A = (2 + 1/2) / 5, V = 1.5 / 3.
    importance = ["vital", "vital", "vital", "okay", "okay"]
    labels = rulings("supported", "partial", "absent", "supported", "absent")
    assert nugget_values(importance, labels) == {
        "nugget_coverage": 0.5,
        "nugget_coverage_strict": 0.4,
        "nugget_coverage_vital": 0.5,
        "nugget_coverage_vital_strict": 1 / 3,
    }


def test_a_fact_that_nobody_labelled_is_left_out() -> None:
    found = nugget_values(["okay", "vital"], rulings("supported", None))
    assert (found["nugget_coverage"], found["nugget_coverage_vital"]) == (1.0, None)
    assert set(nugget_values([], []).values()) == {None}


def test_shares_of_claims() -> None:
    # Five claims: 2 supported, 1 own, 1 contradicted, 1 absent; a remark and a silent line beside.
    labels = rulings("supported", "no_claim", "own", "contradicted", None, "absent", "supported")
    assert support_values(labels) == {"support": 3 / 5, "contradicted": 1 / 5}
    assert support_values(rulings("no_claim", None)) == {"support": None, "contradicted": None}


def claim(*cited: int, unlisted: int = 0) -> tuple[list[int], int]:
    return list(cited), unlisted


def carried(*works: int, label: str = "supported") -> Ruling:
    return Ruling(label, frozenset(works))


def test_citations_that_carry_their_sentence_and_claims_that_are_carried() -> None:
    claims = [claim(1, 2), claim(), claim(), claim(3, unlisted=1), claim()]
    labels = [
        carried(1),  # 1 of 2 citations is right, and covers it
        carried(2),  # its neighbour cites 2: covered
        carried(2),  # none of its neighbours does: not covered
        carried(label="absent"),  # neither 3 nor [99] carries it
        carried(label="own"),  # needs no citation
    ]
    assert citation_values(claims, labels) == {"citation_precision": 1 / 4, "claim_coverage": 2 / 4}


@pytest.mark.parametrize(
    ("cited_by", "coverage"), [(0, 0.0), (1, 0.0), (2, 1.0), (3, 1.0), (4, 1.0), (5, 0.0)]
)
def test_a_claim_is_covered_by_its_sentence_or_a_neighbour(cited_by: int, coverage: float) -> None:
    # only the claim at place 3 needs a citation of 1
    claims = [claim(1) if place == cited_by else claim() for place in range(6)]
    labels = [carried(1) if place == 3 else carried(label="own") for place in range(6)]
    assert citation_values(claims, labels)["claim_coverage"] == coverage


def test_an_answer_that_cites_nothing_covers_nothing() -> None:
    assert citation_values([claim()], [carried(1)]) == {
        "citation_precision": None,
        "claim_coverage": 0.0,
    }


def test_grades_of_what_is_cited() -> None:
    # 2 + 1 + 0 of 6 points; a citation of nothing that is listed has 0 of 2 more.
    assert relevance_values(0, rulings("2", "1", "0")) == {"relevance": 0.5}
    assert relevance_values(1, rulings("2", "1", "0")) == {"relevance": 3 / 8}
    assert relevance_values(1, []) == {"relevance": 0.0}
    assert relevance_values(0, []) == {"relevance": None}


def test_each_sentence_is_a_claim_once_however_short() -> None:
    text = "Nets read [1]. Trees grow [2, 99].\n\nNets read [1]. Few do.\n\nReferences\n[1] Nets."
    assert read_claims(text, WORKS) == [
        ("Nets read [1].", Citations(frozenset({1}), 0)),
        ("Trees grow [2, 99].", Citations(frozenset({2}), 1)),
        ("Few do.", Citations(frozenset(), 0)),
    ]


def test_a_hundred_thousand_sentences_are_read_to_a_limit() -> None:
    assert len(read_claims("".join(f"Net {n} reads. " for n in range(100_000)))) == 400


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        ({"1": "supported", "2": "absent"}, ["supported", "absent"]),
        ({"Fact 1": {"label": "Supported"}, "2.": {"verdict": "ABSENT"}}, ["supported", "absent"]),
        ({"2": "partial"}, [None, "partial"]),
        ({"1": "Supported, I think", "2": True, "3": "absent", "0": "absent"}, [None, None]),
        ({"1": {"works": [1]}, "2": ["absent"]}, [None, None]),
        ("1. supported", [None, None]),
        (None, [None, None]),
    ],
)
def test_labels_of_a_reply(value: Any, labels: Sequence[str | None]) -> None:
    assert read_rulings(value, 2, NUGGET_LABELS) == rulings(*labels)


def test_grades_and_works_of_a_reply() -> None:
    assert read_rulings({"1": 2, "2": "0", "3": 7}, 3, GRADES) == rulings("2", "0", None)
    value = {"1": {"label": "supported", "works": [2, 2, True, "3", None]}}
    assert read_rulings(value, 1, CLAIM_LABELS) == [carried(2)]


def test_most_judges_decide_else_the_one_in_the_middle() -> None:
    line = rulings("supported", "absent", "supported")
    assert vote_labels(line, CLAIM_LABELS) == Ruling("supported")
    assert vote_labels(rulings("supported", "contradicted", "absent"), CLAIM_LABELS) == Ruling(
        "absent"
    )
    assert vote_labels(rulings("2", None, "1"), GRADES) == Ruling("1")
    assert vote_labels([None, None], GRADES) is None
    assert vote_labels([carried(1, 2), carried(1), carried(3)], CLAIM_LABELS) == carried(1)


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


def test_one_answers_values() -> None:
    assert judgement_values([FIRST, SECOND]) == {
        "judge_win": 1.0,
        **{f"judge_{name}": 1.0 for name in CRITERIA},
        "organisation": 1.0,
        "judge_flip": 0.0,
    }
    # The first text both times: a tie.
    tied = judgement_values([FIRST, FIRST])
    assert (tied["judge_win"], tied["judge_style"], tied["judge_flip"]) == (0.5, 0.5, 1.0)
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


@pytest.mark.parametrize(
    ("one", "other", "won", "lost"),
    [(FIRST, FIRST, 0.5, 0.5), (FIRST, SECOND, 1, 0), (SECOND, SECOND, 0.5, 0.5)],
)
def test_answer_and_reference_share_one_win(
    one: Verdict, other: Verdict, won: float, lost: float
) -> None:
    assert judgement_values([one, other])["judge_win"] == won
    assert judgement_values([other, one])["judge_win"] == lost
