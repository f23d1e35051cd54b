"""Stems of words, beside those of NLTK."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from vivavoce.text.terms import _RULES, porter_stem

ENDINGS = [ending for rules in _RULES.values() for ending in rules]
PARTS = st.lists(
    st.one_of(
        st.sampled_from([*ENDINGS, "ed", "ing", "eed", "ied", "y", "e", "ll", "logi", "ion"]),
        st.text("aeiouybcdlstwxzAÉİß1", max_size=4),
    ),
    max_size=4,
)


@pytest.mark.parametrize(
    ("word", "stem"), [("caresses", "caress"), ("agreed", "agre"), ("Skies", "sky"), ("", "")]
)
def test_stems_of_words_worked_out_by_hand(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


@given(PARTS.map("".join))
@example("tixille")  # an `e`, then one `l` of two
@example("y" * 3_000 + "ing")
@example("radicalli")  # two endings, one after the other
def test_a_stem_is_that_of_nltk(word: str) -> None:
    assert porter_stem(word) == PorterStemmer().stem(word)
