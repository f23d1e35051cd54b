"""What the labels of a judge make of an answer, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from vivavoce.metrics.judged_text import (
    CLAIM_LABELS,
    GRADES,
    NUGGET_LABELS,
    Claim,
    Ruling,
    citation_values,
    nugget_values,
    read_claims,
    read_rulings,
    relevance_values,
    support_values,
    vote_labels,
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
        Claim("Nets read [1].", frozenset({1})),
        Claim("Trees grow [2, 99].", frozenset({2}), 1),
        Claim("Few do."),
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
