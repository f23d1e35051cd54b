import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.sentences import cut_words, is_heading, split_sentences


@pytest.mark.parametrize(
    "text",
    [
        "This was shown by Smith et al. (2020) for small graphs.",
        "Others, e.g. Transformers, i.e. Attention models, do better.",
        "As Fig. 3 and Eq. (4) in Sec. II show, it is fast.",
        "The factor is 0.25 at 3.5 GHz.",
        "The proof is due to J. A. Author and C.-D. Writer.",
        "It goes on ... and then stops.",
        "Is it (really?) so?",
        "The vectors x 1 , . . . , x n are given.",
    ],
)
def test_a_mark_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert split_sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four.", ["One.", "Two!", "Three?", "Four."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It works [3]. We agree (2020). So do they.",
         ["It works [3].", "We agree (2020).", "So do they."]),
        ("It was shown.[1,2] We go on.", ["It was shown.[1,2]", "We go on."]),
        ("They came in 2019. In 2020 they left.", ["They came in 2019.", "In 2020 they left."]),
        ("Made in the U.S. We like it.", ["Made in the U.S.", "We like it."]),
        ("By Writer et al. We differ.", ["By Writer et al.", "We differ."]),
        ("1. First point. 2. Second point.", ["1. First point.", "2. Second point."]),
        ("これは文です。次の文です。", ["これは文です。", "次の文です。"]),
    ],
)  # fmt: skip
def test_a_mark_before_a_new_start_ends_the_sentence(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


def test_blank_lines_and_headings_are_borders() -> None:
    text = "# Part\nIt begins here.\n\n2.1 Results\nThey are good\nand they\nlast.\n \nNo mark"
    assert split_sentences(text) == [
        "# Part",
        "It begins here.",
        "2.1 Results",
        "They are good and they last.",
        "No mark",
    ]


def test_headings_are_short_and_have_no_final_mark() -> None:
    assert is_heading("3 Experimental Setup")
    assert not is_heading("It works.")
    assert not is_heading("It works (Author 001, 2023).")
    assert not is_heading("We use a longer line of words that nobody would take for one")


@given(st.text(alphabet="ab AB.!?…()[]\"'1\n\t。", max_size=200))
def test_splitting_keeps_every_character_but_spaces(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(st.text())
def test_sentences_are_never_empty_and_have_single_spaces(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence
        assert sentence == " ".join(sentence.split())


def test_words_are_cut_from_the_front() -> None:
    assert cut_words("one  two\nthree four", 3) == "one two three"
    assert cut_words("one two", 5) == "one two"
    assert cut_words("one two", 0) == ""
    assert cut_words("", 3) == ""
