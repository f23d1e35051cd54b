"""Verdicts in plain words, and plans: held against values worked out by hand."""

from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.examining.planning import check_budget, dollars, plan_lines, total, words

A, B = "lab/first", "lab/second"
DECIDED: dict[str, Any] = {
    "task": "related_work",
    "metric": "rougeL",
    "better": A,
    "worse": B,
    "between": [A, B],
    "difference": 0.0214,
    "ci": [0.0041, 0.0383],
    "decided": True,
    "beaten_by": None,
    "items": 20,
    "of": 31,
    "papers": 20,
    "more_papers_needed": None,
    "also": [{"metric": "reference_precision", A: 0.62, B: None}],
    "invalid": {A: 0, B: 2},
    "cost": {A: 1.9, B: 0.02},
}
OPEN = {
    **DECIDED,
    **{"better": None, "worse": None, "decided": False, "items": 31, "papers": 31},
    **{"difference": -0.002, "ci": [-0.013, 0.009], "more_papers_needed": 1045},
    **{"also": [], "invalid": {A: 0, B: 0}, "cost": {A: None, B: None}},
}


def test_what_cannot_be_told_names_the_papers_that_would() -> None:
    assert words(OPEN) == (
        "On 31 papers, related work: undecided between first and second "
        "(-0.002 rougeL [-0.013, +0.009]); about 1,045 more such papers would decide it."
    )
    alone = words({**OPEN, "papers": 1, "more_papers_needed": 1})
    assert alone.startswith("On 1 paper, ")
    assert "about 1 more such paper would decide it." in alone
    near = words({**OPEN, "more_papers_needed": None, "difference": None, "ci": None})
    assert near.endswith("they are too close for any realistic number of such papers to decide it.")


def test_a_model_that_a_baseline_beats_is_not_called_better() -> None:
    sentence = words({**DECIDED, "beaten_by": "lead"})
    assert sentence.startswith(
        "On 20 papers, related work: second is worse than first, which the baseline lead beats: "
        "+0.021 rougeL"
    )
    assert "better" not in sentence


def test_costs_are_summed_where_all_are_known() -> None:
    assert total([0.25, 0.5]) == 0.75
    assert total([0.25, None]) is None
    assert [dollars(cost) for cost in (None, 0.0, 0.00123, 0.2, 1234.5)] == [
        *("unknown", "$0.00", "$0.0012", "$0.20", "$1,234.50")
    ]


PLAN: dict[str, Any] = {
    "items": 30,
    "tokens": 500_000,
    "cost": 0.5,
    "at_most": 1.5,
    "detectable": 0.03,
    "budget": 1.0,
    "list_prices": ["https://prices.test, 2026-10-10"],
    "tasks": [
        {"task": "title", "metric": "rougeL", "items": 15, "papers": 15,
         "tokens": 200_000, "cost": 0.2, "judging": {},
         "at_most": 0.5, "detectable": None},
        {"task": "abstract", "metric": "rougeL", "items": 15, "papers": 15,
         "tokens": 300_000, "cost": 0.3, "judging": {"writing facts": 5_000, "claims": 90_000},
         "at_most": 1.0, "detectable": 0.03},
    ],
}  # fmt: skip


def test_a_plan_is_reported_and_compared_with_the_budget() -> None:
    papers = {"given": 17, "used": 15, "left_out": {"undated": 1, "no_abstract": 1}}
    assert plan_lines({"papers": papers, "plan": PLAN}) == [
        "15 of 17 papers are usable (left out: 1 undated, 1 no abstract).",
        "  title: 15 items, about 200,000 tokens, $0.20",
        "  abstract: 15 items, about 300,000 tokens, $0.30 "
        "(judging: writing facts 5,000, claims 90,000); differences above about 0.030 rougeL "
        "are detectable",
        "In all, about 500,000 tokens and $0.50, at most $1.50. The budget is $1.00.",
        "List prices (https://prices.test, 2026-10-10); --price MODEL=IN,OUT overrides them.",
    ]
    lone = {**PLAN, "tasks": [{**PLAN["tasks"][0], "items": 1}]}
    assert plan_lines({"papers": papers, "plan": lone})[1].startswith("  title: 1 item, about")
    with pytest.raises(InputError, match=r"up to \$1.50 and the budget is \$1.00.*--tasks title"):
        check_budget(PLAN)
    check_budget({**PLAN, "budget": 1.5})
    check_budget({**PLAN, "at_most": None})
