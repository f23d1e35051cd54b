"""Stems of words, beside those of NLTK."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from vivavoce.text.stems import _RULES, porter_stem

ENDINGS = [ending for rules in _RULES.values() for ending in rules]
PARTS = st.lists(
    st.one_of(
        st.sampled_from([*ENDINGS, "ed", "ing", "eed", "ied", "y", "e", "ll", "logi", "ion"]),
        st.text("aeiouybcdlstwxzAÉİß1", max_size=4),
    ),
    max_size=4,
)


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("flies", "fli"),
        ("dies", "die"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("falling", "fall"),
        ("agreed", "agre"),
        ("happy", "happi"),
        ("enjoy", "enjoy"),
        ("relational", "relat"),
        ("biology", "biolog"),
        ("controlling", "control"),
        ("Skies", "sky"),
        ("up", "up"),
        ("", ""),
    ],
)
def test_stems_of_words_worked_out_by_hand(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


@given(PARTS.map("".join))
@example("tixille")  # an `e`, then one `l` of two
@example("y" * 3_000 + "ing")
@example("radicalli")  # two endings, one after the other
def test_a_stem_is_that_of_nltk(word: str) -> None:
    assert porter_stem(word) == PorterStemmer().stem(word)


def test_stems_of_many_words_are_those_of_nltk() -> None:
    chooser = random.Random(0)
    drawn = (
        "".join(chooser.choices("abeilostyzwxryu", k=chooser.randint(0, 5)))
        + "".join(chooser.choices(ENDINGS, k=chooser.randint(1, 3)))
        for _ in range(20_000)
    )
    stem = PorterStemmer().stem
    assert [word for word in drawn if porter_stem(word) != stem(word)] == []
