"""Words of cells: what costs nothing, what does, and how far that is what a person would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.tables.cell_matching import cell_key, read_number, words_key
from vivavoce.metrics.tables.table_schema import column_unit

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
        ("‘zero-shot’", "'zero-shot'"),
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
