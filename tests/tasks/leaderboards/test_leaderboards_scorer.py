"""The scorer on answers of every kind: what is counted, and what stays in n."""

import math
from typing import Any

import pytest
from inspect_ai.model import StopReason
from inspect_ai.scorer import Score
from tests.tasks.samples import score_of, values_of

from vivavoce.tasks.engine import make_scorer

HEAD = "| Method | Score |\n|---|---|"
CEILINGS = [[0.0, None], [0.5, 0.0], [0.5, 1.0], [1.0, 0.75]]


def scored(answer: str, *, stop: StopReason = "stop", fit: dict[str, Any] | None = None) -> Score:
    metadata = {
        "entries": [["Alder", 91.5], ["Birch (Weir, 2019)", 92.25], ["Cedar", 93.0]],
        "others": ["Dogwood"],
        "board": {"metric": "F1"},
        "ceilings": CEILINGS,
        **({"fit": fit} if fit else {}),
    }
    scorer = make_scorer("leaderboards", "leaderboards")()
    return score_of(scorer, answer, metadata=metadata, stop=stop)


def values(answer: str, **arguments: Any) -> dict[str, Any]:
    return values_of(scored(answer, **arguments))


def test_a_board_is_scored_by_its_methods_scores_and_order() -> None:
    found = values(f"{HEAD}\n| birch | **92.25%** |\n| Alder | 90 |\n| Oak | 1 |\n| Elm | 2 |")
    # Two of three gold methods, two of four produced; one of the two scores is right.
    assert found["mr"] == pytest.approx(2 / 3)
    assert found["mp"] == 0.5
    assert found["f1"] == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert (found["sp_matched"], found["sp_generated"]) == (0.5, 0.25)
    assert found["ktau"] == 1.0
    assert (found["invented"], found["repeated"], found["header_only"]) == (2.0, 0.0, 0.0)
    assert (found["valid"], found["truncated"]) == (1.0, 0.0)


def test_other_methods_of_the_board_count_neither_for_nor_against_an_answer() -> None:
    found = values(f"{HEAD}\n| Alder | 91.5 |\n| dogwood | 4 |\n| Dogwood | 4 |\n| Oak | 1 |")
    assert (found["mr"], found["mp"], found["sp_generated"]) == (pytest.approx(1 / 3), 0.5, 0.5)
    assert (found["invented"], found["repeated"]) == (1.0, 1.0)


def test_invented_names_are_kept_for_a_look() -> None:
    given = scored(f"{HEAD}\n| Oak | 1 |\n| Alder | 2 |")
    assert (given.metadata or {})["invented"] == ["Oak"]
    assert (given.metadata or {})["generated"] == 2


@pytest.mark.parametrize(("answer", "header"), [(HEAD, 1.0), ("Alder is best.", 0.0)])
def test_a_header_alone_and_no_table_at_all_are_malformed(answer: str, header: float) -> None:
    given = scored(answer)
    found = given.value
    assert isinstance(found, dict)
    assert (found["valid"], found["mr"], found["f1"], found["header_only"]) == (0, 0, 0, header)
    assert math.isnan(found["ktau"])
    assert (given.metadata or {})["fault"] == "malformed"


def test_an_answer_cut_at_its_longest_is_scored_and_marked() -> None:
    found = values(f"{HEAD}\n| Alder | 91.5 |\n| Bir", stop="max_tokens")
    assert (found["truncated"], found["valid"], found["sp_matched"]) == (1.0, 1.0, 1.0)


def test_a_runaway_answer_is_read_up_to_a_bound() -> None:
    found = values(HEAD + "\n| Alder | 91.5 |" * 20_000)
    assert found["truncated"] == 1.0
    assert (found["mr"], found["mp"]) == (pytest.approx(1 / 3), 1.0)


def test_a_refusal_counts_nothing_and_keeps_its_ceiling() -> None:
    found = values("I'm sorry, but I can't help with that.")
    assert (found["valid"], found["mr"], found["invented"]) == (0.0, 0.0, 0.0)
    assert (found["mr_ceiling"], found["sp_ceiling"]) == (1.0, 0.75)


def test_without_a_method_in_sight_the_ceiling_of_scores_is_undefined() -> None:
    found = values(HEAD, fit={"dropped": 3})
    assert found["mr_ceiling"] == 0.0
    assert math.isnan(found["sp_ceiling"])


def test_with_one_method_no_order_is_judged() -> None:
    assert math.isnan(values(f"{HEAD}\n| Alder | 91.5 |")["ktau"])
