"""The scorer on answers of every kind: what is counted, what stays in n, and what people see."""

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai.model import StopReason
from inspect_ai.scorer import Score
from tests.tasks.samples import score_of, values_of

from vivavoce.tasks import find_family
from vivavoce.tasks.engine import make_scorer

CARD = find_family("tables").card.tasks["table"]
NAMES = CARD.metrics
TITLES = {"P1": "Reading Nets", "P2": "Translating Nets", "P3": "Nets | and *More*"}

Rows = dict[str, Sequence[str]]


def table(columns: str, rows: Rows, papers: Sequence[str] | None = None) -> str:
    names = columns.split()
    return json.dumps(
        {
            "papers": list(rows) if papers is None else papers,
            "columns": names,
            "rows": [
                {"paper": paper, "cells": dict(zip(names, cells, strict=True))}
                for paper, cells in rows.items()
            ],
        }
    )


GOLD = table("Task Size", {"P1": ("QA", "340M"), "P2": ("MT", "60M")})


def scored(
    answer: str, gold: str = GOLD, *, pairs: int | None = None, stop: StopReason = "stop"
) -> Score:
    pool = [{"label": label, "title": title} for label, title in TITLES.items()]
    return score_of(
        make_scorer("tables", "tables")(pairs=pairs), answer, gold, {"pool": pool}, stop
    )


def values(answer: str, gold: str = GOLD, **arguments: Any) -> dict[str, Any]:
    return values_of(scored(answer, gold, **arguments))


def test_an_answer_is_compared_with_papers_columns_and_cells() -> None:
    found = values(table("Task Venue", {"P1": ("QA", "ACL"), "P3": ("QA", "ACL")}))
    # One of two papers is right, on both sides, and one of two columns.
    assert (found["paper_f1"], found["schema_f1"]) == (0.5, 0.5)
    # One of four gold cells, and one of four that were given.
    assert (found["unary_r"], found["unary_p"], found["unary_f1"]) == (0.25, 0.25, 0.25)
    # Two gold pairs (a column each), of which none is kept.
    assert (found["pairwise_f1"], found["avg"]) == (0.0, (0.5 + 0.25 + 0.0) / 3)
    assert (found["invented"], found["schema_recall"]) == (1.0, 0.5)


@pytest.mark.parametrize("answer", ["No idea, really.", "{}", '{"rows": 3}', "| Paper |\n|---|"])
def test_what_is_no_table_is_malformed_and_stays_in_n(answer: str) -> None:
    given = scored(answer)
    found = given.value
    assert isinstance(found, dict)
    assert {found[name] for name in NAMES} == {0.0}
    assert (found["valid"], found["success"]) == (0.0, 0.0)
    assert math.isnan(found["empty_cells"])
    assert (given.metadata or {})["fault"] == "malformed"


def test_an_empty_table_is_a_fault_and_worth_nothing() -> None:
    found = values(table("", {}))
    assert {found[name] for name in NAMES} == {0.0}
    assert (found["valid"], found["success"]) == (0.0, 0.0)


def test_a_refusal_and_an_overflow_are_told_apart() -> None:
    refused = scored("I'm sorry, but I can't help with that.")
    assert (refused.metadata or {})["fault"] == "refusal"
    over = scored(GOLD, stop="model_length")
    assert (over.metadata or {})["fault"] == "overflow"
    assert isinstance(over.value, dict)
    assert (over.value["avg"], over.value["success"]) == (0.0, 0.0)


def test_what_neither_table_can_be_asked_is_undefined_for_good_and_bad_answers() -> None:
    gold = table("Task", {"P1": ("QA",)})
    for answer in (gold, "No idea."):
        found = values(answer, gold)
        assert math.isnan(found["pairwise_f1"])
        assert found["avg"] == (1.0 if answer == gold else 0.0)


def test_hostile_answers_are_bounded() -> None:
    rows = [{"paper": "P1", "cells": {"Task": "x" * 5}}] * 20_000
    assert values(json.dumps({"papers": ["P1"], "columns": ["Task"], "rows": rows}))["valid"] == 0.0
    assert values("[" * 100_000)["valid"] == 0.0
