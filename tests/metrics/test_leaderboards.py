"""Boards produced by models, against boards counted by hand."""

import math
import random

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics import metrics_of
from vivavoce.metrics.leaderboards import (
    CEILINGS,
    FAULTS,
    Entry,
    ProducedBoard,
    method_key,
    read_board,
    score_board,
)

GOLD = [Entry("BERT", 90.0), Entry("XLNet", 92.0), Entry("ELMo", 85.0), Entry("GPT", 80.0)]

names = st.sampled_from(["BERT", "XLNet", "ELMo", "GPT", "Mamba", "RoBERTa", "T5"])
boards = st.lists(st.builds(Entry, names, st.integers(0, 5).map(float)), max_size=8)


def score(text: str | None, gold: list[Entry] = GOLD) -> dict[str, float | None]:
    return score_board(gold, read_board(text)).values()


def test_a_board_counted_by_hand() -> None:
    answer = """Here is the leaderboard:

    | Rank | Method | Score |
    |------|--------|-------|
    | 1 | XLNet | 92.0 |
    | 2 | BERT (Devlin et al., 2019) | **90.0%** |
    | 3 | Mamba | 91.0 |
    | 4 | ELMo | 95.1 |
    | 5 | bert | 12 |"""
    board = score_board(GOLD, read_board(answer))
    # Three of four gold methods; four distinct produced, one invented; ELMo's score is wrong.
    assert board.values() == {
        "mr": 3 / 4,
        "mp": 3 / 4,
        "f1": 3 / 4,
        "sp_matched": 2 / 3,
        "sp_generated": 2 / 4,
        # XLNet 92/92, BERT 90/90, ELMo 85/95.1: one concordant pair, two discordant.
        "ktau": pytest.approx((1 - 2) / 3),
    }
    assert (board.faults["invented"], board.faults["repeated"]) == (1, 1)
    beside = {*CEILINGS, *FAULTS}
    assert set(board.values()) == metrics_of("leaderboards").keys() - beside


def test_the_gold_board_itself_is_the_maximum() -> None:
    rows = "".join(f"<tr><td>{entry.method}<td>{entry.score}" for entry in GOLD)
    assert set(score(f"<table><tr><th>Model<th>Accuracy{rows}</table>").values()) == {1.0}


@pytest.mark.parametrize("text", [None, "", "I do not know.", "Method | Score", "[" * 99], ids=repr)
def test_an_answer_without_rows_scores_nothing(text: str | None) -> None:
    values = score(text)
    assert values.pop("ktau") is None
    assert set(values.values()) == {0.0}


def test_header_only_answers_are_told_from_answers_without_a_table() -> None:
    assert read_board("| Method | Score |\n|---|---|\n").header_only
    looped = read_board("Method | Score\n" * 50)
    assert (looped.header_only, looped.repeated_headers) == (True, 49)
    assert not read_board("I do not know.").header_only


def test_an_empty_gold_board_is_undefined() -> None:
    assert set(score("| Method | Score |\n|-|-|\n| BERT | 90 |", []).values()) == {None}


def test_a_gold_method_without_a_score_is_not_asked_for_one() -> None:
    gold = [Entry("BERT", None), Entry("XLNet", 92.0)]
    values = score("| Method | Score |\n|-|-|\n| BERT | 1 |\n| XLNet | 92 |", gold)
    assert (values["mr"], values["sp_matched"], values["sp_generated"]) == (1.0, 1.0, 1.0)
    assert score("| Method |\n|-|\n| BERT |", gold[:1])["sp_matched"] is None


@pytest.mark.parametrize(
    ("printed", "gold", "is_right"),
    [
        ("88.5 ± 0.3", 88.5, True),
        ("88.50001", 88.5, True),  # off by 1e-5, within 88.5e-6
        ("88.5002", 88.5, False),
        ("88.5", "88.5%", True),
        ("0.885", 88.5, False),
        ("88.5 / 90.1", "88.5/90.1", True),
        ("1e-9", 0.0, False),
        ("nan", math.nan, False),
        ("inf", math.inf, False),
        pytest.param("9" * 5000, 10**5000, False, id="beyond every float"),
    ],
)
def test_when_a_score_is_right(printed: str, gold: float | str, is_right: bool) -> None:
    board = score_board([Entry("A", gold)], ProducedBoard((Entry("A", printed),)))
    assert board.values()["sp_matched"] == float(is_right)


@pytest.mark.parametrize(
    "spelling",
    ["bert-LARGE", "**BERT-Large**", "BERT-Large [12]", "BERT-Large [3, 4]", "BERT- Large (ours)",
     "BERT-Large (Devlin et al., 2019)", "BERT-Large (Devlin and Lee 2019)", "BERT-Large (2019)",
     "[BERT-Large](https://a.b)", "BERT-Large†", "BERT-Large \\cite{bert}", "BERT-Large - ours"],
)  # fmt: skip
def test_spellings_of_one_method(spelling: str) -> None:
    assert method_key(spelling) == method_key("BERT-Large")


@pytest.mark.parametrize("name", ["BЕRT", "BERT (ensemble)", "BERT v2", "YOLO (VOC 2007)"])
def test_other_methods_stay_apart(name: str) -> None:
    assert method_key(name) not in {method_key("BERT"), method_key("YOLO")}


def test_methods_named_by_their_citation_stay_apart() -> None:
    assert method_key("He et al. (2017)") != method_key("He et al. (2018)")
    assert method_key("BERT (w/ SQuAD; Cui et al., 2019)") == method_key("BERT (w/ SQuAD)")


@pytest.mark.parametrize("name", ["Ours", "(Vaswani et al., 2017)", "[1]", "*"])
def test_a_name_that_is_only_a_citation_stays_a_name(name: str) -> None:
    assert method_key(name) != ""


def test_the_column_of_the_asked_metric_is_read() -> None:
    text = "| Model | Params | EM | F1 |\n|-|-|-|-|\n| BERT | 340 | 80 | 90 |"
    assert read_board(text, metric="F1").entries == (Entry("BERT", "90"),)
    assert read_board(text).entries == (Entry("BERT", "80"),)


@pytest.mark.parametrize("mark", ["", "- ", "– ", "2. ", "#2 ", "2️⃣ ", "🥈 ", "→ ", "✅ **"])
def test_the_mark_of_a_line_is_no_part_of_the_method(mark: str) -> None:
    lines = [f"{mark}BERT: 90.0", f"{mark}XLNet — 92.0", f"{mark}ELMo (85.5)"]
    names = [entry.method for entry in read_board("\n".join(lines)).entries]
    assert names == ["BERT", "XLNet", "ELMo"]


def test_a_table_without_a_header_loses_no_row() -> None:
    assert len(read_board("| BERT | 90.0 |\n| XLNet | 92.0 |").entries) == 2


def test_repeating_a_method_gains_nothing_and_the_first_score_counts() -> None:
    spam = ProducedBoard((Entry("BERT", "1"),) + (Entry("BERT", "90"),) * 1000)
    board = score_board(GOLD, spam)
    assert (board.values()["mp"], board.values()["sp_matched"], board.faults["repeated"]) == (
        1.0,
        0.0,
        1000,
    )


def test_listing_everything_costs_precision() -> None:
    everything = tuple(Entry(f"method {number}", 1.0) for number in range(996)) + tuple(GOLD)
    values = score_board(GOLD, ProducedBoard(everything)).values()
    assert (values["mr"], values["mp"]) == (1.0, 4 / 1000)


@given(boards, boards, st.randoms(use_true_random=False))
def test_order_costs_nothing(gold: list[Entry], answer: list[Entry], chance: random.Random) -> None:
    answer = list({entry.method: entry for entry in answer}.values())
    gold = list({entry.method: entry for entry in gold}.values())
    before = score_board(gold, ProducedBoard(tuple(answer))).values()
    chance.shuffle(gold)
    chance.shuffle(answer)
    assert score_board(gold, ProducedBoard(tuple(answer))).values() == before


@given(boards, boards)
def test_values_against_sets_and_scipy(gold: list[Entry], answer: list[Entry]) -> None:
    values = score_board(gold, ProducedBoard(tuple(answer))).values()
    truth = {entry.method: entry.score for entry in reversed(gold)}
    given = {entry.method: entry.score for entry in reversed(answer)}
    both = [method for method in truth if method in given]
    assert values["mr"] == (len(both) / len(truth) if truth else None)
    if truth:
        assert values["mp"] == (len(both) / len(given) if given else 0.0)
    x, y = [truth[method] for method in both], [given[method] for method in both]
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert values["ktau"] == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    else:
        assert values["ktau"] is None


def test_no_cell_makes_scoring_fail() -> None:
    text = "| Method | Score |\n|-|-|\n| [[[(\\cite{ | \\frac{1}{ |\n| ![](](  | +-.e,,% |"
    assert score(text)["mr"] == 0.0
