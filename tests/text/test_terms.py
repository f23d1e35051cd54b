"""Text as the terms it holds."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from vivavoce.text.normalise import normalise_title
from vivavoce.text.terms import _RULES, MAX_TERM, STOP_WORDS, porter_stem, query_terms, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Attention is ALL you need: attention!", "attention is all you need"),
        ("state-of-the-art on CIFAR-10_v2", "state of the art on cifar 10 v2"),
        ("ﬁne-tuning the Ｂｅｒｔ model", "fine tuning the bert model"),  # a ligature, wide letters
        ("cafe\u0301 café", "café"),  # one with a combining accent
        ("co\u00adoperate zero\u200bwidth", "cooperate zerowidth"),
        ("α-divergence ≤ 0.5, C++", "α divergence 0 5 c"),
        ("深度学习 को हिन्दी", "深度学习 को हिन्दी"),  # vowel signs belong to their words
        ("\x1cone\x85two\u00a0three\u2028four", "one two three four"),
        ("... \ud800 \u200b", ""),
    ],
)
def test_terms_are_words_without_case_width_and_punctuation(text: str, terms: str) -> None:
    assert sorted(terms_of(text)) == sorted(terms.split())


@given(st.text(max_size=80))
def test_terms_are_the_words_of_the_normalised_text(text: str) -> None:
    words = set(normalise_title(text).split())
    found = terms_of(text)
    assert len(found) == len(set(found))
    assert {word for word in words if len(word) <= MAX_TERM} <= set(found)
    assert len(found) == len(words)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "hostile",
    [
        "a" + "\u0301\u0323" * 100_000,  # accents above and below, to be put in order
        "a" + ("\u0301" * 29 + "\u200d" + "\u0323" * 29 + "\u200d") * 3_000,  # joiners go later
        "a" + "\u0f73" * 100_000,  # falls apart into two marks
        "\ufdfa" * 100_000,  # one character that stands for eighteen
    ],
    ids=["marks", "marks and joiners", "composed marks", "ligatures"],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(hostile: str) -> None:
    # Left in one run, the marks of the first would take minutes: their number squared.
    assert terms_of(hostile)


def test_stop_words_are_dropped_on_request_only() -> None:
    query = "The State of the Art on ImageNet"
    assert query_terms(query) == ["the", "state", "of", "art", "on", "imagenet"]
    assert query_terms(query, drop_stop_words=True) == ["state", "art", "imagenet"]
    assert query_terms("to be or not to be", drop_stop_words=True) == []
    assert all(terms_of(word) == [word] for word in STOP_WORDS)


# Stems of words, beside those of NLTK


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
