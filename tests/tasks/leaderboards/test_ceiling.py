"""Which gold methods and scores literally stand in some texts."""

from typing import Any

import pytest

from vivavoce.metrics.leaderboards import Entry, ProducedBoard, score_board
from vivavoce.tasks.leaderboards.items import ceilings


def entry(method: str, score: float, printed: str | None = None) -> dict[str, Any]:
    return {"method": method, "score": score, "score_text": printed or str(score)}


def last(entries: list[dict[str, Any]], *texts: str) -> tuple[float, float | None]:
    return ceilings(entries, texts)[-1]


@pytest.mark.parametrize(
    ("method", "text", "stands"),
    [
        ("BERT", "We use RoBERTa.", False),
        ("BERT", "BERTs are many.", False),
        ("BERT-Large", "The bert large model", True),
        ("BERT Large (ours)", "BERT-Large", True),
        ("BiDAF (Seo et al., 2017)", "| bidaf | 77.3", True),
        ("**R^3**", "R3 and R^3", True),
        ("GA+MAGE (32)", "GA MAGE", False),  # which of several is not said
        ("Ｔree", "a tree", True),
    ],
)
def test_a_method_stands_there_as_whole_words(method: str, text: str, stands: bool) -> None:
    assert last([entry(method, 1.0)], text)[0] == float(stands)


@pytest.mark.parametrize(
    ("score", "printed", "text", "stands"),
    [
        (93.5, "93.5%", "M got 93.5% here", True),
        (93.5, "93.5", "M 0.935", False),
        (93.5, "93.5", "M 193.5", False),
        (93.5, "93.5", "M 93.54", False),
        (1234.5, "1,234.5", "M 1234.5", True),
        (93.5, "93.5", "M 93,5", True),
        (33e6, "33M", "M 33M", True),
        (17.1, "17.1(16.1 with more)", "M 16.1", False),
        (-3.2, "-3.2", "M −3.2", True),
    ],
)
def test_a_score_stands_there_in_the_printed_scale(
    score: float, printed: str, text: str, stands: bool
) -> None:
    assert last([entry("M", score, printed)], text) == (1.0, float(stands))


def test_the_share_of_scores_is_one_of_the_methods_found() -> None:
    gold = [entry("Alder", 91.5), entry("Birch", 92.0), entry("Cedar", 93.0), entry("Oak", 1.0)]
    # Cedar's score is there and Cedar is not; Alder and Birch are there, and Birch's score.
    assert last(gold, "Alder and Birch", "92 then 93.0") == (0.5, 0.5)
    assert last(gold, "nothing") == (0.0, None)


def test_ceilings_go_by_how_many_texts_are_left() -> None:
    gold = [entry("Alder", 91.5), entry("Birch", 92.0)]
    assert ceilings(gold, ["Alder", "91.5", "Birch 92"]) == [
        (0.0, None),
        (0.5, 0.0),
        (0.5, 1.0),
        (1.0, 1.0),
    ]


def test_a_method_named_twice_counts_once_with_either_score() -> None:
    gold = [entry("Alder", 91.5), entry("alder", 90.0)]
    assert last(gold, "ALDER 90") == (1.0, 1.0)


def test_an_answer_copied_from_the_texts_reaches_the_ceiling_and_no_more() -> None:
    gold = [entry("Alder (2019)", 91.5), entry("Birch net", 92.0), entry("Cedar", 93.0)]
    mr, sp = last(gold, "Alder 91.5", "birch-net 92 | birch net 92.1")
    copied = ProducedBoard((Entry("Alder", "91.5"), Entry("birch net", "92.1")))
    scored = score_board([Entry(one["method"], one["score"]) for one in gold], copied)
    assert scored.ratios["mr"].value == mr == 2 / 3
    assert scored.ratios["sp_matched"].value == 0.5 <= (sp or 0)
