"""Runs of words as numbers: the shares that the metric gives, and near copies among many texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.results.audits.made_rounds import words

from vivavoce.metrics.rouge import ngram_overlap
from vivavoce.results.audits.relations import (
    LENGTH,
    alike,
    found_in,
    runs_of,
    share_found,
    share_of,
)

TEXTS = st.lists(st.sampled_from(["of", "the", "a"]), max_size=60).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(gold=TEXTS, source=TEXTS)
def test_the_share_is_the_metrics(gold: str, source: str) -> None:
    expected = ngram_overlap(gold, source)
    found = share_found(runs_of(gold), runs_of(source))
    assert found == (None if expected is None else pytest.approx(expected))


def test_several_sources_are_one_input() -> None:
    gold = words("g", 26)  # 14 runs
    first, second = words("g", 13), " ".join(f"g{n}" for n in range(1, 14))
    found = [found_in(runs_of(gold), runs_of(text)) for text in (first, second)]
    assert [each.sum() for each in found] == [1, 1]
    assert share_of(*found) == pytest.approx(2 / 14)
    assert share_of(found_in(runs_of(gold), runs_of(""))) == 0.0


def test_a_text_of_fewer_words_has_no_runs() -> None:
    assert len(runs_of(words("w", LENGTH - 1))) == 0
    assert len(runs_of(words("w", LENGTH))) == 1
    assert share_found(runs_of("short"), runs_of(words("w"))) is None


def test_case_and_punctuation_do_not_matter() -> None:
    text = words("w", 20)
    assert share_found(runs_of(text.upper().replace(" ", ", ")), runs_of(text)) == 1.0


def test_near_copies_are_found_among_many() -> None:
    texts = {f"t{n:02d}": words(f"t{n}", 60) for n in range(40)}
    texts["copy"] = texts["t07"]
    texts["half"] = texts["t09"].rsplit(" ", 30)[0]  # its first 30 words: all its runs are t09's
    texts["little"] = " ".join([*words("t11", 14).split(), *words("other", 60).split()])
    found = list(alike({name: runs_of(text) for name, text in texts.items()}, 0.5))
    assert found == [("copy", "t07", 1.0), ("half", "t09", 1.0)]


def test_a_phrase_that_many_papers_use_makes_no_copies() -> None:
    phrase = words("phrase", 13)
    texts = {f"t{n:03d}": runs_of(f"{phrase} {words(f't{n}', 3)}") for n in range(60)}
    # 4 runs each, one of them the phrase; 60 texts hold it, more than the 50 that are looked at
    assert list(alike(texts, 0.2)) == []
    assert len(list(alike(dict(list(texts.items())[:3]), 0.2))) == 3
    assert list(alike({}, 0.5)) == []
