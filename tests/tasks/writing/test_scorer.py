"""The writing scorer: ROUGE of an answer, zero for what is no answer."""

from __future__ import annotations

import asyncio

import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from vivavoce.tasks.writing.scorer import NAMES, writing


def score(answer: str, gold: str, stop: StopReason = "stop") -> dict[str, float]:
    state = TaskState(ModelName("none/none"), "a", 1, "ask", [ChatMessageUser(content="ask")])
    state.output = ModelOutput.from_content("scripted/model", answer, stop_reason=stop)
    found = asyncio.run(writing()(state, Target(gold)))  # type: ignore[arg-type]
    assert found is not None
    assert isinstance(found.value, dict)
    return dict(found.value)  # type: ignore[arg-type]


def test_the_gold_scores_one_and_an_unrelated_text_zero() -> None:
    assert score("Dense Retrieval", "Dense Retrieval") == {
        "rougeL": 1.0,
        "rouge1": 1.0,
        "rouge2": 1.0,
        "valid": 1.0,
    }
    assert score("Cat pictures", "Dense Retrieval") == {
        "rougeL": 0.0,
        "rouge1": 0.0,
        "rouge2": 0.0,
        "valid": 1.0,
    }


def test_a_hand_computed_answer() -> None:
    # answer: a b c d; gold: a c b. Unigrams: 3 shared, P = 3/4, R = 3/3, F = 6/7.
    # Longest common subsequence: a b or a c, 2 words: P = 2/4, R = 2/3, F = 4/7.
    # Bigrams ab bc cd against ac cb: none shared.
    assert score("a b c d", "a c b") == pytest.approx(
        {"rougeL": 4 / 7, "rouge1": 6 / 7, "rouge2": 0.0, "valid": 1.0}
    )


@pytest.mark.parametrize("answer", ["", "   ", "--- 12.5 ---", "42", "I cannot help with that."])
def test_no_answer_scores_zero_even_where_it_equals_the_gold(answer: str) -> None:
    assert score(answer, answer or "gold") == {**dict.fromkeys(NAMES, 0.0), "valid": 0.0}


def test_an_overflow_scores_zero_though_its_text_would_match() -> None:
    text = "This model's maximum context length is 4096 tokens."
    assert score(text, text, "model_length") == {**dict.fromkeys(NAMES, 0.0), "valid": 0.0}


def test_an_answer_in_another_script_is_an_answer() -> None:
    assert score("無監督的引文推薦", "Dense Retrieval")["valid"] == 1.0
