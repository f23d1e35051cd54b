"""The writing scorer: ROUGE and diagnostics of an answer, zero for what is not an answer."""

import math
from typing import Any

import pytest
from inspect_ai.scorer import Score
from tests.tasks.samples import score_of, values_of

from vivavoce.tasks.engine import make_scorer

CITATIONS = ("reference_precision", "reference_recall", "importance")
SCORED = ("rougeL", "rouge1", "rouge2", "length_ratio")


def scored(answer: str, gold: str, *, task: str = "abstract", **more: Any) -> Score:
    scorer = make_scorer("writing", "writing")(task=task)
    metadata = {"task": task, **more.pop("metadata", {})}
    return score_of(scorer, answer, gold, metadata, **more)


def score(answer: str, gold: str, **options: Any) -> dict[str, float]:
    return values_of(scored(answer, gold, **options))


def test_the_gold_scores_one_and_an_unrelated_text_zero() -> None:
    found = score("Dense Retrieval", "Dense Retrieval")
    assert found == dict.fromkeys((*SCORED, "valid"), 1.0)
    assert score("Cat pictures", "Dense Retrieval") == found | dict.fromkeys(SCORED[:3], 0.0)


def test_a_hand_computed_answer() -> None:
    # answer: a b c d; gold: a c b. Unigrams: 3 shared, P = 3/4, R = 3/3, F = 6/7.
    # Longest common subsequence: a b or a c, 2 words: P = 2/4, R = 2/3, F = 4/7.
    # Bigrams ab bc cd against ac cb: none shared. Words: 4 for 3.
    assert score("a b c d", "a c b") == pytest.approx(
        {"rougeL": 4 / 7, "rouge1": 6 / 7, "rouge2": 0.0, "length_ratio": 4 / 3, "valid": 1.0}
    )


@pytest.mark.parametrize("task", ["title", "abstract"])
@pytest.mark.parametrize("answer", ["", "   ", "--- 12.5 ---", "42", "I cannot help with that."])
def test_no_answer_scores_zero_even_where_it_equals_the_gold(answer: str, task: str) -> None:
    expected = {**dict.fromkeys(SCORED, 0.0), "valid": 0.0}
    assert score(answer, answer or "gold", task=task) == expected


def test_an_overflow_scores_zero_though_its_text_would_match() -> None:
    text = "This model's maximum context length is 4096 tokens."
    assert score(text, text, stop="model_length") == {**dict.fromkeys(SCORED, 0.0), "valid": 0.0}


def test_of_a_title_only_the_title_is_read() -> None:
    answer = 'Sure, here is the title:\n\n**"Dense Retrieval"**\n\nIt names the method.'
    found = scored(answer, "Dense Retrieval", task="title")
    assert isinstance(found.value, dict)
    assert (found.value["rougeL"], found.value["length_ratio"]) == (1.0, 1.0)
    # The log keeps the answer as it came, and what was read in it.
    assert found.answer == answer
    assert (found.metadata or {})["read_as"] == "Dense Retrieval"
    assert score(answer, "Dense Retrieval")["rougeL"] == 0.5


def test_a_lead_in_without_a_title_is_no_answer() -> None:
    found = scored("Sure, here is the title:", "Here is the title", task="title")
    assert isinstance(found.value, dict)
    assert (found.value["rougeL"], found.value["valid"]) == (0.0, 0.0)
    assert (found.metadata or {})["fault"] == "malformed"


RELATED = {
    "works": ["Deep Nets for Papers", "Sparse Attention at Work", "Graphs"],
    "cited": [1, 2],
    "citations": [8, 2, 30],
}


def test_citations_of_a_related_work_section_by_hand() -> None:
    # Cited: 1, 3 and 7, of which the paper cites 1 of its 2: P = 1/3, R = 1/2.
    # Citations: 8, 30 and 0 of what nobody knows; the median is 8, that of 8 and 2 is 5.
    found = score("One [1], three [3], seven [7].", "gold", task="related_work", metadata=RELATED)
    assert found["reference_precision"] == pytest.approx(1 / 3)
    assert found["reference_recall"] == 0.5
    assert found["importance"] == 8 / 5


def test_a_section_that_cites_nothing_has_no_precision() -> None:
    found = score("Nobody is cited.", "gold", task="related_work", metadata=RELATED)
    assert math.isnan(found["reference_precision"])
    assert (found["reference_recall"], found["importance"]) == (0.0, 0.0)
    # No section at all cites nothing.
    found = score("", "gold", task="related_work", metadata=RELATED)
    assert found == {**dict.fromkeys((*SCORED, *CITATIONS), 0.0), "valid": 0.0}
