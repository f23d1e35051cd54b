"""Length ratio and n-gram overlap."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.metrics.rouge import (
    MAX_WORDS,
    length_ratio,
    ngram_overlap,
    words_of,
)

texts = st.lists(st.sampled_from(["a", "b", "c", "É", "模型"]), max_size=40).map(" ".join)


def test_length_ratio_counts_words():
    # 3 words for 4.
    assert length_ratio("Deep, deep nets.", "We study deep nets") == 3 / 4
    assert length_ratio("", "We study") == 0.0
    assert length_ratio("We study", " ?! ") is None


def test_overlap_is_the_share_of_gold_ngrams_found_in_the_input():
    # Pairs of the gold: "a b", "b c", "c d"; the input has "b c" and "c d".
    assert ngram_overlap("a b c d", "x b c d", n=2) == 2 / 3
    # Each place counts: "a a" twice, "a b" once, and only "a a" is in the input.
    assert ngram_overlap("a a a b", "a a", n=2) == 2 / 3


def test_a_text_shorter_than_n_has_no_overlap_to_measure():
    assert ngram_overlap("one two three", "one two three") is None
    assert ngram_overlap("", "", n=1) is None
    assert ngram_overlap("one two three", "one", n=2) == 0.0


@pytest.mark.parametrize("n", [0, -3])
def test_a_length_below_one_is_refused(n):
    with pytest.raises(InputError, match=f"n-gram is {n}"):
        ngram_overlap("a", "a", n=n)


@settings(deadline=None, max_examples=300)
@given(texts, texts, st.integers(1, 9))
def test_overlap_equals_its_definition(gold, source, n):
    grams, found = ngrams(gold, n), set(ngrams(source, n))
    expected = sum(gram in found for gram in grams) / len(grams) if grams else None
    assert ngram_overlap(gold, source, n) == expected


@settings(deadline=None)
@given(texts)
def test_a_text_has_all_of_itself(text):
    count = len(words_of(text))
    assert length_ratio(text, text) == (1.0 if count else None)
    assert ngram_overlap(text, f"x {text} y", n=2) == (1.0 if count > 1 else None)


@pytest.mark.timeout(60)
def test_words_beyond_the_cap_are_not_read():
    chooser = random.Random(5)
    words = [f"w{chooser.randrange(5000)}" for _ in range(MAX_WORDS)]
    text = " ".join(words)
    assert ngram_overlap(text, f"{text} unread") == 1.0
    assert ngram_overlap(text, "a " * 10 * MAX_WORDS) == 0.0


def ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = words_of(text)
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]
