"""Cells that say the same have one key; others have not."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.tables.cell_matching import cell_key, folded, read_number, words_key
from vivavoce.metrics.tables.table_schema import column_unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Semi-Supervised", "  semi-supervised "),
        ("**Transformer**", "transformer"),
        ("[BERT](https://example.org)", "bert"),
        ("ﬁne", "fine"),
        ("1,000", "1k"),
        ("1,234,567.5", "1234567.5"),
        ("1234,567", "1234.567"),
        ("340M", "340 million"),
        ("0.34B", "340,000,000"),
        ("85.20%", "85.2"),
        ("5 min", "300 s"),
        ("1.5 GB", "1500MB"),
        ("12 layers", "12 layer"),
        ("−3", "-3"),
        ("1e-3", "0.001"),
        ("$\\checkmark$", "Yes"),
        ("✗", "no"),
        ("N/A", "—"),
        (None, "-"),
    ],
)
def test_these_cells_match(one: str, other: str) -> None:
    assert cell_key(one) == cell_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BERT", "ВERT"),  # the second begins with a Cyrillic letter
        ("10%", "0.1"),
        ("5 min", "5 s"),
        ("340M", "340"),
        ("1,23,4", "1234"),
        ("1234,567", "1234567"),
        ("yes", "no"),
        ("N/A", "0"),
        ("BERT", "BERT-large"),
        ("9" * 5000, "8" * 5000),
    ],
)
def test_these_cells_do_not(one: str, other: str) -> None:
    assert cell_key(one) != cell_key(other)


def test_a_bare_number_takes_the_unit_of_its_column() -> None:
    assert cell_key("340", "m") == cell_key("340M")
    assert cell_key("340K", "m") == cell_key("340,000")


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_keeps_its_key_through_spelling(number: float) -> None:
    assert cell_key(repr(number)) == cell_key(f" {number:.17g} %")


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing_more_for_plain_words(text: str) -> None:
    plain = "".join(mark for mark in text if mark.isalnum())
    assert folded(folded(plain)) == folded(plain)


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("88.5", 88.5),
        ("**88.5%**", 88.5),
        ("88.5 ± 0.2", 88.5),
        ("88.5 (0.2)", 88.5),
        ("(88.5)", 88.5),
        ("88,5", 88.5),
        ("1,234.5", 1234.5),
        ("17 043", 17043.0),
        ("F1: 88.5", 88.5),
        ("~88.5 BLEU", 88.5),
        ("1.2 × 10^-3", 0.0012),
        ("1.2e3", 1200.0),
        ("35M", 35e6),
        ("−1.5", -1.5),
        ("88.5†", 88.5),
        ("88.5²", 88.5),
        ("88.5 / 90.1", None),
        ("n/a", None),
        ("", None),
        ("9" * 5000, None),
        ("1e999", None),
    ],
)
def test_the_number_of_a_printed_score(printed: str, number: float | None) -> None:
    assert read_number(printed) == (None if number is None else pytest.approx(number, rel=1e-12))


LABELLED = Path(__file__).with_name("hand_labelled_cells.jsonl")


def test_keys_agree_with_a_hundred_pairs_labelled_by_hand() -> None:
    pairs = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    assert len(pairs) == len({json.dumps(pair, sort_keys=True) for pair in pairs}) == 100
    assert 40 <= sum(pair["same"] for pair in pairs) <= 65
    wrong = []
    for pair in pairs:
        unit = column_unit(pair.get("unit", ""))
        if (cell_key(pair["one"], unit) == cell_key(pair["other"], unit)) != pair["same"]:
            wrong.append(pair)
    assert len(wrong) <= 5, wrong


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CIFAR-10", "cifar_10"),
        ("multi-task learning", "Multitask Learning"),
        ("Poincaré ball", "Poincare ball"),
        ("WMT14†", "WMT14"),
        ("U.S. patents", "US patents"),
        ("Named Entity Recognition (NER)", "NER"),
        ("text & image", "image and text"),
        ("A, B, and C", "C; A / B"),
        ("<= 5 steps", "≤5 steps"),
    ],
)
def test_these_words_say_the_same(one: str, other: str) -> None:
    assert words_key(one) == words_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2018-2020", "2018, 2020"),
        ("70/10/20", "10/20/70"),
        ("values in [0, 1]", "values in [0, 5]"),
        ("English (US)", "English (UK)"),
        ("visual question answering (QA)", "question answering (QA)"),
        ("C++", "C#"),
        ("が", "か"),  # the mark makes another syllable
        ("a, a", "a"),
    ],
)
def test_these_words_do_not(one: str, other: str) -> None:
    assert words_key(one) != words_key(other)


@given(st.lists(st.sampled_from(["QA", "MT", "NER", "dialogue"]), min_size=1), st.randoms())
def test_the_order_of_a_list_costs_nothing(items: list[str], chance: object) -> None:
    turned = list(items)
    chance.shuffle(turned)  # type: ignore[attr-defined]
    assert words_key(", ".join(items)) == words_key("; ".join(turned))


@given(st.text(max_size=60))
def test_every_word_has_a_key_that_does_not_depend_on_spaces_around(text: str) -> None:
    assert words_key(text) == words_key(f" {text} ")
    assert bool(words_key(text)) == bool(text.split())


@pytest.mark.parametrize("power", ["1×10^999", "1e300×10^300", "10^999", "-3·10^-999"])
def test_a_number_beyond_all_bounds_is_no_error(power: str) -> None:
    assert cell_key(power)
    assert read_number(power) in (None, 0.0)
