"""Titles made comparable, text made safe."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.normalise import clean_text, normalise_title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Neural  Turing\nMachines", "neural turing machines"),
        ("BERT: Pre-training of Deep…", "bert pre training of deep"),
        ("“Attention” Is All You Need!", "attention is all you need"),
        ("Eﬃcient Oﬀline", "efficient offline"),
        ("infor\u00admation", "information"),
        ("Ｗｉｄｅ　ｔｅｘｔ", "wide text"),
        ("Cafe\u0301", "café"),
        ("--- !!!", ""),
        ("", ""),
    ],
)
def test_titles_that_differ_in_print_only_are_equal(text: str, expected: str) -> None:
    assert normalise_title(text) == expected


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_title(text)
    assert normalise_title(once) == once
    once.encode("utf-8")


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_fast_path_for_ascii_agrees_with_the_definition(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(c if c.isalnum() else " " for c in folded)
    assert normalise_title(text) == " ".join(spaced.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("page\x0cbreak", "page\nbreak"),
        ("nul\x00bell\x07del\x7fc1\x80", "nulbelldelc1"),
        ("e\x00\u0301", "é"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
    ],
)
def test_text_is_cleaned(text: str, expected: str) -> None:
    assert clean_text(text) == expected


@given(st.text(alphabet=st.characters(categories=None)))
def test_clean_text_can_always_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    controls = {c for c in cleaned if unicodedata.category(c) == "Cc"}
    assert controls <= {"\n", "\t"}
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean_text(cleaned) == cleaned


@pytest.mark.timeout(60)
@pytest.mark.parametrize("clean", [clean_text, normalise_title])
def test_marks_without_end_lose_what_has_no_meaning(clean) -> None:
    assert len(clean("e" + "\u0301\u0323" * 200_000)) < 100
    assert clean("e" + "\u0301" * 100).count("\u0301") <= 30
    assert clean("e\u0301x") == "éx"
