"""ROUGE by hand and equal to rouge-score; length ratio and n-gram overlap."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from vivavoce.metrics.rouge import MAX_WORDS, length_ratio, ngram_overlap, rouge, words_of

NAMES = ("rouge1", "rouge2", "rougeL")
NOTHING, ALL = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 1.0)
SCORERS = {stem: RougeScorer(list(NAMES), use_stemmer=stem) for stem in (False, True)}
# fmt: off
WORDS = [
    "the", "of", "a", "model", "models", "modelling", "paper", "papers", "dying", "lies", "skies",
    "happily", "relational", "3d", "x2", "état", "naïve", "Größe", "İstanbul", "\u212a", "ﬁne",
    "模型", "модель", "—", "it's", "co-operate", "u.s.", "_under_score_", "①", "²", "yyyy",
    "generalisations",
]
# fmt: on


def is_mostly_ascii(text: str) -> bool:
    """Check that rouge-score, which sees no other letters, sees at least half of a text's."""
    letters = [letter.isascii() for letter in text if letter.isalpha()]
    return 2 * sum(letters) >= len(letters)


texts = st.one_of(
    st.text(max_size=80).filter(is_mostly_ascii),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join).filter(is_mostly_ascii),
    st.text(alphabet="ab y\n.é", max_size=60).filter(is_mostly_ascii),
)


def test_words_are_runs_of_ascii_letters_and_digits():
    assert rouge("State-of-the: 3D, naïve!", "state of the 3d na ve") == ALL
    assert rouge("naïve", "naive")["rouge1"] == 0.0


def test_stemming_leaves_short_words_alone():
    # "dies" has four letters and is stemmed; "die" has three and is not.
    assert rouge("die dies relational", "die die relat", stem=True) == ALL
    assert rouge("ice", "ic", stem=True)["rouge1"] == 0.0


def test_worked_example():
    # prediction: the cat sat on the mat (6 words, 5 pairs); reference: the cat lay on a mat (6, 5).
    # Words shared: the, cat, on, mat = 4 -> P = R = F = 4/6. Pairs shared: "the cat" = 1 -> 1/5.
    # Longest common subsequence: the cat on mat = 4 -> 4/6.
    scores = rouge("The cat sat on the mat.", "The cat lay on a mat.")
    assert scores["rouge1"] == pytest.approx(4 / 6)
    assert scores["rouge2"] == pytest.approx(1 / 5)
    assert scores["rougeL"] == pytest.approx(4 / 6)


def test_f_is_the_harmonic_mean_over_prediction_and_reference():
    # 2 words of 2 are right, of 4 wanted: F = 2 * 1 * 0.5 / 1.5 = 2/3.
    assert rouge("deep nets", "very deep nets today")["rouge1"] == pytest.approx(2 / 3)


def test_a_repeated_word_counts_as_often_as_the_reference_has_it():
    # "the" four times against once: 1 match of 4 predicted, of 2 expected.
    assert rouge("the the the the", "the end")["rouge1"] == pytest.approx(1 / 3)


def test_order_matters_to_the_subsequence_only():
    scores = rouge("c b a", "a b c")
    assert (scores["rouge1"], scores["rougeL"]) == (1.0, pytest.approx(1 / 3))


@pytest.mark.parametrize("text", ["", "   ", "?!", "。、"])
def test_a_text_without_words_scores_zero(text):
    assert rouge(text, "a paper") == NOTHING
    assert rouge("a paper", text) == NOTHING
    assert rouge(text, text) == NOTHING


@settings(max_examples=150, deadline=None)
@given(prediction=texts, reference=texts, stem=st.booleans())
def test_equals_rouge_score_on_any_text(prediction, reference, stem):
    theirs = SCORERS[stem].score(reference, prediction)
    ours = rouge(prediction, reference, stem=stem)
    assert ours == {name: theirs[name].fmeasure for name in NAMES}


def test_a_hostile_word_is_stemmed_in_linear_time():
    assert rouge("y" * 200_000 + "ing", "y" * 200_000 + "ed", stem=True)["rouge1"] == 1.0


@pytest.mark.parametrize(
    ("prediction", "reference", "shared", "given", "wanted"),
    [
        ("水獺開箱", "水獺打開箱子", 4, 4, 6),  # a character each
        ("カワウソは箱", "カワウソは箱を開ける", 6, 6, 10),
        ("นาก", "นากเปิดกล่อง", 3, 3, 12),
        ("выдры открывают", "Выдры открывают ящики", 2, 2, 3),  # a word each
        ("水獺 GRU 3", "水獺打開 GRU", 3, 4, 5),
    ],
)
def test_other_scripts_are_cut_into_words_or_characters(
    prediction: str, reference: str, shared: int, given: int, wanted: int
):
    precision, recall = shared / given, shared / wanted
    f = 2 * precision * recall / (precision + recall)
    assert rouge(prediction, reference)["rougeL"] == pytest.approx(f)


written = st.lists(st.sampled_from(["a", "b", "c", "É", "模型"]), max_size=40).map(" ".join)


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


@settings(deadline=None, max_examples=150)
@given(written, written, st.integers(1, 9))
def test_overlap_equals_its_definition(gold, source, n):
    grams, found = ngrams(gold, n), set(ngrams(source, n))
    expected = sum(gram in found for gram in grams) / len(grams) if grams else None
    assert ngram_overlap(gold, source, n) == expected


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
